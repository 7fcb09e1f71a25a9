//! What is measured: blocks of cases, and why the others are left out.

use std::collections::HashMap;

use wirespeed_bench::{Case, Contender, Quarantined, Skipped};
use wirespeed_cipher::{Direction, Route, Subject, Use};

use super::contenders::stand_in;
use crate::arguments::BenchRequest;
use crate::host::Host;

/// The sizes of one algorithm in one direction and use: one block of the table.
pub(super) struct Block {
    pub(super) subject: Subject,
    pub(super) usage: Use,
    pub(super) cases: Vec<Case>,
}

/// Every block that has cases, and why the other cases are none.
pub(super) fn of(request: &BenchRequest, usual: &[Subject]) -> (Vec<Block>, Vec<Skipped>) {
    let (mut blocks, mut skipped) = (Vec::new(), Vec::new());
    for &subject in request.algorithms.as_deref().unwrap_or(usual) {
        // OFB, CTR and hashes are the same function both ways: --decrypt measures that one.
        let directions = match subject.is_symmetric() {
            true => vec![Direction::Encrypt],
            false => request.directions.clone(),
        };
        for direction in directions {
            for &usage in &request.uses {
                let mut cases = Vec::new();
                for &size in &request.sizes {
                    match Case::new(subject, direction, usage, size) {
                        Ok(case) if !cases.contains(&case) => cases.push(case),
                        Ok(_) => {}
                        Err(reason) => note(&mut skipped, subject, Some(usage), None, reason),
                    }
                }
                if !cases.is_empty() {
                    blocks.push(Block { subject, usage, cases });
                }
            }
        }
    }
    (blocks, skipped)
}

fn note(
    skipped: &mut Vec<Skipped>,
    subject: Subject,
    usage: Option<Use>,
    route: Option<Route>,
    reason: impl Into<String>,
) {
    let entry = Skipped {
        algorithm: subject.name(),
        usage: usage.map(Use::name),
        route: route.map(Route::name),
        reason: reason.into(),
    };
    if !skipped.contains(&entry) {
        skipped.push(entry);
    }
}

/// Who and what does not take part, and why.
pub(super) struct Omitted {
    pub(super) skipped: Vec<Skipped>,
    pub(super) quarantined: Vec<Quarantined>,
    /// Who in the kernel was proved, or was not right.
    proofs: HashMap<(Contender, Subject), bool>,
}

impl Omitted {
    /// So far only cases that are none.
    pub(super) fn new(skipped: Vec<Skipped>) -> Self {
        Self { skipped, quarantined: Vec::new(), proofs: HashMap::new() }
    }

    /// The contenders that know the block's algorithm and give right results; a route may leave one to
    /// OpenSSL.
    pub(super) fn present(
        &mut self,
        host: &Host,
        block: &Block,
        contenders: &[Contender],
    ) -> Vec<Contender> {
        let tried = |contender| host.arena.runner(contender, block.cases[0]).map(|_| contender);
        let mut here = Vec::new();
        for &contender in contenders {
            let found = tried(contender)
                .or_else(|why| stand_in(contender).and_then(|other| tried(other).ok()).ok_or(why));
            match found {
                Ok(contender) if self.is_right(host, contender, block.subject) => {
                    here.push(contender);
                }
                Ok(_) => {}
                Err(why) => {
                    let (skipped, route) = (&mut self.skipped, contender.route());
                    let is_ours =
                        matches!(contender, Contender::Provider(route) if route != Route::Kernel);
                    let knows = |it| host.arena.knows(it, block.subject);
                    // What OpenSSL says of an algorithm that is not on offer tells nobody anything.
                    let is_host = contender == Contender::Host;
                    let why = if !(is_host || is_ours) || knows(contender) {
                        why.to_string()
                    } else if is_host {
                        "this OpenSSL has none".to_owned()
                    } else if knows(Contender::Host) {
                        "no kernels for it".to_owned()
                    } else {
                        "not on offer where this OpenSSL has none".to_owned()
                    };
                    note(skipped, block.subject, None, route, why);
                }
            }
        }
        here
    }

    /// Whether a contender may be measured: a driver of the kernel's is proved first.
    fn is_right(&mut self, host: &Host, contender: Contender, subject: Subject) -> bool {
        if !contender.may_sleep() {
            return true;
        }
        let quarantined = &mut self.quarantined;
        *self.proofs.entry((contender, subject)).or_insert_with(|| {
            let proof = host.prove_in_kernel(contender, subject);
            let wrong = |reason| {
                let (algorithm, name) = (subject.name(), contender.title());
                quarantined.push(Quarantined { algorithm, name, reason });
            };
            proof.map_err(wrong).is_ok()
        })
    }
}

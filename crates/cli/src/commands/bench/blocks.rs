//! What is measured: blocks of cases, and why the others are left out.

use std::collections::HashMap;

use wirespeed_bench::{Candidate, Case, Host};
use wirespeed_cipher::{Direction, Route, Subject, Use};
use wirespeed_results::schema::bench::{Quarantined, Skipped};

use super::candidates::{stand_in, usual_subjects};
use super::request::Request;

/// The sizes of one algorithm in one direction and use: one block of the table.
pub(super) struct Block {
    pub(super) subject: Subject,
    pub(super) usage: Use,
    pub(super) cases: Vec<Case>,
}

/// Every block that has cases, and why the other cases are none.
pub(super) fn of(
    request: &Request,
    host: &Host,
    candidates: &[Candidate],
) -> (Vec<Block>, Vec<Skipped>) {
    let (mut blocks, mut skipped) = (Vec::new(), Vec::new());
    let usual = || usual_subjects(host, candidates, request.all);
    for subject in request.algorithms.clone().unwrap_or_else(usual) {
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

pub(super) fn note(
    skipped: &mut Vec<Skipped>,
    subject: Subject,
    usage: Option<Use>,
    route: Option<Route>,
    reason: impl Into<String>,
) {
    let entry = Skipped {
        algorithm: subject.name().to_owned(),
        usage: usage.map(|it| it.name().to_owned()),
        route: route.map(|it| it.name().to_owned()),
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
    /// Who was proved, or was not right: in the kernel each algorithm, of our kernels the route.
    proofs: HashMap<(Candidate, Subject), bool>,
    routes: HashMap<Route, Result<(), String>>,
}

impl Omitted {
    /// So far only cases that are none.
    pub(super) fn new(skipped: Vec<Skipped>) -> Self {
        Self { skipped, quarantined: Vec::new(), proofs: HashMap::new(), routes: HashMap::new() }
    }

    /// The candidates that know the block's algorithm and give right results; a route may leave one to
    /// OpenSSL.
    pub(super) fn present(
        &mut self,
        host: &Host,
        block: &Block,
        candidates: &[Candidate],
    ) -> Vec<Candidate> {
        let tried = |candidate| host.harness.runner(candidate, block.cases[0]).map(|_| candidate);
        let mut here = Vec::new();
        for &candidate in candidates {
            let found = tried(candidate)
                .or_else(|why| stand_in(candidate).and_then(|other| tried(other).ok()).ok_or(why));
            match found {
                Ok(candidate) if self.is_right(host, candidate, block.subject) => {
                    here.push(candidate);
                }
                Ok(_) => {}
                Err(why) => {
                    let (skipped, route) = (&mut self.skipped, candidate.route());
                    let is_ours =
                        matches!(candidate, Candidate::Provider(route) if !route.is_offload());
                    let knows = |it| host.harness.knows(it, block.subject);
                    // What OpenSSL says of an algorithm that is not on offer tells nobody anything.
                    let is_host = candidate == Candidate::Host;
                    let why = if !(is_host || is_ours) || knows(candidate) {
                        why.to_string()
                    } else if is_host {
                        "this OpenSSL has none".to_owned()
                    } else if knows(Candidate::Host) {
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

    /// Whether a candidate may be measured: a driver of the kernel's is proved first, and so are kernels without the
    /// provider, which proves them itself.
    fn is_right(&mut self, host: &Host, candidate: Candidate, subject: Subject) -> bool {
        let Self { quarantined, proofs, routes, .. } = self;
        let mut prove = || match candidate {
            Candidate::Kernels(route) if route.is_own() => {
                let prove = || host.prove(&host.find(route)).map(|_| ());
                routes.entry(route).or_insert_with(prove).clone()
            }
            _ if candidate.may_sleep() => host.prove_in_kernel(candidate, subject).map(|_| ()),
            _ => Ok(()),
        };
        *proofs.entry((candidate, subject)).or_insert_with(|| {
            let wrong = |reason| {
                let (algorithm, name) = (subject.name().to_owned(), candidate.title());
                quarantined.push(Quarantined { algorithm, name, reason });
            };
            prove().map_err(wrong).is_ok()
        })
    }
}

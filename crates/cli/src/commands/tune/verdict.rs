//! What to say about a new plan: how sure it is, what changed, what to do next.

use std::path::Path;

use wirespeed_bench::Host;
use wirespeed_cipher::{Algorithm, Route};
use wirespeed_plan::{MARGIN, Plan, Row, Trial, default_file};

use super::measuring::Measuring;
use crate::output::call;
use crate::plan::Effect;

/// Cells that a route of ours might have won, had the machine been quieter.
pub(super) struct Undecided {
    cells: usize,
    of: usize,
}

impl Undecided {
    /// More than this share of all cells is worth a word.
    const MANY: f64 = 0.1;

    /// How many.
    pub(super) const fn cells(&self) -> usize {
        self.cells
    }

    /// What to do about it, if there are many.
    pub(super) fn advice(&self) -> Option<String> {
        let Self { cells, of } = self;
        (*cells as f64 > Self::MANY * *of as f64).then(|| {
            format!(
                "The machine was too noisy to decide {cells} of {of} cells: a route looked faster by \
                 more than 3 %, but not for sure, so this OpenSSL stays there. Close other programs \
                 and run wirespeed tune again."
            )
        })
    }
}

/// Counts the cells that stay with libcrypto although the median of a route of ours is beyond the
/// margin in some use, if not for sure, and in none below the host's.
pub(super) fn undecided(plan: &Plan, measuring: &Measuring<'_>) -> Undecided {
    let mut cells = 0;
    for &algorithm in Algorithm::ALL {
        let trials = measuring.trials(algorithm);
        let stays = |row: &&Row| row.algorithm == algorithm && row.route == Route::Libcrypto;
        cells += plan.rows().filter(stays).filter(|row| promising(&trials, row)).count();
    }
    Undecided { cells, of: plan.rows().count() }
}

fn promising(trials: &[Trial], row: &Row) -> bool {
    let here = |route: Route| {
        trials.iter().filter(move |trial| {
            (trial.direction, trial.size, trial.route) == (row.direction, row.size, route)
        })
    };
    let own = Route::ALL.into_iter().filter(|route| *route != Route::Libcrypto);
    own.into_iter().any(|route| {
        here(route).any(|trial| trial.gain.median > 1.0 + MARGIN)
            && here(route).all(|trial| (1.0..).contains(&trial.gain.median))
            && here(route).all(|trial| trial.gain.low <= 1.0 + MARGIN)
    })
}

/// Against the plan that stood there: "new", "as before", "12 of 340 cells changed".
pub(super) fn change(plan: &Plan, before: Option<&Plan>) -> String {
    let Some(before) = before else { return "new".to_owned() };
    let routes = |plan: &Plan, row: &Row| {
        plan.row(row.algorithm, row.direction, row.size).map(|row| row.route)
    };
    let changed = plan.rows().filter(|row| routes(before, row) != Some(row.route)).count();
    match changed {
        0 => "as before".to_owned(),
        _ => format!("{changed} of {} cells changed", plan.rows().count()),
    }
}

/// What makes programs use the plan.
pub(super) fn next(host: &Host, file: &Path) -> String {
    let effect = Effect::here(host);
    let is_named = effect.named_at.is_some() && effect.file.as_deref() == Some(file);
    let is_usual = default_file().as_deref() == Some(file);
    let (what, how) = if is_named {
        ("In use by", "every program that starts from now on; restart those that run".to_owned())
    } else if is_usual {
        ("Make it so", call::install())
    } else {
        let key = format!("plan = {} in Wirespeed's section of openssl.cnf", file.display());
        ("Make it so", key)
    };
    format!("{what:<22}{how}\n{:<22}{} routes --why\n", "See why", call::program())
}

//! The same program three times, taking turns: stock, stock once more as a control, and with our module.

use std::io::{IsTerminal, Write};
use std::path::Path;

use wirespeed_measure::statistics::{Estimate, median, paired_ratio};
use wirespeed_system_tests::module::{Provided, Watched};

use crate::requirements::Requirement;
use crate::table::Row;

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    /// By how much the usual amount of data is divided.
    pub(crate) divisor: usize,
}

impl Effort {
    pub(crate) fn new(quick: bool, rounds: Option<usize>) -> Self {
        let (usual, divisor) = if quick { (5, 4) } else { (15, 1) };
        Self { rounds: rounds.unwrap_or(usual), divisor }
    }
}

/// What is promised of a plan that was measured anywhere.
const NO_SLOWER: f64 = 0.98;

/// Measures one line; none if the plan leaves its cipher to OpenSSL.
pub(crate) fn measure(
    requirement: &Requirement,
    plan: Option<&Path>,
    effort: Effort,
) -> Result<Option<Row>, String> {
    let failed = |error: String| format!("{}: {error}", requirement.title);
    let line = plan.map(|plan| format!("plan = {}", plan.display()));
    let ours = Watched::with(&line.unwrap_or_default())?;
    let amount = requirement.amount / effort.divisor;
    let begin = |provided| (requirement.begin)(provided, amount).map_err(failed);
    let mut contestants =
        [begin(Provided::Stock)?, begin(Provided::Stock)?, begin(Provided::Ours(&ours))?];
    let mut seconds: [Vec<f64>; 3] = Default::default();
    // The first round warms caches and is not counted.
    for round in 0..=effort.rounds {
        progress(&format!("{}: round {round} of {}", requirement.title, effort.rounds));
        for turn in 0..contestants.len() {
            let which = (turn + round) % contestants.len();
            let spent = contestants[which].run().map_err(failed)?;
            if round > 0 {
                seconds[which].push(spent / amount as f64);
            }
        }
    }
    progress("");
    let served: u64 = ours.counted()?.rows().map(|row| row.bytes).sum();
    if served == 0 && plan.is_some() {
        return Ok(None);
    }
    if served == 0 {
        return Err(failed("our routes did not run".to_owned()));
    }
    let [stock, control, with_us] = &seconds;
    let ratio = |contestant: &[f64]| -> Result<Estimate, String> {
        paired_ratio(stock, contestant).ok_or_else(|| failed("no rounds".to_owned()))
    };
    Ok(Some(Row {
        title: requirement.title,
        unit: requirement.unit,
        at_least: if plan.is_some() { NO_SLOWER } else { requirement.at_least },
        bound: plan.is_none().then_some(requirement.bound),
        stock: median(stock).unwrap_or_default(),
        ours: median(with_us).unwrap_or_default(),
        ratio: ratio(with_us)?,
        control: ratio(control)?,
        served,
    }))
}

/// Shows on a terminal what is being done, on one line.
fn progress(text: &str) {
    let mut screen = std::io::stderr();
    if screen.is_terminal() {
        // A progress line that cannot be written is not worth a word.
        let _ = write!(screen, "\r\x1b[K{text}").and_then(|()| screen.flush());
    }
}

//! The same program three times, taking turns: stock, stock once more as a control, and with our module.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::Path;

use wirespeed_cipher::Route;
use wirespeed_measure::statistics::{Estimate, median, paired_ratio};
use wirespeed_plan::{Fingerprint, Plan};
use wirespeed_profile::Lessons;
use wirespeed_stats::Snapshot;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::output;

use crate::meter::Meter;
use crate::requirements::{NO_SLOWER, Requirement};
use crate::table::{Row, Unit};
use crate::workload::Workload;

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

/// Why a line is not in the table.
pub(crate) enum Skipped {
    NotInstalled(&'static str),
    OtherPlan(String),
    LeftToOpenSsl,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled(package) => write!(f, "Debian's {package} is not installed"),
            Self::OtherPlan(why) => write!(f, "the plan was {why}"),
            Self::LeftToOpenSsl => f.write_str("the plan leaves it to this OpenSSL"),
        }
    }
}

/// Measures one line.
pub(crate) fn measure(
    requirement: &Requirement,
    plan: Option<&Path>,
    effort: Effort,
    lessons: &mut Lessons,
) -> Result<Result<Row, Skipped>, String> {
    if let Some(package) = (requirement.missing)() {
        return Ok(Err(Skipped::NotInstalled(package)));
    }
    let failed = |error: String| format!("{}: {error}", requirement.title);
    if let Some(why) = plan.and_then(|plan| unfit(requirement, plan).transpose()) {
        return Ok(Err(Skipped::OtherPlan(why.map_err(failed)?)));
    }
    let line = plan.map(|plan| format!("plan = {}", plan.display()));
    let ours = Watched::with(&line.unwrap_or_default())?;
    let amount = requirement.amount / effort.divisor;
    let begin = |provided| (requirement.begin)(provided, amount).map_err(failed);
    let mut contestants =
        [begin(Provided::Stock)?, begin(Provided::Stock)?, begin(Provided::Ours(&ours))?];
    let meter = Meter::default();
    let mut seconds: [Vec<f64>; 3] = Default::default();
    // The first round warms caches and is not counted.
    for round in 0..=effort.rounds {
        progress(&format!("{}: round {round} of {}", requirement.title, effort.rounds));
        for turn in 0..contestants.len() {
            let which = (turn + round) % contestants.len();
            let spent = contestants[which].run(&meter).map_err(failed)?;
            if round > 0 {
                seconds[which].push(spent / amount as f64);
            }
        }
    }
    let counted = ours.counted()?;
    if !is_ours(requirement, plan, &counted, amount * (effort.rounds + 1)).map_err(failed)? {
        return Ok(Err(Skipped::LeftToOpenSsl));
    }
    progress(&format!("{}: where the time goes", requirement.title));
    let bound = bound(contestants[0].as_mut(), lessons).map_err(failed)?;
    progress("");
    let [stock, control, with_us] = &seconds;
    let ratio = |contestant: &[f64]| -> Result<Estimate, String> {
        paired_ratio(stock, contestant).ok_or_else(|| failed("no rounds".to_owned()))
    };
    let ours = counted.rows().filter(|row| row.route != Route::Libcrypto);
    Ok(Ok(Row {
        title: requirement.title,
        unit: requirement.unit,
        at_least: if plan.is_some() { NO_SLOWER } else { requirement.at_least },
        bound,
        stock: median(stock).unwrap_or_default(),
        ours: median(with_us).unwrap_or_default(),
        ratio: ratio(with_us)?,
        control: ratio(control)?,
        served: ours.map(|row| row.bytes).sum(),
    }))
}

/// Why the module ignores a plan in these programs.
fn unfit(requirement: &Requirement, plan: &Path) -> Result<Option<String>, String> {
    let version = output(Provided::Stock.to((requirement.openssl)()?.arg("version")))?;
    let here = Fingerprint::here(&String::from_utf8_lossy(&version));
    let plan = Plan::read(plan).map_err(|error| error.to_string())?;
    Ok(plan.fingerprint().difference(&here))
}

/// Whether our routes ran the cipher of the work, and not only that of a handshake. That a plan leaves it to this
/// OpenSSL is no error.
fn is_ours(
    requirement: &Requirement,
    plan: Option<&Path>,
    counted: &Snapshot,
    amount: usize,
) -> Result<bool, String> {
    let (cipher, direction) = requirement.cipher;
    let rows = counted.rows().filter(|it| it.subject.name() == cipher && it.direction == direction);
    let (theirs, ours): (Vec<_>, Vec<_>) = rows.partition(|it| it.route == Route::Libcrypto);
    let bytes = |rows: &[wirespeed_stats::Row]| rows.iter().map(|row| row.bytes).sum::<u64>();
    let (theirs, bytes) = (bytes(&theirs), bytes(&ours));
    let least = match (plan, requirement.unit) {
        (None, Unit::Mebibytes) => (amount as u64) << 20,
        (None, Unit::Requests) => amount as u64,
        // Most of it, or it is a line about this OpenSSL.
        (Some(_), _) => theirs + 1,
    };
    let left = match plan.map(Plan::read).transpose().map_err(|error| error.to_string())? {
        None => false,
        Some(plan) => {
            theirs > 0
                || !plan.rows().any(|row| {
                    row.algorithm.name() == cipher
                        && row.direction == direction
                        && row.route != Route::Libcrypto
                })
        }
    };
    if bytes < least && !left {
        let (all, loads): (Vec<_>, _) = (counted.rows().collect(), counted.loads());
        return Err(format!(
            "our routes ran {bytes} bytes of {cipher} {direction:?}, not {least}; {loads} processes \
             loaded the module, and counted {all:?}"
        ));
    }
    Ok(bytes >= least)
}

/// CPU seconds of a program that are samples enough, one each millisecond.
const ENOUGH: f64 = 2.0;
/// So often it works for them at most.
const MOST: usize = 40;
/// With fewer samples a share is chance.
const FEWEST: u64 = 200;

/// The gain if ciphers cost nothing, by where the stock program spends its time; none where that cannot be seen.
fn bound(stock: &mut dyn Workload, lessons: &mut Lessons) -> Result<Option<f64>, String> {
    let Ok(meter) = Meter::sampling() else { return Ok(None) };
    let mut spent = 0.0;
    for _ in 0..MOST {
        spent += stock.run(&meter)?;
        if spent >= ENOUGH {
            break;
        }
    }
    let profile = meter.profile(spent, lessons);
    let seen = profile.filter(|it| it.samples >= FEWEST && it.tells_ciphers());
    Ok(seen.map(|it| it.gain_at_most()))
}

/// Shows on a terminal what is being done, on one line.
fn progress(text: &str) {
    let mut screen = std::io::stderr();
    if screen.is_terminal() {
        // A progress line that cannot be written is not worth a word.
        let _ = write!(screen, "\r\x1b[K{text}").and_then(|()| screen.flush());
    }
}

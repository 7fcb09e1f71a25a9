//! The same program three times, taking turns: stock, stock once more as a control, and with our module.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::Path;

use wirespeed_bench::Host;
use wirespeed_cipher::Route;
use wirespeed_doctor::{Gain, gain};
use wirespeed_measure::statistics::{Estimate, median, paired_ratio};
use wirespeed_plan::{Fingerprint, Plan};
use wirespeed_profile::Lessons;
use wirespeed_stats::Snapshot;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::output;
use wirespeed_system_tests::trixie;

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

/// The place of the program with our module among the contestants.
const OURS: usize = 2;

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
    foreteller: &mut Foreteller,
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
    let plain = Meter::default();
    // Where the stock program's time goes is seen in the rounds that are compared: other rounds have other noise.
    let sampling = Meter::sampling().unwrap_or_default();
    // Being looked at costs some percent, so it must cost ours as much.
    let sampling_ours = Meter::sampling().unwrap_or_default();
    let mut seconds: [Vec<f64>; 3] = Default::default();
    // The first round warms caches and is not counted.
    for round in 0..=effort.rounds {
        progress(&format!("{}: round {round} of {}", requirement.title, effort.rounds));
        for turn in 0..contestants.len() {
            let which = (turn + round) % contestants.len();
            let meter = match which {
                _ if round == 0 => &plain,
                OURS => &sampling_ours,
                _ => &sampling,
            };
            let spent = contestants[which].run(meter).map_err(failed)?;
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
    let [stock, control, with_us] = &seconds;
    let spent = stock.iter().chain(control).sum::<f64>() * amount as f64;
    let spent = spent + more(contestants[0].as_mut(), &sampling, spent).map_err(failed)?;
    let gain = foreteller.foretell(sampling, spent);
    progress("");
    let ratio = |contestant: &[f64]| -> Result<Estimate, String> {
        paired_ratio(stock, contestant).ok_or_else(|| failed("no rounds".to_owned()))
    };
    let ours = counted.rows().filter(|row| row.route != Route::Libcrypto);
    Ok(Ok(Row {
        title: requirement.title,
        unit: requirement.unit,
        at_least: if plan.is_some() { NO_SLOWER } else { requirement.at_least },
        foretold: gain.and_then(|it| it.expected),
        bound: gain.map(|it| it.at_most),
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

/// Lets the stock program work until the samples are enough; the seconds that took.
fn more(stock: &mut dyn Workload, sampling: &Meter, spent: f64) -> Result<f64, String> {
    let mut more = 0.0;
    for _ in 0..MOST {
        if !sampling.samples() || spent + more >= ENOUGH {
            break;
        }
        more += stock.run(sampling)?;
    }
    Ok(more)
}

/// Tells a program's gain beforehand, as `wirespeed doctor --why-slow` does.
pub(crate) struct Foreteller {
    host: Host,
    lessons: Lessons,
}

impl Foreteller {
    pub(crate) fn here() -> Self {
        let mut lessons = Lessons::default();
        if let Ok(openssl) = trixie::command("usr/bin/openssl") {
            lessons.also_by(&openssl);
        }
        Self { host: Host::discover(), lessons }
    }

    /// By the samples of so many seconds; none where they are too few, or tell too little.
    fn foretell(&mut self, sampling: Meter, cpu_seconds: f64) -> Option<Gain> {
        let profile = sampling.profile(cpu_seconds, &mut self.lessons)?;
        (profile.samples >= FEWEST && profile.tells_ciphers()).then(|| gain(&self.host, &profile))
    }
}

/// Shows on a terminal what is being done, on one line.
fn progress(text: &str) {
    let mut screen = std::io::stderr();
    if screen.is_terminal() {
        // A progress line that cannot be written is not worth a word.
        let _ = write!(screen, "\r\x1b[K{text}").and_then(|()| screen.flush());
    }
}

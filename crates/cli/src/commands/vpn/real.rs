//! Tunnels that are real: set up between two network namespaces, and filled by iperf3.

mod table;

use std::env;
use std::time::Duration;

use rustix::process::geteuid;
use wirespeed_installation::{own_module, standing};
use wirespeed_results::schema::tunnel::Row;
use wirespeed_tunnel::{Case, Event, Module, Next, Request, Stage};
use wirespeed_vpn::Suite;

use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::Progress;
pub(super) use table::{notes, text};

/// The hidden command that is the process in the namespaces.
pub(crate) const INSIDE: &str = "vpn-inside";
/// Measurements of each tunnel.
const ROUNDS: usize = 5;
/// Between two looks whether somebody wants this to end.
const PATIENCE: Duration = Duration::from_millis(100);

/// What that process does.
pub(crate) fn inside() -> Result<(), Fault> {
    wirespeed_tunnel::inside().map_err(Fault::usage)
}

/// The tunnels to measure, and for how many seconds each time.
pub(super) struct Tunnels {
    cases: Vec<Case>,
    seconds: u32,
}

impl Tunnels {
    /// With these suites, or where none is asked for with the usual ones.
    pub(super) fn of(suites: Option<&[Suite]>, seconds: f64) -> Result<Self, Fault> {
        let cases = suites.map_or_else(Case::usual, Case::of);
        if cases.is_empty() {
            return Err(Fault::usage(
                "--real has tunnels of ESP and OpenVPN alone: choose suites such as aes128gcm16",
            ));
        }
        // iperf3 counts whole seconds, and what --seconds takes is far below what this holds.
        Ok(Self { cases, seconds: seconds.ceil().max(1.0) as u32 })
    }
}

/// Measures them; what was measured is in `rows`, however it ends.
pub(super) fn run(
    tunnels: &Tunnels,
    interruption: &Interruption,
    rows: &mut Vec<Row>,
) -> Result<(), Fault> {
    if !geteuid().is_root() {
        return Err(Fault::usage("--real needs root: sudo wirespeed vpn --real …"));
    }
    let request = Request {
        cases: tunnels.cases.clone(),
        seconds: tunnels.seconds,
        rounds: ROUNDS,
        module: module(),
    };
    let program = env::current_exe()?;
    let stage = Stage::start(&program, INSIDE, &request).map_err(Fault::usage)?;
    let all: usize = request.cases.iter().map(|case| case.carrier.providers().len()).sum();
    let progress = Progress::new((all * ROUNDS) as u64);
    let ended = listen(stage, &progress, interruption, rows);
    progress.done();
    ended
}

fn listen(
    stage: Stage,
    progress: &Progress,
    interruption: &Interruption,
    rows: &mut Vec<Row>,
) -> Result<(), Fault> {
    loop {
        // What is dropped here ends, and all that runs in its namespaces.
        interruption.check("what was measured so far is above, and nothing is left running")?;
        match stage.next(PATIENCE) {
            Next::Nothing => {}
            Next::Event(Event::At(what)) => progress.at(what),
            Next::Event(Event::Measured) => progress.tick(),
            Next::Event(Event::Row(row)) => {
                rows.push(row);
                progress.reach((rows.len() * ROUNDS) as u64);
            }
            Next::Event(Event::Done) => return Ok(()),
            Next::Ended => {
                let why = stage.end();
                return Err(Fault::usage(format!("--real needs namespaces of its own: {why}")));
            }
        }
    }
}

/// Our module, following this machine's plan where that is good.
fn module() -> Result<Module, String> {
    let file = own_module()?;
    let plan = standing(true).filter(|it| it.lack.is_none()).map(|it| it.file);
    Ok(Module { file, plan })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunnels_of_what_was_asked_for() {
        assert_eq!(Tunnels::of(None, 0.05).expect("the usual").cases, Case::usual());
        let suite = |keyword: &str| keyword.parse::<Suite>().expect("a suite");
        let some = Tunnels::of(Some(&[suite("aes128ccm16")]), 2.5).expect("two carriers");
        assert_eq!((some.cases.len(), some.seconds), (2, 3));
        let Err(Fault::Usage(said)) = Tunnels::of(Some(&[suite("wireguard")]), 1.0) else {
            panic!("none of these")
        };
        assert!(said.contains("choose suites such as"), "{said}");
    }
}

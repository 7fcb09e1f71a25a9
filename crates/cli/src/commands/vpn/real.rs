//! Tunnels that are real: set up between two network namespaces, and filled by iperf3.

mod table;

use std::env;
use std::time::Duration;

use rustix::process::geteuid;
use wirespeed_tunnel::document::Row;
use wirespeed_tunnel::{Case, Event, Module, Next, Request, Stage, Suite};

use crate::commands::install::place::own_module;
use crate::commands::install::plan::standing;
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

/// The suites of these keywords, strongSwan's; without any all.
pub(super) fn suites(keywords: Option<&[String]>) -> Result<Vec<Suite>, Fault> {
    let Some(keywords) = keywords else { return Ok(Suite::ALL.to_vec()) };
    let known = |keyword: &String| {
        Suite::of(keyword).ok_or_else(|| {
            let all = Suite::ALL.map(|it| it.keyword).join(" ");
            Fault::usage(format!("--real has no suite '{keyword}': choose from {all}"))
        })
    };
    keywords.iter().map(known).collect()
}

/// Measures the suites, for so many seconds each time; what was measured stays in `rows`, however it ends.
pub(super) fn run(
    suites: &[Suite],
    seconds: f64,
    interruption: &Interruption,
    rows: &mut Vec<Row>,
) -> Result<(), Fault> {
    if !geteuid().is_root() {
        return Err(Fault::usage("--real needs root: sudo wirespeed vpn --real …"));
    }
    let request = Request {
        cases: Case::of(suites),
        // iperf3 counts whole ones; the limits of --seconds are far below what this holds.
        seconds: seconds.ceil().max(1.0) as u32,
        rounds: ROUNDS,
        module: module(),
    };
    let program = env::current_exe()?;
    let stage = Stage::start(&program, INSIDE, &request).map_err(Fault::usage)?;
    let all = request.cases.iter().map(|case| case.carrier.providers().len()).sum::<usize>();
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
        interruption.check("what was measured until then was told, and nothing is left running")?;
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
    let file = own_module().map_err(|fault| match fault {
        Fault::Usage(why) => why,
        other => format!("{other:?}"),
    })?;
    let plan = standing(true).filter(|it| it.lack.is_none()).map(|it| it.file);
    Ok(Module { file, plan })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_go_by_strongswans_words() {
        assert_eq!(suites(None).expect("all"), Suite::ALL);
        let named = suites(Some(&["3des-sha1".to_owned()])).expect("known");
        assert_eq!(named.iter().map(|it| it.name).collect::<Vec<_>>(), ["3DES-CBC HMAC-SHA1"]);
        let Err(Fault::Usage(said)) = suites(Some(&["wireguard".to_owned()])) else {
            panic!("it is none of these")
        };
        assert!(
            said.contains("--real has no suite 'wireguard': choose from aes128gcm16"),
            "{said}"
        );
    }
}

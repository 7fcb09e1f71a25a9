//! A plan measured before the module is installed.

use std::env;
use std::process::Command;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use wirespeed_installation::{Standing, standing};
use wirespeed_plan::Plan;

use crate::arguments::Switch;
use crate::fault::Fault;
use crate::interruption::Interruption;

/// Why a plan that fits is not the one that is asked for, for constant time or by speed alone.
pub(crate) fn lacks(plan: &Plan, constant_time: Option<Switch>) -> Option<String> {
    let wanted = constant_time?;
    (plan.is_for_constant_time() != wanted.is_on()).then(|| match wanted {
        Switch::On => "it was chosen by speed alone".to_owned(),
        Switch::Off => "it is for constant time".to_owned(),
    })
}

/// Measures: `wirespeed tune --quick`, as a program of its own. Who wants this program to end wants that one to end.
pub(crate) fn measure(
    constant_time: Option<Switch>,
    interruption: &Interruption,
) -> Result<(), Fault> {
    const LOOK: Duration = Duration::from_millis(50);
    let unable = |error| Fault::usage(format!("cannot run wirespeed tune: {error}"));
    let program = env::current_exe().map_err(unable)?;
    let mut tune = Command::new(program);
    tune.args(["tune", "--quick", "--installing"]);
    tune.args(constant_time.map(|it| format!("--constant-time={}", it.name())));
    let mut child = tune.spawn().map_err(unable)?;
    let mut is_told = false;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(unable)? {
            break status;
        }
        if interruption.is_asked() && !is_told {
            // Ctrl-C has told it already; twice ends it at once.
            is_told = true;
            let _ = kill_process(Pid::from_child(&child), Signal::TERM);
        }
        thread::sleep(LOOK);
    };
    match status.code() {
        Some(0) => Ok(()),
        // It has named the route that is left out, and the plan does without it.
        Some(1) if is_written(constant_time) => Ok(()),
        Some(1) => Err(Fault::NotSo(
            "wirespeed tune found faults, so nothing was installed: see above".to_owned(),
        )),
        _ => Err(Fault::usage("wirespeed tune failed, so nothing was installed: see above")),
    }
}

/// Whether the machine has the plan now.
fn is_written(constant_time: Option<Switch>) -> bool {
    let fits = |it: &Standing| {
        it.lack.is_none()
            && Plan::read(&it.file).is_ok_and(|plan| lacks(&plan, constant_time).is_none())
    };
    standing(true).as_ref().is_some_and(fits)
}

//! A plan measured before the module is installed.

use std::env;
use std::process::Command;

use wirespeed_plan::Plan;

use crate::arguments::Switch;
use crate::fault::Fault;

/// Why a plan that fits is not the one that is asked for, for constant time or by speed alone.
pub(crate) fn lacks(plan: &Plan, constant_time: Option<Switch>) -> Option<String> {
    let wanted = constant_time?;
    (plan.is_for_constant_time() != wanted.is_on()).then(|| match wanted {
        Switch::On => "it was chosen by speed alone".to_owned(),
        Switch::Off => "it is for constant time".to_owned(),
    })
}

/// Measures: `wirespeed tune --quick`, as a program of its own; with Linux's crypto if that is turned on.
pub(crate) fn measure(kernel: bool, constant_time: Option<Switch>) -> Result<(), Fault> {
    let unable = |error| Fault::usage(format!("cannot run wirespeed tune: {error}"));
    let program = env::current_exe().map_err(unable)?;
    let mut tune = Command::new(program);
    tune.args(["tune", "--quick"]).args(kernel.then_some("--kernel"));
    tune.args(constant_time.map(|it| format!("--constant-time={}", it.name())));
    let status = tune.status().map_err(unable)?;
    match status.success() {
        true => Ok(()),
        false => Err(Fault::NotSo(
            "wirespeed tune found faults, so nothing was installed: see above".to_owned(),
        )),
    }
}

//! A plan measured before the module is installed.

use std::env;
use std::process::Command;

use crate::fault::Fault;

/// Measures: `wirespeed tune --quick`, as a program of its own; with Linux's crypto if that is turned on.
pub(crate) fn measure(kernel: bool) -> Result<(), Fault> {
    let unable = |error| Fault::usage(format!("cannot run wirespeed tune: {error}"));
    let program = env::current_exe().map_err(unable)?;
    let mut tune = Command::new(program);
    tune.args(["tune", "--quick"]).args(kernel.then_some("--kernel"));
    let status = tune.status().map_err(unable)?;
    match status.success() {
        true => Ok(()),
        false => Err(Fault::NotSo(
            "wirespeed tune found faults, so nothing was installed: see above".to_owned(),
        )),
    }
}

//! The plan that the installed module is to follow.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use wirespeed_libcrypto::Library;
use wirespeed_plan::{Fingerprint, Plan, SYSTEM, default_file};

use crate::fault::Fault;

/// The plan of the default place, and why it cannot be used as it is.
pub(crate) struct Standing {
    pub(crate) file: PathBuf,
    pub(crate) lack: Option<String>,
}

/// Looks for the plan: daemons follow the machine's and none in somebody's home, but a configuration
/// of one's own may. Nothing is known about plans without a libcrypto or a home.
pub(crate) fn standing(is_the_machines: bool) -> Option<Standing> {
    let file = if is_the_machines { PathBuf::from(SYSTEM) } else { default_file()? };
    let here = Fingerprint::here(Library::host().ok()?.version());
    let lack = match Plan::read(&file) {
        Err(why) => Some(why.to_string()),
        Ok(plan) => plan.fingerprint().difference(&here),
    };
    Some(Standing { file, lack })
}

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

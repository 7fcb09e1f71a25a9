//! The plan that the installed module is to follow.

use std::path::PathBuf;

use wirespeed_libcrypto::Library;
use wirespeed_plan::{Fingerprint, Plan, SYSTEM, default_file};

/// The plan of the default place, and why it cannot be used as it is.
pub struct Standing {
    /// The plan.
    pub file: PathBuf,
    /// Why it cannot be used as it is; none if it can.
    pub lack: Option<String>,
}

/// Looks for the plan: daemons follow the machine's and none in somebody's home, but a configuration
/// of one's own may. Nothing is known about plans without a libcrypto or a home.
pub fn standing(is_the_machines: bool) -> Option<Standing> {
    let file = if is_the_machines { PathBuf::from(SYSTEM) } else { default_file()? };
    let here = Fingerprint::here(Library::host().ok()?.version());
    let lack = match Plan::read(&file) {
        Err(why) => Some(why.to_string()),
        Ok(plan) => plan.fingerprint().difference(&here),
    };
    Some(Standing { file, lack })
}

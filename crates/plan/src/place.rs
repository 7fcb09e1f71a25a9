//! Where plans lie.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The plan of the whole machine.
pub const SYSTEM: &str = "/etc/wirespeed/plan";
/// Below a user's folder of configurations.
const OWN: &str = "wirespeed/plan";

/// Where this user's plan lies unless somebody says otherwise; nothing for a user without a home.
pub fn default_file() -> Option<PathBuf> {
    if is_root() {
        return Some(PathBuf::from(SYSTEM));
    }
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Some(folder?.join(OWN))
}

/// The owner of a process's folder is its effective user.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|this| this.uid() == 0)
}

//! The kernel's modules and drivers: the one that goes wrong, and those of the engine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use wirespeed_af_alg::{Kind, Transform, presence_of};

/// Where our faulty drivers are told what to do.
pub(crate) const FAULTS: &str = "/sys/module/wirespeed_faults/parameters";

/// Whether this is the guest that these tests are for.
pub(crate) fn is_guest() -> bool {
    Path::new("/run/vm/session").exists()
}

/// A file of our own build.
pub(crate) fn program(name: &str) -> Result<PathBuf, String> {
    let folder = env::var_os("WIRESPEED_MODULES").ok_or("WIRESPEED_MODULES is not set")?;
    let file = PathBuf::from(folder).join(name);
    if file.exists() { Ok(file) } else { Err(format!("{} is not there", file.display())) }
}

/// How many use a driver, itself among them: `refcnt` in /proc/crypto.
pub(crate) fn references(driver: &str) -> Result<u64, String> {
    let text = fs::read_to_string("/proc/crypto").map_err(|error| error.to_string())?;
    let field = |entry: &str, field: &str| {
        let mut pairs = entry.lines().filter_map(|line| line.split_once(':'));
        let value =
            pairs.find_map(|(key, value)| (key.trim() == field).then(|| value.trim().to_owned()));
        value.unwrap_or_default()
    };
    let entry = text.split("\n\n").find(|entry| field(entry, "driver") == driver);
    let entry = entry.ok_or_else(|| format!("/proc/crypto has no {driver}"))?;
    field(entry, "refcnt").parse().map_err(|error| format!("refcnt of {driver}: {error}"))
}

/// Ciphers that our provider gives to the kernel, as far as this kernel has them.
pub(crate) fn ciphers() -> impl Iterator<Item = &'static Transform> {
    present().filter(|it| matches!(it.kind, Kind::Cipher { .. }))
}

/// Hash functions, as far as this kernel has them.
pub(crate) fn hashes() -> impl Iterator<Item = &'static Transform> {
    present().filter(|it| matches!(it.kind, Kind::Hash { keyed: false, .. }))
}

fn present() -> impl Iterator<Item = &'static Transform> {
    Transform::ALL.iter().filter(|it| presence_of(it, None).is_ok())
}

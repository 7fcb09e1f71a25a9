//! brd, the kernel's RAM disk: its module is loaded for us alone, and unloaded.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::Trouble;
use super::super::record::{Record, Thing};
use super::{marked, module};

const DEVICE: &str = "/dev/ram0";

/// Loads the module with one disk. Its odd size is how a later run knows the module as ours.
pub(super) fn make(record: &mut Record, bytes: u64) -> Result<PathBuf, Trouble> {
    if module::is_loaded("brd") {
        return Err(Trouble(
            "brd is loaded already, and its disks may be in use: --ram null_blk or --ram zram makes a new one"
                .to_owned(),
        ));
    }
    let kibibytes = marked(bytes) >> 10;
    record.add(Thing::Brd { kibibytes })?;
    let size = format!("rd_size={kibibytes}");
    let loaded = record.run("modprobe", &["brd", "rd_nr=1", &size], "");
    loaded.map_err(|why| Trouble(format!("this kernel has no brd: {why}")))?;
    // Whoever was faster has loaded it with another size.
    if !is_ours(kibibytes) || !Path::new(DEVICE).exists() {
        return Err(Trouble("brd was loaded by somebody else just now: try again".to_owned()));
    }
    Ok(DEVICE.into())
}

/// Unloads the module if it is ours; whether it was there.
pub(in super::super) fn remove(record: &Record, kibibytes: u64) -> Result<bool, String> {
    if !is_ours(kibibytes) {
        return Ok(false);
    }
    record.run("modprobe", &["--remove", "brd"], "").map(|_| true)
}

fn is_ours(kibibytes: u64) -> bool {
    let parameter = |name: &str| fs::read_to_string(format!("/sys/module/brd/parameters/{name}"));
    let is =
        |name: &str, value: u64| parameter(name).is_ok_and(|text| text.trim() == value.to_string());
    is("rd_nr", 1) && is("rd_size", kibibytes)
}

//! The device mapper, by way of dmsetup. Tables go in by standard input: a command line is everybody's to read.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use super::record::{Record, Thing};
use super::{Trouble, program};

/// Where the device mapper is asked for devices; there once its module is loaded.
const CONTROL: &str = "/dev/mapper/control";

/// Loads the device mapper.
pub(super) fn load(record: &Record) -> Result<(), Trouble> {
    if Path::new(CONTROL).exists() {
        return Ok(());
    }
    let loaded = record.run("modprobe", &["dm-mod"], "");
    loaded.map_err(|why| Trouble(format!("this kernel has no device mapper: {why}")))?;
    Ok(())
}

/// Whether the device mapper knows a target, whose module is loaded if there is one.
pub(super) fn knows(record: &Record, target: &str) -> Result<bool, Trouble> {
    // A target that is built in has no module; the list tells.
    let _ = record.run("modprobe", &[&format!("dm-{target}")], "");
    let targets = record.run("dmsetup", &["targets"], "").map_err(Trouble)?;
    Ok(targets.lines().any(|line| line.split_whitespace().next() == Some(target)))
}

/// The path of a device.
pub(super) fn path(name: &str) -> PathBuf {
    Path::new("/dev/mapper").join(name)
}

/// A device as a table names it, by its numbers, so that no path has to be spelled.
pub(super) fn number(path: &Path) -> Result<String, Trouble> {
    let metadata = path.metadata();
    let device = metadata.map_err(|error| Trouble(format!("{}: {error}", path.display())))?.rdev();
    Ok(format!("{}:{}", major(device), minor(device)))
}

/// Makes a device with a table; the complaint if the kernel does not take it.
pub(super) fn create(record: &mut Record, name: &str, table: &str) -> Result<(), String> {
    let thing = Thing::Mapped(name.to_owned());
    record.add(thing.clone()).map_err(|Trouble(why)| why)?;
    let made = record.run("dmsetup", &["create", name, "--uuid", &uuid(name)], table);
    if let Err(why) = made {
        // dmsetup takes back what it had begun.
        if !exists(name)? {
            record.forget(&thing);
        }
        return Err(why);
    }
    Ok(())
}

/// Takes a device away, if it is there and ours; whether it was.
pub(super) fn remove(record: &Record, name: &str) -> Result<bool, String> {
    if !exists(name)? {
        return Ok(false);
    }
    record.run("dmsetup", &["remove", name], "").map(|_| true)
}

/// Whether a device has this name and is ours by the sign that only we give.
fn exists(name: &str) -> Result<bool, String> {
    if !Path::new(CONTROL).exists() {
        return Ok(false);
    }
    let arguments =
        ["info", "--columns", "--noheadings", "--separator", " ", "--options", "name,uuid"];
    let listed = program::run("dmsetup", &arguments, "", None)?.well()?;
    Ok(listed.lines().any(|line| line.trim() == format!("{name} {}", uuid(name))))
}

/// The device mapper's own mark for a device, which no program chooses twice.
fn uuid(name: &str) -> String {
    format!("WIRESPEED-{name}")
}

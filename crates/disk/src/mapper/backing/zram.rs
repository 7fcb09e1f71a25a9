//! zram: compressed memory. Encrypted sectors do not compress, so they take all of their room.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::super::Trouble;
use super::super::record::{Record, Thing};
use super::{marked, module};

const CONTROL: &str = "/sys/class/zram-control";

/// Adds a device of our own. Its odd size is how a later run knows it as ours.
pub(super) fn make(record: &mut Record, bytes: u64) -> Result<PathBuf, Trouble> {
    module::load(record, "zram", &["num_devices=0"])?;
    let bytes = marked(bytes);
    // The kernel gives the lowest number that is free, once the file is read.
    let free = (0..).find(|number| !Path::new(&format!("/sys/block/zram{number}")).exists());
    let mut thing = Thing::Zram { number: free.unwrap_or(0), bytes };
    record.add(thing.clone())?;
    let failed = |error: io::Error| Trouble(format!("{CONTROL}/hot_add: {error}"));
    let given = fs::read_to_string(format!("{CONTROL}/hot_add")).map_err(failed)?;
    let number: u32 =
        given.trim().parse().map_err(|_| failed(io::ErrorKind::InvalidData.into()))?;
    if Some(number) != free {
        record.forget(&thing);
        thing = Thing::Zram { number, bytes };
        record.add(thing)?;
    }
    super::set(&format!("/sys/block/zram{number}/disksize"), &bytes.to_string())?;
    Ok(format!("/dev/zram{number}").into())
}

/// Removes the device if it is ours, by its size, or has none yet and so nothing in it; whether it was there.
pub(in super::super) fn remove(number: u32, bytes: u64) -> Result<bool, String> {
    let size = fs::read_to_string(format!("/sys/block/zram{number}/disksize"));
    let size: Option<u64> = size.ok().and_then(|text| text.trim().parse().ok());
    if size != Some(bytes) && size != Some(0) {
        return Ok(false);
    }
    fs::write(format!("{CONTROL}/hot_remove"), number.to_string())
        .map(|()| true)
        .map_err(|error| format!("{CONTROL}/hot_remove: {error}"))
}

//! What mappings lie on: memory or a file that a driver of the kernel's makes a block device of, or a real device.

pub(super) mod brd;
pub(super) mod loop_file;
pub(super) mod module;
pub(super) mod null_blk;
pub(super) mod zram;

use std::path::PathBuf;

use super::record::Record;
use super::{Ram, Trouble};

/// A block device that was made.
pub(super) struct Made {
    pub(super) path: PathBuf,
    /// What whoever reads the results should know.
    pub(super) remarks: Vec<String>,
}

/// Makes a block device of memory, by the driver that was asked for or the first that is there.
pub(super) fn memory(
    record: &mut Record,
    which: Option<Ram>,
    name: &str,
    bytes: u64,
) -> Result<Made, Trouble> {
    let mut make = |ram| match ram {
        Ram::Brd => brd::make(record, bytes),
        Ram::NullBlk => null_blk::make(record, name, bytes),
        Ram::Zram => zram::make(record, bytes),
    };
    if let Some(ram) = which {
        return make(ram).map(|path| Made { path, remarks: remark(ram) });
    }
    let mut reasons = Vec::new();
    for ram in Ram::ALL {
        match make(ram) {
            Ok(path) => return Ok(Made { path, remarks: remark(ram) }),
            Err(Trouble(why)) => reasons.push(why),
        }
    }
    Err(Trouble(format!("no driver makes a disk of memory here: {}", reasons.join("; "))))
}

fn remark(ram: Ram) -> Vec<String> {
    vec![format!("the disk is memory, by the driver {}", ram.name())]
}

/// Writes a file of the kernel's that sets something.
fn set(path: &str, value: &str) -> Result<(), Trouble> {
    std::fs::write(path, value)
        .map_err(|error| Trouble(format!("cannot write {value} to {path}: {error}")))
}

/// A size that tells a device of ours from one that somebody else makes later: not quite the size that was asked
/// for, but larger by a number of pages that comes from this process's own.
fn marked(bytes: u64) -> u64 {
    const PAGE: u64 = 4096;
    bytes.next_multiple_of(1 << 20) + (u64::from(std::process::id()) % 255 + 1) * PAGE
}

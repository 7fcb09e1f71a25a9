//! dm-crypt: devices of the kernel's device mapper, made for a test, and taken down however the test ends.
//!
//! Before each step a record says what is about to be made. It is locked as long as the process lives. Whoever finds
//! a record without a lock takes down what it names: the process at its end, a watcher that outlives it, or the next
//! run.

mod backing;
mod device;
mod dmsetup;
mod driver;
mod integrity;
mod lacking;
mod program;
mod proof;
mod record;
mod setup;
mod table;
mod teardown;
mod watcher;

use std::fmt;
use std::path::{Path, PathBuf};

pub use device::Description;
pub use setup::{Mapping, Setup};
pub use watcher::{Watcher, watch_over};

/// What the mapping lies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backing {
    /// Memory, by a driver of the kernel's; the one that is there if none is named.
    Ram(Option<Ram>),
    /// A new file, which must not exist yet, as a block device.
    Loop(PathBuf),
    /// A block device, whose content is lost.
    Device(PathBuf),
}

impl fmt::Display for Backing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ram(Some(ram)) => write!(f, "memory by {}", ram.name()),
            Self::Ram(None) => f.write_str("memory"),
            Self::Loop(path) | Self::Device(path) => path.display().fmt(f),
        }
    }
}

/// A driver that makes a block device of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ram {
    /// The RAM disk.
    Brd,
    /// A driver for measurements, told to keep what is written.
    NullBlk,
    /// Compressed memory, which encrypted sectors do not gain from.
    Zram,
}

impl Ram {
    /// In the order in which they are tried.
    pub const ALL: [Self; 3] = [Self::Brd, Self::NullBlk, Self::Zram];

    /// The kernel's word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brd => "brd",
            Self::NullBlk => "null_blk",
            Self::Zram => "zram",
        }
    }
}

/// An option of dm-crypt's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// What is read is decrypted where it arrives, not by threads.
    NoReadWorkqueue,
    /// What is written is encrypted by whoever writes it, not by threads.
    NoWriteWorkqueue,
}

impl Choice {
    /// dm-crypt's word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoReadWorkqueue => "no_read_workqueue",
            Self::NoWriteWorkqueue => "no_write_workqueue",
        }
    }
}

/// Why nothing was done, or what was left undone: one line that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble(pub String);

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Trouble {}

/// Why a mapping is not proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unproved {
    /// It is not what its cipher makes, or nothing here can tell.
    Wrong(String),
    /// The device below failed, or the mapping.
    Failed(Trouble),
}

impl From<Trouble> for Unproved {
    fn from(why: Trouble) -> Self {
        Self::Failed(why)
    }
}

/// Why a candidate is not mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmapped {
    /// This kernel has no such cipher: why, in words.
    Lacking(String),
    /// Anything else.
    Failed(Trouble),
}

/// Looks whether a device may be overwritten as far as its first `bytes`: nobody uses it, nothing known is on it,
/// and `path` is its own path. Nothing is changed. [`Setup::open`] looks again.
pub fn examine(path: &Path, bytes: u64) -> Result<Description, Trouble> {
    device::examine(&device::Machine, path, bytes).map(|(description, _)| description)
}

/// Whether somebody who was asked for the device's path has typed it.
pub fn confirmed(path: &Path, typed: &str) -> Result<(), Trouble> {
    let typed = typed.strip_suffix('\n').unwrap_or(typed);
    match typed == path.as_os_str() {
        true => Ok(()),
        false => Err(Trouble(format!("that is not {}: nothing was written", path.display()))),
    }
}

/// Takes down what killed runs have left, and says what it was.
pub fn sweep() -> Result<Vec<String>, Trouble> {
    let outcome = teardown::sweep(Path::new(record::DIRECTORY))?;
    outcome.trouble()?;
    Ok(outcome.removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_path_confirms() {
        let path = Path::new("/dev/sdb");
        for typed in ["/dev/sdb", "/dev/sdb\n"] {
            assert_eq!(confirmed(path, typed), Ok(()));
        }
        for typed in ["", "\n", "y\n", "yes", "/dev/sd", "/dev/sdb1\n", "/dev/sdb \n", "/dev//sdb"]
        {
            let error = confirmed(path, typed).expect_err("another path");
            assert!(error.0.contains("nothing was written"), "{typed}");
        }
    }

    #[test]
    fn whoever_examines_a_file_is_told_what_to_name() {
        let error = examine(Path::new("/dev/null"), 1).expect_err("no block device");
        assert!(error.0.starts_with("/dev/null is not a block device"), "{error}");
    }
}

//! dm-crypt: devices of the kernel's device mapper, made for a test, and taken down however the test ends.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Candidate;

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

/// Why a candidate is not mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmapped {
    /// This kernel has no such cipher: why, in words.
    Lacking(String),
    /// Anything else.
    Failed(Trouble),
}

/// A device that would be overwritten, for the question whether it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Bytes that it has.
    pub bytes: u64,
    /// Its maker's name for it, if it has one.
    pub model: Option<String>,
}

/// Looks whether a device may be overwritten as far as its first `bytes`: nobody uses it, nothing known is on it,
/// and `path` is its own path. Nothing is changed. [`Setup::open`] looks again.
pub fn examine(_path: &Path, _bytes: u64) -> Result<Description, Trouble> {
    Err(Trouble("not yet".to_owned()))
}

/// Whether somebody who was asked for the device's path has typed it.
pub fn confirmed(path: &Path, typed: &str) -> Result<(), Trouble> {
    let typed = typed.strip_suffix('\n').unwrap_or(typed);
    match Path::new(typed).as_os_str() == path.as_os_str() {
        true => Ok(()),
        false => Err(Trouble(format!("that is not {}: nothing was written", path.display()))),
    }
}

/// A process of its own that takes everything down when this one is killed.
pub struct Watcher;

impl Watcher {
    /// Starts it: `program` is to call [`watch_over`] with its standard input.
    pub fn start(_program: Command) -> Result<Self, Trouble> {
        Err(Trouble("not yet".to_owned()))
    }
}

/// The watcher's whole work: waits until the process that started it is gone, then takes down what that left.
pub fn watch_over(_input: impl Read) {}

/// A device to map on, and everything that was set up for it. Dropping it takes all down.
pub struct Setup {
    raw: PathBuf,
    bytes: u64,
    remarks: Vec<String>,
}

/// A device that the kernel encrypts.
pub struct Mapping {
    /// The device's path.
    pub path: PathBuf,
    /// Bytes of it.
    pub bytes: u64,
    /// The kernel's driver that computes, as far as the kernel tells.
    pub driver: Option<String>,
}

impl Setup {
    /// Takes hold of what the mapping shall lie on, `bytes` of it or, of memory, as many as there is room for.
    pub fn open(_backing: &Backing, _bytes: u64, _watcher: Watcher) -> Result<Self, Trouble> {
        Err(Trouble("not yet".to_owned()))
    }

    /// The device below.
    pub fn raw(&self) -> &Path {
        &self.raw
    }

    /// Bytes of it that are ours.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What whoever reads the results should know about what was set up: which driver, and what is not as it was
    /// asked for.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Maps it with a cipher.
    pub fn map(
        &mut self,
        _candidate: Candidate,
        _key: &[u8],
        _sector_bytes: usize,
        _choices: &[Choice],
    ) -> Result<Mapping, Unmapped> {
        Err(Unmapped::Lacking("not yet".to_owned()))
    }

    /// Proves that the mapping's bytes on the device are those that `sectors` computes, both ways: what was
    /// written through the mapping is decrypted by ours, and what ours wrote is read through the mapping.
    /// Gives the bytes compared.
    pub fn prove(
        &mut self,
        _mapping: &Mapping,
        _candidate: Candidate,
        _key: &[u8],
    ) -> Result<u64, Trouble> {
        Err(Trouble("not yet".to_owned()))
    }

    /// Takes the mapping away.
    pub fn unmap(&mut self, _mapping: Mapping) -> Result<(), Trouble> {
        Ok(())
    }

    /// Takes everything down, and says what could not be.
    pub fn close(self) -> Result<(), Trouble> {
        Ok(())
    }
}

/// Takes down what killed runs have left, and says what it was.
pub fn sweep() -> Result<Vec<String>, Trouble> {
    Ok(Vec::new())
}

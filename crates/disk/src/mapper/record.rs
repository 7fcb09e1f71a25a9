//! What has been made, written down before it is made, so that another process can take it down.
//!
//! A record is a file in /run/wirespeed/disks, locked by the process that it belongs to: the lock ends with that process
//! (and with the programs that it runs), however it ends. Each line says that a thing is about to be made, `+`, or
//! is gone, `-`. /run is lost with the machine's power, as are the things.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::Trouble;
use super::program;

/// Where the records of this machine lie, and nothing else.
pub(super) const DIRECTORY: &str = "/run/wirespeed/disks";

/// A thing that has to go again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    /// A device of the device mapper's, by its name.
    Mapped(String),
    /// Whatever loop device is attached to a file of ours.
    Loop(PathBuf),
    /// A file that we made and named; the numbers of its device and inode say that it is still ours.
    File { path: PathBuf, device: u64, inode: u64 },
    /// A file under a name that nobody else would choose.
    Aside(PathBuf),
    /// The module brd, loaded for one disk of so many KiB.
    Brd { kibibytes: u64 },
    /// A device of null_blk's, by its name.
    NullBlk(String),
    /// A device of zram's, by its number and size.
    Zram { number: u32, bytes: u64 },
    /// A module that was not loaded before.
    Module(String),
    /// A file system of the kernel's that was not mounted before.
    Mount(PathBuf),
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mapped(name) => write!(f, "mapped {name}"),
            Self::Loop(path) => write!(f, "loop {}", path.display()),
            Self::File { path, device, inode } => {
                write!(f, "file {device} {inode} {}", path.display())
            }
            Self::Aside(path) => write!(f, "aside {}", path.display()),
            Self::Brd { kibibytes } => write!(f, "brd {kibibytes}"),
            Self::NullBlk(name) => write!(f, "null_blk {name}"),
            Self::Zram { number, bytes } => write!(f, "zram {number} {bytes}"),
            Self::Module(name) => write!(f, "module {name}"),
            Self::Mount(path) => write!(f, "mount {}", path.display()),
        }
    }
}

impl Thing {
    fn read(text: &str) -> Option<Self> {
        let (word, rest) = text.split_once(' ')?;
        let two = || rest.split_once(' ');
        Some(match word {
            "mapped" => Self::Mapped(rest.to_owned()),
            "loop" => Self::Loop(rest.into()),
            "file" => {
                let (device, rest) = two()?;
                let (inode, path) = rest.split_once(' ')?;
                let (device, inode) = (device.parse().ok()?, inode.parse().ok()?);
                Self::File { path: path.into(), device, inode }
            }
            "aside" => Self::Aside(rest.into()),
            "brd" => Self::Brd { kibibytes: rest.parse().ok()? },
            "null_blk" => Self::NullBlk(rest.to_owned()),
            "zram" => {
                let (number, bytes) = two()?;
                Self::Zram { number: number.parse().ok()?, bytes: bytes.parse().ok()? }
            }
            "module" => Self::Module(rest.to_owned()),
            "mount" => Self::Mount(rest.into()),
            _ => return None,
        })
    }
}

/// A record, and the lock on it.
pub(super) struct Record {
    path: PathBuf,
    file: File,
    things: Vec<Thing>,
}

impl Record {
    /// Begins a record of this process's.
    pub(super) fn create(directory: &Path, name: &str) -> io::Result<Self> {
        // What `wirespeed kernel` remembers lies beside it, for all to read.
        directory.parent().map_or(Ok(()), fs::create_dir_all)?;
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let path = directory.join(name);
        loop {
            let file = OpenOptions::new().append(true).read(true).create_new(true).open(&path)?;
            file.lock()?;
            // Whoever sweeps may have been between the two lines above, and taken it for an abandoned one.
            if file.metadata()?.nlink() > 0 {
                return Ok(Self { path, file, things: Vec::new() });
            }
        }
    }

    /// A record whose process is gone, for this one to take down; none if there is somebody who cares.
    pub(super) fn abandoned(path: &Path) -> io::Result<Option<Self>> {
        let Some(file) = Self::opened(path)? else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => Self::read(path, file),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The same, once its process and all programs that it ran have ended.
    pub(super) fn awaited(path: &Path) -> io::Result<Option<Self>> {
        let Some(file) = Self::opened(path)? else { return Ok(None) };
        file.lock()?;
        Self::read(path, file)
    }

    fn opened(path: &Path) -> io::Result<Option<File>> {
        match OpenOptions::new().append(true).read(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            other => other.map(Some),
        }
    }

    fn read(path: &Path, mut file: File) -> io::Result<Option<Self>> {
        // Somebody else was faster.
        if file.metadata()?.nlink() == 0 {
            return Ok(None);
        }
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(Some(Self { path: path.to_owned(), file, things: things(&text)? }))
    }

    /// What is there, in the order in which it was made.
    pub(super) fn things(&self) -> &[Thing] {
        &self.things
    }

    /// Writes down what is about to be made.
    pub(super) fn add(&mut self, thing: Thing) -> Result<(), Trouble> {
        let written = writeln!(&self.file, "+ {thing}");
        written.map_err(|error| Trouble(format!("{}: {error}", self.path.display())))?;
        self.things.push(thing);
        Ok(())
    }

    /// Writes down that it is gone.
    pub(super) fn forget(&mut self, thing: &Thing) {
        // A thing that is gone is not missed if it is looked for once more.
        let _ = writeln!(&self.file, "- {thing}");
        self.things.retain(|it| it != thing);
    }

    /// Runs a program that holds the record's lock.
    pub(super) fn run(
        &self,
        name: &str,
        arguments: &[&str],
        input: &str,
    ) -> Result<String, String> {
        program::run(name, arguments, input, Some(&self.file))?.well()
    }

    /// Ends the record: nothing is left.
    pub(super) fn finish(&self) -> Result<(), Trouble> {
        fs::remove_file(&self.path)
            .map_err(|error| Trouble(format!("{}: {error}", self.path.display())))
    }
}

/// What a record's text leaves.
fn things(text: &str) -> io::Result<Vec<Thing>> {
    let mut things = Vec::new();
    // A line without an end was being written when the machine stopped that process: nothing was made yet.
    for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
        let thing = line.get(2..).and_then(Thing::read);
        match (line.get(..2), thing) {
            (Some("+ "), Some(thing)) => things.push(thing),
            (Some("- "), Some(thing)) => things.retain(|it| *it != thing),
            _ => {
                return Err(io::Error::other(format!(
                    "'{line}' is of another version's: run that one once more, or start the machine anew"
                )));
            }
        }
    }
    Ok(things)
}

/// The names of records that may have been abandoned.
pub(super) fn all(directory: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed?.map(|entry| Ok(entry?.path())).collect(),
    }
}

#[cfg(test)]
mod tests;

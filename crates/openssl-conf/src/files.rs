//! Where files and variables come from: the machine, or a test.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What reading a configuration needs of a machine.
pub trait Files {
    /// A file's bytes.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The names in a folder, in its own order, if it is one: OpenSSL does not sort them.
    fn list(&self, path: &Path) -> Option<Vec<OsString>>;

    /// A variable of the environment.
    fn variable(&self, name: &[u8]) -> Option<Vec<u8>>;
}

/// The machine that this process runs on.
#[derive(Clone, Copy, Debug)]
pub struct ThisMachine;

impl Files for ThisMachine {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn list(&self, path: &Path) -> Option<Vec<OsString>> {
        let entries = std::fs::read_dir(path).ok()?;
        Some(entries.flatten().map(|entry| entry.file_name()).collect())
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        Some(std::env::var_os(OsStr::from_bytes(name))?.as_bytes().to_owned())
    }
}

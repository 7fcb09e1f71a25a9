//! The program that a command line means.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::examined::Examined;
use crate::programs::on_path;
use crate::serving::Inside;
use wirespeed_installation::Binary;

/// A command line, and what its program is.
pub(super) struct Command {
    pub(super) words: Vec<OsString>,
    /// The file that is run.
    pub(super) path: PathBuf,
    /// What it says about itself; none for a script.
    pub(super) binary: Option<Binary>,
    /// What it has inside, where that is linked statically.
    pub(super) inside: Inside,
    /// Whether it runs with another user's rights.
    pub(super) elevated: bool,
}

impl Command {
    /// Finds the program as a shell would.
    pub(super) fn find(examined: &Examined<'_>, words: &[OsString]) -> Result<Self, String> {
        let Some(first) = words.first() else {
            return Err("no command after --".to_owned());
        };
        let name = first.to_string_lossy();
        let path = if first.as_bytes().contains(&b'/') {
            Some(PathBuf::from(first)).filter(|path| examined.here.exists(path))
        } else {
            on_path(examined, &name)
        };
        let path = path.ok_or_else(|| format!("{name}: command not found"))?;
        let entry = examined.here.entry(&path).map_err(|error| error.to_string())?;
        let bytes = examined.here.read(&entry.place).unwrap_or_default();
        Ok(Self {
            words: words.to_vec(),
            binary: Binary::read(&bytes).ok(),
            inside: Inside::read(&bytes[..]).unwrap_or_default(),
            elevated: entry.mode & 0o6000 != 0,
            path,
        })
    }

    /// The name without its folders.
    pub(super) fn name(&self) -> String {
        file_name(&self.path)
    }
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

//! The program that a command names, and whether a preload library can enter it.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use padlock_runner::{Entry, HEAD, Seen};

use crate::arch::x86_64::fault::Fault;
use crate::arch::x86_64::system;

/// The file that a command names, found as a shell does.
pub(crate) fn find(name: &OsStr) -> Result<PathBuf, Fault> {
    if name.as_bytes().contains(&b'/') {
        return Ok(name.into());
    }
    let directories = env::var_os("PATH").unwrap_or_default();
    let mut refused = None;
    for directory in env::split_paths(&directories) {
        // An empty part is the current directory.
        let file = Path::new(".").join(directory).join(name);
        match fs::metadata(&file) {
            Ok(about) if about.is_file() && about.mode() & 0o111 != 0 => return Ok(file),
            Ok(_) => refused = Some(file),
            Err(_) => {}
        }
    }
    Err(match refused {
        Some(file) => Fault::NotExecutable(format!("{}: not executable", file.display())),
        None => Fault::NotFound(format!("{}: command not found", name.display())),
    })
}

/// Whether the preload library brings PadLock into the program in a file. An error if there is no such file.
pub(crate) fn can_be_preloaded(file: &Path) -> io::Result<bool> {
    let mut refused = None;
    let entry = Entry::of(system::effective_ids(), |interpreter, head| {
        let name = interpreter.map(|name| Path::new(OsStr::from_bytes(name.to_bytes())));
        look(name.unwrap_or(file), head).map_err(|error| refused = Some(error)).ok()
    });
    match refused {
        None => Ok(entry == Entry::Preload),
        // What may be executed but not read, a tracer may not look into; ld.so does all the same.
        Some(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(true),
        Some(error) => Err(error),
    }
}

fn look(file: &Path, head: &mut [u8; HEAD]) -> io::Result<Seen> {
    let opened = File::open(file)?;
    let about = opened.metadata()?;
    Ok(Seen {
        length: opened.read_at(head, 0)?,
        mode: about.mode(),
        owner: about.uid(),
        group: about.gid(),
        has_capabilities: system::has_capabilities(file),
    })
}

//! The program that a command names, and whether a preload library can enter it.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use padlock_runner::{HEAD, Image};

use crate::arch::x86_64::fault::Fault;
use crate::arch::x86_64::system;

/// How often a script's interpreter may be a script, `fs/exec.c` of Linux.
const DEPTH: usize = 5;

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

/// Whether the preload library can enter the program in a file: dynamic, 64-bit, without privileges of its
/// own, because the dynamic linker lets no strangers into those.
pub(crate) fn can_be_preloaded(file: &Path) -> io::Result<bool> {
    let mut file = file.to_owned();
    for _ in 0..DEPTH {
        let mut head = Vec::new();
        let opened = File::open(&file)?;
        let about = opened.metadata()?;
        opened.take(HEAD as u64).read_to_end(&mut head)?;
        match Image::parse(&head) {
            Image::Script(interpreter) => file = PathBuf::from(OsStr::from_bytes(interpreter)),
            Image::Dynamic64 => return Ok(!gains_privileges(&file, &about)),
            Image::Other => return Ok(false),
        }
    }
    Ok(false)
}

/// Whether the file's owner gave its program rights that its user lacks.
fn gains_privileges(file: &Path, about: &Metadata) -> bool {
    let (user, group) = system::effective_ids();
    let as_user = about.mode() & libc::S_ISUID != 0 && about.uid() != user;
    let as_group = about.mode() & libc::S_ISGID != 0 && about.gid() != group;
    as_user || as_group || user != 0 && system::has_capabilities(file)
}

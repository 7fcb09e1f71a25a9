//! Debian 13, unpacked beside this machine's release: its nginx and its curl speak HTTP/3.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process;

/// Its folder, which `WIRESPEED_TRIXIE` names.
fn root() -> Option<PathBuf> {
    env::var_os("WIRESPEED_TRIXIE").map(PathBuf::from).filter(|root| root.is_absolute())
}

/// Why it is not to be had here.
pub fn obstacle() -> Option<String> {
    command("usr/sbin/nginx").err()
}

/// One of its programs, on its own libraries.
pub fn command(program: &str) -> Result<Command, String> {
    let root = root().ok_or("WIRESPEED_TRIXIE names no unpacked Debian 13")?;
    let file = root.join(program);
    if !file.exists() {
        return Err(format!("no {}", file.display()));
    }
    let libraries = root.join(format!("usr/lib/{}-linux-gnu", env::consts::ARCH));
    // A program names its loader by a path, which here is that of another Debian.
    let mut started = process::command(loader(&libraries)?);
    started.arg("--library-path").arg(&libraries).arg(file);
    Ok(started)
}

/// The loader of a C library.
fn loader(libraries: &Path) -> Result<PathBuf, String> {
    let entries =
        fs::read_dir(libraries).map_err(|error| format!("{}: {error}", libraries.display()))?;
    let mut names = entries.flatten().map(|entry| entry.file_name());
    let name = names.find(|name| name.to_string_lossy().starts_with("ld-linux"));
    name.map(|name| libraries.join(name))
        .ok_or_else(|| format!("no loader in {}", libraries.display()))
}

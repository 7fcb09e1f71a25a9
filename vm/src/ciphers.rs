//! Ciphers that Debian leaves out of its kernels, as modules from the source that it ships beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Kernel;
use crate::headers;
use crate::packages::{Source, in_folder};
use crate::program::output;

/// Those that can be built, by their files in the kernel's directory `crypto`. Debian leaves
/// `CRYPTO_USER_API_ENABLE_OBSOLETE` unset, which they need to be configured, and nothing else.
pub const ALL: [&str; 4] = ["anubis", "arc4", "khazad", "tea"];

/// The package that depends on the source of the kernel that Debian would install.
const PACKAGE: &str = "linux-source";

/// Linux 6.2 moved what they call from linux/crypto.h here. So one source does for both.
const FLAGS: &str = "ccflags-y := -include crypto/algapi.h\n";

/// Builds all of them, and gives the directory.
pub(crate) fn build(kernel: &Kernel, root: &Path, cache: &Path) -> Result<PathBuf, String> {
    let source = provide(cache)?;
    let objects = ALL.map(|name| format!("{name}.o")).join(" ");
    let rules = source.join("Kbuild");
    let text = format!("{FLAGS}obj-m := {objects}\n");
    fs::write(&rules, text).map_err(|error| in_folder(&rules, error))?;
    let place = root.join("modules/ciphers");
    headers::copy(&source, &place)?;
    headers::make(kernel, root, &place)?;
    Ok(place)
}

/// Their source, out of the archive of the whole kernel.
fn provide(cache: &Path) -> Result<PathBuf, String> {
    let folder = cache.join(PACKAGE);
    if folder.exists() {
        return Ok(folder);
    }
    let aside = tempfile::tempdir_in(cache).map_err(|error| in_folder(cache, error))?;
    let root = aside.path();
    let package = Source::Here.dependencies(PACKAGE)?;
    let package = package.into_iter().find(|name| name.starts_with(PACKAGE));
    let package = package.ok_or("linux-source depends on no kernel's source")?;
    Source::Here.unpack(std::slice::from_ref(&package), root)?;
    let archive = root.join(format!("usr/src/{package}.tar.xz"));
    let made = root.join("made");
    fs::create_dir(&made).map_err(|error| in_folder(&made, error))?;
    let mut tar = Command::new("tar");
    // It stops once it has them all, in the first third of the archive.
    tar.args(["--extract", "--xz", "--occurrence=1", "--strip-components=2", "--file"]);
    tar.arg(archive).arg("--directory").arg(&made);
    output(tar.args(ALL.map(|name| format!("{package}/crypto/{name}.c"))))?;
    fs::rename(&made, &folder).map_err(|error| in_folder(&folder, error))?;
    Ok(folder)
}

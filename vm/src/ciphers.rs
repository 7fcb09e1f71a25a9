//! Ciphers that Debian leaves out of its kernels, as modules from the source that it ships beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::headers;
use crate::packages::{Source, in_folder};
use crate::program::output;
use crate::{Architecture, Kernel};

/// Those that can be built, by their files in the kernel's directory `crypto`. Debian leaves
/// `CRYPTO_USER_API_ENABLE_OBSOLETE` unset, which they need to be configured, and nothing else.
pub const ALL: [&str; 4] = ["anubis", "arc4", "khazad", "tea"];

/// Builds all of them, and gives the directory.
pub(crate) fn build(kernel: &Kernel, root: &Path) -> Result<PathBuf, String> {
    let place = root.join("modules/ciphers");
    headers::copy(&provide(kernel, root)?, &place)?;
    headers::make(kernel, root, &place)?;
    Ok(place)
}

/// Their source, out of the archive of the whole kernel, which is of the same series: what a cipher does is not the same
/// in all of them.
fn provide(kernel: &Kernel, root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("ciphers");
    if folder.exists() {
        return Ok(folder);
    }
    let aside = tempfile::tempdir_in(root).map_err(|error| in_folder(root, error))?;
    let source = Source::own(Architecture::here()?, root)?;
    let package = format!("linux-source-{}", series(kernel.release()));
    source.unpack(std::slice::from_ref(&package), aside.path())?;
    let archive = aside.path().join(format!("usr/src/{package}.tar.xz"));
    let made = aside.path().join("made");
    fs::create_dir(&made).map_err(|error| in_folder(&made, error))?;
    let mut tar = Command::new("tar");
    // It stops once it has them all, in the first third of the archive.
    tar.args(["--extract", "--xz", "--occurrence=1", "--strip-components=2", "--file"]);
    tar.arg(archive).arg("--directory").arg(&made);
    output(tar.args(ALL.map(|name| format!("{package}/crypto/{name}.c"))))?;
    let objects = ALL.map(|name| format!("{name}.o")).join(" ");
    fs::write(made.join("Kbuild"), format!("obj-m := {objects}\n"))
        .and_then(|()| fs::rename(&made, &folder))
        .map_err(|error| in_folder(&folder, error))?;
    Ok(folder)
}

/// The numbers that a kernel shares with its source: `6.12` of `6.12.117+deb12-amd64`.
fn series(release: &str) -> String {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
    let [major, minor] = [numbers.next(), numbers.next()].map(Option::unwrap_or_default);
    format!("{major}.{minor}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_and_their_source() {
        assert_eq!(series("6.1.0-56-amd64"), "6.1");
        assert_eq!(series("6.12.117+deb12-amd64"), "6.12");
    }
}

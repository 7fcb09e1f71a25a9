//! OpenVPN's data channel offload, for kernels that lack it: Debian's package of its source, built and kept beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Kernel;
use crate::headers;
use crate::packages::{Source, in_folder};
use crate::program::output;

const PACKAGE: &str = "openvpn-dco-dkms";
/// Where the package's own Makefile leaves it.
const MODULE: &str = "drivers/net/ovpn-dco/ovpn-dco-v2.ko";

/// Builds it as dkms(8) would, and gives the file.
pub(crate) fn build(kernel: &Kernel, root: &Path) -> Result<PathBuf, String> {
    let place = root.join("modules/dco");
    if !place.exists() {
        unpack(kernel, root, &place)?;
    }
    let headers = headers::provide(kernel, root)?;
    let mut make = Command::new("make");
    make.arg("--silent").arg("-C").arg(&place).arg(format!("KERNEL_SRC={}", headers.display()));
    output(make.args([headers::WITHOUT_BTF, "REVISION=dkms"]))?;
    Ok(place.join(MODULE))
}

/// Unpacks the source, whose folder bears its version.
fn unpack(kernel: &Kernel, root: &Path, place: &Path) -> Result<(), String> {
    let source = Source::own(kernel.architecture(), root.parent().unwrap_or(root))?;
    let aside = tempfile::tempdir_in(root).map_err(|error| in_folder(root, error))?;
    source.unpack(&[PACKAGE.to_owned()], aside.path())?;
    let sources = aside.path().join("usr/src");
    let mut found = headers::files(&sources)?;
    let source = found.pop().ok_or_else(|| in_folder(&sources, "holds no source"))?;
    fs::create_dir_all(root.join("modules"))
        .and_then(|()| fs::rename(source, place))
        .map_err(|error| in_folder(place, error))
}

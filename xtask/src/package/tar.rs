//! One tarball with everything, for systems whose packages we do not make. It works where it is unpacked.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::package::build::Built;
use crate::package::release::Release;
use crate::package::tree::{Layout, Tree};
use crate::run::Run;
use crate::workspace::Workspace;

/// Packs it; its file.
pub(crate) fn pack(
    workspace: &Workspace,
    release: &Release,
    built: &Built,
    output: &Path,
) -> Result<PathBuf> {
    let name = format!("wirespeed-{}-{}", release.version, built.target.rust);
    let layout = Layout {
        prefix: name.clone(),
        // Wherever it is unpacked.
        absolute: "${pcfiledir}/../..",
        libraries: "lib".to_owned(),
        zsh: "site-functions",
        version: release.version.clone(),
    };
    let root = workspace.target().join("packages.work/tar");
    let tree = Tree::lay(workspace, built, &built.target.packages(), root, layout)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        tree.write(&tree.place(licence), &fs::read(workspace.root().join(licence))?)?;
    }
    let file = output.join(format!("{name}.tar.xz"));
    let packed = Run::new("tar", tree.root())
        .environment("XZ_OPT", "--threads=1")
        .arguments(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--xz", "--create"])
        .arguments([
            format!("--mtime=@{}", release.epoch),
            format!("--file={}", file.display()),
            name,
        ])
        .passes()?;
    if !packed {
        bail!("tar failed");
    }
    Ok(file)
}

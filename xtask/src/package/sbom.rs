//! What each shipped program and library is made of, as CycloneDX, by cargo-cyclonedx.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::package::release::{EPOCH, Release};
use crate::run::Run;
use crate::tools::CYCLONEDX;
use crate::workspace::Workspace;

/// The folders of the shipped crates, and the names of their files.
const CRATES: [(&str, &str); 5] = [
    ("crates/cli", "wirespeed-cli"),
    ("crates/provider/module", "wirespeed-module"),
    ("crates/kernels/batch/library", "wirespeed-library"),
    ("emulator/runner", "padlock-runner"),
    ("emulator/preload", "padlock-preload"),
];

/// Writes them; their files.
pub(crate) fn write(
    workspace: &Workspace,
    release: &Release,
    output: &Path,
) -> Result<Vec<PathBuf>> {
    let tool = CYCLONEDX.provide(workspace)?;
    // The tool writes a file into the folder of every crate: of a copy.
    let copy = workspace.target().join("packages.work/sbom");
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    fs::create_dir_all(&copy)?;
    let archive = "git archive HEAD | tar --extract --directory \"$1\"";
    let copied = Run::new("sh", workspace.root()).arguments(["-c", archive, "sh"]);
    if !copied.arguments([&copy]).passes()? {
        bail!("git archive failed");
    }
    let listed = Run::new(tool, &copy).environment(EPOCH, &release.epoch).arguments([
        "cyclonedx",
        "--quiet",
        "--format",
        "json",
        "--no-build-deps",
    ]);
    if !listed.passes()? {
        bail!("cargo-cyclonedx failed");
    }
    let moved = CRATES.map(|(folder, name)| {
        let from = copy.join(folder).join(format!("{name}.cdx.json"));
        let to = output.join(format!("{name}-{}.cdx.json", release.version));
        fs::copy(&from, &to).with_context(|| from.display().to_string())?;
        Ok(to)
    });
    moved.into_iter().collect()
}

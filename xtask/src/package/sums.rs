//! The checksums of what was made, by our own `wirespeed sum`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::package::tree::names;
use crate::run::Run;
use crate::workspace::Workspace;

/// What `wirespeed sum --check` and `sha256sum --check` read.
const FILE: &str = "SHA256SUMS";

/// Writes them beside the files. A release is made by several calls, so all that lies there is in it.
pub(crate) fn write(workspace: &Workspace, output: &Path) -> Result<PathBuf> {
    let names = names(output)?;
    let program = workspace.target().join("release/wirespeed");
    let sum = Run::new(program, output).arguments(["sum"]);
    let sums = sum.arguments(names.iter().filter(|name| *name != FILE)).output()?;
    let file = output.join(FILE);
    fs::write(&file, sums + "\n").with_context(|| file.display().to_string())?;
    Ok(file)
}

//! The checksums of what was made, by our own `wirespeed sum`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::Run;
use crate::workspace::Workspace;

/// Writes them beside the files; `wirespeed sum --check` and `sha256sum --check` read them.
pub(crate) fn write(workspace: &Workspace, made: &[PathBuf], output: &Path) -> Result<PathBuf> {
    let names = made.iter().filter_map(|file| file.file_name());
    let program = workspace.target().join("release/wirespeed");
    let sums = Run::new(program, output).arguments(["sum"]).arguments(names).output()?;
    let file = output.join("SHA256SUMS");
    fs::write(&file, sums + "\n").with_context(|| file.display().to_string())?;
    Ok(file)
}

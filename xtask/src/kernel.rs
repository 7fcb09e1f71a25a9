//! Debian's kernel for virtual machines, fetched and unpacked but not installed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::run::Run;
use crate::workspace::Workspace;

/// The package that always depends on the newest one.
const NEWEST: &str = "linux-image-cloud-amd64";

/// A kernel in the target directory, fetched unless there is one already.
pub(crate) fn provide(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target().join("kernel");
    if let Some(kernel) = unpacked(&folder) {
        return Ok(kernel);
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let run = |program: &str, arguments: &[&str]| Run::new(program, &folder).arguments(arguments);
    let depends = run("apt-cache", &["depends", NEWEST]).output()?;
    let package = depends.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
    let package = package.with_context(|| format!("apt knows no {NEWEST}"))?;
    run("apt-get", &["download", "--quiet", package]).succeeds_quietly(&folder.join("log"))?;
    let is_package = |path: &PathBuf| path.extension().is_some_and(|it| it == "deb");
    let file = files(&folder).into_iter().find(is_package).context("nothing was downloaded")?;
    if !run("dpkg", &["--extract"]).arguments([&file, &folder]).passes()? {
        bail!("{} cannot be unpacked", file.display());
    }
    unpacked(&folder).with_context(|| format!("{package} holds no kernel"))
}

fn unpacked(folder: &Path) -> Option<PathBuf> {
    let is_kernel = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vmlinuz"))
    };
    files(&folder.join("boot")).into_iter().find(is_kernel)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

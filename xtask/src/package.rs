//! `cargo xtask package`: what people install, in the formats of their systems, made of one table.

mod build;
mod contents;
mod deb;
mod elf;
mod release;
mod target;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::packages;
use crate::workspace::Workspace;
use contents::PACKAGES;
use release::Release;
use target::Target;

/// What to make, and for which machines.
#[derive(Args)]
pub(crate) struct Wanted {
    /// Rust's name of the machines it is for; those like this one by default
    #[arg(long, value_name = "T")]
    target: Option<String>,
    /// What to make
    #[arg(long, value_delimiter = ',', default_value = "deb")]
    format: Vec<Format>,
    /// Where it goes; target/packages by default
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Wanted {
    /// The usual, into that folder.
    pub(crate) fn into(folder: &Path) -> Self {
        Self { target: None, format: vec![Format::Deb], output: Some(folder.to_owned()) }
    }
}

/// What can be made.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Packages for Debian, Ubuntu and the like
    Deb,
}

/// Makes it all; every file that was made.
pub(crate) fn make(workspace: &Workspace, wanted: &Wanted) -> Result<Vec<PathBuf>> {
    packages::provide(packages::PACKAGING)?;
    let target = Target::find(wanted.target.as_deref())?;
    let release = Release::read(workspace)?;
    let output = wanted.output.clone().unwrap_or_else(|| workspace.target().join("packages"));
    fs::create_dir_all(&output)?;
    let built = build::all(workspace, target, wanted.target.is_some())?;
    let mut made = Vec::new();
    for format in &wanted.format {
        for package in PACKAGES {
            made.push(match format {
                Format::Deb => deb::pack(workspace, &release, &built, package, &output)?,
            });
        }
    }
    Ok(made)
}

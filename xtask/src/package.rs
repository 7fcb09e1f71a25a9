//! `cargo xtask package`: what people install, in the formats of their systems, made of one table.

mod build;
mod contents;
mod deb;
mod elf;
mod notices;
mod release;
mod rpm;
mod sbom;
mod sums;
mod tar;
mod target;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::packages;
use crate::toolchain::standard_library;
use crate::workspace::Workspace;
use build::Built;
use contents::Package;
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
    /// These formats, into that folder.
    pub(crate) fn into(folder: &Path, formats: &[Format]) -> Self {
        Self { target: None, format: formats.to_vec(), output: Some(folder.to_owned()) }
    }

    /// The same for other machines than this.
    pub(crate) fn for_target(self, target: &str) -> Self {
        Self { target: Some(target.to_owned()), ..self }
    }
}

/// What can be made.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Packages for Debian, Ubuntu and the like
    Deb,
    /// Packages for Fedora, RHEL and the like
    Rpm,
    /// One archive that works where it is unpacked
    Tar,
    /// What it is all made of, as CycloneDX
    Sbom,
}

/// What packs one package.
type Pack = fn(&Workspace, &Release, &Built, &Package, &Path) -> Result<PathBuf>;

/// Stages of the test that run side by side pack in the same folders.
static PACKING: Mutex<()> = Mutex::new(());

/// Makes it all; every file that was made.
pub(crate) fn make(workspace: &Workspace, wanted: &Wanted) -> Result<Vec<PathBuf>> {
    packages::provide(packages::PACKAGING)?;
    let _alone = PACKING.lock().unwrap_or_else(PoisonError::into_inner);
    let target = Target::find(wanted.target.as_deref())?;
    if wanted.target.is_some() {
        packages::provide(target.needs)?;
        standard_library(workspace, target.rust)?;
    }
    let release = Release::read(workspace)?;
    let output = wanted.output.clone().unwrap_or_else(|| workspace.target().join("packages"));
    // What packs runs in other folders.
    let output = std::path::absolute(output)?;
    fs::create_dir_all(&output)?;
    let built = build::all(workspace, target, wanted.target.is_some())?;
    let mut made = Vec::new();
    let each = |pack: Pack| {
        let packed = |package| pack(workspace, &release, &built, package, &output);
        target.packages().into_iter().map(packed).collect::<Result<Vec<_>>>()
    };
    for format in &wanted.format {
        match format {
            Format::Deb => made.extend(each(deb::pack)?),
            Format::Rpm => made.extend(each(rpm::pack)?),
            Format::Tar => made.push(tar::pack(workspace, &release, &built, &output)?),
            Format::Sbom => made.extend(sbom::write(workspace, &release, &output)?),
        }
    }
    made.push(sums::write(workspace, &output)?);
    Ok(made)
}

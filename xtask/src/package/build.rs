//! What goes into packages, built: the programs and libraries, and the pages that their parsers write.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::package::elf::Needs;
use crate::package::target::Target;
use crate::run::Run;
use crate::test::of_packages;
use crate::workspace::Workspace;

/// The crates whose programs and libraries are shipped.
const SHIPPED: [&str; 5] =
    ["wirespeed-cli", "wirespeed-module", "wirespeed-library", "padlock-runner", "padlock-preload"];

/// What writes the manual pages.
const MANUAL: &str = "wirespeed-manual";

/// The newest glibc that may be needed: that of RHEL 9 and Ubuntu 22.04.
const NEWEST_GLIBC: (u32, u32) = (2, 34);

/// Where it all lies.
pub(crate) struct Built {
    pub(crate) target: &'static Target,
    /// The folder that cargo built into.
    programs: PathBuf,
    /// The folder of manual pages and completions.
    pub(crate) manual: PathBuf,
}

/// Builds everything. A target that was asked for by name has a folder of its own.
pub(crate) fn all(workspace: &Workspace, target: &'static Target, named: bool) -> Result<Built> {
    let build =
        |run: Run, names: &[&'static str]| match run.arguments(of_packages(names)).passes()? {
            true => Ok(()),
            false => bail!("it does not build"),
        };
    let cargo = || workspace.cargo(["build", "--release"]);
    let host = workspace.target().join("release");
    let programs = match named {
        true => {
            build(cross(cargo(), target), &SHIPPED)?;
            // What runs here: the pages' writer, and the program that sums up.
            build(cargo(), &[MANUAL, SHIPPED[0]])?;
            workspace.target().join(target.rust).join("release")
        }
        false => {
            build(cargo(), &[&SHIPPED[..], &[MANUAL]].concat())?;
            host.clone()
        }
    };
    let manual = workspace.target().join("manual");
    if manual.exists() {
        std::fs::remove_dir_all(&manual)?;
    }
    if !Run::new(host.join(MANUAL), workspace.root()).arguments([&manual]).passes()? {
        bail!("{MANUAL} failed");
    }
    Ok(Built { target, programs, manual })
}

/// For a target by its name.
fn cross(run: Run, target: &Target) -> Run {
    let run = run.arguments(["--target", target.rust]);
    let variable = target.rust.to_uppercase().replace('-', "_");
    let run = match target.linker {
        Some(linker) => run.environment(&format!("CARGO_TARGET_{variable}_LINKER"), linker),
        None => run,
    };
    match target.rust.ends_with("musl") {
        // A static program cannot open libraries: it could neither compare with OpenSSL nor install.
        true => run.environment("RUSTFLAGS", "-C target-feature=-crt-static"),
        false => run,
    }
}

impl Built {
    /// A file as cargo left it; one that needs a newer glibc than the promised is none to ship.
    pub(crate) fn file(&self, name: &str) -> Result<PathBuf> {
        let file = self.programs.join(name);
        if !name.ends_with(".a") {
            floor(&file)?;
        }
        Ok(file)
    }
}

fn floor(file: &Path) -> Result<()> {
    let needed = Needs::read(file)?.newest("GLIBC_");
    if let Some(needed) = needed.filter(|needed| *needed > NEWEST_GLIBC) {
        let ((major, minor), (most, of)) = (needed, NEWEST_GLIBC);
        bail!("{} needs glibc {major}.{minor}; {most}.{of} at most is promised", file.display());
    }
    Ok(())
}

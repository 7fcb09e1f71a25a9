//! What goes into packages, built: the programs and libraries, and the pages that their parsers write.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::cross;
use crate::package::elf::Needs;
use crate::package::target::Target;
use crate::run::Run;
use crate::test::of_packages;
use crate::workspace::Workspace;

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
            build(cross(workspace, cargo(), target)?, &target.crates())?;
            // What runs here: the pages' writer, and the program that sums up.
            build(cargo(), &[MANUAL, "wirespeed-cli"])?;
            workspace.target_of(target.rust).join(target.rust).join("release")
        }
        false => {
            build(cargo(), &[target.crates(), vec![MANUAL]].concat())?;
            host.clone()
        }
    };
    let manual = workspace.target().join("manual");
    if manual.exists() {
        fs::remove_dir_all(&manual)?;
    }
    if !Run::new(host.join(MANUAL), workspace.root()).arguments([&manual]).passes()? {
        bail!("{MANUAL} failed");
    }
    Ok(Built { target, programs, manual })
}

/// For a target by its name.
fn cross(workspace: &Workspace, run: Run, target: &Target) -> Result<Run> {
    let run = cross::build(workspace, run, target.rust, target.linker);
    if !target.is_musl() {
        return Ok(run);
    }
    let unwinder = unwinder(workspace, target)?;
    // A static program cannot open libraries: it could neither compare with OpenSSL nor install.
    let flags = format!("-C target-feature=-crt-static -L native={}", unwinder.display());
    Ok(run.environment("RUSTFLAGS", flags))
}

/// A folder in which the linker finds Rust's own unwinder under the name of GCC's, whose library on Debian is made for glibc.
fn unwinder(workspace: &Workspace, target: &Target) -> Result<PathBuf> {
    let root = Run::new("rustc", workspace.root()).arguments(["--print", "sysroot"]).output()?;
    let library = format!("{root}/lib/rustlib/{}/lib/self-contained/libunwind.a", target.rust);
    if !Path::new(&library).exists() {
        bail!("no {library}: rustup target add {}", target.rust);
    }
    let folder = workspace.target().join("musl");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("libgcc_s.so"), format!("INPUT({library})\n"))?;
    Ok(folder)
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

//! Programs for machines of another architecture: built with the compilers that Debian has for them, and run here by QEMU,
//! which translates one program at a time and hands its system calls to this kernel.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::packages;
use crate::run::Run;
use crate::workspace::Workspace;

/// 64-bit ARM.
pub(crate) const ARM64: &str = "aarch64-unknown-linux-gnu";

/// Cargo's environment variable for a target.
pub(crate) fn variable(target: &str, what: &str) -> String {
    format!("CARGO_TARGET_{}_{what}", target.to_uppercase().replace('-', "_"))
}

/// Has rustup add the standard library of a target where it is missing.
pub(crate) fn standard_library(workspace: &Workspace, target: &str) -> Result<()> {
    let rustc = Run::new("rustc", workspace.root());
    let place = rustc.arguments(["--print", "target-libdir", "--target", target]).output()?;
    if Path::new(&place).exists() {
        return Ok(());
    }
    println!("adding the standard library of {target}");
    match Run::new("rustup", workspace.root()).arguments(["target", "add", target]).passes() {
        Ok(true) => Ok(()),
        _ => bail!("no standard library of {target}, and it cannot be added here"),
    }
}

/// A 64-bit ARM with a system of Debian's, as QEMU makes it.
pub(crate) struct Arm64<'r> {
    root: &'r Path,
    /// QEMU's name of the CPU.
    cpu: &'static str,
}

impl<'r> Arm64<'r> {
    /// With this system and CPU.
    pub(crate) const fn new(root: &'r Path, cpu: &'static str) -> Self {
        Self { root, cpu }
    }

    /// What starts its programs, in words without blanks.
    fn runner(&self) -> String {
        format!("qemu-aarch64-static -cpu {} -L {}", self.cpu, self.root.display())
    }

    /// A cargo command whose programs run there.
    pub(crate) fn cargo<const N: usize>(&self, workspace: &Workspace, words: [&str; N]) -> Run {
        let runner = self.runner();
        build(workspace, words)
            .environment(&variable(ARM64, "RUNNER"), &runner)
            // What these programs start in turn, they start so, too.
            .environment("WIRESPEED_RUNNER", runner)
            .environment("WIRESPEED_OPENSSL", self.root.join("usr/bin/openssl"))
    }
}

/// A cargo command for 64-bit ARM.
pub(crate) fn build<const N: usize>(workspace: &Workspace, words: [&str; N]) -> Run {
    workspace
        .cargo(words)
        .arguments(["--target", ARM64])
        .environment(&variable(ARM64, "LINKER"), packages::linker_arm64())
}

/// Where that leaves the program and the module.
pub(crate) fn modules(workspace: &Workspace) -> PathBuf {
    workspace.target().join(ARM64).join("release")
}

/// A system of Debian's for 64-bit ARM with OpenSSL, unpacked once and never started.
pub(crate) fn root(workspace: &Workspace, suite: &str) -> Result<PathBuf> {
    /// What is in it.
    const PROGRAMS: &str = "openssl,libgcc-s1";
    let roots = workspace.target().join("roots");
    let root = roots.join(format!("arm64-{suite}"));
    if root.exists() {
        return Ok(root);
    }
    fs::create_dir_all(&roots)?;
    let unfinished = roots.join(format!("arm64-{suite}.unfinished"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    Run::new("mmdebstrap", workspace.root())
        .arguments(["--variant=extract", "--architectures=arm64", "--include", PROGRAMS])
        // The loader's path begins with /lib, where Debian 13 unpacks nothing.
        .arguments(["--setup-hook=mkdir -p \"$1/usr/lib\" && ln -s usr/lib \"$1/lib\"", suite])
        .arguments([&unfinished])
        .succeeds_quietly(&roots.join(format!("arm64-{suite}.log")))?;
    fs::rename(unfinished, &root)?;
    Ok(root)
}

//! The stage of 64-bit ARM: everything built for it, and run under QEMU beside Debian's own OpenSSL for ARM.
//!
//! What is slow here is QEMU, which translates vectors one instruction at a time; so schedules are reduced, and every line
//! of code runs all the same.

use std::env;
use std::path::PathBuf;

use anyhow::Result;

use crate::cross::{self, Arm64};
use crate::run::Run;
use crate::tally::Tally;
use crate::test::{Effort, KERNELS, of_packages};
use crate::workspace::Workspace;

/// What is tested besides the kernels.
const CRATES: [&str; 5] =
    ["wirespeed-cpu", "wirespeed-machine", "wirespeed-cipher", "wirespeed-plan", "wirespeed-batch"];

pub(super) fn all(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    match systems(workspace) {
        Ok(roots) => on(workspace, effort, &roots),
        Err(error) => Ok(Tally::skip(format!("64-bit ARM: {error:#}"))),
    }
}

/// What it takes, and Debian's systems, the newer first.
fn systems(workspace: &Workspace) -> Result<[PathBuf; 2]> {
    cross::standard_library(workspace, cross::ARM64)?;
    Ok([cross::root(workspace, "trixie")?, cross::root(workspace, "bookworm")?])
}

fn on(workspace: &Workspace, effort: Effort, roots: &[PathBuf; 2]) -> Result<Tally> {
    let mut tally = Tally::of(lint(workspace)?, "clippy for 64-bit ARM");
    let built = cross::build(workspace, ["build", "--release"]).passes()?;
    tally += Tally::of(built, "build for 64-bit ARM");
    let [newer, older] = roots;
    let (big, small) = (Arm64::new(newer, "max"), Arm64::new(older, "cortex-a72"));
    tally += big
        .cargo(workspace, ["test", "--release"])
        .arguments(of_packages(&CRATES))
        .arguments(of_packages(&KERNELS))
        .tests()?;
    // Other ways through the same code: without SHA-3's sum of three, and without AES.
    for hidden in [None, Some("1")] {
        let run = small
            .cargo(workspace, ["test", "--release", "--lib"])
            .arguments(of_packages(&KERNELS))
            .arguments(["--", "proof"]);
        tally += match hidden {
            // All but plain vectors (crypto/arm_arch.h): no model of QEMU's lacks AES.
            Some(mask) => run.environment("OPENSSL_armcap", mask),
            None => run,
        }
        .tests()?;
    }
    if effort == Effort::Usual {
        tally += conformance(workspace, &big, ELSEWHERE)?;
    } else {
        tally += conformance(workspace, &big, &[])?;
        tally += conformance(workspace, &small, &[])?;
    }
    tally += programs(workspace, effort, roots)?;
    Ok(tally)
}

/// What cargo builds by default, and with their tests the crates whose tests run here: other tests are of x86.
fn lint(workspace: &Workspace) -> Result<bool> {
    let clippy = |run: Run| run.arguments(["--", "-D", "warnings"]).passes();
    let tested = cross::build(workspace, ["clippy", "--all-targets"])
        .arguments(of_packages(&["wirespeed-conformance"]))
        .arguments(of_packages(&CRATES))
        .arguments(of_packages(&KERNELS));
    Ok(clippy(cross::build(workspace, ["clippy"]))? && clippy(tested)?)
}

/// Skips what is the same code on every architecture, and has been tested with the host's OpenSSL.
const ELSEWHERE: &[&str] = &[
    "--skip=::portable::",
    "--skip=::libcrypto::",
    "--skip=::verified::",
    "--skip=::offloaded::",
    // Hundreds of processes, each of which QEMU translates anew.
    "--skip=program::encryption",
    "--skip=program::tls",
    "--skip=program::random",
];

/// Vectors, contracts and comparisons beside this system's OpenSSL.
fn conformance(workspace: &Workspace, machine: &Arm64<'_>, chosen: &[&str]) -> Result<Tally> {
    machine
        .cargo(workspace, ["test", "--release"])
        .arguments(["--package", "wirespeed-conformance", "--test", "conformance"])
        .environment("WIRESPEED_SCHEDULE", "reduced")
        .environment("WIRESPEED_MODULES", cross::modules(workspace))
        .arguments(["--"])
        .arguments(chosen)
        .tests()
}

/// The program and the module as their users have them.
fn programs(workspace: &Workspace, effort: Effort, roots: &[PathBuf]) -> Result<Tally> {
    let run = workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests", "--test", "architectures"])
        .environment("WIRESPEED_ROOTS", env::join_paths(roots)?)
        .environment("WIRESPEED_MODULES", cross::modules(workspace));
    match effort {
        Effort::Usual => run,
        Effort::Thorough => run.environment("WIRESPEED_THOROUGH", "1"),
    }
    .tests()
}

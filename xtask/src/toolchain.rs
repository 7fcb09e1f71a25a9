//! What rustup has: components of the nightly toolchain, and standard libraries for other machines.

use std::path::Path;

use anyhow::{Result, bail};

use crate::run::Run;
use crate::workspace::Workspace;

/// A nightly cargo whose `component` works, which is added where the network allows it.
pub(crate) fn nightly(workspace: &Workspace, component: &str) -> Result<(), String> {
    let works = || {
        let list = Run::new("rustup", workspace.root())
            .arguments(["component", "list", "--toolchain", "nightly", "--installed"])
            .output()
            .map_err(|_| "no nightly toolchain (rustup toolchain install nightly)".to_owned())?;
        Ok::<_, String>(list.lines().any(|line| line.starts_with(component)))
    };
    if works()? {
        return Ok(());
    }
    println!("adding {component} to the nightly toolchain");
    let added = Run::new("rustup", workspace.root())
        .arguments(["component", "add", "--toolchain", "nightly", component])
        .passes();
    match added {
        Ok(true) if works()? => Ok(()),
        _ => Err(format!("the nightly toolchain has no {component}, and it cannot be added here")),
    }
}

/// Whether the compiler has the standard library of a target.
pub(crate) fn has_standard_library(workspace: &Workspace, target: &str) -> Result<bool> {
    let rustc = Run::new("rustc", workspace.root());
    let place = rustc.arguments(["--print", "target-libdir", "--target", target]).output()?;
    Ok(Path::new(&place).exists())
}

/// Has rustup add the standard library of a target where it is missing. Where it cannot be had, [`of_target`] builds it.
pub(crate) fn standard_library(workspace: &Workspace, target: &str) -> Result<()> {
    if has_standard_library(workspace, target)? {
        return Ok(());
    }
    println!("adding the standard library of {target}");
    let added = Run::new("rustup", workspace.root()).arguments(["target", "add", target]).passes();
    if matches!(added, Ok(true)) {
        return Ok(());
    }
    match nightly(workspace, "rust-src") {
        Ok(()) => println!("{target}: nightly builds the standard library from its source"),
        Err(why) => bail!("no standard library of {target}, and it cannot be added here; {why}"),
    }
    Ok(())
}

/// A run of cargo for a target, with the standard library that [`standard_library`] has found.
pub(crate) fn of_target(workspace: &Workspace, cargo: Run, target: &str) -> Run {
    let run = cargo.arguments(["--target", target]);
    match has_standard_library(workspace, target) {
        // Into the folder of what is built, and once.
        Ok(false) => run
            .environment("RUSTUP_TOOLCHAIN", "nightly")
            .environment("CARGO_UNSTABLE_BUILD_STD", "std,panic_unwind"),
        _ => run,
    }
}

//! The stages of the tests that want another machine, or another kernel, than this one.

use std::env;

use anyhow::{Context, Result};
use serde_json::Value;
use wirespeed_vm::{CIPHERS, PadLock, X86_64};

use crate::run::Run;
use crate::tally::Tally;
use crate::test::{Effort, KERNELS, RUNNER, of_packages};
use crate::vm;
use crate::workspace::Workspace;

/// The program, the module and the kernels' own tests on machines that lack what this one has; then PadLock in the
/// kernel.
pub(crate) fn machines(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    if let Err(error) = vm::kernel(workspace, &X86_64, None) {
        return Ok(Tally::skip(format!("no kernel to boot: {error:#}")));
    }
    let mut tally = lesser(workspace, effort)?;
    tally += padlock(workspace)?;
    Ok(tally)
}

/// PadLock in the kernel.
fn padlock(workspace: &Workspace) -> Result<Tally> {
    let mut tally = Tally::default();
    for model in PadLock::ALL {
        let guest = guest(&format!("--padlock {}", model.name()))?;
        tally += tests(workspace, "vm_padlock").environment(RUNNER, guest).tests()?;
    }
    Ok(tally)
}

/// The kernel's own crypto, and disks, on a kernel of Debian's.
pub(crate) fn kernel(workspace: &Workspace, effort: Effort, series: Option<&str>) -> Result<Tally> {
    if let Err(error) = vm::kernel(workspace, &X86_64, series) {
        return Ok(Tally::skip(format!(
            "the kernel {}: {error:#}",
            series.unwrap_or("of Debian's")
        )));
    }
    let mut tally = kernel_route(workspace, effort, series)?;
    tally += disks(workspace, effort, series)?;
    Ok(tally)
}

fn lesser(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    // Between Haswell and the least.
    const BETWEEN: [&str; 2] = ["vm::Westmere", "vm::Penryn"];
    let skipped = BETWEEN.iter().filter(|_| effort == Effort::Usual);
    let built = workspace
        .cargo(["test", "--release", "--tests", "--no-run", "--message-format", "json"])
        .arguments(of_packages(&KERNELS))
        .output()?;
    let messages = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let programs = messages.filter_map(|it| it["executable"].as_str().map(str::to_owned));
    tests(workspace, "vm")
        .environment("WIRESPEED_VM", vm::kernels(workspace))
        .environment("WIRESPEED_KERNEL_TESTS", env::join_paths(programs)?)
        .arguments(["--"])
        .arguments(skipped.flat_map(|name| ["--skip", name]))
        .tests()
}

/// The route `kernel` on a kernel of Debian's, with a device that only the kernel reaches and drivers that fail when they
/// are told to; every vector on the first kernel alone, and there in a thorough test every size and contests of speed.
fn kernel_route(workspace: &Workspace, effort: Effort, series: Option<&str>) -> Result<Tally> {
    let kernel = series.map_or_else(String::new, |series| format!("--kernel {series}"));
    let devcrypto = workspace.root().join("vm/devcrypto").display().to_string();
    let device = format!("{kernel} --device virtio-crypto --module {devcrypto}");
    // The sockets themselves and /dev/crypto, whatever a program does to them.
    let mut tally = workspace
        .cargo(["test", "--release", "--package", "wirespeed-af-alg", "--test", "guest"])
        .environment(RUNNER, guest(&device)?)
        .tests()?;
    let faults = format!("{device} --module {}", workspace.root().join("vm/faults").display());
    let programs = |options: &str, arguments: &[&str]| {
        let run = tests(workspace, "vm_kernel").environment(RUNNER, guest(options)?);
        let is_whole = effort == Effort::Thorough && series.is_none();
        let run = if is_whole { run } else { run.environment("WIRESPEED_SCHEDULE", "reduced") };
        Ok::<_, anyhow::Error>(run.arguments(["--"]).arguments(arguments))
    };
    // Where there are AES instructions the device never wins.
    let weak = ["--skip", "device::planned"];
    if series.is_some() {
        let skipped = [&weak[..], &["--skip", "afalg", "--skip", "tunnels"]].concat();
        tally += programs(&faults, &skipped)?.tests()?;
        return Ok(tally);
    }
    if effort == Effort::Usual {
        tally +=
            programs(&faults, &[&weak[..], &["--skip", "afalg::contest"]].concat())?.tests()?;
    } else {
        tally += programs(&faults, &weak)?.tests()?;
        tally += programs(&format!("{faults} --cpu Penryn"), &["device::planned"])?.tests()?;
    }
    // Without the device, which the kernel would take for its best driver of AES.
    let mut routes = vec![("kernel", String::new())];
    if effort == Effort::Thorough {
        // To the provider both are offloads.
        routes.push(("devcrypto", format!("--module {devcrypto}")));
    }
    for (route, options) in routes {
        tally += workspace
            .cargo(["test", "--release", "--package", "wirespeed-conformance"])
            .arguments(["--test", "conformance"])
            .environment(RUNNER, guest(&options)?)
            .environment("WIRESPEED_SCHEDULE", "reduced")
            .arguments(["--", &format!("provider::{route}")])
            // What contexts do around ciphers is the same on every route.
            .arguments(["overlap", "padding", "places"].iter().flat_map(|name| ["--skip", name]))
            .tests()?;
    }
    Ok(tally)
}

/// Encrypted disks, real ones, with the ciphers that Debian leaves out of its kernels.
fn disks(workspace: &Workspace, effort: Effort, series: Option<&str>) -> Result<Tally> {
    let kernel = series.map_or_else(String::new, |series| format!("--kernel {series}"));
    let ciphers = CIPHERS.map(|name| format!("--cipher {name}")).join(" ");
    let options = format!("{kernel} {ciphers} --disk 32 --disk 32");
    let run = tests(workspace, "vm_disk").environment(RUNNER, guest(&options)?);
    // One kind of disk is like another, and one end of the program.
    const ALIKE: &[&str] = &["loop", "tables::disk", "zram", "null-blk", "with-its-watcher"];
    // What the program does by itself, whatever the kernel.
    const BY_ITSELF: &[&str] = &["refused", "asked", "killed", "figures", "beside"];
    let alike = if effort == Effort::Usual || series.is_some() { ALIKE } else { &[] };
    let by_itself = if series.is_some() { BY_ITSELF } else { &[] };
    let skipped = alike.iter().chain(by_itself).flat_map(|name| ["--skip", name]);
    run.arguments(["--"]).arguments(skipped).tests()
}

/// Seconds after which a guest hangs rather than is slow: three times what the longest takes here.
const LIMIT: u32 = 1200;

/// What starts a program in a guest.
fn guest(options: &str) -> Result<String> {
    let this = env::current_exe().context("this program's own path")?;
    Ok(format!("{} vm --limit {LIMIT} {options} --", this.display()))
}

/// A test program of the hosts', with the module just built.
fn tests(workspace: &Workspace, name: &str) -> Run {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests", "--test", name])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"))
}

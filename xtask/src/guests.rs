//! The stage `vm` of the tests: everything that wants another machine, or another kernel, than this one.

use std::panic::resume_unwind;
use std::thread;

use anyhow::{Context, Result};
use serde_json::Value;
use wirespeed_vm::{CIPHERS, PadLock};

use crate::run::Run;
use crate::tally::Tally;
use crate::test::RUNNER;
use crate::vm;
use crate::workspace::Workspace;

/// The program, the module and the kernels' own tests on machines that lack what this one has; then the
/// kernel's drivers, in guests that have what this machine lacks.
pub(crate) fn test(workspace: &Workspace) -> Result<Tally> {
    if let Err(error) = vm::kernel(workspace, None) {
        return Ok(Tally::skip(format!("no kernel to boot: {error:#}")));
    }
    // A guest is one CPU's work, so two at a time: what a series of kernels has to show is independent of the other.
    let (older, newer) = thread::scope(|scope| {
        let newer = scope.spawn(|| {
            let mut tally = machines(workspace)?;
            tally += padlock(workspace)?;
            tally += on(workspace, Some("6.12"))?;
            Ok::<_, anyhow::Error>(tally)
        });
        (on(workspace, None), newer.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let mut tally = newer?;
    tally += older?;
    Ok(tally)
}

/// PadLock in the kernel.
fn padlock(workspace: &Workspace) -> Result<Tally> {
    let mut tally = Tally::default();
    for model in PadLock::ALL {
        let guest = guest(&format!("--padlock {}", model.name()))?;
        tally += tests(workspace, "vm_padlock").environment(RUNNER, guest).tests_beside_others()?;
    }
    Ok(tally)
}

/// The kernel's own crypto, and disks, on a kernel of Debian's.
fn on(workspace: &Workspace, series: Option<&str>) -> Result<Tally> {
    let mut tally = kernel_route(workspace, series)?;
    tally += disks(workspace, series)?;
    Ok(tally)
}

fn machines(workspace: &Workspace) -> Result<Tally> {
    let built = workspace
        .cargo(["test", "--release", "--package", "wirespeed-native", "--lib", "--no-run"])
        .arguments(["--message-format", "json"])
        .output()?;
    let mut messages = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = messages.find_map(|it| it["executable"].as_str().map(str::to_owned));
    tests(workspace, "vm")
        .environment("WIRESPEED_VM", vm::kernels(workspace))
        .environment("WIRESPEED_NATIVE_TESTS", program.context("the kernels have no tests")?)
        .tests_beside_others()
}

/// The route `kernel` on a kernel of Debian's, with a device that only the kernel reaches and drivers that
/// fail when they are told to; every vector, and what is a contest of speed, on the first
/// kernel alone.
fn kernel_route(workspace: &Workspace, series: Option<&str>) -> Result<Tally> {
    if let Err(error) = vm::kernel(workspace, series) {
        return Ok(Tally::skip(format!("the route kernel on {series:?}: {error:#}")));
    }
    let kernel = series.map_or_else(String::new, |series| format!("--kernel {series}"));
    let device = format!("{kernel} --device virtio-crypto");
    // The sockets themselves, whatever a program does to them.
    let mut tally = workspace
        .cargo(["test", "--release", "--package", "wirespeed-kernel", "--test", "guest"])
        .environment(RUNNER, guest(&device)?)
        .tests_beside_others()?;
    let faults = format!("{device} --module {}", workspace.root().join("vm/faults").display());
    let programs = |options: &str, arguments: &[&str]| {
        let run = tests(workspace, "vm_kernel").environment(RUNNER, guest(options)?);
        run.arguments(["--"]).arguments(arguments).tests_beside_others()
    };
    // Where there are AES instructions the device never wins.
    let weak = ["--skip", "device::planned"];
    if series.is_some() {
        tally += programs(&faults, &[&weak[..], &["--skip", "afalg"]].concat())?;
        return Ok(tally);
    }
    tally += programs(&faults, &weak)?;
    tally += programs(&format!("{faults} --cpu Penryn"), &["device::planned"])?;
    // Without the device, which the kernel would take for its best driver of AES.
    tally += workspace
        .cargo(["test", "--release", "--package", "wirespeed-conformance", "--test", "conformance"])
        .environment(RUNNER, guest("")?)
        .environment("WIRESPEED_SCHEDULE", "reduced")
        .arguments(["--", "provider::kernel"])
        .tests_beside_others()?;
    Ok(tally)
}

/// Encrypted disks, real ones, with the ciphers that Debian leaves out of its kernels.
fn disks(workspace: &Workspace, series: Option<&str>) -> Result<Tally> {
    if let Err(error) = vm::kernel(workspace, series) {
        return Ok(Tally::skip(format!("encrypted disks on {series:?}: {error:#}")));
    }
    let kernel = series.map_or_else(String::new, |series| format!("--kernel {series}"));
    let ciphers = CIPHERS.map(|name| format!("--cipher {name}")).join(" ");
    let options = format!("{kernel} {ciphers} --disk 32 --disk 32");
    let run = tests(workspace, "vm_disk").environment(RUNNER, guest(&options)?);
    // What the program does by itself, whatever the kernel: once is enough.
    let alike = ["refused", "asked", "killed", "figures", "beside", "loop", "zram", "null-blk"];
    let skipped = alike.iter().flat_map(|name| ["--skip", name]).filter(|_| series.is_some());
    run.arguments(["--"]).arguments(skipped).tests_beside_others()
}

/// Seconds after which a guest hangs rather than is slow: three times what the longest takes here.
const LIMIT: u32 = 1200;

/// What starts a program in a guest.
fn guest(options: &str) -> Result<String> {
    let this = std::env::current_exe().context("this program's own path")?;
    Ok(format!("{} vm --limit {LIMIT} {options} --", this.display()))
}

/// A test program of the hosts', with the module just built.
fn tests(workspace: &Workspace, name: &str) -> Run {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-hosts", "--test", name])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"))
}

//! The stages of the tests that want another machine, or another kernel, than this one.

use std::env;

use anyhow::{Context, Result};
use serde_json::Value;
use wirespeed_vm::{AARCH64, Architecture, CIPHERS, PadLock, X86_64};

use crate::cross;
use crate::packages;
use crate::roots::{Root, Variant};
use crate::run::Run;
use crate::tally::Tally;
use crate::test::installed::root;
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
    if effort == Effort::Thorough {
        tally += programs_by_sse2(workspace)?;
    }
    Ok(tally)
}

/// Programs of Debian where a hypervisor hides all but SSE2, as Proxmox does unless told otherwise.
fn programs_by_sse2(workspace: &Workspace) -> Result<Tally> {
    let mut tally = Tally::default();
    for name in ["openssl::enc", "nginx::versions", "openvpn::ciphers"] {
        tally += DEBIAN
            .tests(workspace, "hosts", "--cpu kvm64")?
            .environment("WIRESPEED_ROUTES", "sse2")
            .arguments(["--", name])
            .tests()?;
    }
    Ok(tally)
}

/// PadLock in the kernel.
fn padlock(workspace: &Workspace) -> Result<Tally> {
    let mut tally = Tally::default();
    for model in PadLock::ALL {
        tally += DEBIAN
            .tests(workspace, "vm_padlock", &format!("--padlock {}", model.name()))?
            .tests()?;
    }
    Ok(tally)
}

/// A kernel of Debian's, and what its guest's programs are built for.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    architecture: &'static Architecture,
    /// Its series, where it is not the one that Debian would install.
    series: Option<&'static str>,
    /// More of `xtask vm`'s words.
    options: &'static str,
}

/// This machine's.
pub(crate) const DEBIAN: Place = Place { architecture: &X86_64, series: None, options: "" };

/// The next.
pub(crate) const NEWER: Place = Place { series: Some("6.12"), ..DEBIAN };

/// 64-bit ARM, with all that QEMU can translate.
pub(crate) const ARM64: Place =
    Place { architecture: &AARCH64, options: "--processors 2", ..DEBIAN };

impl Place {
    /// Whether it is the first, on which everything is tested.
    fn is_first(&self) -> bool {
        self.series.is_none() && self.cross().is_none()
    }

    /// What builds its programs, where that is not this machine's own compiler.
    fn cross(&self) -> Option<&'static cross::Architecture> {
        cross::of_guest(self.architecture)
    }

    /// A cargo command whose programs run in a guest with these options more.
    fn cargo<const N: usize>(
        &self,
        workspace: &Workspace,
        words: [&str; N],
        options: &str,
    ) -> Result<Run> {
        let this = env::current_exe().context("this program's own path")?;
        let series = self.series.map_or_else(String::new, |series| format!("--kernel {series}"));
        let runner = format!(
            "{} vm --limit {LIMIT} --arch {} {series} {} {options} --",
            this.display(),
            self.architecture.name,
            self.options
        );
        Ok(match self.cross() {
            None => workspace
                .cargo(words)
                .environment(RUNNER, runner)
                .environment("WIRESPEED_MODULES", workspace.target().join("release")),
            Some(cross) => cross
                .build(workspace, words)
                .environment(&cross::variable(cross.rust, "RUNNER"), runner)
                .environment("WIRESPEED_MODULES", cross.modules(workspace)),
        })
    }

    /// A test program of the hosts', with the module just built.
    fn tests(&self, workspace: &Workspace, name: &str, options: &str) -> Result<Run> {
        let words = ["test", "--release", "--package", "wirespeed-system-tests", "--test", name];
        self.cargo(workspace, words, options)
    }
}

/// The kernel's own crypto, and disks, on a kernel of Debian's.
pub(crate) fn kernel(workspace: &Workspace, effort: Effort, place: &Place) -> Result<Tally> {
    if let Err(error) = vm::kernel(workspace, place.architecture, place.series) {
        let Place { architecture, series, .. } = place;
        let series = series.unwrap_or("of Debian's");
        return Ok(Tally::skip(format!(
            "the kernel {series} for {}: {error:#}",
            architecture.name
        )));
    }
    let mut tally = kernel_route(workspace, effort, place)?;
    tally += disks(workspace, effort, place)?;
    Ok(tally)
}

/// All of that on 64-bit ARM, and there the programs that QEMU cannot run one by one: sshd starts its own file again.
pub(crate) fn arm64(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    let here = packages::provide(packages::GUEST_ARM64);
    if let Err(error) = here.and_then(|()| cross::ARM64.provide(workspace)) {
        return Ok(Tally::skip(format!("64-bit ARM, booted: {error:#}")));
    }
    let mut tally = Tally::of(cross::ARM64.ship(workspace)?, "build for 64-bit ARM");
    tally += kernel(workspace, effort, &ARM64)?;
    tally += ARM64.tests(workspace, "hosts", "")?.arguments(["--", "sshd"]).tests()?;
    for cpu in ["max", "cortex-a72"] {
        tally += ARM64
            .tests(workspace, "architectures", &format!("--cpu {cpu}"))?
            .environment("WIRESPEED_ARCHITECTURE", "arm64-guest")
            .environment("WIRESPEED_ROOTS", "/")
            .tests()?;
    }
    Ok(tally)
}

fn lesser(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    // Between Haswell and the least.
    const BETWEEN: [&str; 2] = ["vm::Westmere", "vm::Penryn"];
    // Every other guest depends on these.
    const ITSELF: [&str; 4] = ["guest::limit", "guest::parallel", "guest::death", "guest::overlay"];
    let skipped = BETWEEN.iter().chain(&ITSELF).filter(|_| effort == Effort::Usual);
    let built = workspace
        .cargo(["test", "--release", "--tests", "--no-run", "--message-format", "json"])
        .arguments(of_packages(&KERNELS))
        .output()?;
    let messages = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let programs = messages.filter_map(|it| it["executable"].as_str().map(str::to_owned));
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests", "--test", "vm"])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"))
        .environment("WIRESPEED_VM", vm::kernels(workspace))
        .environment("WIRESPEED_KERNEL_TESTS", env::join_paths(programs)?)
        .arguments(["--"])
        .arguments(skipped.flat_map(|name| ["--skip", name]))
        .tests()
}

/// The route `kernel` on a kernel of Debian's, with a device that only the kernel reaches and drivers that fail when they
/// are told to; every vector on the first kernel alone, and there in a thorough test every size and contests of speed.
fn kernel_route(workspace: &Workspace, effort: Effort, place: &Place) -> Result<Tally> {
    let devcrypto = workspace.root().join("vm/devcrypto").display().to_string();
    let device = format!("--device virtio-crypto --module {devcrypto}");
    // The sockets themselves and /dev/crypto, whatever a program does to them.
    let sockets = ["test", "--release", "--package", "wirespeed-af-alg", "--test", "guest"];
    // Each takes a third of a minute.
    let long: &[&str] =
        if effort == Effort::Usual { &["--", "--skip", "ten_thousand"] } else { &[] };
    let mut tally = place.cargo(workspace, sockets, &device)?.arguments(long).tests()?;
    let faults = format!("{device} --module {}", workspace.root().join("vm/faults").display());
    let programs = |options: &str, arguments: &[&str]| {
        let run = place.tests(workspace, "vm_kernel", options)?;
        let is_whole = effort == Effort::Thorough && place.is_first();
        let run = if is_whole { run } else { run.environment("WIRESPEED_SCHEDULE", "reduced") };
        Ok::<_, anyhow::Error>(run.arguments(["--"]).arguments(arguments))
    };
    // By an OpenSSL that can leave records to Linux, and there by Linux's own ciphers: without the device.
    if place.cross().is_none() {
        tally += match root(workspace, "trixie") {
            Ok(root) => programs("", &["ktls::"])?.environment("WIRESPEED_ROOT", root).tests()?,
            Err(error) => Tally::skip(format!("kTLS wants a root of Debian 13: {error:#}")),
        };
    }
    // Where there are AES instructions the device never wins.
    let weak = ["--skip", "device::planned", "--skip", "ktls::"];
    if !place.is_first() {
        // openvpn-dco-dkms of Debian 12 is for its own kernel.
        let skipped = ["--skip", "afalg", "--skip", "tunnels::of-the-kernel", "--skip", "dco"];
        let skipped = [&weak[..], &skipped].concat();
        tally += programs(&faults, &skipped)?.tests()?;
        return Ok(tally);
    }
    let faults = format!("{faults} --dco");
    if effort == Effort::Usual {
        let long = ["--skip", "afalg::contest", "--skip", "crowd::ten-thousand"];
        tally += programs(&faults, &[&weak[..], &long].concat())?.tests()?;
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
        tally += place
            .cargo(
                workspace,
                ["test", "--release", "--package", "wirespeed-conformance"],
                &options,
            )?
            .arguments(["--test", "conformance"])
            .environment("WIRESPEED_SCHEDULE", "reduced")
            .arguments(["--", &format!("provider::{route}")])
            // What contexts do around ciphers is the same on every route, and other tests cut there.
            .arguments(
                SAME.iter()
                    .flat_map(|what| ["--skip".into(), format!("provider::{route}::{what}")]),
            )
            .tests()?;
    }
    Ok(tally)
}

/// What conformance skips of the route `kernel`.
const SAME: [&str; 5] = ["overlap", "padding", "places", "lengths", "cuts"];

/// OpenVPN with data channel offload, where Linux has it itself.
pub(crate) fn dco(workspace: &Workspace) -> Result<Tally> {
    let place = Place { series: Some("7"), ..DEBIAN };
    if let Err(error) = vm::kernel(workspace, place.architecture, place.series) {
        return Ok(Tally::skip(format!("the kernel 7: {error:#}")));
    }
    // The first Debian with OpenVPN 2.7.
    let root = Root { name: "testing.openvpn", suite: "testing", packages: "openvpn" };
    let root = match root.unpacked(workspace, Variant::Apt, &[]) {
        Ok(root) => root,
        Err(error) => return Ok(Tally::skip(format!("no root with OpenVPN 2.7: {error:#}"))),
    };
    place
        .tests(workspace, "vm_kernel", "")?
        .environment("WIRESPEED_OPENVPN", root)
        .arguments(["--", "dco::"])
        .tests()
}

/// Encrypted disks, real ones, with the ciphers that Debian leaves out of its kernels.
fn disks(workspace: &Workspace, effort: Effort, place: &Place) -> Result<Tally> {
    let ciphers = CIPHERS.map(|name| format!("--cipher {name}")).join(" ");
    let options = format!("{ciphers} --disk 32 --disk 32");
    let run = place.tests(workspace, "vm_disk", &options)?;
    // One kind of disk is like another, and one end of the program.
    const ALIKE: &[&str] = &["loop", "tables::disk", "zram", "null-blk", "with-its-watcher"];
    // What the program does by itself, whatever the kernel.
    const BY_ITSELF: &[&str] = &["refused", "asked", "killed", "figures", "beside"];
    let alike = if effort == Effort::Usual || !place.is_first() { ALIKE } else { &[] };
    let by_itself = if place.is_first() { &[] } else { BY_ITSELF };
    let skipped = alike.iter().chain(by_itself).flat_map(|name| ["--skip", name]);
    run.arguments(["--"]).arguments(skipped).tests()
}

/// Seconds after which a guest hangs rather than is slow: three times what the longest takes here.
const LIMIT: u32 = 2400;

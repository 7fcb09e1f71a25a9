//! `cargo xtask vm`: a command in a guest with a stock kernel of Debian's.

use std::env::{self, consts};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use wirespeed_vm::{
    Architecture, CIPHERS, Device, Failure, Kernel, Machine, PadLock, Program, X86_64,
};

use crate::workspace::Workspace;
use crate::{cross, packages};

/// The guest, and what runs in it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Guest {
    /// The architecture: x86_64, or aarch64, whose programs are those of a Debian 12 that is unpacked for it
    #[arg(long, value_name = "NAME", value_parser = architecture, default_value = consts::ARCH)]
    arch: &'static Architecture,
    /// The newest kernel of this series, such as 6.12 [default: the one that Debian would install]
    #[arg(long, value_name = "SERIES")]
    kernel: Option<String>,
    /// The CPU, in QEMU's words [default: all that this machine can do or QEMU can translate]
    #[arg(long, value_name = "CPU", conflicts_with = "padlock")]
    cpu: Option<String>,
    /// A CPU with PadLock, whose instructions our kernel module carries out
    #[arg(long, value_name = "MODEL", value_parser = padlock)]
    padlock: Option<PadLock>,
    /// A device: virtio-crypto, an engine that only the kernel reaches
    #[arg(long, value_name = "DEVICE", value_parser = device)]
    device: Vec<Device>,
    /// A kernel module, built from the source in this directory and loaded
    #[arg(long, value_name = "SOURCE")]
    module: Vec<PathBuf>,
    /// A cipher that Debian leaves out of its kernels, built from their source and loaded: anubis, arc4, khazad,
    /// tea (and xtea, xeta)
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(CIPHERS), hide_possible_values = true)]
    cipher: Vec<String>,
    /// OpenVPN's data channel offload, built from Debian's openvpn-dco-dkms and loaded
    #[arg(long)]
    dco: bool,
    /// An empty disk of so many MiB: /dev/vda, /dev/vdb, …
    #[arg(long, value_name = "MIB")]
    disk: Vec<u64>,
    /// How many CPUs
    #[arg(long, value_name = "N", default_value_t = 1)]
    processors: u32,
    /// Memory in MiB; what the guest writes to files is a part of it
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: u32,
    /// Seconds until the guest is ended, the boot included
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    limit: u64,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
The guest sees this machine's files, may change them all, and nothing of that comes back. One of another
architecture sees the workspace, what is built, and where it is started. The command starts here, with this
environment; its exit status is that of the program. 124: it did not end in time;
125: the guest died (the kernel's log is on standard error) or could not be prepared.

Examples:
  cargo xtask vm -- uname -a                            Debian's kernel, as it is
  cargo xtask vm --kernel 6.12 -- target/release/wirespeed
  cargo xtask vm --cpu Haswell -- target/release/wirespeed routes
  cargo xtask vm --arch aarch64 --processors 2 -- nproc
  cargo xtask vm --arch aarch64 --cpu cortex-a72 -- openssl version
  cargo xtask vm --padlock nano -- sh -c 'modprobe padlock-aes && grep -A4 padlock /proc/crypto'
  cargo xtask vm --padlock nano -- openssl engine padlock
  cargo xtask vm --device virtio-crypto -- grep -A 9 virtio_crypto /proc/crypto
  cargo xtask vm --disk 64 -- lsblk /dev/vda
  cargo xtask vm --disk 64 -- sh -c 'echo 1 > /sys/block/vda/device/../remove; lsblk'     a disk that goes away
  cargo xtask vm --cipher anubis --cipher tea -- grep -E 'name.*(anubis|tea)' /proc/crypto";

fn architecture(name: &str) -> Result<&'static Architecture, String> {
    let names = Architecture::ALL.map(|it| it.name).join(" ");
    Architecture::named(name).ok_or_else(|| format!("choose from {names}"))
}

fn device(name: &str) -> Result<Device, String> {
    let known = Device::ALL.into_iter().find(|device| device.name() == name);
    known.ok_or_else(|| format!("choose from {}", Device::ALL.map(Device::name).join(" ")))
}

fn padlock(name: &str) -> Result<PadLock, String> {
    let known = PadLock::ALL.into_iter().find(|model| model.name() == name);
    known.ok_or_else(|| format!("choose from {}", PadLock::ALL.map(PadLock::name).join(" ")))
}

/// Where kernels are kept.
pub(crate) fn kernels(workspace: &Workspace) -> PathBuf {
    workspace.target().join("vm")
}

/// The kernel that Debian would install, or the newest of a series.
pub(crate) fn kernel(
    workspace: &Workspace,
    architecture: &'static Architecture,
    series: Option<&str>,
) -> Result<Kernel> {
    Kernel::provide(&kernels(workspace), architecture, series).map_err(|why| anyhow!(why))
}

/// Debian's release for guests that do not run this machine's programs.
const SUITE: &str = "bookworm";

/// The system of a guest that does not run this machine's programs.
fn system(workspace: &Workspace, architecture: &Architecture) -> Result<PathBuf> {
    let Some(cross) = cross::of_guest(architecture) else {
        bail!("no system for {} on {}", architecture.name, consts::ARCH);
    };
    packages::provide(packages::GUEST_ARM64)?;
    cross.root(workspace, SUITE, &cross::GUEST)
}

/// Boots the guest and runs the command; its exit status.
pub(crate) fn run(workspace: &Workspace, guest: Guest) -> Result<ExitCode> {
    let kernel = kernel(workspace, guest.arch, guest.kernel.as_deref())?;
    let mut machine = Machine::new(kernel.clone())
        .processors(guest.processors)
        .memory_mib(guest.memory)
        .limit(Duration::from_secs(guest.limit));
    for device in guest.device {
        machine = machine.device(device);
    }
    if !guest.arch.is_native() {
        let folders = [workspace.root(), workspace.target(), &env::current_dir()?];
        let folders = folders.map(Path::to_owned).to_vec();
        machine = machine.system(system(workspace, guest.arch)?, folders);
    }
    let build = |source: &Path| kernel.build_module(source).map_err(|why| anyhow!(why));
    for source in &guest.module {
        machine = machine.module(build(source)?, "");
    }
    for name in &guest.cipher {
        machine = machine.module(kernel.build_cipher(name).map_err(|why| anyhow!(why))?, "");
    }
    if guest.dco {
        machine = machine.module(kernel.build_dco().map_err(|why| anyhow!(why))?, "");
    }
    for mebibytes in guest.disk {
        machine = machine.disk(mebibytes << 20);
    }
    if let Some(cpu) = guest.cpu {
        machine = machine.cpu(cpu);
    }
    if let Some(model) = guest.padlock {
        if *guest.arch != X86_64 {
            bail!("no {} has PadLock: leave out --padlock or --arch", guest.arch.name);
        }
        let module = build(&workspace.root().join("emulator/kernel"))?;
        machine = machine.cpu(model.cpu()).module(module, "").self_tests();
    }
    let program = Program::here(guest.command).map_err(|why| anyhow!(why))?;
    Ok(match machine.run(&program, &mut io::stdout(), &mut io::stderr()) {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(u8::MAX)),
        Err(failure) => {
            eprintln!("xtask: {failure}");
            let in_time = !matches!(failure, Failure::TimedOut(..));
            ExitCode::from(if in_time { 125 } else { 124 })
        }
    })
}

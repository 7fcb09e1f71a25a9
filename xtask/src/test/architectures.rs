//! The stages of other architectures: everything built for them, and run here beside Debian's own OpenSSL for them.
//!
//! ARM's and RISC-V's programs run under QEMU, which translates vectors one instruction at a time; so schedules are
//! reduced, and every line of code runs all the same.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cross::{self, Architecture, I586, Machine, SHIPPED, System};
use crate::package::{self, Format, Wanted};
use crate::run::Run;
use crate::tally::Tally;
use crate::test::{Effort, KERNELS, of_packages};
use crate::toolchain::{has_standard_library, standard_library};
use crate::workspace::Workspace;

/// What is tested besides the kernels, and on x86 alone the last.
const CRATES: [&str; 6] = [
    "wirespeed-cpu",
    "wirespeed-machine",
    "wirespeed-cipher",
    "wirespeed-plan",
    "wirespeed-batch",
    "wirespeed-padlock",
];
const EVERYWHERE: &[&str] = CRATES.split_at(5).0;

/// What the machines of one architecture are tested with.
pub(super) struct Tested {
    architecture: &'static Architecture,
    /// Its name in words.
    name: &'static str,
    /// Debian's releases, the newer first.
    suites: &'static [&'static str],
    /// What is in them.
    system: &'static System,
    /// What packages for it are built for, where they are unpacked in its systems.
    packages: Option<&'static Architecture>,
    /// The crates with tests of their own, besides the kernels.
    crates: &'static [&'static str],
    /// Vectors, contracts and each crate's own tests.
    units: fn(&Workspace, Effort, &Roots) -> Result<Tally>,
    /// Where programs usually run: in the system that the former leave out.
    programs_in: fn(&Roots) -> &Path,
}

pub(super) const ARM64: Tested = Tested {
    architecture: &cross::ARM64,
    name: "64-bit ARM",
    suites: &["trixie", "bookworm"],
    system: &cross::PROGRAMS,
    packages: None,
    crates: EVERYWHERE,
    units: on_arm64,
    programs_in: Roots::oldest,
};

pub(super) const ARMV7: Tested = Tested {
    architecture: &cross::ARMV7,
    name: "32-bit ARM",
    units: |at, effort, roots| on_portable(at, effort, roots, &cross::ARMV7, &["cortex-a7"]),
    programs_in: Roots::newest,
    ..ARM64
};

pub(super) const ARMV5: Tested = Tested {
    architecture: &cross::ARMV5,
    name: "32-bit ARM of old",
    // The last with a kernel for them.
    suites: &["bookworm"],
    units: on_armv5,
    ..ARM64
};

pub(super) const RISCV64: Tested = Tested {
    architecture: &cross::RISCV64,
    name: "64-bit RISC-V",
    // The first that has it.
    suites: &["trixie"],
    // OpenSSL's own code is another with vectors.
    units: |at, effort, roots| on_portable(at, effort, roots, &cross::RISCV64, &["max", "rv64"]),
    ..ARM64
};

pub(super) const I686: Tested = Tested {
    architecture: &cross::I686,
    // Debian's i386 is for CPUs without SSE2, too.
    packages: Some(&I586),
    name: "32-bit x86",
    system: &cross::WITH_SSHD,
    crates: &CRATES,
    units: on_i686,
    ..ARM64
};

pub(super) fn all(workspace: &Workspace, effort: Effort, tested: &Tested) -> Result<Tally> {
    let Tested { architecture, name, crates, units, .. } = tested;
    let roots = match systems(workspace, tested) {
        Ok(roots) => roots,
        Err(error) => return Ok(Tally::skip(format!("{name}: {error:#}"))),
    };
    let mut tally = Tally::default();
    if effort == Effort::Thorough {
        tally += match has_standard_library(workspace, architecture.rust)? {
            true => {
                let passed = lint(workspace, architecture, crates)?;
                Tally::of(passed, &format!("clippy for {name}"))
            }
            false => Tally::skip(format!("clippy for {name}: nightly's has other lints")),
        };
    }
    tally += Tally::of(architecture.ship(workspace)?, &format!("build for {name}"));
    tally += units(workspace, effort, &roots)?;
    tally += programs(workspace, effort, tested, &roots)?;
    Ok(tally)
}

/// Debian's systems.
struct Roots(Vec<PathBuf>);

impl Roots {
    fn newest(&self) -> &Path {
        &self.0[0]
    }

    fn oldest(&self) -> &Path {
        &self.0[self.0.len() - 1]
    }
}

/// What it takes.
fn systems(workspace: &Workspace, tested: &Tested) -> Result<Roots> {
    let Tested { architecture, suites, system, .. } = tested;
    architecture.runs_here(workspace)?;
    architecture.provide(workspace)?;
    let roots = suites.iter().map(|suite| architecture.root(workspace, suite, system));
    Ok(Roots(roots.collect::<Result<_>>()?))
}

/// What is shipped, and with their tests the crates whose tests run here: other tests are of x86-64.
fn lint(workspace: &Workspace, architecture: &Architecture, crates: &[&str]) -> Result<bool> {
    let clippy = |run: Run| run.arguments(["--", "-D", "warnings"]).passes();
    let shipped = architecture
        .build(workspace, ["clippy"])
        .arguments(of_packages(&SHIPPED))
        // Nobody gets the emulator there, and it builds all the same.
        .arguments(of_packages(&["padlock-runner", "padlock-preload"]));
    let tested = architecture
        .build(workspace, ["clippy", "--all-targets"])
        .arguments(of_packages(&["wirespeed-conformance"]))
        .arguments(of_packages(crates))
        .arguments(of_packages(&KERNELS));
    Ok(clippy(shipped)? && clippy(tested)?)
}

fn on_arm64(workspace: &Workspace, effort: Effort, roots: &Roots) -> Result<Tally> {
    let arm64 = |root, cpu| Machine::new(&cross::ARM64, root, cpu);
    let (big, small) = (arm64(roots.newest(), "max"), arm64(roots.oldest(), "cortex-a72"));
    let mut tally = own(workspace, effort, &big, EVERYWHERE).tests()?;
    // Other ways through the same code: without SHA-3's sum of three, and without AES.
    for hidden in [None, Some("1")] {
        let run = own(workspace, effort, &small, EVERYWHERE).arguments(["--", "proof"]);
        tally += match hidden {
            // All but plain vectors (crypto/arm_arch.h): no model of QEMU's lacks AES.
            Some(mask) => run.environment("OPENSSL_armcap", mask),
            None => run,
        }
        .tests()?;
    }
    if effort == Effort::Usual {
        let skipped = [PORTABLE, ELSEWHERE, ALIKE, PLANNED, PROCESSES].concat();
        tally += conformance(workspace, &big, &skipped)?;
    } else {
        tally += conformance(workspace, &big, &[])?;
        tally += conformance(workspace, &small, &[])?;
    }
    Ok(tally)
}

/// No vectors of Rust's are stable there: what runs is plain code, which the host and 32-bit x86 have usually taken through
/// every contract.
fn on_portable(
    workspace: &Workspace,
    effort: Effort,
    roots: &Roots,
    architecture: &'static Architecture,
    cpus: &[&'static str],
) -> Result<Tally> {
    let oldest = Machine::new(architecture, roots.oldest(), cpus[0]);
    let mut tally = own(workspace, effort, &oldest, EVERYWHERE).tests()?;
    if effort == Effort::Thorough {
        for (root, cpu) in roots.0.iter().flat_map(|root| cpus.iter().map(move |cpu| (root, cpu))) {
            tally += conformance(workspace, &Machine::new(architecture, root, cpu), &[])?;
        }
    }
    Ok(tally)
}

/// Counters as well: there Linux compares and exchanges their words.
fn on_armv5(workspace: &Workspace, effort: Effort, roots: &Roots) -> Result<Tally> {
    const CPU: &str = "arm926";
    /// QEMU 7.2 lets a child find what it should find empty.
    const CHILDREN: [&str; 3] = ["--", "--skip=parent_and_child", "--skip=slots_of_ended"];
    let machine = Machine::new(&cross::ARMV5, roots.oldest(), CPU);
    let counters = machine.cargo(workspace, ["test", "--release", "--package", "wirespeed-stats"]);
    let mut tally = counters.arguments(CHILDREN).tests()?;
    tally += on_portable(workspace, effort, roots, &cross::ARMV5, &[CPU])?;
    Ok(tally)
}

fn on_i686(workspace: &Workspace, effort: Effort, roots: &Roots) -> Result<Tally> {
    let machine = Machine::i686(roots.oldest());
    // What emulates PadLock is a program of 64 bits.
    let emulator = workspace.cargo(["build", "--release"]);
    let built = emulator.arguments(of_packages(&["padlock-runner", "padlock-preload"])).passes()?;
    let mut tally = Tally::of(built, "build of padlock-run");
    tally += plain(workspace)?;
    tally += own(workspace, effort, &machine, &CRATES).tests()?;
    let (around, processes): (&[_], &[_]) = match effort {
        Effort::Usual => (AROUND, PROCESSES),
        Effort::Thorough => (&[], &[]),
    };
    // As the stage of PadLock does in 64 bits, on the CPUs that have no others.
    for (cpu, filter) in [("c3", "kernels::padlock"), ("c7", "padlock")] {
        let emulated = machine.with_padlock(cpu);
        let proofs = own(workspace, effort, &emulated, &CRATES);
        tally += proofs.arguments(["--tests", "--", "proof::"]).tests()?;
        tally += conformance(workspace, &emulated, &[&[filter], around].concat())?;
    }
    tally += conformance(workspace, &Machine::i686(roots.newest()), processes)?;
    if effort == Effort::Thorough {
        tally += conformance(workspace, &machine, &[])?;
        tally += without_sse2(workspace, roots)?;
    }
    Ok(tally)
}

/// Known answers by what CPUs without SSE2 get, through the kernels, the provider and on a C3.
fn without_sse2(workspace: &Workspace, roots: &Roots) -> Result<Tally> {
    let machine = Machine::new(&I586, roots.oldest(), "");
    let mut tally = conformance(workspace, &machine, &["vectors"])?;
    tally += conformance(workspace, &machine.with_padlock("c3"), &["padlock::vectors"])?;
    Ok(tally)
}

/// Whether the module for CPUs without SSE2 keeps to a Pentium's instructions: one more would end whole programs.
fn plain(workspace: &Workspace) -> Result<Tally> {
    if let Err(error) = standard_library(workspace, I586.rust) {
        return Ok(Tally::skip(format!("{error:#}")));
    }
    let built = I586.build(workspace, ["build", "--release"]);
    if !built.arguments(of_packages(&["wirespeed-module"])).passes()? {
        return Ok(Tally::of(false, "build for CPUs without SSE2"));
    }
    let code = Run::new("objdump", workspace.root())
        .arguments(["--disassemble", "--no-show-raw-insn"])
        .arguments([I586.modules(workspace).join("libwirespeed.so")])
        .output()?;
    // MMX, SSE and AVX by their registers; what a Pentium Pro brought; rounds of AES come with registers.
    let newer = ["%mm", "%xmm", "%ymm", "%zmm", "cmov", "fcomi", "fucomi", "nopw", "nopl"];
    let lines: Vec<_> = code.lines().collect();
    // Older CPUs lack CPUID, too: so it stands behind a look at EFLAGS, close by.
    let is_blind =
        |at: usize| !lines[at.saturating_sub(16)..at].iter().any(|it| it.contains("popf"));
    let found: Vec<_> = lines
        .iter()
        .enumerate()
        .filter(|(at, it)| {
            newer.iter().any(|new| it.contains(new)) || it.contains("cpuid") && is_blind(*at)
        })
        .collect();
    for (_, line) in found.iter().take(10) {
        println!("more than a Pentium has, or CPUID without a look: {line}");
    }
    // An empty disassembly is no proof.
    let passed = found.is_empty() && lines.len() > 10_000;
    Ok(Tally::of(passed, "instructions of the module for CPUs without SSE2"))
}

/// Each crate's own tests, to be chosen from. Usually of the kernels only the proof of all: with those of each family all
/// its code is compiled a second time.
fn own(workspace: &Workspace, effort: Effort, machine: &Machine<'_>, crates: &[&str]) -> Run {
    let kernels = if effort == Effort::Usual { &["wirespeed-kernels"][..] } else { &KERNELS };
    let run = machine.cargo(workspace, ["test", "--release"]);
    run.arguments(of_packages(crates)).arguments(of_packages(kernels))
}

/// Skips what is the same code wherever registers have 64 bits, and has been tested with the host's OpenSSL.
const PORTABLE: &[&str] = &["--skip=::portable::"];

/// Skips what is so on every architecture.
const ELSEWHERE: &[&str] = &["--skip=::libcrypto::", "--skip=::verified::", "--skip=::offloaded::"];

/// Skips what is done the same way with each route.
const ALIKE: &[&str] = &[
    "--skip=provider::neon::",
    "--skip=rerouting::",
    "--skip=::overlap::",
    "--skip=::padding::",
    "--skip=::records::",
    "--skip=::sequences::",
];

/// Skips of plans what is about bytes, which are those of the routes by themselves.
const PLANNED: &[&str] = &[
    "--skip=provider::planned::counters",
    "--skip=provider::planned::cuts",
    "--skip=provider::planned::edges",
    "--skip=provider::planned::lengths",
    "--skip=provider::planned::places",
    "--skip=provider::handed_on::counters",
    "--skip=provider::handed_on::cuts",
    "--skip=provider::handed_on::edges",
    "--skip=provider::handed_on::lengths",
    "--skip=provider::handed_on::places",
];

/// Skips what contexts do around ciphers, which portable code has gone through in 32 bits, and PadLock in 64.
const AROUND: &[&str] = &[
    "--skip=::overlap::",
    "--skip=::padding::",
    "--skip=::records::",
    "--skip=::security::",
    "--skip=::sequences::",
];

/// Skips hundreds of processes, each of which QEMU translates anew. The program's tests have a few of their kind.
const PROCESSES: &[&str] =
    &["--skip=program::encryption", "--skip=program::tls", "--skip=program::random"];

/// Vectors, contracts and comparisons beside this system's OpenSSL.
fn conformance(workspace: &Workspace, machine: &Machine<'_>, chosen: &[&str]) -> Result<Tally> {
    machine.conformance(workspace).arguments(chosen).tests()
}

/// The program and the module as their users have them; thoroughly in all systems, and from packages as well.
fn programs(
    workspace: &Workspace,
    effort: Effort,
    tested: &Tested,
    roots: &Roots,
) -> Result<Tally> {
    let Tested { architecture, packages, .. } = tested;
    let run = workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests"])
        .arguments(["--test", "architectures"])
        .environment("WIRESPEED_ARCHITECTURE", architecture.debian)
        .environment("WIRESPEED_EMULATOR", workspace.target().join("release/padlock-run"))
        .environment("WIRESPEED_QEMU", architecture.emulator(workspace).unwrap_or_default())
        .environment("WIRESPEED_MODULES", architecture.modules(workspace));
    let run = match effort {
        Effort::Usual => run.environment("WIRESPEED_ROOTS", (tested.programs_in)(roots)),
        Effort::Thorough => run.environment("WIRESPEED_ROOTS", env::join_paths(&roots.0)?),
    };
    let run = match packages.filter(|_| effort == Effort::Thorough) {
        Some(built) => run.environment("WIRESPEED_PACKAGES", packed(workspace, built)?),
        None => run,
    };
    effort.told_to(run).tests()
}

/// The folder of packages for it.
fn packed(workspace: &Workspace, architecture: &Architecture) -> Result<PathBuf> {
    let folder = workspace.target().join(format!("packages.{}", architecture.rust));
    if folder.exists() {
        // Those of another version would be unpacked, too.
        fs::remove_dir_all(&folder)?;
    }
    let wanted = Wanted::into(&folder, &[Format::Deb]).for_target(architecture.rust);
    package::make(workspace, &wanted)?;
    Ok(folder)
}

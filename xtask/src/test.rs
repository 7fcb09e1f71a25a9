//! `cargo xtask test`: every check there is, stage by stage, with a sum at the end.

mod architectures;
mod fleet;
pub(crate) mod installed;
mod releases;

use std::iter;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::openssl::suite::Line;
use crate::openssl::{self, Version};
use crate::packages;
use crate::run::Run;
use crate::structure;
use crate::tally::Tally;
use crate::toolchain::nightly;
use crate::vectors;
use crate::workspace::Workspace;
use crate::{documents, guests, tools};

/// Which stages to run.
#[derive(Args)]
pub(crate) struct Selection {
    /// Only these stages (see --list)
    #[arg(long, value_delimiter = ',', value_name = "STAGE")]
    only: Vec<String>,
    /// Everything, for some hours: all of OpenSSL's own tests, millions of random sequences of calls
    #[arg(long)]
    thorough: bool,
    /// List the stages and what each does
    #[arg(long)]
    list: bool,
}

/// How much a stage does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// What continuous integration has the time for.
    Usual,
    /// All that is worth having.
    Thorough,
}

impl Effort {
    /// Tells the tests that this runs.
    fn told_to(self, run: Run) -> Run {
        match self {
            Self::Usual => run,
            Self::Thorough => run.environment("WIRESPEED_THOROUGH", "1"),
        }
    }
}

/// What a stage does.
type Work = fn(&Workspace, Effort) -> Result<Tally>;

/// One stage of the test.
struct Stage {
    name: &'static str,
    about: &'static str,
    /// Whether it runs before the others, which run side by side: each leaves processors idle for much of its time.
    alone: bool,
    /// Whether it runs what "build" makes, and so waits for that.
    needs_build: bool,
    /// The least effort that has it.
    from: Effort,
    run: Work,
}

/// In the order in which they begin; those that run side by side, the longest first.
const STAGES: &[Stage] = &[
    first("fmt", "formatting", |at, _| Ok(Tally::of(crate::fmt(at, false).passes()?, "fmt"))),
    first("structure", "layers, unsafe, the module's budget", |at, _| {
        Ok(Tally::of(structure::check(at)?, "structure"))
    }),
    first("vectors", "test vectors against their checksums", |at, _| {
        Ok(Tally::of(vectors::check(at)?, "vectors"))
    }),
    beside("build", "the program and the module, as users build them", |at, _| {
        Ok(Tally::of(build(at).passes()?, "build"))
    }),
    beside("lint", "clippy, every target", |at, _| {
        Ok(Tally::of(crate::lint(at).passes()?, "lint"))
    }),
    beside("documents", "links, lengths, and cargo doc without a warning", |at, _| {
        let passed = documents::check(at)? && documents::of_crates(at).passes()?;
        Ok(Tally::of(passed, "documents"))
    }),
    beside("unit", "each crate's own tests, in debug builds; the kernels' as they ship", unit),
    beside("aarch64", "64-bit ARM, cross-built and run by QEMU", |at, effort| {
        architectures::all(at, effort, &architectures::ARM64)
    }),
    built("vm", "the kernel's own crypto and disks, booted in QEMU", |at, effort| {
        guests::kernel(at, effort, &guests::DEBIAN)
    }),
    beside("i686", "32-bit x86, built for it and run here", |at, effort| {
        architectures::all(at, effort, &architectures::I686)
    }),
    beside("armv7", "32-bit ARM, cross-built and run by QEMU", |at, effort| {
        architectures::all(at, effort, &architectures::ARMV7)
    }),
    thorough(beside("riscv64", "64-bit RISC-V, cross-built and run by QEMU", |at, effort| {
        architectures::all(at, effort, &architectures::RISCV64)
    })),
    thorough(beside("armv5", "32-bit ARM of old, cross-built and run by QEMU", |at, effort| {
        architectures::all(at, effort, &architectures::ARMV5)
    })),
    beside("miri", "what Miri can interpret (nightly)", |at, _| miri(at)),
    built("machines", "lesser machines, and PadLock in the kernel, in QEMU", guests::machines),
    built("host", "conformance, with the host's OpenSSL", releases::host),
    built("packages", "installed in a root of Debian's, upgraded, removed", installed::packages),
    built(
        "fleet",
        "alerts and Ansible's collection, on four hosts in namespaces; --thorough: on twelve",
        fleet::fleet,
    ),
    built("calls", "random sequences of EVP calls, against the default provider", |at, effort| {
        releases::calls(at, effort).tests()
    }),
    beside("asan", "the provider under AddressSanitizer (nightly)", |at, _| asan(at)),
    built("openssl-4.0", "conformance, with OpenSSL 4.0", |at, effort| {
        releases::built(at, effort, Version::V4_0)
    }),
    built("suite-3.0", "OpenSSL 3.0's own tests, under an older number, too", |at, effort| {
        releases::suite(at, effort, Line::V3_0)
    }),
    built("hosts", "real programs and daemons with our module", |at, _| hosts(at)),
    built("padlock", "conformance of the route padlock, on an emulated PadLock", |at, _| {
        padlock(at)
    }),
    beside("secrets", "secret-independence: memcheck with poisoned keys and data", secrets),
    thorough(beside("fuzz", "what reads others' files and code, fuzzed (nightly)", |at, _| {
        fuzz(at)
    })),
    // The sanitizer sees what goes beyond memory every time.
    thorough(beside("memcheck", "the provider under memcheck, reduced", |at, _| memcheck(at))),
    thorough(beside("suggestions", "every command that the programs suggest", |at, _| {
        let tests = ["test", "--package", "wirespeed-cli", "--test", "suggestions"];
        Effort::Thorough.told_to(at.cargo(tests)).tests()
    })),
    // Linux 6.1 and OpenSSL's oldest and newest lines run every time.
    thorough(beside("vm-6.12", "as vm, with Linux 6.12", |at, effort| {
        guests::kernel(at, effort, &guests::NEWER)
    })),
    thorough(beside("vm-dco", "OpenVPN 2.7 with the DCO of Linux 7", |at, _| guests::dco(at))),
    thorough(beside(
        "vm-aarch64",
        "as vm, with Debian's kernel for 64-bit ARM, and its sshd and nginx with the module there",
        guests::arm64,
    )),
    thorough(built("openssl-3.6", "conformance, with OpenSSL 3.6", |at, effort| {
        releases::built(at, effort, Version::V3_6)
    })),
    thorough(built("suite-3.5", "OpenSSL 3.5's own tests", |at, effort| {
        releases::suite(at, effort, Line::V3_5)
    })),
    thorough(built("suite-4.0", "OpenSSL 4.0's own tests", |at, effort| {
        releases::suite(at, effort, Line::V4_0)
    })),
    // The program that checks them takes long to build.
    thorough(beside("licences", "licences and sources of other people's crates", |at, _| {
        licences(at)
    })),
];

const fn first(name: &'static str, about: &'static str, run: Work) -> Stage {
    Stage { name, about, alone: true, needs_build: false, from: Effort::Usual, run }
}

/// A stage that runs beside others.
const fn beside(name: &'static str, about: &'static str, run: Work) -> Stage {
    Stage { alone: false, ..first(name, about, run) }
}

/// One that does so with the program or the module that was just built.
const fn built(name: &'static str, about: &'static str, run: Work) -> Stage {
    Stage { needs_build: true, ..beside(name, about, run) }
}

/// One for which only a thorough test has the time.
const fn thorough(stage: Stage) -> Stage {
    Stage { from: Effort::Thorough, ..stage }
}

/// Runs the stages; whether nothing failed.
pub(crate) fn all(workspace: &Workspace, selection: &Selection) -> Result<bool> {
    if selection.list {
        for stage in STAGES {
            let when = if stage.from == Effort::Thorough { " (--thorough)" } else { "" };
            println!("{:12} {}{when}", stage.name, stage.about);
        }
        return Ok(true);
    }
    let known = |name: &String| STAGES.iter().any(|stage| stage.name == name);
    if let Some(unknown) = selection.only.iter().find(|name| !known(name)) {
        let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        bail!("unknown stage '{unknown}': choose from {}", names.join(" "));
    }
    packages::provide(packages::TESTS)?;
    if selection.thorough {
        packages::provide(packages::THOROUGH)?;
    }
    let effort = if selection.thorough { Effort::Thorough } else { Effort::Usual };
    let chosen = |stage: &&Stage| match &selection.only[..] {
        [] => stage.from == Effort::Usual || effort == Effort::Thorough,
        only => only.iter().any(|name| name == stage.name),
    };
    let needs_build = STAGES.iter().filter(chosen).any(|stage| stage.needs_build);
    let chosen = |stage: &&Stage| chosen(stage) || (needs_build && stage.name == "build");
    let chosen: Vec<_> = STAGES.iter().filter(chosen).collect();
    let mut done = Vec::new();
    for group in chosen.chunk_by(|a, b| !a.alone && !b.alone) {
        done.extend(side_by_side(workspace, effort, group));
    }
    println!("\n== summary");
    let mut sum = Tally::default();
    for (line, tally) in done {
        println!("{line}");
        sum += tally;
    }
    for remark in sum.remarks() {
        println!("{remark}");
    }
    println!("{sum}");
    Ok(sum.failed == 0)
}

/// Runs stages, a few at a time; each one's line in the summary and its tally.
fn side_by_side(workspace: &Workspace, effort: Effort, stages: &[&Stage]) -> Vec<(String, Tally)> {
    let next = AtomicUsize::new(0);
    let built = OnceLock::new();
    if let [stage] = stages {
        return vec![one(workspace, effort, stage)];
    }
    // Each on a thread of its own, whose name its output bears.
    let named = |stage: &Stage| {
        thread::scope(|scope| {
            let thread = thread::Builder::new().name(stage.name.to_owned());
            let started = thread.spawn_scoped(scope, || one(workspace, effort, stage));
            started.expect("a thread more").join().unwrap_or_else(|why| resume_unwind(why))
        })
    };
    let in_turn = |stage: &&Stage| {
        // It is the first where any needs it.
        if stage.needs_build {
            built.wait();
        }
        let done = named(stage);
        if stage.name == "build" {
            let _ = built.set(());
        }
        done
    };
    let lane = || {
        let taken = iter::from_fn(|| stages.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.map(in_turn).collect::<Vec<_>>()
    };
    // One more than processors: guests, namespaces and cargo's locks leave those idle.
    let lanes = thread::available_parallelism().map_or(1, NonZero::get) + 1;
    let lanes = lanes.min(stages.len());
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        let done = lanes.into_iter().map(|it| it.join().unwrap_or_else(|why| resume_unwind(why)));
        done.flatten().collect()
    })
}

fn one(workspace: &Workspace, effort: Effort, stage: &Stage) -> (String, Tally) {
    println!("\n== {}: {}", stage.name, stage.about);
    let began = Instant::now();
    let tally = (stage.run)(workspace, effort).unwrap_or_else(|error| {
        let mut tally = Tally::default();
        tally.fail(format!("{}: {error:#}", stage.name));
        tally
    });
    let line = format!("{:12} {:6.1} s   {tally}", stage.name, began.elapsed().as_secs_f64());
    println!("== {line}");
    (line, tally)
}

/// The crates whose tests deny nothing, and take long to build without optimisation.
pub(crate) const KERNELS: [&str; 6] = [
    "wirespeed-aes",
    "wirespeed-kernels-core",
    "wirespeed-sliced",
    "wirespeed-chacha",
    "wirespeed-hash",
    "wirespeed-kernels",
];

/// Cargo's words for some packages.
pub(crate) fn of_packages<'n>(names: &'n [&str]) -> impl Iterator<Item = &'n str> {
    names.iter().flat_map(|name| ["--package", name])
}

fn build(workspace: &Workspace) -> Run {
    workspace.cargo(["build", "--release"])
}

/// What others' crates are allowed to be, by deny.toml.
fn licences(workspace: &Workspace) -> Result<Tally> {
    let tool = match tools::DENY.provide(workspace) {
        Ok(tool) => tool,
        Err(error) => return Ok(Tally::skip(format!("{error:#}"))),
    };
    let check = ["--offline", "--all-features", "check", "--hide-inclusion-graph"];
    let run = Run::new(tool, workspace.root()).arguments(check);
    Ok(Tally::of(run.arguments(["licenses", "bans", "sources"]).passes()?, "licences"))
}

/// Lets libtest print what tests say that pass: that they were skipped.
const SKIPS: [&str; 2] = ["--", "--show-output"];

/// In debug builds, where tests may deny what a machine has; but for the kernels, whose tests deny nothing, and which take
/// longest to build.
fn unit(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    let elsewhere = ["wirespeed-conformance", "wirespeed-system-tests"];
    let run = workspace
        .cargo(["test", "--workspace", "--no-fail-fast"])
        .arguments(elsewhere.iter().chain(&KERNELS).flat_map(|name| ["--exclude", name]))
        .arguments(SKIPS);
    let mut tally = effort.told_to(run).tests()?;
    let kernels = workspace.cargo(["test", "--release", "--no-fail-fast"]);
    tally += kernels.arguments(of_packages(&KERNELS)).arguments(SKIPS).tests()?;
    Ok(tally)
}

/// Debian's programs, with the module just built, and on an emulated PadLock.
fn hosts(workspace: &Workspace) -> Result<Tally> {
    let run = workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests", "--lib", "--bins"])
        .arguments(["--test", "hosts", "--test", "padlock"])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"))
        .environment("WIRESPEED_OPENSSL_SOURCE", openssl::source(workspace, Version::V3_6)?);
    beside_trixie(workspace, run).tests()
}

/// With the programs of Debian 13, where that can be unpacked.
pub(crate) fn beside_trixie(workspace: &Workspace, run: Run) -> Run {
    match installed::root(workspace, "trixie") {
        Ok(root) => run.environment("WIRESPEED_TRIXIE", root),
        Err(error) => {
            println!("no root of Debian's trixie: {error:#}");
            run
        }
    }
}

/// The kernels' own proof on every CPU with PadLock and 64 bits, where none of it may fault; then the route padlock
/// through every vector and contract, on the CPU that has most of it. The stage i686 has the CPUs of 32 bits.
fn padlock(workspace: &Workspace) -> Result<Tally> {
    let mut tally = Tally::default();
    let on = |options: &str| {
        let runner = workspace.target().join("release/padlock-run");
        format!("{} --hide-aesni --cpu {options}", runner.display())
    };
    for cpu in ["nano", "zhaoxin"] {
        tally += workspace
            .cargo(["test", "--release", "--tests"])
            .arguments(of_packages(&KERNELS))
            .arguments(["--", "proof::"])
            .environment(RUNNER, on(&format!("{cpu} --strict")))
            .tests()?;
    }
    tally += workspace
        .cargo(["test", "--release", "--package", "wirespeed-conformance"])
        .arguments(["--test", "conformance", "--", "padlock"])
        .environment(RUNNER, on("zhaoxin"))
        .environment("WIRESPEED_SCHEDULE", "reduced")
        .tests()?;
    Ok(tally)
}

/// What starts the programs that cargo has built.
pub(crate) const RUNNER: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER";

/// A conformance program under valgrind's memcheck, which may get more options.
///
/// Debian 12's valgrind knows AES-NI and AVX2 and nothing beyond; the tests choose their routes
/// accordingly when they find themselves under it.
fn valgrind(
    workspace: &Workspace,
    options: &str,
    variables: &[(&str, &str)],
    arguments: &[&str],
) -> Result<Tally> {
    let run = workspace
        .cargo(["test", "--release", "--package", "wirespeed-conformance", "--test"])
        .arguments(arguments)
        .environment(RUNNER, format!("valgrind --quiet {options}"));
    variables.iter().fold(run, |run, (name, value)| run.environment(name, value)).tests()
}

/// What `OPENSSL_ia32cap` takes away: nothing; PCLMULQDQ; AES-NI; both; SSSE3, too (OPENSSL_ia32cap(3)).
const LESSER_CPUS: [&str; 5] = [
    "~0x0:~0x0",
    "~0x0000000200000000:~0x0",
    "~0x0200000000000000:~0x0",
    "~0x0200000200000000:~0x0",
    "~0x0200020200000000:~0x0",
];

/// The errors are counted by the programs themselves; one also makes some to see that they are found. Usually the CPUs
/// that lack least and most.
fn secrets(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    let log = workspace.target().join("secrets.valgrind.log");
    let log = format!("--log-file={}", log.display());
    let mut tally = valgrind(workspace, &log, &[], &["secrets"])?;
    // Those of tables are more than memcheck counts unless it is told to.
    let log = format!("{log} --error-limit=no");
    let [first, between @ .., last] = LESSER_CPUS;
    let between = between.into_iter().filter(|_| effort == Effort::Thorough);
    for features in between.chain([first, last]) {
        tally += valgrind(workspace, &log, &[("OPENSSL_ia32cap", features)], &["look_ups"])?;
    }
    Ok(tally)
}

fn memcheck(workspace: &Workspace) -> Result<Tally> {
    // What a plan mixes and what is computed twice is the same code as the routes by themselves; what contexts do around
    // ciphers is the same on every route, and takes longest on this one.
    const ALIKE: [&str; 5] =
        ["planned::", "verified::", "portable::overlap", "portable::padding", "portable::records"];
    let skip = ALIKE.map(|name| format!("provider::{name}"));
    let skip = skip.iter().flat_map(|name| ["--skip", name]);
    let arguments: Vec<_> = ["conformance", "--", "provider::"].into_iter().chain(skip).collect();
    valgrind(workspace, "--error-exitcode=99", &[], &arguments)
}

fn asan(workspace: &Workspace) -> Result<Tally> {
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    // The sanitizer's run-time library comes with the standard library of the target.
    if let Err(reason) = nightly(workspace, "rust-std") {
        return Ok(Tally::skip(reason));
    }
    // At level 1 these take three times as long to build; the lanes of the last are not run.
    let levels = [("sliced", 3), ("chacha", 3), ("batch", 0)];
    let levels = levels.map(|(name, level)| {
        format!("--config=profile.release.package.wirespeed-{name}.opt-level={level}")
    });
    Run::new("cargo", workspace.root())
        .arguments(["+nightly", "test", "--release", "--target", TARGET, "--target-dir"])
        .arguments([workspace.target().join("asan")])
        .arguments(levels)
        .arguments(["--package", "wirespeed-conformance", "--test", "conformance", "--"])
        .arguments(["provider::", "--skip", "provider::planned", "--skip", "provider::verified"])
        .environment("RUSTFLAGS", "-Zsanitizer=address")
        // What is shipped is tested elsewhere; here the compiler takes longer than the tests.
        .environment("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .environment("WIRESPEED_SCHEDULE", "reduced")
        // libcrypto keeps what it allocates once per process; leaks of ours show under memcheck.
        .environment("ASAN_OPTIONS", "detect_leaks=0")
        .tests()
}

fn fuzz(workspace: &Workspace) -> Result<Tally> {
    if let Err(reason) = nightly(workspace, "rust-std") {
        return Ok(Tally::skip(reason));
    }
    crate::fuzz::run(workspace)
}

fn miri(workspace: &Workspace) -> Result<Tally> {
    if let Err(reason) = nightly(workspace, "miri").and_then(|()| nightly(workspace, "rust-src")) {
        return Ok(Tally::skip(reason));
    }
    let miri = |packages: &[&str]| {
        Run::new("cargo", workspace.root())
            .arguments(["+nightly", "miri", "test", "--target-dir"])
            .arguments([workspace.target().join("miri")])
            .arguments(of_packages(packages))
    };
    // Without instructions of a CPU's there is no unsafe code in hash functions.
    let kernels = KERNELS.into_iter().filter(|&name| name != "wirespeed-hash");
    let packages: Vec<_> = kernels.chain(["wirespeed-batch"]).collect();
    let mut tally = miri(&packages)
        .arguments(["--"])
        // Thousands of messages, which take Miri hours; the self-test's one message per mode is the same
        // code.
        .arguments(["--skip", "every_route_here_is_proved", "--skip", "known_messages"])
        .tests()?;
    // The rest of the crate is safe code, and its tables of names take Miri a quarter of an hour.
    tally += miri(&["wirespeed-cipher"]).arguments(["--lib", "--", "partial::"]).tests()?;
    tally += miri(&["wirespeed-fork"]).arguments(["--lib", "--", "set_once::"]).tests()?;
    Ok(tally)
}

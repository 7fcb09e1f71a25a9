//! `cargo xtask test`: every check there is, stage by stage, with a sum at the end.

use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;

use crate::guests;
use crate::openssl::{self, Version};
use crate::run::Run;
use crate::structure;
use crate::tally::Tally;
use crate::vectors;
use crate::workspace::Workspace;

/// Which stages to run.
#[derive(Args)]
pub(crate) struct Selection {
    /// Only these stages (see --list)
    #[arg(long, value_delimiter = ',', value_name = "STAGE")]
    only: Vec<String>,
    /// List the stages and what each does
    #[arg(long)]
    list: bool,
}

/// One stage of the test.
struct Stage {
    name: &'static str,
    about: &'static str,
    run: fn(&Workspace) -> Result<Tally>,
}

const STAGES: &[Stage] = &[
    Stage {
        name: "fmt",
        about: "formatting",
        run: |workspace| Ok(Tally::of(crate::fmt(workspace, false).passes()?, "fmt")),
    },
    Stage {
        name: "lint",
        about: "clippy, every target",
        run: |workspace| Ok(Tally::of(crate::lint(workspace).passes()?, "lint")),
    },
    Stage {
        name: "structure",
        about: "layers, unsafe, the module's budget",
        run: |workspace| Ok(Tally::of(structure::check(workspace)?, "structure")),
    },
    Stage {
        name: "vectors",
        about: "test vectors against their checksums",
        run: |workspace| Ok(Tally::of(vectors::check(workspace)?, "vectors")),
    },
    Stage {
        name: "build",
        about: "the program and the module, as users build them",
        run: |workspace| Ok(Tally::of(build(workspace).passes()?, "build")),
    },
    Stage { name: "unit", about: "each crate's own tests, in debug builds", run: unit },
    Stage {
        name: "host",
        about: "conformance, with the host's OpenSSL",
        run: |workspace| conformance(workspace).tests(),
    },
    Stage {
        name: "openssl-3.6",
        about: "conformance, with OpenSSL 3.6",
        run: |workspace| built(workspace, Version::V3_6),
    },
    Stage {
        name: "openssl-4.0",
        about: "conformance, with OpenSSL 4.0",
        run: |workspace| built(workspace, Version::V4_0),
    },
    Stage { name: "hosts", about: "real programs and daemons with our module", run: hosts },
    Stage {
        name: "padlock",
        about: "conformance of the route padlock, on an emulated PadLock",
        run: padlock,
    },
    Stage {
        name: "vm",
        about: "lesser machines, PadLock in the kernel, the kernel's own crypto, booted in QEMU",
        run: guests::test,
    },
    Stage {
        name: "secrets",
        about: "secret-independence: memcheck with poisoned keys and data",
        run: secrets,
    },
    Stage { name: "memcheck", about: "the provider under memcheck, reduced", run: memcheck },
    Stage { name: "asan", about: "the provider under AddressSanitizer (nightly)", run: asan },
    Stage { name: "fuzz", about: "what reads others' files and code, fuzzed (nightly)", run: fuzz },
    Stage { name: "miri", about: "what Miri can interpret (nightly)", run: miri },
];

/// Runs the stages; whether nothing failed.
pub(crate) fn all(workspace: &Workspace, selection: &Selection) -> Result<bool> {
    if selection.list {
        for stage in STAGES {
            println!("{:12} {}", stage.name, stage.about);
        }
        return Ok(true);
    }
    let known = |name: &String| STAGES.iter().any(|stage| stage.name == name);
    if let Some(unknown) = selection.only.iter().find(|name| !known(name)) {
        let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
        bail!("unknown stage '{unknown}': choose from {}", names.join(" "));
    }
    let chosen = |stage: &&Stage| {
        selection.only.is_empty() || selection.only.iter().any(|n| n == stage.name)
    };
    let mut sum = Tally::default();
    let mut lines = Vec::new();
    for stage in STAGES.iter().filter(chosen) {
        println!("\n== {}: {}", stage.name, stage.about);
        let began = Instant::now();
        let tally = (stage.run)(workspace).unwrap_or_else(|error| {
            let mut tally = Tally::default();
            tally.fail(format!("{}: {error:#}", stage.name));
            tally
        });
        let line = format!("{:12} {:6.1} s   {tally}", stage.name, began.elapsed().as_secs_f64());
        println!("== {line}");
        lines.push(line);
        sum += tally;
    }
    println!("\n== summary");
    for line in lines.iter().chain(&sum.remarks) {
        println!("{line}");
    }
    println!("{sum}");
    Ok(sum.failed == 0)
}

fn build(workspace: &Workspace) -> Run {
    workspace.cargo(["build", "--release"])
}

fn unit(workspace: &Workspace) -> Result<Tally> {
    let run = workspace.cargo([
        "test",
        "--workspace",
        "--exclude",
        "wirespeed-conformance",
        "--exclude",
        "wirespeed-hosts",
        "--no-fail-fast",
    ]);
    run.tests()
}

/// The conformance suite, against the module just built.
fn conformance(workspace: &Workspace) -> Run {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-conformance", "--test", "conformance"])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"))
}

/// The same with a libcrypto and an `openssl` program that we built.
fn built(workspace: &Workspace, version: Version) -> Result<Tally> {
    let openssl = openssl::provide(workspace, version)?;
    conformance(workspace)
        .environment("WIRESPEED_LIBCRYPTO", openssl.libcrypto())
        .environment("WIRESPEED_OPENSSL", openssl.program())
        // What does not depend on the version of libcrypto has been tested with the host's.
        .arguments(["--", "--skip", "kernels::", "--skip", "provider::verified"])
        .tests()
}

/// Debian's programs, with the module just built, and on an emulated PadLock.
fn hosts(workspace: &Workspace) -> Result<Tally> {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-hosts", "--lib", "--bins"])
        .arguments(["--test", "hosts", "--test", "padlock"])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"))
        .environment("WIRESPEED_OPENSSL_SOURCE", openssl::source(workspace, Version::V3_6)?)
        .tests()
}

/// The kernels' own proof on every CPU with PadLock, where none of it may fault; then the route padlock
/// through every vector and contract, on the CPU that has most of it, and on the one that has least.
fn padlock(workspace: &Workspace) -> Result<Tally> {
    let mut tally = Tally::default();
    let on = |options: &str| {
        let runner = workspace.target().join("release/padlock-run");
        format!("{} --hide-aesni --cpu {options}", runner.display())
    };
    for cpu in ["c3", "c7", "nano", "zhaoxin"] {
        tally += workspace
            .cargo(["test", "--release", "--package", "wirespeed-native", "--lib", "--", "proof::"])
            .environment(RUNNER, on(&format!("{cpu} --strict")))
            .tests()?;
    }
    for (cpu, filter) in [("zhaoxin", "padlock"), ("c3", "kernels::padlock")] {
        tally += workspace
            .cargo(["test", "--release", "--package", "wirespeed-conformance"])
            .arguments(["--test", "conformance", "--", filter])
            .environment(RUNNER, on(cpu))
            .environment("WIRESPEED_SCHEDULE", "reduced")
            .tests()?;
    }
    Ok(tally)
}

/// What starts the programs that cargo has built.
pub(crate) const RUNNER: &str = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER";

/// A conformance program under valgrind's memcheck, which may get more options.
///
/// Debian 12's valgrind knows AES-NI and AVX2 and nothing beyond; the tests choose their routes
/// accordingly when they find themselves under it.
fn valgrind(workspace: &Workspace, options: &str, arguments: &[&str]) -> Result<Tally> {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-conformance", "--test"])
        .arguments(arguments)
        .environment(RUNNER, format!("valgrind --quiet {options}"))
        .tests()
}

/// The errors are counted by the program itself, which also makes some to see that they are found.
fn secrets(workspace: &Workspace) -> Result<Tally> {
    let log = workspace.target().join("secrets.valgrind.log");
    valgrind(workspace, &format!("--log-file={}", log.display()), &["secrets"])
}

fn memcheck(workspace: &Workspace) -> Result<Tally> {
    // What a plan mixes and what is computed twice is the same code as the routes by themselves.
    let skip = ["--skip", "provider::planned", "--skip", "provider::verified"];
    let arguments = [&["conformance", "--", "provider::"][..], &skip].concat();
    valgrind(workspace, "--error-exitcode=99", &arguments)
}

/// A nightly cargo whose `component` works, which is added where the network allows it.
fn nightly(workspace: &Workspace, component: &str) -> Result<(), String> {
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

fn asan(workspace: &Workspace) -> Result<Tally> {
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    // The sanitizer's run-time library comes with the standard library of the target.
    if let Err(reason) = nightly(workspace, "rust-std") {
        return Ok(Tally::skip(reason));
    }
    Run::new("cargo", workspace.root())
        .arguments(["+nightly", "test", "--release", "--target", TARGET, "--target-dir"])
        .arguments([workspace.target().join("asan")])
        .arguments(["--package", "wirespeed-conformance", "--test", "conformance", "--"])
        .arguments(["provider::"])
        .environment("RUSTFLAGS", "-Zsanitizer=address")
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
    Run::new("cargo", workspace.root())
        .arguments(["+nightly", "miri", "test", "--target-dir"])
        .arguments([workspace.target().join("miri")])
        .arguments(["--package", "wirespeed-cipher", "--package", "wirespeed-native"])
        .arguments(["--package", "wirespeed-batch", "--package", "padlock-emulator", "--"])
        // Thousands of messages, which take Miri hours; the self-test's one message per mode is the same
        // code.
        .arguments(["--skip", "every_route_here_is_proved", "--skip", "known_messages"])
        .tests()
}

//! Fuzzing: every target of `fuzz/` for some seconds, from its seeds.
//!
//! Built as cargo-fuzz builds it, so that it need not be installed; with it,
//! `cargo +nightly fuzz run openssl_conf fuzz/corpus/openssl_conf fuzz/seeds/openssl_conf` goes on for
//! as long as one likes.

use std::fs;

use anyhow::{Context, Result};

use crate::run::Run;
use crate::tally::Tally;
use crate::workspace::Workspace;

/// For each target.
const SECONDS: u32 = 60;

const TARGETS: [&str; 7] =
    ["openssl_conf", "plan", "stats", "kernel_lists", "padlock_decode", "padlock_step", "pasted"];

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// What libFuzzer needs to see which way the code went, and what finds memory errors.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cdebug-assertions -Ccodegen-units=1 \
                     -Cllvm-args=-sanitizer-coverage-level=4 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                     -Cllvm-args=-sanitizer-coverage-pc-table \
                     -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address";

/// Builds the targets with the nightly compiler and runs each.
pub(crate) fn run(workspace: &Workspace) -> Result<Tally> {
    let folder = workspace.root().join("fuzz");
    let built = workspace.target().join("fuzz");
    let build = Run::new("cargo", &folder)
        .arguments(["+nightly", "build", "--release", "--target", TRIPLE, "--target-dir"])
        .arguments([&built])
        .environment("RUSTFLAGS", FLAGS);
    let mut tally = Tally::default();
    if !build.passes()? {
        tally.fail("the fuzz targets do not build".to_owned());
        return Ok(tally);
    }
    for target in TARGETS {
        // What it finds goes to the first folder; a crash, to the artifacts.
        let corpus = built.join("corpus").join(target);
        let artifacts = built.join("artifacts").join(target);
        for place in [&corpus, &artifacts] {
            fs::create_dir_all(place).with_context(|| place.display().to_string())?;
        }
        let passed = Run::new(built.join(TRIPLE).join("release").join(target), &folder)
            .arguments([corpus, folder.join("seeds").join(target)])
            .arguments([format!("-artifact_prefix={}/", artifacts.display())])
            .arguments([format!("-max_total_time={SECONDS}")])
            .arguments(["-max_len=8192", "-timeout=10", "-rss_limit_mb=1024", "-verbosity=0"])
            // The same inputs in every run, so that a failure is that of a change.
            .arguments(["-seed=1", "-print_final_stats=1"])
            .passes()?;
        println!("fuzz {target}: {}", if passed { "nothing found" } else { "it failed" });
        tally += Tally::of(passed, &format!("fuzz target {target}, see {}", artifacts.display()));
    }
    Ok(tally)
}

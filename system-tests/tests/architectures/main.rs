//! 64-bit ARM as its owner sees it: the program, and the module in the `openssl` of a Debian for arm64.
//!
//! These tests run here and start ARM's programs by QEMU. `WIRESPEED_ROOTS` names folders with such a system, as in `PATH`,
//! `WIRESPEED_MODULES` the folder of our program and module for ARM. Without them all are ignored.

#![forbid(unsafe_code)]

mod machine;
mod module;
mod program;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use machine::{Machine, TIERS};

/// What a test does.
type Run = fn(&Machine) -> Result<(), String>;

/// On every machine.
const TESTS: &[(&str, Run)] = &[
    ("module::providers", module::providers),
    ("module::enc", module::enc),
    ("module::dgst", module::dgst),
    ("module::speed", module::speed),
    ("program::routes", program::routes),
    ("program::sum", program::sum),
];

/// With one CPU for each system.
const ONCE: &[(&str, Run)] = &[
    ("program::survey", program::survey),
    ("program::bench", program::bench),
    ("program::doctor", program::doctor),
    ("program::install", program::install),
];

/// What takes a minute, on one machine.
const LONG: &[(&str, Run)] = &[("program::tune", program::tune)];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let roots = env::var_os("WIRESPEED_ROOTS").unwrap_or_default();
    let roots: Vec<_> = env::split_paths(&roots).filter(|it| it.is_absolute()).collect();
    let mut trials = Vec::new();
    for (system, root) in roots.iter().enumerate() {
        for (cpu, tier) in TIERS.iter().enumerate() {
            let once = ONCE.iter().filter(|_| cpu == 0);
            let is_thorough = env::var_os("WIRESPEED_THOROUGH").is_some();
            let long = LONG.iter().filter(|_| is_thorough && (system, cpu) == (0, 0));
            for (name, run) in TESTS.iter().chain(once).chain(long) {
                let machine = Machine::new(root, tier);
                let name = format!("{machine}::{name}");
                trials.push(Trial::test(name, move || run(&machine).map_err(Failed::from)));
            }
            if (system, cpu) == (0, 0) && !is_thorough {
                let why = "minutes under QEMU: cargo xtask test --thorough runs it";
                let ignored = move || Ok(Completion::ignored_with(why));
                trials.extend(LONG.iter().map(|(name, _)| Trial::ignorable_test(*name, ignored)));
            }
        }
    }
    if roots.is_empty()
        || env::var_os("WIRESPEED_MODULES").is_none_or(|it| !Path::new(&it).exists())
    {
        let why = "WIRESPEED_ROOTS or WIRESPEED_MODULES names nothing";
        trials = vec![Trial::ignorable_test("architectures", move || Ok(Completion::ignored_with(why)))];
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

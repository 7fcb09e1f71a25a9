//! Other architectures as their owners see them: the program, and the module in the `openssl` of a Debian for them.
//!
//! These tests run here and start the others' programs; but those of `arm64-guest` run in a guest, whose system is `/`.
//! `WIRESPEED_ARCHITECTURE` is Debian's name of one, `WIRESPEED_ROOTS` names folders with such a system, as in `PATH`,
//! `WIRESPEED_MODULES` the folder of our program and module for it, `WIRESPEED_PACKAGES` that of its packages, and
//! `WIRESPEED_QEMU` what runs its programs, if this machine cannot. Without systems and module all are ignored.

#![forbid(unsafe_code)]

mod booted;
mod machine;
mod module;
mod packaged;
mod padlock;
mod program;
mod server;
mod without_cpuid;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use machine::{Architecture, Machine};

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
    ("server::nginx", server::nginx),
];

/// With one CPU for each system.
const ONCE: &[(&str, Run)] = &[
    ("program::survey", program::survey),
    ("program::bench", program::bench),
    ("program::vpn", program::vpn),
    ("program::described", program::described),
    ("program::disk", program::disk),
    ("program::doctor", program::doctor),
];

/// On a system that is not running.
const UNPACKED: &[(&str, Run)] = &[("program::install", program::install)];

/// On one that is, with a kernel of its own.
const BOOTED: &[(&str, Run)] = &[
    ("booted::kernel", booted::kernel),
    ("booted::disk", booted::disk),
    ("booted::gateway", booted::gateway),
    ("booted::installed", booted::installed),
];

/// On machines that `padlock-run` can make of this one.
const EMULATED: &[(&str, Run)] = &[
    ("padlock::enc", padlock::enc),
    ("padlock::children", padlock::children),
    ("padlock::program", padlock::program),
    ("padlock::bench", padlock::bench),
    ("padlock::nginx", padlock::nginx),
    ("padlock::sshd", padlock::sshd),
];

/// The same with packages for it.
const PACKAGED: &[(&str, Run)] = &[("packaged::enc", packaged::enc)];

/// What is stepped through, which takes a minute: on 32-bit x86.
const STEPPED: &[(&str, Run)] = &[("without_cpuid::program", without_cpuid::program)];

/// Where there are extensions to be named.
const EXTENSIONS: &[(&str, Run)] = &[("program::extensions", program::extensions)];

/// What takes a minute, on one machine.
const LONG: &[(&str, Run)] = &[("program::tune", program::tune)];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let roots = env::var_os("WIRESPEED_ROOTS").unwrap_or_default();
    let roots: Vec<_> = env::split_paths(&roots).filter(|it| it.is_absolute()).collect();
    let modules = env::var_os("WIRESPEED_MODULES");
    if roots.is_empty() || modules.is_none_or(|it| !Path::new(&it).exists()) {
        let ignored =
            ignored("architectures", "WIRESPEED_ROOTS or WIRESPEED_MODULES names nothing");
        return libtest_mimic::run(&arguments, vec![ignored]).exit_code();
    }
    match machine::asked() {
        Ok(architecture) => {
            if architecture.is_booted() {
                // What is installed, and the kernel's drivers, belong to the whole machine.
                arguments.test_threads = Some(1);
            }
            libtest_mimic::run(&arguments, of(architecture, &roots)).exit_code()
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The tests of an architecture on these systems.
fn of(architecture: &'static Architecture, roots: &[PathBuf]) -> Vec<Trial> {
    let is_thorough = env::var_os("WIRESPEED_THOROUGH").is_some();
    let has_packages = env::var_os("WIRESPEED_PACKAGES").is_some();
    let mut trials = Vec::new();
    for (system, root) in roots.iter().enumerate() {
        for (cpu, tier) in architecture.tiers.iter().enumerate() {
            let once = ONCE.iter().filter(|_| cpu == 0);
            let system_wide = if architecture.is_booted() { BOOTED } else { UNPACKED };
            let system_wide = system_wide.iter().filter(|_| cpu == 0);
            let emulates = architecture.has_padlock && cpu == 0;
            let emulated = EMULATED.iter().filter(|_| emulates);
            let packaged = PACKAGED.iter().filter(|_| emulates && has_packages);
            let stepped = STEPPED.iter().filter(|_| emulates && is_thorough && system == 0);
            let named = EXTENSIONS.iter().filter(|_| architecture.has_extensions);
            let long = LONG.iter().filter(|_| is_thorough && (system, cpu) == (0, 0));
            let tests = TESTS.iter().chain(once).chain(system_wide).chain(emulated);
            for (name, run) in tests.chain(packaged).chain(stepped).chain(named).chain(long) {
                let machine = Machine::new(root, architecture, tier);
                let name = format!("{machine}::{name}");
                trials.push(Trial::test(name, move || run(&machine).map_err(Failed::from)));
            }
        }
    }
    if !is_thorough {
        let why = "takes minutes: cargo xtask test --thorough runs it";
        let stepped = STEPPED.iter().filter(|_| architecture.has_padlock);
        trials.extend(LONG.iter().chain(stepped).map(|(name, _)| ignored(name, why)));
    }
    if architecture.has_padlock && !has_packages {
        let why = "WIRESPEED_PACKAGES is not set: cargo xtask test --thorough makes packages";
        trials.extend(PACKAGED.iter().map(|(name, _)| ignored(name, why)));
    }
    trials
}

/// A test that does not run.
fn ignored(name: &str, why: &'static str) -> Trial {
    Trial::ignorable_test(name, move || Ok(Completion::ignored_with(why)))
}

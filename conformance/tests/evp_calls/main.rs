//! Random sequences of EVP calls, legal and illegal, on the module and on the default provider in one process: after each
//! call both must have returned the same, written the same bytes and nothing beyond, left the same errors, and say the same
//! of their state.
//!
//! `WIRESPEED_SEQUENCES` is their number, `WIRESPEED_SEED` the first seed: with one sequence, it is that one again.
//! `WIRESPEED_LIBCRYPTO` and `WIRESPEED_MODULES` name a libcrypto and the directory of the module, as for the conformance
//! suite; `WIRESPEED_SURVEY` tells every difference in one line and goes on. What differs on purpose is in `known.rs`, with its reason.

mod algorithms;
mod calls;
mod compare;
mod finds;
mod generator;
mod known;
mod moment;
mod play;
mod random;
mod raw;
mod world;

use std::env;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_conformance::here;

/// The sequences of a normal run: 10 s for all variants.
const SEQUENCES: u64 = 24_000;

/// The first seed of a run that names none.
const FIRST_SEED: u64 = 1_000_000;

/// Each way in which the module is loaded, with lines of its configuration. Without a plan the default priority leaves out what it is
/// not sure to be better at, so the best of our routes is forced, too.
const VARIANTS: [(&str, &str); 6] = [
    ("priority", ""),
    ("best", "routes = BEST\n"),
    ("portable", "routes = portable\n"),
    ("counted", "routes = BEST\nstats = SCRATCH/stats\n"),
    ("verified", "routes = BEST\nverify = 1\n"),
    ("handed-on", "plan = SCRATCH/plan\n"),
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // The sequences run in children, which are forked where no other thread is.
    arguments.test_threads = Some(1);
    let number = |name: &str| env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let count = number("WIRESPEED_SEQUENCES").unwrap_or(if here::again() {
        SEQUENCES / 5
    } else {
        SEQUENCES
    });
    let first = number("WIRESPEED_SEED").unwrap_or(FIRST_SEED);
    let library = here::library();
    println!("{} at {}", library.version(), library.path().display());
    let trials = VARIANTS.map(|(name, lines)| {
        Trial::ignorable_test(format!("evp_calls::{name}"), move || {
            let Some(modules) = here::modules() else {
                return Ok(Completion::ignored_with("WIRESPEED_MODULES names no module"));
            };
            let played = play::Played { library, modules: &modules, name, lines };
            let share = count.div_ceil(VARIANTS.len() as u64);
            played.run(first, share).map(|()| Completion::Completed).map_err(Failed::from)
        })
    });
    let trials = Vec::from(trials);
    libtest_mimic::run(&arguments, trials).exit_code()
}

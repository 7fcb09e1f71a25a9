//! PadLock in a kernel: the stock drivers of Linux over the instructions that our module carries out.
//!
//! These tests run inside the guest, as its root: `cargo xtask vm --padlock nano -- THIS-PROGRAM`, which is what
//! the stage `vm` of `cargo xtask test` does. Anywhere else they are ignored. `WIRESPEED_MODULES` names the
//! directory of our program.

mod alg;
mod crypto;
mod disk;
mod drivers;
mod instruction;
mod ipsec;
mod oracle;
mod preference;
mod programs;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// What a test does.
type Run = fn() -> Result<(), String>;

/// In this order: the first sees a kernel that nobody has asked for AES yet.
const TESTS: &[(&str, Run)] = &[
    ("kernel::prefer", preference::alias),
    ("kernel::drivers", drivers::load),
    ("kernel::random", drivers::random),
    ("af-alg::ciphers", alg::ciphers),
    ("af-alg::digests", alg::digests),
    ("instructions::xcrypt", oracle::xcrypt),
    ("instructions::xsha", oracle::xsha),
    ("instructions::xstore", oracle::xstore),
    ("instructions::interrupted", oracle::interrupted),
    ("instructions::faults", oracle::faults),
    ("instructions::absent", oracle::absent),
    ("dm-crypt::round-trip", disk::round_trip),
    ("ipsec::transfer", ipsec::transfer),
    ("openssl::engine", programs::engine),
    ("openssl::enc", programs::enc),
    ("wirespeed::padlock", programs::wirespeed),
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Modules and counters belong to the whole kernel.
    arguments.test_threads = Some(1);
    let here = Path::new(crypto::PARAMETERS).exists();
    let trials = TESTS.iter().map(|(name, run)| {
        let name = format!("vm-padlock::{name}");
        Trial::ignorable_test(name, move || match here {
            true => run().map(|()| Completion::Completed).map_err(Failed::from),
            false => Ok(Completion::ignored_with("only in the guest: cargo xtask test --only vm")),
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

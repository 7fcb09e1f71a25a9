//! The kernel's crypto for real, against the host's OpenSSL and under everything that a process may do to
//! our sockets.
//!
//! These tests run inside a guest, as its root: `cargo xtask vm --device virtio-crypto -- THIS-PROGRAM`,
//! which is what the stage `vm` of `cargo xtask test` does. Elsewhere each is ignored: they change priorities
//! and settings of the whole kernel.

mod aeads;
mod batches;
mod ciphers;
mod data;
mod descriptors;
mod faults;
mod forks;
mod hashes;
mod limits;
mod lists;
mod oracle;
mod proofs;
mod seccomp;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_af_alg::{Kind, Transform, presence, presence_of};

/// What a test does.
type Run = fn() -> Result<(), String>;

/// The same with an algorithm.
type Compare = fn(&'static Transform) -> Result<(), String>;

/// What concerns no single algorithm.
const TESTS: &[(&str, Run)] = &[
    ("ciphers::long", ciphers::long),
    ("ciphers::small_buffers", ciphers::small_buffers),
    ("ciphers::streams", ciphers::streams),
    ("hashes::clones", hashes::clones),
    ("hashes::resets", hashes::resets),
    ("descriptors::closed", descriptors::closed),
    ("descriptors::replaced_by_a_pipe", descriptors::pipe),
    ("descriptors::replaced_by_a_file", descriptors::file),
    ("descriptors::replaced_by_tcp", descriptors::tcp),
    ("descriptors::replaced_by_another_of_ours", descriptors::another),
    ("descriptors::hash_closed", descriptors::hash),
    ("descriptors::standard_streams_closed", descriptors::standard),
    ("forks::ciphers", forks::ciphers),
    ("forks::hashes", forks::hashes),
    ("forks::exec", forks::exec),
    ("faults::ciphers", faults::ciphers),
    ("faults::aeads", faults::aeads),
    ("faults::hashes", faults::hashes),
    ("faults::confinement", faults::confinement),
    ("faults::absence", faults::absence),
    ("faults::names", faults::names),
    ("proofs::all", proofs::all),
    ("proofs::wrong", proofs::wrong),
    ("batches::differ", batches::differ),
    ("batches::without_ring", batches::without_ring),
    ("batches::lost_rings", batches::lost_rings),
    ("lists::agree", lists::agree),
    ("lists::refusals", lists::refusals),
    ("lists::devices", lists::devices),
    ("limits::ten_thousand", limits::ten_thousand),
    ("limits::descriptors", limits::descriptors),
    ("limits::threads", limits::threads),
];

/// What asks for drivers by their names.
const BY_NAME: &[(&str, Run)] =
    &[("proofs::drivers", proofs::drivers), ("lists::priorities", lists::priorities)];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Descriptors, limits and modules belong to the whole process or kernel.
    arguments.test_threads = Some(1);
    if is_guest() && batches::has_device().is_ok() {
        // A device that is slow for a short message would serve all of AES-CBC.
        batches::unload();
    }
    let trials = TESTS.iter().map(|(name, run)| trial((*name).to_owned(), || Ok(()), *run));
    let algorithms = Transform::ALL.iter().map(|transform| {
        let (kind, run): (_, Compare) = match transform.kind {
            Kind::Cipher { .. } => ("ciphers", ciphers::differs),
            Kind::Aead { .. } => ("aeads", aeads::differs),
            Kind::Hash { .. } => ("hashes", hashes::differs),
        };
        let there = || presence_of(transform, None).map_err(|absent| absent.0);
        trial(format!("{kind}::{}", transform.name), there, move || run(transform))
    });
    let by_name = BY_NAME.iter().map(|(name, run)| trial((*name).to_owned(), serves_by_name, *run));
    let device = trial("batches::device".to_owned(), batches::has_device, batches::device);
    let trials = algorithms.chain(trials).chain(by_name).chain([device]).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that is ignored, with the reason, where it cannot run.
fn trial(
    name: String,
    there: impl FnOnce() -> Result<(), String> + Send + 'static,
    run: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(format!("guest::{name}"), move || {
        if !is_guest() {
            return Ok(Completion::ignored_with("only in the guest: cargo xtask test --only vm"));
        }
        match presence().map_err(|absent| absent.0).and_then(|()| there()) {
            Ok(()) => run().map(|()| Completion::Completed).map_err(Failed::from),
            Err(reason) => Ok(Completion::ignored_with(reason)),
        }
    })
}

/// Whether drivers can be asked for by name: since Linux 7.3 only where nothing is restricted.
fn serves_by_name() -> Result<(), String> {
    const RESTRICTION: &str = "/proc/sys/crypto/af_alg_restrict";
    match std::fs::read_to_string(RESTRICTION) {
        Ok(level) if level.trim() != "0" => Err(format!("{RESTRICTION} is {}", level.trim())),
        _ => Ok(()),
    }
}

/// Whether this is a guest of `cargo xtask vm`, by how it was booted (vm/src/machine.rs).
fn is_guest() -> bool {
    let line = std::fs::read_to_string("/proc/cmdline").unwrap_or_default();
    line.split_whitespace().any(|word| word == "rdinit=/init")
}

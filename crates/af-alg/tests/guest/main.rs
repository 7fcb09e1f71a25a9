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
mod devcrypto;
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
use wirespeed_af_alg::{Interface, Kind, Permission, Transform};

/// What a test does.
type Run = fn() -> Result<(), String>;

/// The same through an interface.
type Through = fn(Interface) -> Result<(), String>;

/// The same with an algorithm.
type Compare = fn(Interface, &'static Transform) -> Result<(), String>;

/// What concerns no single algorithm, and both interfaces.
const BOTH: &[(&str, Through)] = &[
    ("ciphers::long", ciphers::long),
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
    ("faults::hashes", faults::hashes),
    ("faults::confinement", faults::confinement),
    ("proofs::all", proofs::all),
    ("limits::ten_thousand", limits::ten_thousand),
    ("limits::descriptors", limits::descriptors),
    ("limits::threads", limits::threads),
];

/// What AF_ALG alone has.
const SOCKETS: &[(&str, Run)] = &[
    ("ciphers::small_buffers", ciphers::small_buffers),
    ("ciphers::block_numbers", ciphers::block_numbers),
    ("ciphers::units", ciphers::units),
    ("faults::aeads", faults::aeads),
    ("faults::absence", faults::absence),
    ("faults::names", faults::names),
    ("proofs::wrong", proofs::wrong),
    ("batches::differ", batches::differ),
    ("batches::without_ring", batches::without_ring),
    ("batches::lost_rings", batches::lost_rings),
    ("lists::agree", lists::agree),
    ("lists::refusals", lists::refusals),
    ("lists::devices", lists::devices),
];

/// What /dev/crypto alone has.
const DEVICE: &[(&str, Run)] = &[
    ("absence", devcrypto::absence),
    ("drivers", devcrypto::drivers),
    ("sessions", devcrypto::sessions),
];

/// What our own module of it does when it is told to.
const FAULTY: &[(&str, Run)] = &[
    ("failing", devcrypto::failing),
    ("lying", devcrypto::lying),
    ("wrong", devcrypto::wrong),
    ("refusing", devcrypto::refusing),
    ("forgetting", devcrypto::forgetting),
    ("endless", devcrypto::endless),
    ("unloaded", devcrypto::unloaded),
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
    let fine = || Ok(());
    let sockets =
        |(name, run): &(&str, Run)| trial(Interface::AfAlg, (*name).to_owned(), fine, *run);
    let by_name = |(name, run): &(&str, Run)| {
        trial(Interface::AfAlg, (*name).to_owned(), serves_by_name, *run)
    };
    let of_device = |(name, run): &(&str, Run)| {
        trial(Interface::DevCrypto, format!("devcrypto::{name}"), fine, *run)
    };
    let faulty = |(name, run): &(&str, Run)| {
        trial(Interface::DevCrypto, format!("devcrypto::{name}"), devcrypto::is_ours, *run)
    };
    let device =
        trial(Interface::AfAlg, "batches::device".to_owned(), batches::has_device, batches::device);
    let trials = Interface::ALL.into_iter().flat_map(both);
    let trials = trials.chain(SOCKETS.iter().map(sockets)).chain(BY_NAME.iter().map(by_name));
    let trials = trials.chain([device]).chain(DEVICE.iter().map(of_device));
    let trials = trials.chain(FAULTY.iter().map(faulty)).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Every algorithm through an interface, and what concerns none.
fn both(interface: Interface) -> impl Iterator<Item = Trial> {
    let named = move |name: &str| match interface {
        Interface::AfAlg => name.to_owned(),
        Interface::DevCrypto => format!("devcrypto::{name}"),
    };
    let algorithms = Transform::ALL.iter().filter(move |it| interface.knows(it));
    let algorithms = algorithms.map(move |transform| {
        let (kind, run): (_, Compare) = match transform.kind {
            Kind::Cipher { .. } => ("ciphers", ciphers::differs),
            Kind::Aead { .. } => ("aeads", |_, transform| aeads::differs(transform)),
            Kind::Hash { .. } => ("hashes", hashes::differs),
        };
        let there = move || {
            let presence = interface.presence_of(transform, None, Permission::Unconfined);
            presence.map_err(|absent| absent.0)
        };
        let name = named(&format!("{kind}::{}", transform.name));
        trial(interface, name, there, move || run(interface, transform))
    });
    let tests = BOTH.iter();
    algorithms.chain(
        tests.map(move |(name, run)| {
            trial(interface, named(name), || Ok(()), move || run(interface))
        }),
    )
}

/// A test that is ignored, with the reason, where it cannot run.
fn trial(
    interface: Interface,
    name: String,
    there: impl FnOnce() -> Result<(), String> + Send + 'static,
    run: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(format!("guest::{name}"), move || {
        if !is_guest() {
            return Ok(Completion::ignored_with("only in the guest: cargo xtask test --only vm"));
        }
        let presence = interface.presence(Permission::Unconfined);
        match presence.map_err(|absent| absent.0).and_then(|()| there()) {
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

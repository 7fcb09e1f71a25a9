//! Encrypted disks where there is a kernel for them: real device-mapper targets over memory, files and a disk that can be
//! pulled out, programs that are killed, and devices that must not be touched.
//!
//! These tests run inside the guest, as its root, with two disks of 32 MiB and the ciphers that Debian leaves out of its
//! kernels: `cargo xtask vm --disk 32 --disk 32 --cipher anubis --cipher arc4 --cipher khazad --cipher tea --
//! THIS-PROGRAM`, which is what the stage `vm` of `cargo xtask test` does. Anywhere else they are ignored.
//! `WIRESPEED_MODULES` names the directory of our program.

mod asked;
mod beside;
mod figures;
mod fixtures;
mod identity;
mod killed;
mod machine;
mod program;
mod pulled;
mod refused;
mod signatures;
mod tables;
mod tampered;

use std::fs;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// What a test does.
type Run = fn() -> Result<(), String>;

/// In this order: the first sees a kernel that nobody has asked for a loop device or the device mapper, the last
/// takes the modules away that Debian's kernel does not have.
const TESTS: &[(&str, Run)] = &[
    ("tables::loop", tables::looped),
    ("refused::devices", refused::devices),
    ("refused::no-devices", refused::no_devices),
    ("refused::unconfirmed", refused::unconfirmed),
    ("asked::wrong-path", asked::wrong_path),
    ("asked::right-path", asked::right_path),
    ("tables::disk", tables::disk),
    ("tables::brd", tables::brd),
    ("tables::zram", tables::zram),
    ("tables::null-blk", tables::null_blk),
    ("tables::sectors-and-options", tables::sectors_and_options),
    ("identity::plain", identity::plain),
    ("tampered::authenticated", tampered::authenticated),
    ("figures::plausible", figures::plausible),
    ("beside::cryptsetup", beside::cryptsetup),
    ("killed::interrupted", killed::interrupted),
    ("killed::by-force", killed::by_force),
    ("killed::with-its-watcher", killed::with_its_watcher),
    ("pulled::out", pulled::out),
    ("tables::stock", tables::stock),
];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Devices and modules belong to the whole kernel.
    arguments.test_threads = Some(1);
    let here = is_guest();
    let trials = TESTS.iter().map(|(name, run)| {
        let name = format!("vm-disk::{name}");
        Trial::ignorable_test(name, move || match here {
            true => run().map(|()| Completion::Completed).map_err(Failed::from),
            false => Ok(Completion::ignored_with("only in the guest: cargo xtask test --only vm")),
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Whether this is a guest of ours, and no machine whose disks are somebody's.
fn is_guest() -> bool {
    let line = fs::read_to_string("/proc/cmdline").unwrap_or_default();
    line.split_whitespace().any(|word| word.starts_with("vm_session="))
}

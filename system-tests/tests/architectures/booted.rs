//! A machine with a kernel of its own: that kernel's drivers, and the module installed for all of its programs.

use std::fs;
use std::path::Path;

use wirespeed_cipher::{Algorithm, Route, SIZE_CLASSES};
use wirespeed_conformance::data::{painted, same};
use wirespeed_libcrypto::Library;
use wirespeed_plan::{Fingerprint, Plan, Row, SYSTEM};
use wirespeed_results::schema::bench::Bench;
use wirespeed_results::schema::disk::{self, Disk};
use wirespeed_results::schema::kernel::Kernel;
use wirespeed_results::schema::stats::Stats;
use wirespeed_system_tests::module::Provided;
use wirespeed_system_tests::process::{command, output, through};
use wirespeed_system_tests::servers::sshd::Sshd;

use crate::machine::Machine;
use crate::program::wirespeed;

/// What the program found, as JSON.
fn found<T: serde::de::DeserializeOwned>(
    machine: &Machine,
    arguments: &[&str],
) -> Result<T, String> {
    let said = output(wirespeed(machine, arguments)?.env_remove("OPENSSL_CONF"))?;
    serde_json::from_slice(&said).map_err(|error| format!("{arguments:?}: {error}"))
}

/// Loads the driver of this CPU's instructions for AES, as udev does, which is not here: the kernel has plain code already.
fn load() -> Result<(), String> {
    output(command("/sbin/modprobe").arg("aes_ce_blk")).map(|_| ())
}

/// That driver is there, proved and measured.
pub(crate) fn kernel(machine: &Machine) -> Result<(), String> {
    const DRIVER: &str = "cbc-aes-ce";
    load()?;
    let found: Kernel = found(machine, &["kernel", "--json", "AES-128-CBC"])?;
    let listed = found.drivers.iter().find(|it| it.driver == DRIVER);
    let rows = found.measured.iter().flat_map(|it| &it.rows).filter(|it| it.driver == DRIVER);
    let figures = rows.filter(|it| it.bytes_per_second.is_some_and(|speed| speed > 0.0)).count();
    match listed.is_some_and(|it| it.self_test_passed) && figures > 1 {
        true => Ok(()),
        false => Err(format!("{DRIVER} has {figures} figures: {found:?}")),
    }
}

/// A disk encrypted by it.
pub(crate) fn disk(machine: &Machine) -> Result<(), String> {
    const DRIVER: &str = "xts-aes-ce";
    load()?;
    let disk = ["disk", "--dm-crypt", "--size", "1MiB", "--cipher", "aes-xts-plain64"];
    let found: Disk = found(machine, &[&disk[..], &["--json", "-"]].concat())?;
    let rows = found.rows.iter().filter(|it| it.driver.as_deref() == Some(DRIVER));
    let measured = |it: &&disk::Row| it.wrong.is_none() && it.bytes_per_second.is_some();
    match rows.filter(measured).count() {
        // Two sizes of key, written and read twice.
        8 => Ok(()),
        count => Err(format!("{count} rows by {DRIVER}: {found:?}")),
    }
}

/// OpenSSL beside itself without AES and as plain code: QEMU runs no program that starts itself again.
pub(crate) fn gateway(machine: &Machine) -> Result<(), String> {
    let found: Bench =
        found(machine, &["bench", "--set", "gateway", "--seconds", "0.005", "--json", "-"])?;
    for without in [None, Some("aes, pmull, sha"), Some("aes, pmull, sha, asimd")] {
        let rows = found.rows.iter().filter(|it| it.route == "libcrypto");
        let rows = rows.filter(|it| it.without.as_deref() == without && it.bytes_per_second > 0.0);
        // Four of AES, two of Camellia, four of hash functions; as messages and but for GCM as streams.
        if rows.count() != 18 {
            return Err(format!("without {without:?}: {:?}", found.rows));
        }
    }
    Ok(())
}

/// OpenSSH's names of ciphers, ours, and what the plan gives them to.
const CIPHERS: [(&str, &str, Route); 3] = [
    ("aes128-gcm@openssh.com", "AES-128-GCM", Route::AesCe),
    ("aes256-ctr", "AES-256-CTR", Route::AesCe),
    ("chacha20-poly1305@openssh.com", "ChaCha20", Route::Neon),
];

const BYTES: usize = 1_000_003;

/// Installed as its owner does it, it serves sshd, which is told nothing; and goes without a trace.
pub(crate) fn installed(machine: &Machine) -> Result<(), String> {
    let file = Path::new("/etc/ssl/openssl.cnf");
    let read = || fs::read(file).map_err(|error| format!("{}: {error}", file.display()));
    let before = read()?;
    // The machine's own sshd is tried, too.
    output(command("mkdir").args(["-p", "/run/sshd"]))?;
    output(command("ssh-keygen").arg("-A"))?;
    let _plan = Planned::new()?;
    let run = |arguments: &[&str]| {
        output(wirespeed(machine, arguments)?.env_remove("OPENSSL_CONF")).map(|_| ())
    };
    run(&["install", "--stats"])?;
    let sshd = Sshd::start(Provided::Installed)?;
    let data = painted(7, BYTES);
    for (cipher, algorithm, route) in CIPHERS {
        let mut client = sshd.ssh(cipher, &[]);
        let got = through(Provided::Stock.to(&mut client).arg("cat"), &data)
            .map_err(|error| format!("{cipher}: {error}: {}", sshd.running().said()))?;
        same(|| cipher.to_owned(), &data, &got)?;
        let stats: Stats = found(machine, &["stats", "--json", "-"])?;
        let rows = stats.rows.iter().filter(|it| it.algorithm == algorithm);
        let by_route = rows.filter(|it| it.route == route.name()).map(|it| it.bytes);
        // To the server and back.
        if by_route.sum::<u64>() < 2 * BYTES as u64 || !stats.quarantined.is_empty() {
            return Err(format!("{algorithm} was not {route}'s: {stats:?}"));
        }
    }
    drop(sshd);
    run(&["uninstall"])?;
    same(|| file.display().to_string(), &before, &read()?)
}

/// A plan in its place that a translated CPU's figures do not decide, until this goes away.
struct Planned;

impl Drop for Planned {
    fn drop(&mut self) {
        // Other tests expect none; they would say so.
        let _ = fs::remove_file(SYSTEM);
    }
}

impl Planned {
    fn new() -> Result<Self, String> {
        let library = Library::host().map_err(|error| error.to_string())?;
        let mut plan = Plan::new(Fingerprint::here(library.version()));
        for (_, name, route) in CIPHERS {
            let algorithm: Algorithm = name.parse().map_err(|error| format!("{error}"))?;
            for &direction in algorithm.directions() {
                for size in SIZE_CLASSES {
                    plan.put(Row { algorithm, direction, size, route, reason: None });
                }
            }
        }
        let file = Path::new(SYSTEM);
        fs::create_dir_all(file.parent().unwrap_or(file))
            .and_then(|()| fs::write(file, plan.to_string()))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Self)
    }
}

//! The module in the system's `openssl`, by its counters.

use std::path::Path;
use std::process::Command;

use wirespeed_cipher::{Direction, Route};
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::output;
use wirespeed_system_tests::scratch::Scratch;

use crate::machine::Machine;

/// OpenSSL's names on the command line, and ours.
const CIPHERS: [(&str, &str); 4] = [
    ("-aes-128-ctr", "AES-128-CTR"),
    ("-aes-256-cbc", "AES-256-CBC"),
    ("-aes-192-cfb", "AES-192-CFB"),
    ("-aes-128-ecb", "AES-128-ECB"),
];

const BYTES: usize = 100_003;

/// It is there and active.
pub(crate) fn providers(machine: &Machine) -> Result<(), String> {
    let watched = machine.watched()?;
    let mut list = machine.openssl(["list", "-providers"]);
    let said = output(Provided::Ours(&watched).to(&mut list))?;
    let said = String::from_utf8_lossy(&said);
    let ours = said.split("  wirespeed\n").nth(1).unwrap_or_default();
    match ours.contains("status: active") {
        true => Ok(()),
        false => Err(format!("not active: {said}")),
    }
}

/// Files there and back: with us the same bytes as without, by the route that is to serve.
pub(crate) fn enc(machine: &Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let text = painted(1, BYTES);
    let plain = scratch.write("plain", &text)?;
    let file = |provided: Provided<'_>, cipher: &str, way: &str, name: &str| {
        output(provided.to(&mut enc_of(machine, cipher, way, &scratch.path(name))))
    };
    for (cipher, algorithm) in CIPHERS {
        let right = file(Provided::Stock, cipher, "-e", "plain")?;
        scratch.write("encrypted", &right)?;
        let ways = [
            ("-e", "plain", &right, Direction::Encrypt),
            ("-d", "encrypted", &text, Direction::Decrypt),
        ];
        for (way, name, right, direction) in ways {
            let watched = machine.watched()?;
            let got = file(Provided::Ours(&watched), cipher, way, name)?;
            same(|| format!("{algorithm} {way} of {}", plain.display()), right, &got)?;
            only(&watched, algorithm, direction, machine.tier.aes, BYTES as u64)?;
        }
    }
    Ok(())
}

/// `openssl enc` of a file.
pub(crate) fn enc_of(machine: &Machine, cipher: &str, way: &str, file: &Path) -> Command {
    let digits = "00112233445566778899aabbccddeeff";
    let mut enc = machine.openssl(["enc", cipher, way, "-K", digits, "-in"]);
    enc.arg(file);
    if !cipher.ends_with("ecb") {
        enc.args(["-iv", digits]);
    }
    enc
}

/// Hash functions: the same, by whatever serves them.
pub(crate) fn dgst(machine: &Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let file = scratch.write("text", painted(2, BYTES))?;
    let digest = |provided: Provided<'_>, name: &str| {
        let mut dgst = machine.openssl(["dgst", "-r", name]);
        output(provided.to(dgst.arg(&file)))
    };
    for name in ["-md5", "-sha1", "-sha256", "-sha384", "-sha512", "-sha3-256", "-sm3"] {
        let watched = machine.watched()?;
        let right = digest(Provided::Stock, name)?;
        same(|| name.to_owned(), &right, &digest(Provided::Ours(&watched), name)?)?;
        let quarantined = watched.counted()?.quarantined();
        if !quarantined.is_empty() {
            return Err(format!("{name}: quarantined: {quarantined:?}"));
        }
    }
    Ok(())
}

/// OpenSSL's own benchmark.
pub(crate) fn speed(machine: &Machine) -> Result<(), String> {
    for cipher in ["aes-128-gcm", "aes-256-ctr"] {
        let watched = machine.watched()?;
        speed_of(&watched, cipher, 1, || Ok(machine.openssl([])))?;
        only(&watched, &cipher.to_uppercase(), Direction::Encrypt, machine.tier.aes, 1424)?;
    }
    Ok(())
}

/// The same by so many processes of an `openssl` that is started so. It does what it can in its time, which is nothing
/// where the machine is busy, so it gets more.
pub(crate) fn speed_of(
    watched: &Watched,
    cipher: &str,
    processes: u64,
    openssl: impl Fn() -> Result<Command, String>,
) -> Result<(), String> {
    for seconds in ["1", "5", "25"] {
        let mut speed = openssl()?;
        speed.args(["speed", "-elapsed", "-seconds", seconds, "-bytes", "1424"]);
        if processes > 1 {
            speed.args(["-multi", &processes.to_string()]);
        }
        speed.args(["-propquery", "?provider=wirespeed", "-evp", cipher]);
        output(Provided::Ours(watched).to(&mut speed))?;
        let bytes = processes * 1424;
        if watched.ran(&cipher.to_uppercase(), Direction::Encrypt, bytes).is_ok() {
            break;
        }
    }
    Ok(())
}

/// One route has run an algorithm over at least so many bytes, and no other.
pub(crate) fn only(
    watched: &Watched,
    algorithm: &str,
    direction: Direction,
    route: Route,
    bytes: u64,
) -> Result<(), String> {
    watched.ran(algorithm, direction, bytes)?;
    let counted = watched.counted()?;
    let mut rows = counted.rows().filter(|row| row.subject.name() == algorithm);
    match rows.find(|row| row.route != route) {
        None => Ok(()),
        Some(row) => Err(format!("{algorithm} ran not on {route} alone: {row:?}")),
    }
}

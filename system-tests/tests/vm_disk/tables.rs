//! The table by dm-crypt: a row for everything, proved and measured, or with the reason why not.

use std::fs;

use wirespeed_conformance::scratch::Scratch;
use wirespeed_disk::{Candidate, Cipher, Specification, Variant};
use wirespeed_results::schema::disk::{Disk, Row};
use wirespeed_system_tests::process::{command, output};

use crate::fixtures::DISK;
use crate::machine::Machine;
use crate::program::found;

/// The smallest test there is: the kernel's self-tests of its drivers take longer.
const SIZE: &str = "1MiB";
const BYTES: u64 = 1 << 20;
const TESTS: [&str; 4] = ["w", "r", "w2", "r2"];

/// What Debian's kernels do not have, here with modules that we built: why, in a word.
const NOWHERE: &[(Cipher, &str)] = &[
    (Cipher::Tnepres, "removed in Linux"),
    (Cipher::Sm4, "not configured"),
    (Cipher::Aria, "not configured"),
];

/// What those modules bring.
const BUILT: [Cipher; 6] =
    [Cipher::Anubis, Cipher::Arc4, Cipher::Khazad, Cipher::Tea, Cipher::Xeta, Cipher::Xtea];

/// The kernel's drivers for this CPU, which has AES instructions and AVX2, as opposed to plain code, whose names have
/// parentheses or `generic`; the best of them may be loaded later than the first.
const DRIVERS: &[(&str, &str)] = &[
    ("aes-cbc-plain64", "cbc-aes-aesni"),
    ("aes-xts-plain64", "xts-aes-"),
    ("aes-gcm-random", "gcm-"),
    ("aegis128-random", "aegis128-aesni"),
    ("blowfish-cbc-plain64", "cbc-blowfish-asm"),
    ("camellia-cbc-plain64", "cbc-camellia-"),
    ("camellia-xts-plain64", "-camellia-"),
    ("cast5-cbc-plain64", "cbc-cast5-"),
    ("cast6-cbc-plain64", "cbc-cast6-"),
    ("serpent-cbc-plain64", "cbc-serpent-"),
    ("serpent-xts-plain64", "-serpent-"),
    ("twofish-cbc-plain64", "cbc-twofish-"),
    ("twofish-xts-plain64", "-twofish-"),
    ("xchacha12,aes-adiantum-plain64", "xchacha12-simd"),
];

/// On the disk, with the drivers of this CPU.
pub(crate) fn disk() -> Result<(), String> {
    // Nobody loads it by himself: there is no udev here, and the kernel has plain code for AES already.
    output(command("modprobe").arg("aesni_intel"))?;
    let document = full(&["--device", DISK, "--yes-destroy", DISK])?;
    for (name, driver) in DRIVERS {
        let rows = document.rows.iter().filter(|row| row.cipher == *name && row.variant == "best");
        let drivers: Vec<_> = rows.map(|row| row.driver.clone().unwrap_or_default()).collect();
        if drivers.is_empty() || !drivers.iter().all(|it| it.contains(driver)) {
            return Err(format!("{name}: {drivers:?} instead of {driver}"));
        }
    }
    let generic = document.rows.iter().filter(|row| row.variant == "generic");
    let generic: Vec<_> = generic.map(|row| row.driver.clone().unwrap_or_default()).collect();
    match generic.iter().all(|driver| driver.contains("aes-generic")) && !generic.is_empty() {
        true => Ok(()),
        false => Err(format!("the generic row: {generic:?}")),
    }
}

/// On a RAM disk, which is the standard.
pub(crate) fn brd() -> Result<(), String> {
    full(&["--ram", "brd"]).map(|_| ())
}

/// On a file.
pub(crate) fn looped() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let file = scratch.path("disk");
    some(&["--loop", &file.to_string_lossy()])?;
    if file.exists() { Err("the file is still there".to_owned()) } else { Ok(()) }
}

/// On compressed memory.
pub(crate) fn zram() -> Result<(), String> {
    some(&["--ram", "zram"])
}

/// On memory behind the driver for measurements.
pub(crate) fn null_blk() -> Result<(), String> {
    some(&["--ram", "null_blk"])
}

/// All rows, and nothing but them.
fn full(place: &[&str]) -> Result<Disk, String> {
    let before = Machine::now()?;
    let document = found(&[&["--size", SIZE], place].concat())?;
    before.is_unchanged()?;
    for candidate in Candidate::all() {
        let nowhere = NOWHERE.iter().find(|(cipher, _)| is_of(candidate, *cipher));
        let checked = match nowhere {
            Some((_, why)) => absent(&document.rows, candidate, why),
            None if is_of(candidate, Cipher::Arc4) && !begins_arc4_anew()? => {
                wrong(&document.rows, candidate)
            }
            None => measured(&document.rows, candidate, 512),
        };
        checked.map_err(|why| format!("{candidate}: {why}"))?;
    }
    // Those that were not measured have one row, the others four.
    let single = document.rows.iter().filter(|row| row.test.is_none()).count();
    let others = Candidate::all().len() - single;
    match document.rows.len() == single + others * TESTS.len() {
        true => Ok(document),
        false => Err(format!("{} rows", document.rows.len())),
    }
}

/// A few rows.
fn some(place: &[&str]) -> Result<(), String> {
    let before = Machine::now()?;
    let names = "aes-xts-plain64,aes-gcm-random";
    let document = found(&[&["--size", SIZE, "--cipher", names], place].concat())?;
    before.is_unchanged()?;
    let wanted = |it: &Candidate| {
        *it == Candidate::of(Specification::Plain, 0)
            || names.split(',').any(|name| name == it.specification.to_string())
    };
    for candidate in Candidate::all().into_iter().filter(wanted) {
        measured(&document.rows, candidate, 512).map_err(|why| format!("{candidate}: {why}"))?;
    }
    Ok(())
}

fn is_of(candidate: Candidate, wanted: Cipher) -> bool {
    matches!(candidate.specification, Specification::Encrypted(cipher, ..) if cipher == wanted)
}

fn rows_of(rows: &[Row], candidate: Candidate) -> Vec<&Row> {
    let variant = match candidate.variant {
        Variant::Best => "best",
        Variant::Generic => "generic",
    };
    let name = candidate.specification.to_string();
    let own = rows.iter().filter(|row| row.cipher == name && row.key_bits == candidate.key_bits);
    own.filter(|row| row.variant == variant).collect()
}

/// One row that says why.
fn absent(rows: &[Row], candidate: Candidate, why: &str) -> Result<(), String> {
    match rows_of(rows, candidate)[..] {
        [Row { absent: Some(said), test: None, bytes: None, .. }] if said.contains(why) => Ok(()),
        ref other => Err(format!("not absent because '{why}': {other:?}")),
    }
}

/// One row that says that its bytes are not those that they should be.
fn wrong(rows: &[Row], candidate: Candidate) -> Result<(), String> {
    match rows_of(rows, candidate)[..] {
        [Row { wrong: Some(_), test: None, bytes: None, .. }] => Ok(()),
        ref other => Err(format!("not wrong: {other:?}")),
    }
}

/// Whether this kernel's ARC4 begins its key stream anew with every request. Before Linux 6.7 it never did, so that no
/// sector could be read back but by chance ("crypto: arc4 - Convert from skcipher to lskcipher").
fn begins_arc4_anew() -> Result<bool, String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease");
    let release = release.map_err(|error| error.to_string())?;
    let mut numbers =
        release.split(|it: char| !it.is_ascii_digit()).map_while(|it| it.parse().ok());
    Ok((numbers.next(), numbers.next()) >= (Some(6_u32), Some(7)))
}

/// Four rows with every figure, the last of which tells what was compared.
fn measured(rows: &[Row], candidate: Candidate, sector_bytes: usize) -> Result<(), String> {
    let own = rows_of(rows, candidate);
    let tests: Vec<_> = own.iter().map(|row| row.test.as_deref().unwrap_or_default()).collect();
    if tests != TESTS {
        return Err(format!("the tests are {tests:?}: {own:?}"));
    }
    for row in &own {
        let encrypted = candidate.specification != Specification::Plain;
        let whole = row.store == "dm-crypt"
            && row.absent.is_none()
            && row.bytes == Some(BYTES)
            && row.sector_bytes == Some(sector_bytes)
            && row.driver.is_some() == encrypted
            && row.elapsed_ns.is_some_and(|nanos| nanos > 0)
            && row.factor.is_some_and(|factor| factor > 0.0);
        if !whole {
            return Err(format!("{row:?}"));
        }
    }
    // All that was written; and before that what the proof has looked at.
    match own[TESTS.len() - 1].compared_bytes {
        Some(bytes) if bytes > BYTES || own[0].cipher == "none" && bytes == BYTES => Ok(()),
        other => Err(format!("compared bytes: {other:?}")),
    }
}

/// Sectors of 4096 bytes; and the second table, with a row for each size and each of dm-crypt's options.
pub(crate) fn sectors_and_options() -> Result<(), String> {
    let names = "aes-xts-plain64,aes-cbc-plain64";
    let document = found(&["--size", SIZE, "--cipher", names, "--sector", "4096", "--ram", "brd"])?;
    for candidate in Candidate::all().into_iter().filter(|it| {
        names.split(',').any(|name| name == it.specification.to_string())
            && it.variant == Variant::Best
    }) {
        measured(&document.rows, candidate, 4096).map_err(|why| format!("{candidate}: {why}"))?;
    }
    for sector_bytes in [512, 4096] {
        for options in [
            &[][..],
            &["no_read_workqueue"],
            &["no_write_workqueue"],
            &["no_read_workqueue", "no_write_workqueue"],
        ] {
            for test in ["w", "r"] {
                let found = document.options.iter().any(|row| {
                    row.sector_bytes == Some(sector_bytes)
                        && row.options == options
                        && row.test.as_deref() == Some(test)
                        && row.bytes == Some(BYTES)
                        && row.driver.is_some()
                });
                if !found {
                    return Err(format!(
                        "no row with {sector_bytes} bytes, {options:?}, {test}: {:?}",
                        document.options
                    ));
                }
            }
        }
    }
    Ok(())
}

/// As Debian made it: what its kernel does not have says so, and the rest of the table above is what it has.
pub(crate) fn stock() -> Result<(), String> {
    for module in ["anubis", "arc4", "khazad", "tea"] {
        // Nothing of ours holds it any more.
        output(command("rmmod").arg(module))?;
    }
    let left_out: Vec<_> = Candidate::all()
        .into_iter()
        .filter(|it| BUILT.iter().any(|cipher| is_of(*it, *cipher)))
        .collect();
    let names: Vec<_> = left_out.iter().map(|it| it.specification.to_string()).collect();
    let document = found(&["--size", SIZE, "--ram", "brd", "--cipher", &names.join(",")])?;
    for candidate in left_out {
        absent(&document.rows, candidate, "not configured")
            .map_err(|why| format!("{candidate}: {why}"))?;
    }
    Ok(())
}

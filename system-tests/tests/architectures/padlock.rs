//! A 32-bit machine with PadLock: the system's own `openssl` with our module, traced by `padlock-run`.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use wirespeed_cipher::{Direction, Route};
use wirespeed_conformance::data::{painted, same};
use wirespeed_results::schema::bench::{self, Bench};
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::{output, through};
use wirespeed_system_tests::scratch::Scratch;
use wirespeed_system_tests::servers::sshd::Sshd;

use crate::machine::Machine;
use crate::module::{enc_of, only, speed_of};
use crate::program::{has, modules};
use crate::server;

/// OpenSSL's names, ours, and what PadLock carries out: without ACE2 and with it.
const CIPHERS: [(&str, &str, [&str; 2]); 5] = [
    ("-aes-128-ecb", "AES-128-ECB", ["xcryptecb", "xcryptecb"]),
    ("-aes-256-cbc", "AES-256-CBC", ["xcryptcbc", "xcryptcbc"]),
    ("-aes-192-cfb", "AES-192-CFB", ["xcryptcfb", "xcryptcfb"]),
    ("-aes-128-ofb", "AES-128-OFB", ["xcryptofb", "xcryptofb"]),
    ("-aes-128-ctr", "AES-128-CTR", ["xcryptecb", "xcryptctr"]),
];

const BYTES: usize = 100_003;

/// A C3 has ACE alone, a C7 ACE2 as well.
const CPUS: [&str; 2] = ["c3", "c7"];

/// `padlock-run`, which `WIRESPEED_EMULATOR` names.
pub(crate) fn emulator() -> Result<OsString, String> {
    env::var_os("WIRESPEED_EMULATOR").ok_or_else(|| "WIRESPEED_EMULATOR is not set".to_owned())
}

/// Without AES instructions, which no such CPU has.
fn emulated(machine: &Machine, cpu: &str, more: &[&str]) -> Result<Command, String> {
    let mut started = machine.command(emulator()?);
    started.args(["--stats", "--hide-aesni", "--cpu", cpu]).args(more);
    Ok(started)
}

/// What `--stats` says that an operation has processed, in blocks.
pub(crate) fn blocks(said: &str, operation: &str) -> u64 {
    let figures = said.split([' ', '\n']).filter_map(|word| word.strip_prefix(operation));
    let blocks =
        figures.filter_map(|it| it.strip_prefix('=')?.split_once('/')?.1.parse::<u64>().ok());
    blocks.sum()
}

/// Files there and back: the same bytes as without PadLock and without us, by PadLock alone, without a line about routes.
pub(crate) fn enc(machine: &Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let text = painted(3, BYTES);
    let plain = scratch.write("plain", &text)?;
    for (cipher, algorithm, operations) in CIPHERS {
        let right = output(Provided::Stock.to(&mut enc_of(machine, cipher, "-e", &plain)))?;
        let encrypted = scratch.write("encrypted", &right)?;
        let ways = [
            ("-e", &plain, &right, Direction::Encrypt),
            ("-d", &encrypted, &text, Direction::Decrypt),
        ];
        for (cpu, operation) in CPUS.into_iter().zip(operations) {
            for (way, file, right, direction) in ways {
                // An interrupt at every block has the instruction begin again where it was.
                for interrupts in [&[][..], &["--interrupt-every", "1"]] {
                    let what = || format!("{algorithm} {way} on a {cpu} {interrupts:?}");
                    let watched = Watched::new()?;
                    let mut started = emulated(machine, cpu, interrupts)?;
                    let enc = enc_of(machine, cipher, way, file);
                    started.arg(machine.root.join("usr/bin/openssl")).args(enc.get_args().skip(3));
                    let done = Provided::Ours(&watched).to(&mut started).output();
                    let done = done.map_err(|error| error.to_string())?;
                    let said = String::from_utf8_lossy(&done.stderr);
                    same(|| format!("{}: {said}", what()), right, &done.stdout)?;
                    only(&watched, algorithm, direction, Route::PadLock, BYTES as u64)?;
                    let counted = blocks(&said, operation);
                    if counted < BYTES as u64 / 16 {
                        let what = what();
                        return Err(format!("{what}: {operation} had {counted} blocks: {said}"));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Children, each with keys of its own.
pub(crate) fn children(machine: &Machine) -> Result<(), String> {
    for cpu in CPUS {
        let watched = Watched::new()?;
        speed_of(&watched, "aes-128-cbc", 2, || {
            let mut started = emulated(machine, cpu, &[])?;
            started.arg(machine.root.join("usr/bin/openssl"));
            Ok(started)
        })?;
        only(&watched, "AES-128-CBC", Direction::Encrypt, Route::PadLock, 2 * 1424)?;
    }
    Ok(())
}

/// A worker of nginx: a C3 and a C7 serve TLS.
pub(crate) fn nginx(machine: &Machine) -> Result<(), String> {
    for cpu in CPUS {
        let watched = Watched::new()?;
        let mut started = emulated(machine, cpu, &[])?;
        started.arg(server::program(machine));
        server::serves(&started, &server::TLS_1_2, &watched, Route::PadLock)?;
    }
    Ok(())
}

/// A session of sshd's, through all its processes.
pub(crate) fn sshd(machine: &Machine) -> Result<(), String> {
    // Since OpenSSH 9.8 and 10.0 programs of their own, which are found by their paths here.
    let programs = [("SshdSessionPath", "sshd-session"), ("SshdAuthPath", "sshd-auth")];
    let programs =
        programs.map(|(name, file)| (name, machine.root.join("usr/lib/openssh").join(file)));
    let there = programs.iter().filter(|(_, file)| file.exists());
    let lines: String = there.map(|(name, file)| format!("{name} {}\n", file.display())).collect();
    // A C3 has CTR from blocks of counters.
    for (cpu, operation) in CPUS.into_iter().zip(["xcryptecb", "xcryptctr"]) {
        let watched = Watched::new()?;
        let mut started = emulated(machine, cpu, &[])?;
        started.arg(machine.root.join("usr/sbin/sshd"));
        let sshd = Sshd::started(&started, Provided::Ours(&watched), &lines)?;
        let data = painted(5, BYTES);
        let mut client = sshd.ssh("aes128-ctr", &[]);
        let got = through(Provided::Stock.to(&mut client).arg("cat"), &data)
            .map_err(|error| format!("{cpu}: {error}: {}", sshd.running().said()))?;
        same(|| format!("sshd on a {cpu}"), &data, &got)?;
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            only(&watched, "AES-128-CTR", direction, Route::PadLock, BYTES as u64)?;
        }
        // Told when the process ends, which the client does not wait for.
        sshd.running().wait_until(&format!("{operation} to be counted"), || {
            blocks(&sshd.running().said(), operation) >= 2 * BYTES as u64 / 16
        })?;
    }
    Ok(())
}

/// What the program says there, and that it finds nothing wrong with PadLock's bytes.
pub(crate) fn program(machine: &Machine) -> Result<(), String> {
    let says = |cpu: &str, arguments: &[&str]| {
        let mut started = emulated(machine, cpu, &[])?;
        started.arg(modules()?.join("wirespeed")).args(arguments).env("OPENSSL_CONF", "/dev/null");
        Ok::<_, String>(String::from_utf8_lossy(&output(&mut started)?).into_owned())
    };
    for (cpu, name) in CPUS.into_iter().zip(["VIA C3 (Nehemiah)", "VIA C7 (Esther)"]) {
        let said = says(cpu, &["padlock"])?;
        has(&said, name)?;
        has(&said, "(padlock) VIA PadLock (no-RNG, ACE)")?;
        has(&says(cpu, &["routes"])?, "padlock    here")?;
        let routes = says(cpu, &["routes", "AES-128-CBC", "--why"])?;
        has(&routes, "AES-128-CBC enc: padlock;")?;
    }
    Ok(())
}

/// The rows of the Linux Journal's Table 1 (May 2005), software and PadLock: emulation proves bytes alone.
pub(crate) fn bench(machine: &Machine) -> Result<(), String> {
    let sizes = [16, 64, 256, 1024, 8192];
    let both =
        ["--routes", "portable,padlock", "--use", "stream", "--seconds", "0.01", "--json", "-"];
    for cpu in CPUS {
        let mut started = emulated(machine, cpu, &[])?;
        started.arg(modules()?.join("wirespeed")).env("OPENSSL_CONF", "/dev/null");
        started.args(["bench", "AES-128-ECB", "AES-128-CBC", "--sizes"]);
        started.arg(sizes.map(|size| size.to_string()).join(",")).args(both);
        let done = started.output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&done.stderr);
        let table: Bench = serde_json::from_slice(&done.stdout)
            .map_err(|error| format!("{cpu}: {error}: {said}"))?;
        for algorithm in ["AES-128-ECB", "AES-128-CBC"] {
            for (size, route) in sizes.iter().flat_map(|it| [(it, "portable"), (it, "padlock")]) {
                let is_it = |row: &&bench::Row| {
                    (&*row.algorithm, row.size, &*row.route) == (algorithm, *size, route)
                };
                if table.rows.iter().filter(is_it).count() != 1 {
                    return Err(format!("{cpu}: no {algorithm} of {size} B by {route}: {table:?}"));
                }
            }
        }
        for operation in ["xcryptecb", "xcryptcbc"] {
            // Each size at least once.
            if blocks(&said, operation) < sizes.iter().sum::<usize>() as u64 / 16 {
                return Err(format!("{cpu}: {operation}: {said}"));
            }
        }
    }
    Ok(())
}

//! OpenSSH's server, confined as Debian confines it, and its clients.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use wirespeed_cipher::Direction::{Decrypt, Encrypt};
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::module::{Provided, Watched, file};
use wirespeed_system_tests::process::{self, output, through};
use wirespeed_system_tests::scratch::read;
use wirespeed_system_tests::servers::sshd::{Sshd, USER_NUMBER};

const CIPHERS: [(&str, &str); 5] = [
    ("aes128-ctr", "AES-128-CTR"),
    ("aes256-ctr", "AES-256-CTR"),
    ("aes128-gcm@openssh.com", "AES-128-GCM"),
    ("aes256-gcm@openssh.com", "AES-256-GCM"),
    // Its Poly1305 is OpenSSH's own.
    ("chacha20-poly1305@openssh.com", "ChaCha20"),
];
/// Many packets, the last one short.
const BYTES: usize = 3_000_001;

/// Whether our routes ran all data both ways.
fn there_and_back(ours: &Watched, algorithm: &str) -> Result<(), String> {
    let bytes = BYTES as u64;
    if algorithm == "ChaCha20" {
        // OpenSSH encrypts by it whichever way the data go (cipher-chachapoly-libcrypto.c).
        return ours.ran(algorithm, Encrypt, 2 * bytes);
    }
    ours.ran(algorithm, Encrypt, bytes)?;
    ours.ran(algorithm, Decrypt, bytes)
}

/// Data to the server and back again.
pub(crate) fn ciphers() -> Result<(), String> {
    for (cipher, algorithm) in CIPHERS {
        let ours = Watched::serving(algorithm)?;
        let sshd = Sshd::start(Provided::Ours(&ours))?;
        let data = painted(61, BYTES);
        let mut client = sshd.ssh(cipher, &[]);
        Provided::Stock.to(&mut client).arg("cat");
        let got = through(&mut client, &data)
            .map_err(|error| format!("{cipher}: {error}\n{}", sshd.running().said()))?;
        same(|| cipher.to_owned(), &data, &got)?;
        there_and_back(&ours, algorithm)?;
    }
    Ok(())
}

/// While a session lasts, its process is the user's, and our module is in it; the process that
/// received the first bytes from the network was confined by seccomp.
pub(crate) fn sandbox() -> Result<(), String> {
    let ours = Watched::new()?;
    let sshd = Sshd::start(Provided::Ours(&ours))?;
    // Nobody has logged in on this connection yet: the process before authentication waits.
    let mut stranger = sshd.connect()?;
    let mut greeting = [0; 4];
    stranger.read_exact(&mut greeting).map_err(|error| error.to_string())?;
    same(|| "greeting".to_owned(), b"SSH-", &greeting)?;
    let module = file().and_then(|it| fs::canonicalize(it).ok()).ok_or("no module")?;
    stranger.write_all(b"SSH-2.0-stranger\r\n").map_err(|error| error.to_string())?;
    sshd.running().wait_until("a confined process with the module", || {
        let all = sshd.running().processes();
        all.into_iter().any(|it| process::is_filtered(it) && process::maps(it, &module))
    })?;
    drop(stranger);

    let mut client = sshd.ssh("aes128-gcm@openssh.com", &[]);
    Provided::Stock.to(&mut client).args(["echo here; exec cat"]);
    let mut client = client
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut line = String::new();
    let output = client.stdout.take().expect("it was piped");
    let read = BufReader::new(output).read_line(&mut line);
    let of_the_user = |it: &u32| {
        let sshd = process::name(*it).is_some_and(|name| name == "sshd");
        sshd && process::user(*it) == Some(USER_NUMBER) && process::maps(*it, &module)
    };
    let found = sshd.running().processes().iter().any(of_the_user);
    drop(client.stdin.take());
    let ended = client.wait();
    read.and(ended).map_err(|error| error.to_string())?;
    if line != "here\n" {
        return Err(format!("said {line:?}: {}", sshd.running().said()));
    }
    if !found {
        return Err("no process of the user's with the module".to_owned());
    }
    ours.ran("AES-128-GCM", Encrypt, 5)
}

/// Files there and back.
pub(crate) fn scp() -> Result<(), String> {
    for (cipher, algorithm) in [CIPHERS[0], CIPHERS[2]] {
        let ours = Watched::new()?;
        let sshd = Sshd::start(Provided::Ours(&ours))?;
        let data = painted(62, BYTES);
        let (from, there, back) = (sshd.home("from"), sshd.home("there"), sshd.home("back"));
        fs::write(&from, &data).map_err(|error| error.to_string())?;
        let name = |path: &std::path::Path| path.display().to_string();
        let remote = format!(":{}", name(&there));
        output(Provided::Stock.to(&mut sshd.scp(cipher, &name(&from), &remote)))?;
        same(|| format!("{cipher} there"), &data, &read(&there)?)?;
        ours.ran(algorithm, Decrypt, BYTES as u64)?;
        output(Provided::Stock.to(&mut sshd.scp(cipher, &remote, &name(&back))))?;
        same(|| format!("{cipher} back"), &data, &read(&back)?)?;
        ours.ran(algorithm, Encrypt, BYTES as u64)?;
    }
    Ok(())
}

/// We are in the client, and the server is stock.
pub(crate) fn client() -> Result<(), String> {
    let sshd = Sshd::start(Provided::Stock)?;
    for (cipher, algorithm) in CIPHERS {
        let ours = Watched::serving(algorithm)?;
        let data = painted(63, BYTES);
        let mut client = sshd.ssh(cipher, &[]);
        Provided::Ours(&ours).to(&mut client).arg("cat");
        let got = through(&mut client, &data)?;
        same(|| cipher.to_owned(), &data, &got)?;
        there_and_back(&ours, algorithm)?;
    }
    Ok(())
}

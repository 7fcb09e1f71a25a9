//! Drivers that are busy, fail, vanish or compute wrongly while a stream runs: no byte is lost, every byte is right.
//!
//! The driver is our module's (`vm/faults`), which passes the kernel's self-tests as an engine does that breaks later.

use wirespeed_cipher::Route;
use wirespeed_conformance::data::{painted, same};
use wirespeed_libcrypto::Direction;
use wirespeed_system_tests::client::download;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::servers::openssl::WebServer;

use crate::drivers::FAULTS;
use crate::fault::{Fault, counted};
use crate::ours::{Ours, digest, keyed, message, stock, told};

const CIPHER: &str = "AES-128-CBC";
const HASH: &str = "SHA1";
/// One update of the stream.
const PIECE: usize = 4096;
const PIECES: usize = 60;

/// How many requests went wrong so far.
fn struck() -> Result<u64, String> {
    counted(FAULTS, "struck")
}

/// A provider that gives the cipher and the hash function to the drivers that go wrong.
fn ours(more: &str) -> Result<Ours, String> {
    Ours::with(&format!(
        "routes = kernel\nkernel = {CIPHER}@cbc-aes-faults, {HASH}@sha1-faults\n{more}"
    ))
}

/// A stream both ways, with the fault from the middle on; how many requests it struck.
fn stream(ours: &Ours, values: &[(&'static str, i32)]) -> Result<u64, String> {
    let cipher = ours.cipher(CIPHER)?;
    let theirs = stock()?.fetch(CIPHER, None).map_err(told)?;
    let (key, iv, plain) = (painted(1, 16), painted(2, 16), painted(3, PIECE * PIECES));
    let secret = message(&mut keyed(&theirs, Direction::Encrypt, &key, &iv)?, &plain)?;
    let before = struck()?;
    for (direction, from, right) in
        [(Direction::Encrypt, &plain, &secret), (Direction::Decrypt, &secret, &plain)]
    {
        let mut context = keyed(&cipher, direction, &key, &iv)?;
        let mut got = Vec::new();
        let mut fault = None;
        for (number, piece) in from.chunks(PIECE).enumerate() {
            if number == PIECES / 2 {
                fault = Some(Fault::set(FAULTS, values)?);
            }
            let mut buffer = vec![0; piece.len() + 16];
            let count = context.update(piece, &mut buffer).map_err(told)?;
            got.extend_from_slice(&buffer[..count]);
        }
        got.extend(message(&mut context, &[])?);
        drop(fault);
        same(|| format!("{direction:?} with {values:?}"), right, &got)?;
    }
    Ok(struck()? - before)
}

/// A full engine is asked again at the next call.
pub(crate) fn busy() -> Result<(), String> {
    let ours = ours("")?;
    let struck = stream(&ours, &[("cipher_error", libc::EBUSY), ("cipher_failing", 3)])?;
    if struck < 10 {
        return Err(format!("only {struck} requests found the engine busy"));
    }
    // All but a third of the requests in each second half.
    ours.by_kernel(CIPHER, (2 * PIECE * PIECES) as u64 * 6 / 10)
}

/// An engine that fails once is not asked again.
pub(crate) fn failing() -> Result<(), String> {
    broken(libc::EIO)
}

/// An engine that has gone.
pub(crate) fn gone() -> Result<(), String> {
    broken(libc::ENODEV)
}

fn broken(error: i32) -> Result<(), String> {
    let ours = ours("")?;
    let struck = stream(&ours, &[("cipher_error", error), ("cipher_failing", 1)])?;
    let kernel = ours.bytes(CIPHER, Route::Kernel)?;
    if struck != 1 || kernel < (PIECES / 2) as u64 * PIECE as u64 {
        return Err(format!("{struck} requests failed, {kernel} bytes by the kernel"));
    }
    ours.kernel_is_quarantined()
}

/// Wrong bytes in mid-stream, with `verify = 1`.
pub(crate) fn wrong() -> Result<(), String> {
    let ours = ours("verify = 1")?;
    match stream(&ours, &[("cipher_wrong", 5)])? {
        0 => Err("no request was wrong".to_owned()),
        _ => ours.kernel_is_quarantined(),
    }
}

/// A driver that is wrong before the provider is loaded: its self-test finds out, and nobody else.
pub(crate) fn wrong_from_the_start() -> Result<(), String> {
    let fault = Fault::set(FAULTS, &[("cipher_wrong", 1), ("hash_wrong", 1)])?;
    let ours = ours("")?;
    let (key, iv, plain) = (painted(4, 16), painted(5, 16), painted(6, 100_000));
    let stock = stock()?;
    let encrypt = |cipher| message(&mut keyed(&cipher, Direction::Encrypt, &key, &iv)?, &plain);
    let right = encrypt(stock.fetch(CIPHER, None).map_err(told)?)?;
    same(|| CIPHER.to_owned(), &right, &encrypt(ours.cipher(CIPHER)?)?)?;
    let right = digest(&stock.digest(HASH, None).map_err(told)?, &plain)?;
    same(|| HASH.to_owned(), &right, &digest(&ours.digest(HASH)?, &plain)?)?;
    drop(fault);
    match ours.bytes(CIPHER, Route::Kernel)? + ours.bytes(HASH, Route::Kernel)? {
        0 => ours.kernel_is_quarantined(),
        bytes => Err(format!("the kernel ran {bytes} bytes after it failed its self-test")),
    }
}

/// The article's users: an offloaded SHA-1 with wrong results broke their TLS. It does not break ours, and it is named.
pub(crate) fn tls() -> Result<(), String> {
    let lines = format!("routes = kernel\nkernel = {HASH}@sha1-faults\n");
    let data = painted(7, 300_000);
    let fetch = |watched: &Watched| {
        let server = WebServer::start(Provided::Ours(watched))?;
        server.offer("file", &data)?;
        // Encrypt-then-MAC, so that HMAC-SHA1 is one, and not a part of the cipher.
        let options = ["--tls-max", "1.2", "--ciphers", "ECDHE-RSA-AES128-SHA"];
        let got = download(server.certificate(), &server.address("file"), &options)?;
        same(|| "the file".to_owned(), &data, &got)
    };
    // Right, the kernel computes it.
    let right = Watched::with(&lines)?;
    fetch(&right)?;
    let bytes = |watched: &Watched| {
        let counted = watched.counted()?;
        let rows =
            counted.rows().filter(|row| row.subject.name() == HASH && row.route == Route::Kernel);
        Ok::<_, String>((rows.map(|row| row.bytes).sum::<u64>(), counted.quarantined()))
    };
    match bytes(&right)? {
        (some, quarantined) if some > 300_000 && quarantined.is_empty() => {}
        other => return Err(format!("with a driver in order: {other:?}")),
    }
    for (verify, what) in [("", "from the start"), ("verify = 1", "later")] {
        let watched = Watched::with(&format!("{lines}{verify}"))?;
        let every = if verify.is_empty() { 1 } else { 40 };
        let fault = Fault::set(FAULTS, &[("hash_wrong", every)])?;
        fetch(&watched).map_err(|why| format!("wrong {what}: {why}"))?;
        drop(fault);
        match bytes(&watched)? {
            (_, quarantined) if quarantined == [Route::Kernel] => {}
            other => return Err(format!("wrong {what}: {other:?}")),
        }
    }
    Ok(())
}

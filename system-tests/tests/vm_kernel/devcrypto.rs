//! The route `devcrypto` through our provider: programs that use it, and a device that is busy, fails, lies or goes.
//!
//! The device is our own module's (`vm/devcrypto`), over the kernel's crypto, and counts what it is asked.

use std::fs;
use std::path::Path;

use wirespeed_cipher::Route;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_libcrypto::Direction;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::{command, output};

use crate::fault::Fault;
use crate::ours::{Ours, digest, keyed, message, refusal, stock, told};
use crate::{fault, ours, plans};

const CIPHER: &str = "AES-128-CBC";
const HASH: &str = "SHA1";
const PARAMETERS: &str = "/sys/module/wirespeed_devcrypto/parameters";
/// One update of the stream.
const PIECE: usize = 4096;
const PIECES: usize = 40;

fn counted(name: &str) -> Result<u64, String> {
    fault::counted(PARAMETERS, name)
}

/// A provider that gives both to the device.
fn forced(more: &str) -> Result<Ours, String> {
    Ours::with(&format!("routes = devcrypto\ndevcrypto = {CIPHER}, {HASH}\n{more}"))
}

/// A stream both ways, with a fault from the middle on: every byte right. How many bytes the device did.
fn stream(ours: &Ours, values: &[(&'static str, i32)]) -> Result<u64, String> {
    let cipher = ours.cipher(CIPHER)?;
    let theirs = stock()?.fetch(CIPHER, None).map_err(told)?;
    let (key, iv, plain) = (painted(1, 16), painted(2, 16), painted(3, PIECE * PIECES));
    let secret = message(&mut keyed(&theirs, Direction::Encrypt, &key, &iv)?, &plain)?;
    for (direction, from, right) in
        [(Direction::Encrypt, &plain, &secret), (Direction::Decrypt, &secret, &plain)]
    {
        let mut context = keyed(&cipher, direction, &key, &iv)?;
        let mut got = Vec::new();
        let mut fault = None;
        for (number, piece) in from.chunks(PIECE).enumerate() {
            if number == PIECES / 2 {
                fault = Some(Fault::set(PARAMETERS, values)?);
            }
            let mut buffer = vec![0; piece.len() + 16];
            let count = context.update(piece, &mut buffer).map_err(told)?;
            got.extend_from_slice(&buffer[..count]);
        }
        got.extend(message(&mut context, &[])?);
        drop(fault);
        same(|| format!("{direction:?} with {values:?}"), right, &got)?;
    }
    ours.bytes(CIPHER, Route::DevCrypto)
}

/// Cipher and hash function as the default provider has them, by the device and by nobody else.
pub(crate) fn through() -> Result<(), String> {
    let (ours, stock, calls) = (forced("")?, stock()?, counted("calls")?);
    if stream(&ours, &[])? < (2 * PIECE * (PIECES - 1)) as u64 {
        return Err("the device has not had the stream".to_owned());
    }
    let theirs = stock.digest(HASH, None).map_err(told)?;
    for length in [0, 1, 64, 1000, 70_000, 200_000] {
        let data = painted(5, length);
        let got = digest(&ours.digest(HASH)?, &data)?;
        same(|| format!("{HASH} of {length} bytes"), &digest(&theirs, &data)?, &got)?;
    }
    let hashed = ours.bytes(HASH, Route::DevCrypto)?;
    let made = counted("calls")? - calls;
    if hashed < 270_000 || made < 2 * PIECES as u64 {
        return Err(format!("{hashed} bytes were hashed by the device, {made} calls made"));
    }
    match counted("sessions")? {
        0 => Ok(()),
        left => Err(format!("{left} sessions are still open")),
    }
}

/// From the size on that the plan says, if the key allows it.
pub(crate) fn planned() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let plan = plans::by(&scratch, Route::DevCrypto, &[(CIPHER, 1024), (HASH, 4096)])?;
    let run = |key: &str| {
        let ours = Ours::with(&format!("{key}\nplan = {}", plan.display()))?;
        let mut context = keyed(&ours.cipher(CIPHER)?, Direction::Encrypt, &[1; 16], &[2; 16])?;
        for length in [512, 1024, 8192] {
            context.update(&painted(6, length), &mut vec![0; length + 16]).map_err(told)?;
        }
        // Where nobody has a part in it, the hash function is not ours.
        if let Ok(hash) = ours.digest(HASH) {
            digest(&hash, &painted(7, 4095))?;
            digest(&hash, &painted(7, 4096))?;
        }
        Ok::<_, String>((
            ours.bytes(CIPHER, Route::DevCrypto)?,
            ours.bytes(HASH, Route::DevCrypto)?,
        ))
    };
    for (key, expected) in
        [("devcrypto = on", (1024 + 8192, 4096)), ("devcrypto = AES-128-CBC", (1024 + 8192, 0))]
    {
        let found = run(key)?;
        if found != expected {
            return Err(format!("{key}: {found:?} bytes, not {expected:?}"));
        }
    }
    // Without the key nothing is opened.
    let calls = counted("calls")?;
    let ours = Ours::with(&format!("plan = {}", plan.display()))?;
    let mut context = keyed(&ours.cipher(CIPHER)?, Direction::Encrypt, &[1; 16], &[2; 16])?;
    context.update(&painted(6, 8192), &mut [0; 8192 + 16]).map_err(told)?;
    match counted("calls")? - calls {
        0 => Ok(()),
        made => Err(format!("{made} calls that nobody has asked for")),
    }
}

/// A stock program, as a file configures it.
pub(crate) fn program() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let plain = scratch.write("plain", painted(8, 300_000))?;
    let encrypt = |provided: Provided<'_>| {
        let mut openssl = provided_to(provided);
        openssl.args(["enc", "-aes-128-cbc", "-K", "000102030405060708090a0b0c0d0e0f"]);
        openssl.args(["-iv", "0f0e0d0c0b0a09080706050403020100", "-in"]).arg(&plain);
        output(&mut openssl)
    };
    let watched = Watched::with(&format!("routes = devcrypto\ndevcrypto = {CIPHER}\n"))?;
    let calls = counted("calls")?;
    let got = encrypt(Provided::Ours(&watched))?;
    same(|| "openssl enc".to_owned(), &encrypt(Provided::Stock)?, &got)?;
    let rows = watched.counted()?;
    let by_device = rows.rows().filter(|row| row.route == Route::DevCrypto);
    let bytes: u64 = by_device.map(|row| row.bytes).sum();
    match counted("calls")? - calls {
        made if made > 0 && bytes >= 290_000 => Ok(()),
        made => Err(format!("{bytes} bytes by the device, which counts {made} calls")),
    }
}

fn provided_to(provided: Provided<'_>) -> std::process::Command {
    let mut openssl = command("openssl");
    provided.to(&mut openssl);
    openssl
}

/// A full device is asked again, later.
pub(crate) fn busy() -> Result<(), String> {
    for number in [libc::EBUSY, libc::ENOMEM] {
        let ours = forced("")?;
        let bytes = stream(&ours, &[("error", number), ("failing", 3)])?;
        let quarantined = ours.quarantined()?;
        if bytes < (PIECE * PIECES) as u64 || !quarantined.is_empty() {
            return Err(format!("error {number}: {bytes} bytes, quarantined {quarantined:?}"));
        }
    }
    Ok(())
}

/// One that fails, has gone or lies is not asked again, and is named.
pub(crate) fn broken() -> Result<(), String> {
    for values in [
        &[("error", libc::EIO), ("failing", 1)][..],
        &[("error", libc::ENODEV), ("failing", 1)],
        &[("lying", 1)],
    ] {
        let ours = forced("")?;
        let (struck, bytes) = (counted("struck")?, stream(&ours, values)?);
        let struck = counted("struck")? - struck;
        if struck != 1 || bytes < (PIECES / 2 * PIECE) as u64 {
            return Err(format!("{values:?}: struck {struck} times, {bytes} bytes by the device"));
        }
        named(&ours)?;
    }
    Ok(())
}

/// Wrong bytes: found by the self-test if from the start, by verification if later.
pub(crate) fn wrong() -> Result<(), String> {
    let ours = forced("verify = 1")?;
    stream(&ours, &[("wrong", 5)])?;
    named(&ours)?;
    let ours = forced("")?;
    let fault = Fault::set(PARAMETERS, &[("wrong", 1)])?;
    let bytes = stream(&ours, &[])?;
    drop(fault);
    match bytes {
        0 => named(&ours),
        bytes => Err(format!("{bytes} bytes by a device that failed its self-test")),
    }
}

/// The device is quarantined, and nobody else.
fn named(ours: &Ours) -> Result<(), String> {
    match ours.quarantined()?[..] {
        [Route::DevCrypto] => Ok(()),
        ref other => Err(format!("quarantined: {other:?}")),
    }
}

/// Where it is not there, whoever asks for it by name is told, and whoever does not goes on.
pub(crate) fn absent() -> Result<(), String> {
    const DEVICE: &str = "/dev/crypto";
    let aside = Path::new("/dev/crypto-aside");
    let scratch = Scratch::new()?;
    let plan = plans::by(&scratch, Route::DevCrypto, &[(CIPHER, 16)])?;
    let right = {
        let theirs = stock()?.fetch(CIPHER, None).map_err(told)?;
        message(&mut keyed(&theirs, Direction::Encrypt, &[1; 16], &[2; 16])?, &painted(1, 100_000))?
    };
    let check = |words: &str| {
        let inactive = ours::inactive(&scratch, "routes = devcrypto")?;
        let said = refusal(&inactive)?;
        if !said.contains(words) {
            return Err(format!("no '{words}' in: {said}"));
        }
        let ours = Ours::with(&format!("devcrypto = on\nplan = {}", plan.display()))?;
        let mut context = keyed(&ours.cipher(CIPHER)?, Direction::Encrypt, &[1; 16], &[2; 16])?;
        let got = message(&mut context, &painted(1, 100_000))?;
        same(|| "devcrypto = on".to_owned(), &right, &got)?;
        match (ours.bytes(CIPHER, Route::DevCrypto)?, &ours.quarantined()?[..]) {
            (0, []) => Ok(()),
            other => Err(format!("{words}: {other:?}")),
        }
    };
    fs::rename(DEVICE, aside).map_err(|error| error.to_string())?;
    let missing = check("there is no /dev/crypto");
    let text = "a plain file";
    let written = fs::write(DEVICE, text).map_err(|error| error.to_string());
    let file = written.and_then(|()| check("/dev/crypto is a plain file"));
    let left = fs::read_to_string(DEVICE);
    let restored = fs::rename(aside, DEVICE).map_err(|error| error.to_string());
    missing.and(file).and(restored)?;
    match left {
        Ok(left) if left == text => Ok(()),
        other => Err(format!("the file has become {other:?}")),
    }
}

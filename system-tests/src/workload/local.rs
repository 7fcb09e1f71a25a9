//! Programs that encrypt what is here: `openssl`, and Python with `cryptography`.

use std::process::{Command, Stdio};

use wirespeed_system_tests::certificate::Certificate;
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

use super::{MIB, Provided, Ready, alone};

/// The program `openssl`.
fn openssl(provided: Provided<'_>) -> Command {
    let mut openssl = command("openssl");
    provided.to(&mut openssl).stdout(Stdio::null());
    openssl
}

/// `openssl enc` from the page cache to nowhere.
pub(crate) fn enc(
    provided: Provided<'_>,
    cipher: &'static str,
    way: &'static str,
    mebibytes: usize,
) -> Ready {
    const IV: &str = "00112233445566778899aabbccddeeff";
    let key = if cipher.contains("256") { IV.repeat(2) } else { IV.to_owned() };
    let secrets = ["-K", &key, "-iv", IV];
    let scratch = Scratch::new()?;
    let mut input = scratch.write("plain", vec![0x5a; mebibytes * MIB])?;
    if way == "-d" {
        let encrypted = scratch.path("encrypted");
        let mut encrypt = openssl(Provided::Stock);
        encrypt.args(["enc", cipher, "-in"]).arg(&input).args(secrets);
        output(encrypt.arg("-out").arg(&encrypted))?;
        std::fs::remove_file(input).map_err(|error| error.to_string())?;
        input = encrypted;
    }
    let mut program = openssl(provided);
    program.args(["enc", cipher, way, "-in"]).arg(&input).args(secrets);
    alone(program, scratch)
}

/// What `openssl cms` does with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cms {
    Encrypt,
    Decrypt,
}

/// `openssl cms` from the page cache to nowhere, for a recipient by RSA.
pub(crate) fn cms(
    provided: Provided<'_>,
    what: Cms,
    cipher: &'static str,
    mebibytes: usize,
) -> Ready {
    let scratch = Scratch::new()?;
    let certificate = Certificate::new(&scratch)?;
    let plain = scratch.write("plain", vec![0x5a; mebibytes * MIB])?;
    let encrypt = |provided| {
        let mut program = openssl(provided);
        program.args(["cms", "-encrypt", "-binary", "-stream", "-outform", "DER", cipher, "-in"]);
        program.arg(&plain);
        program
    };
    if what == Cms::Encrypt {
        let mut program = encrypt(provided);
        program.arg(&certificate.certificate);
        return alone(program, scratch);
    }
    let encrypted = scratch.path("encrypted");
    output(encrypt(Provided::Stock).arg("-out").arg(&encrypted).arg(&certificate.certificate))?;
    let mut program = openssl(provided);
    program.args(["cms", "-decrypt", "-binary", "-inform", "DER", "-in"]).arg(&encrypted);
    program.arg("-recip").arg(&certificate.certificate).arg("-inkey").arg(&certificate.key);
    alone(program, scratch)
}

/// Encrypts pieces of a length, each with a nonce of its own.
const PIECES: &str = "
import sys
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
size, pieces = map(int, sys.argv[1:])
aead, data = AESGCM(bytes(16)), bytes(size)
for number in range(pieces):
    aead.encrypt(number.to_bytes(12, 'big'), data, None)
";

/// Debian's python3-cryptography, which has AES-128-GCM of this system's libcrypto.
pub(crate) fn python(provided: Provided<'_>, size: usize, mebibytes: usize) -> Ready {
    let mut python = command("/usr/bin/python3");
    let pieces = (mebibytes * MIB).div_ceil(size);
    python.args(["-I", "-c", PIECES, &size.to_string(), &pieces.to_string()]);
    provided.to(&mut python);
    alone(python, ())
}

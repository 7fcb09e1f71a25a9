//! OpenSSL's own engine `padlock`, as Debian ships it.

use std::process::Command;

use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

use crate::emulation::{Said, compile, emulated};

const DIGITS: &str = "00112233445566778899aabbccddeeff";

/// It finds PadLock where there is one, and says so in the words of 2004.
pub(crate) fn engine() -> Result<(), String> {
    let expected = |units: &str| format!("(padlock) VIA PadLock ({units})\n");
    for cpu in ["c3", "c7", "nano", "zhaoxin"] {
        for runner in [&["--cpu", cpu][..], &["--cpu", cpu, "--ptrace"]] {
            let mut openssl = emulated(runner, "openssl")?;
            let said = Said::by(openssl.args(["engine", "padlock"]), b"")?.text()?;
            // Its RNG is left out on purpose (engines/e_padlock.c).
            same(
                || format!("{runner:?}: {said}"),
                expected("no-RNG, ACE").as_bytes(),
                said.as_bytes(),
            )?;
        }
    }
    let mut bare = command("openssl");
    let said = output(bare.env("OPENSSL_CONF", "/dev/null").args(["engine", "padlock"]))?;
    same(|| "bare".to_owned(), expected("no-RNG, no-ACE").as_bytes(), &said)
}

/// `openssl enc` makes the same file with the engine and without, there and back.
pub(crate) fn enc() -> Result<(), String> {
    let plain = painted(1, 100_003);
    let enc = |mut openssl: Command, cipher: &str, more: &[&str], data: &[u8]| {
        openssl.args(["enc", cipher, "-K", DIGITS, "-iv", DIGITS]).args(more);
        Said::by(&mut openssl, data)
    };
    for (mode, bits) in [("ecb", 192), ("cbc", 128), ("cfb", 256), ("ofb", 192), ("ctr", 128)] {
        let cipher = format!("-aes-{bits}-{mode}");
        let engine = ["-engine", "padlock"];
        let mut stock = command("openssl");
        stock.env("OPENSSL_CONF", "/dev/null");
        let right = enc(stock, &cipher, &[], &plain)?;
        let got = enc(emulated(&[], "openssl")?, &cipher, &engine, &plain)?;
        same(|| format!("{cipher} encrypted"), right.output()?, got.output()?)?;
        got.counts("openssl").ran(&[(&format!("xcrypt{mode}"), 6250)])?;
        let back = ["-d", "-engine", "padlock"];
        let back = enc(emulated(&[], "openssl")?, &cipher, &back, right.output()?)?;
        same(|| format!("{cipher} decrypted"), &plain, back.output()?)?;
        back.counts("openssl").ran(&[(&format!("xcrypt{mode}"), 6250)])?;
    }
    Ok(())
}

/// All modes and keys, at every size to 70 bytes and around every border to 1 MiB, aligned and not.
pub(crate) fn sizes() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let client = compile(&scratch, "evp.c", &["-l:libcrypto.so.3"])?;
    for options in [&[][..], &["--interrupt-every", "13"]] {
        let said = Said::by(emulated(options, &client)?.arg("equals"), b"")?;
        // 5 modes, 3 keys; 70 sizes twice, 8 borders with 5 sizes each.
        same(|| said.errors(), b"2700\n", said.text()?.as_bytes())?;
        let modes = ["ecb", "cbc", "cfb", "ofb", "ctr"].map(|mode| format!("xcrypt{mode}"));
        said.counts("evp").ran(&modes.each_ref().map(|name| (&name[..], 1_000_000)))?;
    }
    Ok(())
}

//! Programs in the guest: what they say about this CPU, and what they compute on it.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_system_tests::process::{command, output};

use crate::crypto::growth;

/// A file of our own build.
pub(crate) fn file(name: &str) -> Result<PathBuf, String> {
    let folder = env::var_os("WIRESPEED_MODULES").ok_or("WIRESPEED_MODULES is not set")?;
    let file = PathBuf::from(folder).join(name);
    if file.exists() { Ok(file) } else { Err(format!("{} is not there", file.display())) }
}

fn openssl() -> Command {
    let mut openssl = command("openssl");
    // The machine's own configuration is not what is tested.
    openssl.env("OPENSSL_CONF", "/dev/null");
    openssl
}

/// OpenSSL's own engine finds ACE. It never says RNG: that part is not compiled.
pub(crate) fn engine() -> Result<(), String> {
    let said = output(openssl().args(["engine", "-t", "padlock"]))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    match said.contains("VIA PadLock (no-RNG, ACE)") && said.contains("[ available ]") {
        true => Ok(()),
        false => Err(said),
    }
}

/// Every mode and key size, there and back, against the same program without the engine.
pub(crate) fn enc() -> Result<(), String> {
    let scratch = Scratch::new()?;
    // Not a whole number of blocks, and the counter of CTR goes around.
    let plain = painted(5, 70_001);
    let input = scratch.write("plain", &plain)?;
    for mode in ["ecb", "cbc", "cfb", "ofb", "ctr"] {
        for bits in [128, 192, 256] {
            let cipher = format!("-aes-{bits}-{mode}");
            let key = "0123456789abcdef".repeat(bits / 64);
            let encrypt = |engine: &[&str], direction: &str, file: &PathBuf| {
                let mut enc = openssl();
                enc.arg("enc").args(engine).args([&cipher, direction, "-K", &key]);
                if mode != "ecb" {
                    enc.args(["-iv", "00112233445566778899aabbccddfff0"]);
                }
                output(enc.arg("-in").arg(file))
            };
            let right = encrypt(&[], "-e", &input)?;
            let ((secret, again), traps) = growth("user_traps", || {
                let secret = encrypt(&["-engine", "padlock"], "-e", &input)?;
                let file = scratch.write("secret", &secret)?;
                Ok((secret, encrypt(&["-engine", "padlock"], "-d", &file)?))
            })?;
            same(|| format!("{cipher} encrypted"), &right, &secret)?;
            same(|| format!("{cipher} decrypted"), &plain, &again)?;
            if traps < 2 {
                return Err(format!("{cipher}: {traps} instructions"));
            }
        }
    }
    Ok(())
}

/// Our own program names what is there, and its route passes its proof here.
pub(crate) fn wirespeed() -> Result<(), String> {
    let said = output(command(file("wirespeed")?).arg("padlock"))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let right = ["CentaurHauls", "PadLock RNG, ACE", "route padlock, proved by"];
    match right.iter().find(|part| !words.contains(**part)) {
        Some(missing) => Err(format!("'{missing}' is missing in\n{said}")),
        None => Ok(()),
    }
}

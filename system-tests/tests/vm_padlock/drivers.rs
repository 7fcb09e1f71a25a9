//! The kernel's own drivers load, and pass the kernel's own self-tests.

use std::fs::{self, File};
use std::io::Read;

use crate::crypto::{self, Driver, growth, hash_driver};

/// AES and hashes.
pub(crate) fn load() -> Result<(), String> {
    crypto::load(&["padlock-aes", "padlock-sha"])?;
    let hashes = [hash_driver("sha1")?, hash_driver("sha256")?];
    let ciphers = ["aes-padlock", "ecb-aes-padlock", "cbc-aes-padlock"];
    for name in ciphers.into_iter().chain(hashes.iter().map(String::as_str)) {
        match Driver::named(name)?.self_test.as_str() {
            "passed" => {}
            other => return Err(format!("{name}: self-test {other}")),
        }
    }
    // Some hundreds, when the drivers were loaded: perhaps by a test before this one.
    match crypto::counter("kernel_traps")? {
        traps @ ..100 => Err(format!("self-tests of {traps} instructions")),
        _ => Ok(()),
    }
}

/// The random number generator.
pub(crate) fn random() -> Result<(), String> {
    const PLACE: &str = "/sys/class/misc/hw_random";
    let failed = |error: std::io::Error| format!("hw_random: {error}");
    if !crypto::has_partial_hashes()? {
        // via-rng looks for a register of C7 and before (MSR 110Bh), which QEMU has not.
        return Ok(());
    }
    crypto::load(&["via-rng"])?;
    let current = format!("{PLACE}/rng_current");
    fs::write(&current, "via").map_err(failed)?;
    let (bytes, units) = growth("xstore_units", || {
        let mut bytes = [0; 64];
        File::open("/dev/hwrng")
            .and_then(|mut file| file.read_exact(&mut bytes))
            .map_err(failed)?;
        Ok(bytes)
    })?;
    let current = fs::read_to_string(&current).map_err(failed)?;
    if current.trim() != "via" || units < 8 || bytes == [0; 64] {
        return Err(format!("{}: {units} stores for {bytes:?}", current.trim()));
    }
    Ok(())
}

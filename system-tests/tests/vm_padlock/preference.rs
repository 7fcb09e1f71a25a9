//! The article's `alias aes padlock`: with it, and only with it, a request for AES loads PadLock's driver.

use std::fs;
use std::path::Path;

use wirespeed_conformance::data::painted;
use wirespeed_system_tests::process::{command, output};

use crate::alg::Transform;
use crate::crypto::{growth, is_loaded};
use crate::programs;

/// What our program writes.
const FILE: &str = "/etc/modprobe.d/wirespeed.conf";

/// As our program writes it and takes it back.
pub(crate) fn alias() -> Result<(), String> {
    const DRIVER: &str = "padlock_aes";
    if is_loaded(DRIVER) {
        return Err("PadLock's driver is there already: this must be the first test".to_owned());
    }
    // Nobody names the driver, and without our lines nobody loads it.
    Transform::new("skcipher", "ctr(aes)")?;
    if is_loaded(DRIVER) {
        return Err("this kernel loads PadLock's driver by itself: nothing to test".to_owned());
    }
    let wirespeed = programs::file("wirespeed")?;
    let kernel = |argument: &[&str]| output(command(&wirespeed).arg("kernel").args(argument));
    kernel(&["--prefer", "padlock"])?;
    let text = fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    // Debian's kernel has made itself a cbc(aes) by now, and asks for no other: its users bring the driver.
    for user in ["dm-crypt", "esp4"] {
        let loads = output(command("/sbin/modprobe").args(["--show-depends", user]))?;
        if !String::from_utf8_lossy(&loads).contains("padlock-aes") {
            return Err(format!("{user} does not bring the driver, in spite of\n{text}"));
        }
    }
    let mut transform = Transform::new("skcipher", "ecb(aes)")?;
    if !is_loaded(DRIVER) {
        return Err(format!("{DRIVER} was not loaded, in spite of\n{text}"));
    }
    transform.set_key(&painted(1, 16))?;
    let crypt = || transform.crypt(libc::ALG_OP_ENCRYPT, &[], &painted(3, 4096));
    let (_, blocks) = growth("xcrypt_blocks", crypt)?;
    if blocks < 4096 / 16 {
        return Err(format!("PadLock encrypted only {blocks} blocks"));
    }
    kernel(&["--unprefer"])?;
    match Path::new(FILE).exists() {
        true => Err(format!("{FILE} is still there")),
        false => Ok(()),
    }
}

//! A kernel without AF_ALG: everything that wants it says so, and everything else works.

use std::fs;
use std::path::Path;

use wirespeed_cipher::Route;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_libcrypto::Direction;
use wirespeed_system_tests::process::{command, output};

use crate::drivers;
use crate::ours::{Ours, forced, inactive, keyed, message, refusal, stock, told};
use crate::plans;

const NAME: &str = "AES-128-CBC";

/// As administrators are told to switch it off, as long as this lives.
struct SwitchedOff;

impl SwitchedOff {
    const FILE: &str = "/etc/modprobe.d/wirespeed-test.conf";

    fn new() -> Result<Self, String> {
        if Path::new("/sys/module/af_alg").exists() {
            return Err("af_alg is loaded already: this must be the first test".to_owned());
        }
        let line = "install af_alg /bin/false\n";
        fs::write(Self::FILE, line).map_err(|error| format!("{}: {error}", Self::FILE))?;
        Ok(Self)
    }
}

impl Drop for SwitchedOff {
    fn drop(&mut self) {
        // The tests after this one would all fail.
        let _ = fs::remove_file(Self::FILE);
    }
}

/// The module is switched off: who asks for the route learns it, who does not goes on without it.
pub(crate) fn switched_off() -> Result<(), String> {
    let switched_off = SwitchedOff::new()?;
    let wirespeed = drivers::program("wirespeed")?;
    // A wish that cannot be met.
    let bench = ["bench", NAME, "--routes", "kernel", "--sizes", "1024", "--seconds", "0.01"];
    let said = output(command(&wirespeed).args(bench)).err().ok_or("bench measured the absent")?;
    names("bench --routes kernel", &said)?;
    let said = match output(command(&wirespeed).arg("kernel")) {
        Ok(said) => String::from_utf8_lossy(&said).into_owned(),
        Err(said) => said,
    };
    names("kernel", &said)?;
    let scratch = Scratch::new()?;
    let said = refusal(&inactive(&scratch, &forced(NAME))?)?;
    names("routes = kernel", &said)?;
    // A permission that is of no use.
    let plan = plans::file(&scratch, &[(NAME, 16), ("SHA2-256", 16)])?;
    let ours = Ours::with(&format!("plan = {}\nkernel = on", plan.display()))?;
    let encrypt = |cipher| {
        let mut context = keyed(&cipher, Direction::Encrypt, &[1; 16], &[2; 16])?;
        message(&mut context, &painted(1, 100_000))
    };
    let right = encrypt(stock()?.fetch(NAME, None).map_err(told)?)?;
    same(|| "kernel = on".to_owned(), &right, &encrypt(ours.cipher(NAME)?)?)?;
    if ours.bytes(NAME, Route::Kernel)? != 0 {
        return Err("the absent kernel ran something".to_owned());
    }
    drop(switched_off);
    // It comes when it may.
    Ours::with(&forced(NAME))?.cipher(NAME).map(|_| ())
}

fn names(who: &str, said: &str) -> Result<(), String> {
    match said.contains("AF_ALG") {
        true => Ok(()),
        false => Err(format!("{who} does not say what is missing: {said}")),
    }
}

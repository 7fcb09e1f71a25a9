//! `wirespeed kernel`: every driver measured, and any of them made to serve and taken back.

use std::fs;
use std::path::Path;

use wirespeed_af_alg::drivers::{self, Driver};
use wirespeed_system_tests::process::{command, output};

use crate::drivers::program;

/// The device's, and what the kernel makes by itself, which comes after it.
const DEVICE: &str = "virtio_crypto_aes_cbc";
const SOFTWARE: &str = "cbc(aes-generic)";

/// What our program says to its command `kernel`; an error holds what it complained of.
fn kernel(arguments: &[&str]) -> Result<String, String> {
    let said = output(command(program("wirespeed")?).arg("kernel").args(arguments))?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

fn driver(name: &str) -> Result<Driver, String> {
    let known = drivers::of_proc().map_err(|error| error.to_string())?;
    known
        .into_iter()
        .find(|driver| driver.driver == name)
        .ok_or_else(|| format!("no driver {name}"))
}

fn expect(holds: bool, said: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(said.to_owned()) }
}

/// All drivers of an algorithm have a speed, also those that nobody had asked for.
pub(crate) fn measured() -> Result<(), String> {
    let said = kernel(&["AES-128-CBC", "sha1"])?;
    for name in [DEVICE, SOFTWARE, "sha1-generic"] {
        let row = said.lines().find(|line| line.trim_start().starts_with(name));
        let row = row.ok_or_else(|| format!("no {name} in\n{said}"))?;
        let figures = row.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).count();
        // Its priority, and a speed at each size.
        expect(figures == 3 && !row.contains("not passed"), row)?;
    }
    expect(!said.contains("Not measured"), &said)?;
    let listed = kernel(&["--list"])?;
    expect(listed.contains("Not measured: --list"), &listed)
}

/// A priority is raised and taken back; what is in the way is said, and changes nothing.
pub(crate) fn priorities() -> Result<(), String> {
    kernel(&["AES-128-CBC"])?;
    let (before, device) = (driver(SOFTWARE)?, driver(DEVICE)?);
    let shown = kernel(&["--prefer", SOFTWARE, "--dry-run"])?;
    expect(shown.contains("Nothing was changed") && driver(SOFTWARE)? == before, &shown)?;
    if before.serves {
        return Err(format!("{SOFTWARE} serves from the start: nothing to test"));
    }
    let said = kernel(&["--prefer", SOFTWARE])?;
    expect(driver(SOFTWARE)?.serves && !driver(DEVICE)?.serves, &said)?;
    expect(kernel(&["--prefer", SOFTWARE])?.contains("already: nothing to change"), "twice")?;
    // A second one above it, and the first taken back from under it.
    kernel(&["--prefer", DEVICE])?;
    expect(driver(DEVICE)?.serves, "the device serves again")?;
    kernel(&["--unprefer", SOFTWARE])?;
    expect(driver(SOFTWARE)?.priority == before.priority, "the former priority is back")?;
    kernel(&["--unprefer"])?;
    expect(driver(DEVICE)? == device, "and that of the device")?;
    expect(!Path::new("/run/wirespeed/priorities").exists(), "nothing is left to take back")?;
    for (wrong, words) in [
        (&["--prefer", "no_such_driver"][..], "no driver and no crypto module 'no_such_driver'"),
        (&["--prefer", "virtio-crypto-aes"], "is it virtio_crypto_aes_cbc?"),
        (&["--unprefer", DEVICE], "is not preferred"),
    ] {
        let Err(complaint) = kernel(wrong) else { return Err(format!("{wrong:?} went well")) };
        expect(complaint.contains(words), &complaint)?;
    }
    damaged()
}

/// A memory that somebody else wrote to is not obeyed.
fn damaged() -> Result<(), String> {
    const FILE: &str = "/run/wirespeed/priorities";
    let written = fs::create_dir_all("/run/wirespeed").and_then(|()| fs::write(FILE, "junk"));
    written.map_err(|error| format!("{FILE}: {error}"))?;
    let before = driver(SOFTWARE)?;
    for wrong in [&["--unprefer"][..], &["--prefer", SOFTWARE]] {
        let Err(complaint) = kernel(wrong) else { return Err(format!("{wrong:?} went well")) };
        expect(complaint.contains("nothing was changed"), &complaint)?;
    }
    expect(driver(SOFTWARE)? == before, "the priority is as it was")?;
    expect(fs::read(FILE).is_ok_and(|bytes| bytes == b"junk"), "and the file")?;
    fs::remove_file(FILE).map_err(|error| format!("{FILE}: {error}"))
}

/// A module that is not there yet is brought by its users.
pub(crate) fn modules() -> Result<(), String> {
    const FILE: &str = "/etc/modprobe.d/wirespeed.conf";
    kernel(&["--prefer", "twofish_generic"])?;
    let loads = output(command("/sbin/modprobe").args(["--show-depends", "dm-crypt"]))?;
    let loads = String::from_utf8_lossy(&loads).into_owned();
    expect(loads.contains("twofish_generic"), &loads)?;
    let Err(complaint) = kernel(&["--prefer", "padlock"]) else {
        return Err("two at once".to_owned());
    };
    expect(complaint.contains("prefers twofish_generic already"), &complaint)?;
    kernel(&["--unprefer", "twofish_generic"])?;
    expect(!Path::new(FILE).exists(), "the file is gone, as before")
}

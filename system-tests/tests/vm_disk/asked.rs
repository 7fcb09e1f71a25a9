//! The question for the device's path, at a terminal.

use std::process::Stdio;

use wirespeed_system_tests::process::command;

use crate::fixtures::{Device, digest};
use crate::machine::Machine;
use crate::program::{Ended, path};

/// Somebody at a terminal starts it for a device, and types an answer.
fn answered(device: &Device, answer: &str) -> Result<Ended, String> {
    let mut script = command("script");
    let program = path()?;
    let line = format!(
        "{} disk --dm-crypt --size 1MiB --cipher none --device {}",
        program.display(),
        device.path().display()
    );
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = script.spawn().map_err(|error| format!("script: {error}"))?;
    let mut keyboard = child.stdin.take().ok_or("it was piped")?;
    std::io::Write::write_all(&mut keyboard, format!("{answer}\n").as_bytes())
        .map_err(|error| error.to_string())?;
    let ended = child.wait_with_output().map_err(|error| error.to_string())?;
    drop(keyboard);
    Ok(ended.into())
}

/// Another path, no path, half the path: nothing happens.
pub(crate) fn wrong_path() -> Result<(), String> {
    let device = Device::new()?;
    let before = (Machine::now()?, digest(device.path())?);
    let own = device.path().display().to_string();
    for answer in ["/dev/vda", "", "y", "yes", &own[..own.len() - 1], &format!("{own}0")] {
        let ended = answered(&device, answer)?;
        let told = |why: &str| format!("the answer '{answer}': {why}: {ended:?}");
        if ended.status != Some(2) || !ended.output.contains("nothing was written") {
            return Err(told("not refused"));
        }
        before.0.is_unchanged().map_err(|why| told(&why))?;
        if digest(device.path())? != before.1 {
            return Err(told("its bytes have changed"));
        }
    }
    Ok(())
}

/// The path: then it is overwritten.
pub(crate) fn right_path() -> Result<(), String> {
    let device = Device::new()?;
    let before = (Machine::now()?, digest(device.path())?);
    let ended = answered(&device, &device.path().display().to_string())?;
    if ended.status != Some(0) {
        return Err(format!("{ended:?}"));
    }
    before.0.is_unchanged()?;
    match digest(device.path())? == before.1 {
        false => Ok(()),
        true => Err(format!("nothing was written: {ended:?}")),
    }
}

//! A disk that goes away while it is in use: the program says so, and nothing of it is left mapped.

use std::process::Stdio;

use wirespeed_system_tests::process::wait_until;

use crate::fixtures::tell;
use crate::machine::{Machine, Stage};
use crate::program::{Ended, disk};

/// The second disk of the guest.
const DISK: &str = "/dev/vdb";

pub(crate) fn out() -> Result<(), String> {
    for ciphers in ["aes-cbc-plain64", "aes-gcm-random"] {
        pull(ciphers).map_err(|why| format!("{ciphers}: {why}"))?;
    }
    Ok(())
}

fn pull(ciphers: &str) -> Result<(), String> {
    let before = Machine::now()?;
    let mut command = disk(&[
        "--dm-crypt",
        "--size",
        "24MiB",
        "--cipher",
        ciphers,
        "--device",
        DISK,
        "--yes-destroy",
        DISK,
    ])?;
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    let (mut ended, mut seen) = (None, false);
    wait_until("the stage", || {
        ended = child.try_wait().ok().flatten();
        ended.is_some() || Stage::Written.is_reached(&before, &mut seen)
    })?;
    if let Some(status) = ended {
        return Err(format!("it ended before: {status}"));
    }
    tell("/sys/block/vdb/device/../remove", "1")?;
    let ended = Ended::from(child.wait_with_output().map_err(|error| error.to_string())?);
    let line = ended.fault()?;
    if !line.contains(&format!("{DISK}: the storage failed")) {
        return Err(format!("the line does not say what has happened: {line}"));
    }
    // As somebody plugs it in again.
    tell("/sys/bus/pci/rescan", "1")?;
    wait_until("the disk", || before.is_unchanged().is_ok()).or_else(|_| before.is_unchanged())
}

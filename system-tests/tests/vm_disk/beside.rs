//! cryptsetup's own benchmark beside our figures: both, or why there is only ours.

use std::fs;

use wirespeed_conformance::scratch::Scratch;
use wirespeed_results::schema::disk::Disk;
use wirespeed_system_tests::process::{command, output};

use crate::program::{Ended, disk};

/// As administrators are told to switch AF_ALG off.
const SWITCH: &str = "/etc/modprobe.d/wirespeed-test.conf";

/// With the kernel's sockets, which cryptsetup goes through; and without.
pub(crate) fn cryptsetup() -> Result<(), String> {
    let with = compared()?;
    // ARIA is one that this kernel lacks.
    for (cipher, is_there) in [("aes-xts-plain64", true), ("aria-xts-plain64", false)] {
        let found = with.cryptsetup.iter().find(|it| it.cipher == cipher);
        let found = found.ok_or_else(|| format!("no {cipher}: {with:?}"))?;
        let is_speed = |it: Option<f64>| it.is_some_and(|it| it > 0.0);
        let ours = [found.write_bytes_per_second, found.read_bytes_per_second].map(is_speed);
        let theirs =
            [found.encryption_bytes_per_second, found.decryption_bytes_per_second].map(is_speed);
        if ours != [true; 2] || theirs != [is_there; 2] || found.reason.is_none() != is_there {
            return Err(format!("{cipher}: {found:?}"));
        }
    }
    fs::write(SWITCH, "install af_alg /bin/false\n").map_err(|it| format!("{SWITCH}: {it}"))?;
    let without = output(command("modprobe").args(["--remove", "algif_skcipher", "af_alg"]))
        .and_then(|_| compared());
    fs::remove_file(SWITCH).map_err(|error| format!("{SWITCH}: {error}"))?;
    let without = without?;
    let explained = without.warnings.iter().any(|line| line.contains("AF_ALG"));
    if explained && without.cryptsetup.is_empty() && !without.rows.is_empty() {
        return Ok(());
    }
    Err(format!("without AF_ALG: {:?}, {:?}", without.warnings, without.cryptsetup))
}

fn compared() -> Result<Disk, String> {
    // In what lies over the host's files, where Linux 6.1 makes no file without a name.
    let scratch = Scratch::new()?;
    let folder = scratch.root().display().to_string();
    let names = "aes-xts-plain64,aria-xts-plain64";
    let run = ["--compare-cryptsetup", "--size", "1MiB", "--cipher", names, "--json", "-"];
    let mut command = disk(&[&run[..], &["--directory", &folder]].concat())?;
    let document = Ended::of(&mut command)?.document()?;
    match fs::read_dir(&folder).map_err(|error| format!("{folder}: {error}"))?.next() {
        None => Ok(document),
        Some(left) => Err(format!("left behind: {left:?}")),
    }
}

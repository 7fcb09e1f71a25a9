//! /dev/crypto, the interface of cryptodev-linux, a module that never came into Linux.
//!
//! It is not opened here: what lies there and what /proc/crypto lists tells as much.

use std::path::Path;

use wirespeed_af_alg::devcrypto::PATH;

use super::gain;
use super::wanted::Wanted;
use crate::examined::Examined;
use crate::finding::Finding;

/// What it is worth where it is, who may open it, and whether what is wanted of it can be had.
pub(super) fn device(examined: &Examined<'_>, wanted: &Wanted, release: &str) -> Vec<Finding> {
    let Ok(entry) = examined.here.entry(Path::new(PATH)) else {
        return absent(examined, wanted).into_iter().collect();
    };
    let hardware = gain::devices(examined, release);
    let mut findings = vec![match &hardware {
        Some(devices) => Finding::note(format!(
            "{PATH} is here (cryptodev-linux, no part of Linux), and {devices}: wirespeed kernel names \
             who serves there, wirespeed bench --routes devcrypto,libcrypto measures what it is worth, \
             wirespeed tune --kernel decides where (docs/kernel.md)"
        )),
        None => Finding::note(format!(
            "{PATH} is here (cryptodev-linux, no part of Linux), and is worth nothing: no driver of \
             /proc/crypto is of a device, and what the CPU can do itself it does as fast or faster \
             without (docs/kernel.md)"
        )),
    }];
    if entry.mode & EVERYBODY != EVERYBODY && (wanted.on || hardware.is_some()) {
        let said = format!(
            "{PATH} has mode {:04o}: programs of other users get nothing from it",
            entry.mode & 0o7777
        );
        findings.push(match wanted.on {
            true => Finding::mend(
                said,
                "a rule of udev's opens it: echo 'KERNEL==\"crypto\", MODE=\"0666\"' | sudo tee \
                 /etc/udev/rules.d/99-crypto.rules; sudo udevadm trigger",
            ),
            false => Finding::note(said),
        });
    }
    findings.extend(wanted.match_of_key_and_plan());
    findings
}

/// Read and write, for everybody: as the module makes it.
const EVERYBODY: u32 = 0o006;

/// Something is wanted of what is not there.
fn absent(examined: &Examined<'_>, wanted: &Wanted) -> Option<Finding> {
    let is_loaded = examined.here.exists("/sys/module/cryptodev");
    let why = match is_loaded {
        true => "the module cryptodev is loaded, but there is no /dev/crypto: in a container?",
        false => "there is no /dev/crypto, for the module of cryptodev-linux is not loaded",
    };
    wanted.on.then(|| {
        Finding::mend(
            format!("{}, but {why}: other routes serve", wanted.line),
            "load it (sudo modprobe cryptodev), or take the line away",
        )
    })
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Route;

    use super::*;
    use crate::fake::Fake;

    const DEVICE: &str = "name : cbc(aes)\ndriver : mv-cbc-aes\nmodule : marvell_cesa\npriority : 300\n\
        selftest : passed\ninternal : no\ntype : skcipher\nasync : yes\n";

    fn says(fake: &Fake) -> String {
        fake.says(|examined| {
            let wanted = Wanted::of(examined, Route::DevCrypto);
            device(examined, &wanted, "6.1.0")
        })
    }

    fn installed(lines: &str) -> Fake {
        Fake::installed(lines).file_of(PATH, "", 0, 0o666)
    }

    #[test]
    fn software_alone_is_worth_nothing_and_hardware_is_named() {
        assert_eq!(says(&Fake::bare()), "");
        assert_eq!(says(&Fake::bare().file("/sys/module/cryptodev/version", "")), "");
        let said = says(&Fake::bare().file_of(PATH, "", 0, 0o666));
        assert!(said.starts_with("note: /dev/crypto is here (cryptodev-linux"), "{said}");
        assert!(said.contains("is worth nothing") && said.lines().count() == 1, "{said}");
        let said = says(&Fake::bare().file_of(PATH, "", 0, 0o660).file("/proc/crypto", DEVICE));
        assert!(said.contains("mv-cbc-aes (Marvell CESA): wirespeed kernel names"), "{said}");
        assert!(said.contains("note: /dev/crypto has mode 0660: programs of other"), "{said}");
    }

    #[test]
    fn what_is_wanted_and_cannot_be_had_is_a_fault() {
        let said = says(&Fake::installed("devcrypto = on"));
        assert!(said.starts_with("MEND: /etc/ssl/openssl.cnf:"), "{said}");
        assert!(said.contains("devcrypto = on, but there is no /dev/crypto"), "{said}");
        assert!(said.contains("-> load it (sudo modprobe cryptodev), or take"), "{said}");
        let said = says(&Fake::installed("devcrypto = on").file_of(PATH, "", 0, 0o600));
        assert!(said.contains("MEND: /dev/crypto has mode 0600"), "{said}");
        let said = says(&installed("devcrypto = on"));
        assert!(said.contains("but no plan gives /dev/crypto anything"), "{said}");
        assert_eq!(says(&Fake::installed("kernel = on")), "", "that is the other way");
    }
}

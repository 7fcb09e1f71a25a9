//! libgcrypt, by way of GnuPG.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::{Scratch, read};

use crate::emulation::{Said, emulated};

/// GnuPG with a home of its own, and its agent, which ends with this value.
struct Home(Scratch);

impl Home {
    fn new() -> Result<Self, String> {
        let scratch = Scratch::new()?;
        // It refuses a home that others may enter.
        fs::set_permissions(scratch.root(), fs::Permissions::from_mode(0o700))
            .map_err(|error| error.to_string())?;
        Ok(Self(scratch))
    }

    fn gpg<'c>(&self, gpg: &'c mut Command, from: &Path, to: &Path) -> &'c mut Command {
        gpg.arg("--homedir").arg(self.0.root()).args(["--batch", "--yes", "--quiet"]);
        gpg.args(["--passphrase", "a pass phrase", "--pinentry-mode", "loopback"]);
        gpg.arg("--output").arg(to).args(["--cipher-algo", "AES", "--compress-algo", "none"]);
        gpg.arg(if to.ends_with("sealed") { "--symmetric" } else { "--decrypt" }).arg(from)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // Its agent goes when its home does, but not at once.
        let mut end = command("gpgconf");
        let _ = output(end.arg("--homedir").arg(self.0.root()).args(["--kill", "all"]));
    }
}

/// What is encrypted on PadLock is decrypted without, and the other way round.
pub(crate) fn gpg() -> Result<(), String> {
    let home = Home::new()?;
    let letter = painted(5, 100_000);
    let [plain, sealed, opened] = ["plain", "sealed", "opened"].map(|name| home.0.path(name));
    fs::write(&plain, &letter).map_err(|error| error.to_string())?;
    for sender_is_emulated in [true, false] {
        let on_padlock = |from: &Path, to: &Path, expected: &[(&str, u64)]| {
            let mut gpg = emulated(&["--hide-aesni"], "gpg")?;
            let said = Said::by(home.gpg(&mut gpg, from, to), b"")?;
            said.output()?;
            said.counts("gpg").ran(expected)
        };
        let natively =
            |from: &Path, to: &Path| output(home.gpg(&mut command("gpg"), from, to)).map(drop);
        // CFB is made of single blocks here. The random numbers of a key's salt are seeded by xstore.
        let blocks = letter.len() as u64 / 16;
        if sender_is_emulated {
            on_padlock(&plain, &sealed, &[("xcryptecb", blocks), ("xstore", 1)])?;
            natively(&sealed, &opened)?;
        } else {
            natively(&plain, &sealed)?;
            on_padlock(&sealed, &opened, &[("xcryptecb", blocks)])?;
        }
        same(|| format!("sender on PadLock: {sender_is_emulated}"), &letter, &read(&opened)?)?;
    }
    Ok(())
}

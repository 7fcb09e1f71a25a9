//! /dev/crypto, the interface of cryptodev-linux, a module that never came into Linux.

use crate::examined::Examined;
use crate::finding::Finding;

/// Says what it is, where it is.
pub(super) fn device(examined: &Examined<'_>) -> Option<Finding> {
    let loaded = examined.here.exists("/sys/module/cryptodev");
    (loaded || examined.here.exists("/dev/crypto")).then(|| {
        Finding::note(
            "/dev/crypto is here (cryptodev-linux, no part of Linux): nothing of Wirespeed's needs it, \
             and stock OpenSSL 3 has no user of it; what the CPU can do itself it does as fast or \
             faster without (docs/kernel.md)",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn the_device_is_told_about() {
        let says = |fake: Fake| fake.says(|examined| device(examined).into_iter().collect());
        assert_eq!(says(Fake::bare()), "");
        for file in ["/dev/crypto", "/sys/module/cryptodev/version"] {
            let said = says(Fake::bare().file(file, ""));
            assert!(said.starts_with("note: /dev/crypto is here (cryptodev-linux"), "{said}");
        }
    }
}

//! Which drivers are known to run on crypto hardware: by their names, as the kernel's sources give them.
//!
//! A driver that is not in the table may be anything; nothing is guessed.

/// How a driver's name tells of its hardware.
enum Mark {
    /// It begins so.
    Beginning(&'static str),
    /// It ends so.
    End(&'static str),
    /// It holds this between hyphens, underscores, brackets and commas.
    Word(&'static str),
}

use Mark::{Beginning, End, Word};

/// Names from Linux 3.10 to 6.18: drivers/crypto/*, arch/{x86,arm64}/crypto/*, arch/mips/cavium-octeon/crypto/*.
const KNOWN: &[(Mark, &str)] = &[
    (Word("padlock"), "PadLock"),
    (Word("aesni"), "AES-NI"),
    (Word("vaes"), "VAES"),
    (End("-ni"), "SHA-NI"),
    (Word("clmulni"), "PCLMULQDQ"),
    // Before the next: its names end alike.
    (Word("sun8i"), "Allwinner Crypto Engine"),
    (End("-ce"), "ARMv8 Crypto Extensions"),
    (Beginning("virtio_crypto_"), "virtio device"),
    (End("-ccp"), "AMD CCP"),
    (Beginning("qat_"), "Intel QAT"),
    (Word("geode"), "Geode LX"),
    (Word("caam"), "NXP CAAM"),
    (Word("omap"), "TI OMAP"),
    (Word("eip93"), "Inside Secure EIP93"),
    (Beginning("octeon-"), "Cavium Octeon"),
    (Beginning("safexcel-"), "Inside Secure SafeXcel"),
    (Beginning("mv-"), "Marvell CESA"),
    (Word("starfive"), "StarFive JH7110"),
];

/// Hardware whose instructions every program can use, without the kernel.
const INSTRUCTIONS: [&str; 6] =
    ["PadLock", "AES-NI", "VAES", "SHA-NI", "PCLMULQDQ", "ARMv8 Crypto Extensions"];

/// Whether only the kernel reaches it.
pub(super) fn is_device(hardware: &str) -> bool {
    !INSTRUCTIONS.contains(&hardware)
}

/// The hardware that a driver runs on, if that is known.
pub(crate) fn behind(driver: &str) -> Option<&'static str> {
    let is_marked = |mark: &Mark| match mark {
        Beginning(text) => driver.starts_with(text),
        End(text) => driver.ends_with(text),
        Word(word) => driver.split(['-', '_', '(', ')', ',']).any(|part| part == *word),
    };
    KNOWN.iter().find(|(mark, _)| is_marked(mark)).map(|(_, hardware)| *hardware)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certain_is_marked() {
        for (driver, hardware) in [
            ("cbc-aes-padlock", Some("PadLock")),
            ("sha1-padlock-nano", Some("PadLock")),
            ("authenc(hmac(sha1-padlock-nano),cbc-aes-padlock)", Some("PadLock")),
            ("cbc-aes-aesni", Some("AES-NI")),
            ("__generic-gcm-aesni", Some("AES-NI")),
            ("cryptd(__generic-gcm-aesni)", Some("AES-NI")),
            ("ghash-clmulni", Some("PCLMULQDQ")),
            ("xts-aes-vaes-avx512", Some("VAES")),
            ("sha256-ni", Some("SHA-NI")),
            ("cbc-aes-ce", Some("ARMv8 Crypto Extensions")),
            ("cbc-aes-sun8i-ce", Some("Allwinner Crypto Engine")),
            ("virtio_crypto_aes_cbc", Some("virtio device")),
            ("authenc(hmac(sha1-eip93), cbc(aes-eip93))", Some("Inside Secure EIP93")),
            ("omap-hmac-sha1", Some("TI OMAP")),
            ("octeon-sha256", Some("Cavium Octeon")),
            ("starfive-ctr-aes", Some("StarFive JH7110")),
            ("sha256-hmac-starfive", Some("StarFive JH7110")),
            ("aes-generic", None),
            ("sha256-lib", None),
            ("cbc(ecb(aes-fixed-time))", None),
            ("sha1-avx2", None),
            ("jitterentropy_rng", None),
        ] {
            assert_eq!(behind(driver), hardware, "{driver}");
        }
    }
}

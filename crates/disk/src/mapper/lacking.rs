//! Why the kernel does not know a cipher, in words for the table.

use std::fs;
use std::path::Path;

use super::program;
use crate::{Candidate, Cipher, Mode, Specification, Variant};

/// The kernel's configuration, where it is told.
pub(super) fn configuration() -> Option<String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let release = release.trim();
    let places = [
        format!("/boot/config-{release}"),
        format!("/lib/modules/{release}/config"),
        format!("/lib/modules/{release}/build/.config"),
    ];
    if let Some(text) = places.iter().find_map(|path| fs::read_to_string(path).ok()) {
        return Some(text);
    }
    let packed = "/proc/config.gz";
    if !Path::new(packed).exists() {
        return None;
    }
    program::run("gzip", &["--decompress", "--stdout", packed], "", None).ok()?.well().ok()
}

/// Why there is none of the names that a candidate has for the kernel.
pub(super) fn reason(
    candidate: Candidate,
    names: &[String],
    configuration: Option<&str>,
) -> String {
    let Specification::Encrypted(cipher, mode, _) = candidate.specification else {
        return String::new();
    };
    // "crypto: serpent - get rid of obsolete tnepres variant"; the pull request of crypto for 5.12 lists it.
    if cipher == Cipher::Tnepres {
        return "removed in Linux 5.12".to_owned();
    }
    let wanted: Vec<&str> = symbols(cipher).iter().chain(symbol(mode)).copied().collect();
    let unset = |symbol: &&&str| configuration.is_some_and(|text| !is_set(text, symbol));
    if let Some(symbol) = wanted.iter().find(unset) {
        return format!("not configured (CONFIG_{symbol})");
    }
    if candidate.variant == Variant::Generic {
        return format!("no driver by the name {}", names.join(" or "));
    }
    match configuration {
        Some(_) => format!("configured, but its module is not there (CONFIG_{})", wanted[0]),
        None => format!("not in this kernel (CONFIG_{})", wanted.join(", CONFIG_")),
    }
}

/// Whether a symbol is `y` or `m`.
fn is_set(configuration: &str, symbol: &str) -> bool {
    let line = |line: &str| {
        let value = line.strip_prefix("CONFIG_").and_then(|rest| rest.strip_prefix(symbol));
        matches!(value, Some("=y" | "=m"))
    };
    configuration.lines().any(line)
}

/// Linux's crypto/Kconfig. A cipher without a symbol in a kernel's configuration depends on another that is unset,
/// as those do that wait for CRYPTO_USER_API_ENABLE_OBSOLETE.
const fn symbols(cipher: Cipher) -> &'static [&'static str] {
    match cipher {
        Cipher::Aes => &["CRYPTO_AES"],
        Cipher::Anubis => &["CRYPTO_ANUBIS"],
        Cipher::Arc4 => &["CRYPTO_ARC4"],
        Cipher::Aria => &["CRYPTO_ARIA"],
        Cipher::Blowfish => &["CRYPTO_BLOWFISH"],
        Cipher::Camellia => &["CRYPTO_CAMELLIA"],
        Cipher::Cast5 => &["CRYPTO_CAST5"],
        Cipher::Cast6 => &["CRYPTO_CAST6"],
        Cipher::Khazad => &["CRYPTO_KHAZAD"],
        Cipher::Serpent | Cipher::Tnepres => &["CRYPTO_SERPENT"],
        Cipher::Sm4 => &["CRYPTO_SM4_GENERIC"],
        Cipher::Tea | Cipher::Xeta | Cipher::Xtea => &["CRYPTO_TEA"],
        Cipher::Twofish => &["CRYPTO_TWOFISH"],
        Cipher::Xchacha12Aes | Cipher::Xchacha20Aes => &["CRYPTO_ADIANTUM"],
        Cipher::Aegis128 => &["CRYPTO_AEGIS128"],
    }
}

const fn symbol(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::Ecb => &["CRYPTO_ECB"],
        Mode::Cbc => &["CRYPTO_CBC"],
        Mode::Xts => &["CRYPTO_XTS"],
        Mode::Gcm => &["CRYPTO_GCM"],
        Mode::Adiantum | Mode::Aead => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOCK: &str = "CONFIG_CRYPTO_AES=y\nCONFIG_CRYPTO_CBC=m\n# CONFIG_CRYPTO_ARIA is not set\n\
                         CONFIG_CRYPTO_AES_TI=m\n# CONFIG_CRYPTO_XTS is not set\n";

    fn why(name: &str, variant: Variant, configuration: Option<&str>) -> String {
        let specification: Specification = name.parse().expect("a cipher");
        let candidate = Candidate { variant, ..Candidate::of(specification, 128) };
        reason(candidate, &["cbc(some-driver)".to_owned()], configuration)
    }

    #[test]
    fn what_upstream_removed() {
        let removed = "removed in Linux 5.12";
        assert_eq!(why("tnepres-cbc-plain64", Variant::Best, None), removed);
        assert_eq!(why("tnepres-cbc-plain64", Variant::Best, Some(STOCK)), removed);
    }

    #[test]
    fn what_is_not_configured() {
        let why = |name| why(name, Variant::Best, Some(STOCK));
        assert_eq!(why("aria-cbc-plain64"), "not configured (CONFIG_CRYPTO_ARIA)");
        // Not even mentioned.
        assert_eq!(why("khazad-cbc-plain64"), "not configured (CONFIG_CRYPTO_KHAZAD)");
        assert_eq!(why("aes-xts-plain64"), "not configured (CONFIG_CRYPTO_XTS)");
        let absent = "configured, but its module is not there (CONFIG_CRYPTO_AES)";
        assert_eq!(why("aes-cbc-plain64"), absent);
    }

    #[test]
    fn a_kernel_that_does_not_tell() {
        let unknown = "not in this kernel (CONFIG_CRYPTO_SM4_GENERIC, CONFIG_CRYPTO_XTS)";
        assert_eq!(why("sm4-xts-plain64", Variant::Best, None), unknown);
    }

    #[test]
    fn a_driver_by_name() {
        let none = "no driver by the name cbc(some-driver)";
        assert_eq!(why("aes-cbc-plain64", Variant::Generic, Some(STOCK)), none);
    }
}

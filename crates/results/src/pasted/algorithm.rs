//! What `openssl speed` calls an algorithm, and what it is.

use wirespeed_cipher::{Direction, Subject};

/// Longer names there are none; nobody's text is to be looked at for long.
const LONGEST: usize = 40;

/// An algorithm of `openssl speed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Algorithm {
    /// OpenSSL's name now.
    pub(super) name: String,
    /// Whether it is a hash function, with a key or without.
    pub(super) is_hash: bool,
    /// Whether it makes a tag.
    pub(super) has_tag: bool,
    /// Whether the name is one of those that 1.0 and 1.1 have for what they call without EVP: "aes-128 cbc".
    pub(super) is_below_evp: bool,
}

/// Names of its own that mean something else elsewhere, or nothing.
const OTHERWISE: [(&str, &str); 6] = [
    ("des-ede3", "DES-EDE3-CBC"),
    ("blowfish", "BF-CBC"),
    ("cast", "CAST5-CBC"),
    ("rmd160", "RIPEMD-160"),
    ("ripemd160", "RIPEMD-160"),
    ("ripemd", "RIPEMD-160"),
];

/// What it measures and nobody here has: ciphers, and functions that make a hash.
const OTHERS: [(&str, bool); 26] = [
    ("md2", true),
    ("mdc2", true),
    ("sha", true),
    ("whirlpool", true),
    ("ripemd-160", true),
    ("ghash", true),
    ("rand", true),
    ("kmac128", true),
    ("kmac256", true),
    ("blake2b512", true),
    ("blake2s256", true),
    ("sha512-224", true),
    ("sha512-256", true),
    ("rc4", false),
    ("rc4-40", false),
    ("rc2-cbc", false),
    ("rc2-cfb", false),
    ("rc5-cbc", false),
    ("rc5-32/12-cbc", false),
    ("idea-cbc", false),
    ("idea-cfb", false),
    ("seed-cbc", false),
    ("des-cfb", false),
    ("aes-128-ige", false),
    ("aes-192-ige", false),
    ("aes-256-ige", false),
];

impl Algorithm {
    /// The one that is meant, if any is.
    pub(super) fn called(printed: &str) -> Option<Self> {
        if printed.len() > LONGEST || !printed.is_ascii() {
            return None;
        }
        let is_below_evp = printed.contains(' ');
        let joined = printed.replace(' ', "-").to_ascii_lowercase();
        let other = OTHERWISE.iter().find(|(word, _)| *word == joined);
        let joined = other.map_or(joined, |(_, name)| name.to_ascii_lowercase());
        if let Some((name, is_hash)) = OTHERS.iter().find(|(name, _)| *name == joined) {
            let name = name.to_ascii_uppercase();
            return Some(Self { name, is_hash: *is_hash, has_tag: false, is_below_evp });
        }
        // Ciphers with a hash inside, and MACs that are made of ciphers.
        let is_combined = joined.contains("-cbc-hmac-") || joined.starts_with("cmac(");
        if is_combined {
            let is_hash = joined.starts_with("cmac(");
            let name = joined.to_ascii_uppercase();
            return Some(Self { name, is_hash, has_tag: false, is_below_evp: false });
        }
        let subject: Subject = joined.parse().ok()?;
        Some(Self {
            name: subject.name().to_owned(),
            is_hash: subject.is_hash(),
            has_tag: ["-GCM", "-CCM", "-OCB", "-SIV", "Poly1305"]
                .iter()
                .any(|mode| subject.name().ends_with(mode)),
            is_below_evp,
        })
    }

    /// The word for a direction.
    pub(super) const fn direction(&self, direction: Direction) -> &'static str {
        if self.is_hash { "hash" } else { direction.name() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_release() {
        for (printed, meant) in [
            ("aes-128 cbc", "AES-128-CBC"),
            ("AES-128-CBC", "AES-128-CBC"),
            ("des ede3", "DES-EDE3-CBC"),
            ("des cbc", "DES-CBC"),
            ("blowfish cbc", "BF-CBC"),
            ("blowfish", "BF-CBC"),
            ("cast cbc", "CAST5-CBC"),
            ("camellia-256 cbc", "CAMELLIA-256-CBC"),
            ("sha256", "SHA2-256"),
            ("hmac(md5)", "HMAC-MD5"),
            ("hmac(sha256)", "HMAC-SHA2-256"),
            ("id-aes256-GCM", "AES-256-GCM"),
            ("ChaCha20-Poly1305", "ChaCha20-Poly1305"),
            ("rc5-32/12 cbc", "RC5-32/12-CBC"),
            ("rmd160", "RIPEMD-160"),
            ("AES-128-CBC-HMAC-SHA256", "AES-128-CBC-HMAC-SHA256"),
            ("cmac(aes-128-cbc)", "CMAC(AES-128-CBC)"),
        ] {
            let name = Algorithm::called(printed).map(|it| it.name);
            assert_eq!(name.as_deref(), Some(meant), "{printed}");
        }
        for word in ["evp", "Total", "", "type", "rfc(rfc(rfc(rfc(rfc(rfc(rfc(rfc(rfc(rfc(aes"] {
            assert_eq!(Algorithm::called(word), None, "{word}");
        }
    }

    #[test]
    fn who_has_a_tag() {
        let has_tag = |name| Algorithm::called(name).is_some_and(|it| it.has_tag);
        assert!(
            ["aes-128-gcm", "aes-256-ccm", "aes-128-ocb", "aes-128-gcm-siv"].map(has_tag)
                == [true; 4]
        );
        assert!(has_tag("chacha20-poly1305") && !has_tag("chacha20") && !has_tag("aes-128-cbc"));
    }
}

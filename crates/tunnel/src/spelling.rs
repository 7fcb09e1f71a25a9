//! Suites as Linux and OpenVPN spell them.

use wirespeed_cipher::Digest;
use wirespeed_vpn::{Framing, Protection, Suite};

/// The name in tables and documents: OpenVPN does not call it ESP.
pub(crate) fn name(suite: &Suite) -> &'static str {
    suite.name.strip_prefix("ESP ").unwrap_or(suite.name)
}

/// Linux's names, in the words of ip-xfrm(8), with the bytes of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// With the salt as a part of the key.
    Aead { name: &'static str, key_bytes: usize },
    /// A cipher, and HMAC behind it.
    Pair { cipher: &'static str, key_bytes: usize, digest: &'static str, digest_key_bytes: usize },
}

impl Kernel {
    /// The suite of ESP.
    pub(crate) fn of(suite: &Suite) -> Self {
        let key_bytes = suite.key_bytes + suite.salt_bytes();
        let cipher = suite.subject().name();
        match suite.protection {
            Protection::Ccm { .. } => Self::Aead { name: "rfc4309(ccm(aes))", key_bytes },
            Protection::Aead { .. } if cipher.starts_with("AES") => {
                Self::Aead { name: "rfc4106(gcm(aes))", key_bytes }
            }
            Protection::Aead { .. } => {
                Self::Aead { name: "rfc7539esp(chacha20,poly1305)", key_bytes }
            }
            Protection::Hmac(digest) => Self::Pair {
                cipher: match cipher {
                    cipher if cipher.starts_with("AES") => "cbc(aes)",
                    cipher if cipher.starts_with("CAMELLIA") => "cbc(camellia)",
                    _ => "cbc(des3_ede)",
                },
                key_bytes,
                digest: hmac(digest),
                // RFC 2403, 2404, 4868: as long as the hash.
                digest_key_bytes: digest.bytes(),
            },
        }
    }
}

const fn hmac(digest: Digest) -> &'static str {
    match digest {
        Digest::Md5 => "hmac(md5)",
        Digest::Sha1 => "hmac(sha1)",
        Digest::Sha256 => "hmac(sha256)",
        _ => "hmac(sha512)",
    }
}

/// OpenVPN's hash function; of a cipher that authenticates, nothing but its control channel could have one.
pub(crate) const fn openvpn_digest(suite: &Suite) -> &'static str {
    match suite.digest() {
        Some(Digest::Md5) => "MD5",
        Some(Digest::Sha256) => "SHA256",
        Some(Digest::Sha512) => "SHA512",
        _ => "SHA1",
    }
}

/// Whether it can be had without WireGuard.
pub(crate) fn is_esp(suite: &Suite) -> bool {
    suite.framing == Framing::Esp
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_has_every_suite_by_its_own_name() {
        let of = |keyword: &str| Kernel::of(&keyword.parse().expect("a suite"));
        let aead = |name, key_bytes| Kernel::Aead { name, key_bytes };
        assert_eq!(of("aes128gcm16"), aead("rfc4106(gcm(aes))", 20));
        assert_eq!(of("aes256ccm16"), aead("rfc4309(ccm(aes))", 35));
        assert_eq!(of("chacha20poly1305"), aead("rfc7539esp(chacha20,poly1305)", 36));
        let pair = |cipher, key_bytes, digest, digest_key_bytes| Kernel::Pair {
            cipher,
            key_bytes,
            digest,
            digest_key_bytes,
        };
        assert_eq!(of("aes256-sha256"), pair("cbc(aes)", 32, "hmac(sha256)", 32));
        assert_eq!(of("camellia128-sha512"), pair("cbc(camellia)", 16, "hmac(sha512)", 64));
        assert_eq!(of("3des-sha1"), pair("cbc(des3_ede)", 24, "hmac(sha1)", 20));
    }
}

//! The suites, as each carrier spells them.

use crate::carrier::Carrier;
use Carrier::{Libipsec, OpenVpn, Xfrm};

/// A cipher, and perhaps a MAC, for the packets of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suite {
    /// strongSwan's word for an ESP proposal.
    pub keyword: &'static str,
    /// The name in tables and documents.
    pub name: &'static str,
    /// OpenSSL's name of the cipher.
    pub cipher: &'static str,
    /// As the kernel has it.
    pub(crate) kernel: Kernel,
    /// Who is measured with it.
    pub carriers: &'static [Carrier],
}

/// Linux's names, in the words of ip-xfrm(8), with the bytes of keys and the bits of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// With the salt as a part of the key.
    Aead { name: &'static str, key_bytes: usize },
    /// A cipher, and HMAC behind it.
    Pair { cipher: &'static str, key_bytes: usize, digest: Digest },
}

/// A hash function for HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digest {
    pub(crate) name: &'static str,
    /// As OpenVPN spells it.
    pub(crate) openvpn: &'static str,
    pub(crate) key_bytes: usize,
    pub(crate) tag_bits: u32,
}

const SHA1: Digest = Digest { name: "hmac(sha1)", openvpn: "SHA1", key_bytes: 20, tag_bits: 96 };
const SHA256: Digest =
    Digest { name: "hmac(sha256)", openvpn: "SHA256", key_bytes: 32, tag_bits: 128 };

const ALL: &[Carrier] = &[Xfrm, OpenVpn, Libipsec];

impl Suite {
    const fn aead(
        keyword: &'static str,
        name: &'static str,
        kernel: &'static str,
        key_bytes: usize,
    ) -> Self {
        let kernel = Kernel::Aead { name: kernel, key_bytes };
        Self { keyword, name, cipher: name, kernel, carriers: ALL }
    }

    const fn pair(
        keyword: &'static str,
        name: &'static str,
        cipher: (&'static str, &'static str, usize),
        digest: Digest,
        carriers: &'static [Carrier],
    ) -> Self {
        let (cipher, kernel, key_bytes) = cipher;
        let kernel = Kernel::Pair { cipher: kernel, key_bytes, digest };
        Self { keyword, name, cipher, kernel, carriers }
    }

    /// Every suite, those of today first.
    pub const ALL: [Self; 12] = [
        Self::aead("aes128gcm16", "AES-128-GCM", "rfc4106(gcm(aes))", 16 + 4),
        Self::aead("aes256gcm16", "AES-256-GCM", "rfc4106(gcm(aes))", 32 + 4),
        Self::aead(
            "chacha20poly1305",
            "ChaCha20-Poly1305",
            "rfc7539esp(chacha20,poly1305)",
            32 + 4,
        ),
        Self {
            carriers: &[Xfrm],
            ..Self::aead("aes128ccm16", "AES-128-CCM", "rfc4309(ccm(aes))", 16 + 3)
        },
        Self::pair("aes128-sha1", "AES-128-CBC HMAC-SHA1", AES_128, SHA1, &[Xfrm]),
        Self::pair("aes128-sha256", "AES-128-CBC HMAC-SHA2-256", AES_128, SHA256, &[Xfrm]),
        Self::pair("aes256-sha1", "AES-256-CBC HMAC-SHA1", AES_256, SHA1, &[Xfrm, OpenVpn]),
        Self::pair("aes256-sha256", "AES-256-CBC HMAC-SHA2-256", AES_256, SHA256, ALL),
        Self::pair("camellia128-sha1", "Camellia-128-CBC HMAC-SHA1", CAMELLIA_128, SHA1, &[Xfrm]),
        Self::pair("camellia256-sha1", "Camellia-256-CBC HMAC-SHA1", CAMELLIA_256, SHA1, &[Xfrm]),
        Self::pair(
            "camellia256-sha256",
            "Camellia-256-CBC HMAC-SHA2-256",
            CAMELLIA_256,
            SHA256,
            &[Xfrm],
        ),
        Self::pair("3des-sha1", "3DES-CBC HMAC-SHA1", TRIPLE_DES, SHA1, &[Xfrm]),
    ];

    /// The one of that keyword.
    pub fn of(keyword: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.keyword == keyword)
    }
}

/// OpenSSL's name, Linux's, and the bytes of a key.
const AES_128: (&str, &str, usize) = ("AES-128-CBC", "cbc(aes)", 16);
const AES_256: (&str, &str, usize) = ("AES-256-CBC", "cbc(aes)", 32);
const CAMELLIA_128: (&str, &str, usize) = ("CAMELLIA-128-CBC", "cbc(camellia)", 16);
const CAMELLIA_256: (&str, &str, usize) = ("CAMELLIA-256-CBC", "cbc(camellia)", 32);
const TRIPLE_DES: (&str, &str, usize) = ("DES-EDE3-CBC", "cbc(des3_ede)", 24);

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Subject;

    use super::*;

    #[test]
    fn every_suite_has_a_keyword_and_a_cipher_of_its_own() {
        for suite in Suite::ALL {
            assert_eq!(Suite::of(suite.keyword), Some(suite));
            assert!(suite.cipher.parse::<Subject>().is_ok(), "{}", suite.cipher);
        }
    }
}

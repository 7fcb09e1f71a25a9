//! The suites: which cipher, which MAC, and what goes around a packet, byte for byte.

use std::fmt;
use std::str::FromStr;

use wirespeed_cipher::{Digest, Subject, UnknownName};

/// How a packet is protected in a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suite {
    /// The name in tables and documents.
    pub name: &'static str,
    /// The word on the command line: strongSwan's for an ESP proposal.
    pub keyword: &'static str,
    /// What stands around the ciphertext.
    pub framing: Framing,
    /// OpenSSL's name of the cipher.
    pub cipher: &'static str,
    /// Bytes of its key.
    pub key_bytes: usize,
    /// How integrity comes about.
    pub protection: Protection,
    /// Bytes of the IV that travels in each packet.
    pub iv_bytes: usize,
    /// Bytes of the integrity check value (the tag) at the end of each packet.
    pub icv_bytes: usize,
    /// What the ciphertext's length is a multiple of.
    pub align: usize,
    /// The documents that say so.
    pub standards: &'static str,
}

/// What stands around the ciphertext.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// RFC 4303 §2, in tunnel mode: SPI and sequence number before; padding, its length and the next header
    /// behind the packet, encrypted.
    Esp,
    /// The transport data message of WireGuard (§5.4.6 of its paper): type, receiver and counter before,
    /// zeros up to a multiple of 16 behind.
    WireGuard,
}

/// How integrity comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// By the cipher: its nonce is a salt of so many bytes, which comes with the key, and the IV.
    Aead {
        /// Bytes of the salt.
        salt_bytes: usize,
    },
    /// The same by CCM, which must know the length first.
    Ccm {
        /// Bytes of the salt.
        salt_bytes: usize,
    },
    /// By HMAC over everything before the check value, after encryption.
    Hmac(Digest),
}

impl Framing {
    /// Bytes before the IV.
    pub const fn header_bytes(self) -> usize {
        match self {
            Self::Esp => 8,
            // The counter among them, which is the IV.
            Self::WireGuard => 16,
        }
    }

    /// Bytes behind the packet besides padding, all of them encrypted.
    pub const fn trailer_bytes(self) -> usize {
        match self {
            Self::Esp => 2,
            Self::WireGuard => 0,
        }
    }

    /// Bytes of the headers that carry the sealed packet over an IPv4 network: IP, and for WireGuard UDP.
    pub const fn outer_bytes(self) -> usize {
        match self {
            Self::Esp => 20,
            Self::WireGuard => 28,
        }
    }
}

/// CBC of a cipher, whose name differs from OpenSSL's in its case alone, with HMAC of a hash function.
macro_rules! cbc {
    ($cipher:literal, $keyword:literal, $mac:literal, $mac_keyword:literal, $digest:ident) => {
        Self::cbc(
            concat!("ESP ", $cipher, "-CBC HMAC-", $mac),
            concat!($keyword, "-", $mac_keyword),
            concat!($cipher, "-CBC"),
            Digest::$digest,
        )
    };
}

impl Suite {
    const fn gcm(name: &'static str, keyword: &'static str, cipher: &'static str) -> Self {
        Self {
            name,
            keyword,
            framing: Framing::Esp,
            cipher,
            key_bytes: 16,
            protection: Protection::Aead { salt_bytes: 4 },
            iv_bytes: 8,
            icv_bytes: 16,
            // RFC 4303 §2.4: the last two bytes end on a boundary of 4.
            align: 4,
            standards: "RFC 4303, 4106",
        }
    }

    const fn ccm(name: &'static str, keyword: &'static str, cipher: &'static str) -> Self {
        let protection = Protection::Ccm { salt_bytes: 3 };
        Self { protection, standards: "RFC 4303, 4309", ..Self::gcm(name, keyword, cipher) }
    }

    /// CBC with an IV of a block, and HMAC by `digest`.
    const fn cbc(
        name: &'static str,
        keyword: &'static str,
        cipher: &'static str,
        digest: Digest,
    ) -> Self {
        // Half of the hash, or 96 bits of those that are older than that rule.
        let (icv_bytes, standards) = match digest {
            Digest::Md5 => (12, "RFC 4303, 3602, 2403"),
            Digest::Sha1 => (12, "RFC 4303, 3602, 2404"),
            Digest::Sha256 => (16, "RFC 4303, 3602, 4868"),
            _ => (32, "RFC 4303, 3602, 4868"),
        };
        Self {
            protection: Protection::Hmac(digest),
            iv_bytes: 16,
            icv_bytes,
            align: 16,
            standards,
            ..Self::gcm(name, keyword, cipher)
        }
    }

    /// Camellia as AES, by RFC 4312.
    const fn camellia(self) -> Self {
        let standards = match self.protection {
            Protection::Hmac(Digest::Md5) => "RFC 4303, 4312, 2403",
            Protection::Hmac(Digest::Sha1) => "RFC 4303, 4312, 2404",
            _ => "RFC 4303, 4312, 4868",
        };
        Self { standards, ..self }
    }

    /// With a key of 256 bits.
    const fn long(self) -> Self {
        Self { key_bytes: 32, ..self }
    }

    /// Every suite, those of today first.
    pub const ALL: [Self; 23] = [
        Self::gcm("ESP AES-128-GCM", "aes128gcm16", "AES-128-GCM"),
        Self::gcm("ESP AES-256-GCM", "aes256gcm16", "AES-256-GCM").long(),
        Self {
            standards: "RFC 4303, 7634",
            ..Self::gcm("ESP ChaCha20-Poly1305", "chacha20poly1305", "ChaCha20-Poly1305").long()
        },
        Self {
            framing: Framing::WireGuard,
            // The nonce is four zeros and the counter.
            protection: Protection::Aead { salt_bytes: 4 },
            iv_bytes: 0,
            align: 16,
            standards: "WireGuard §5.4.6, RFC 8439",
            ..Self::gcm("WireGuard", "wireguard", "ChaCha20-Poly1305").long()
        },
        Self::ccm("ESP AES-128-CCM", "aes128ccm16", "AES-128-CCM"),
        Self::ccm("ESP AES-256-CCM", "aes256ccm16", "AES-256-CCM").long(),
        cbc!("AES-128", "aes128", "SHA1", "sha1", Sha1),
        cbc!("AES-128", "aes128", "SHA2-256", "sha256", Sha256),
        cbc!("AES-128", "aes128", "SHA2-512", "sha512", Sha512),
        cbc!("AES-128", "aes128", "MD5", "md5", Md5),
        cbc!("AES-256", "aes256", "SHA1", "sha1", Sha1).long(),
        cbc!("AES-256", "aes256", "SHA2-256", "sha256", Sha256).long(),
        cbc!("AES-256", "aes256", "SHA2-512", "sha512", Sha512).long(),
        cbc!("AES-256", "aes256", "MD5", "md5", Md5).long(),
        cbc!("Camellia-128", "camellia128", "SHA1", "sha1", Sha1).camellia(),
        cbc!("Camellia-128", "camellia128", "SHA2-256", "sha256", Sha256).camellia(),
        cbc!("Camellia-128", "camellia128", "SHA2-512", "sha512", Sha512).camellia(),
        cbc!("Camellia-128", "camellia128", "MD5", "md5", Md5).camellia(),
        cbc!("Camellia-256", "camellia256", "SHA1", "sha1", Sha1).camellia().long(),
        cbc!("Camellia-256", "camellia256", "SHA2-256", "sha256", Sha256).camellia().long(),
        cbc!("Camellia-256", "camellia256", "SHA2-512", "sha512", Sha512).camellia().long(),
        cbc!("Camellia-256", "camellia256", "MD5", "md5", Md5).camellia().long(),
        Self {
            key_bytes: 24,
            iv_bytes: 8,
            align: 8,
            standards: "RFC 4303, 2451, 2404",
            ..Self::cbc("ESP 3DES-CBC HMAC-SHA1", "3des-sha1", "DES-EDE3-CBC", Digest::Sha1)
        },
    ];

    /// The cipher, as the rest of the program knows it.
    pub fn subject(&self) -> Subject {
        self.cipher.parse().expect("every suite's cipher has a name")
    }

    /// Bytes of the key and the salt that come with it.
    pub const fn salt_bytes(&self) -> usize {
        match self.protection {
            Protection::Aead { salt_bytes } | Protection::Ccm { salt_bytes } => salt_bytes,
            Protection::Hmac(_) => 0,
        }
    }

    /// The hash function of its MAC, if it has one.
    pub const fn digest(&self) -> Option<Digest> {
        match self.protection {
            Protection::Hmac(digest) => Some(digest),
            Protection::Aead { .. } | Protection::Ccm { .. } => None,
        }
    }

    /// Bytes before the ciphertext.
    pub const fn front_bytes(&self) -> usize {
        self.framing.header_bytes() + self.iv_bytes
    }

    /// Bytes of ciphertext of a packet of so many bytes.
    pub const fn ciphertext_bytes(&self, inner: usize) -> usize {
        (inner + self.framing.trailer_bytes()).next_multiple_of(self.align)
    }

    /// Bytes of the sealed packet.
    pub const fn sealed_bytes(&self, inner: usize) -> usize {
        self.front_bytes() + self.ciphertext_bytes(inner) + self.icv_bytes
    }

    /// Bytes that the packet takes of an Ethernet: within an IPv4 packet, with preamble, header, check
    /// sequence and gap (IEEE 802.3: 8, 14, 4 and 12), and never less than the shortest frame.
    pub const fn wire_bytes(&self, inner: usize) -> usize {
        let packet = self.framing.outer_bytes() + self.sealed_bytes(inner);
        let frame = if packet < 46 { 46 } else { packet };
        frame + 8 + 14 + 4 + 12
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl FromStr for Suite {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let called = |suite: &Self| {
            [suite.name, suite.keyword].iter().any(|name| name.eq_ignore_ascii_case(given))
        };
        // A cipher with a tag of its own is a suite by itself, whoever names it.
        let subject = given.parse::<Subject>().ok();
        let is_it = |suite: &Self| {
            !matches!(suite.protection, Protection::Hmac(_)) && Some(suite.subject()) == subject
        };
        let meant = Self::ALL.into_iter().find(called);
        meant.or_else(|| Self::ALL.into_iter().find(is_it)).ok_or_else(|| UnknownName {
            kind: "suite",
            given: given.to_owned(),
            known: Self::ALL.map(|suite| suite.keyword).to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Subject;

    use super::*;

    #[test]
    fn every_suite_is_found_again_and_its_cipher_is_known() {
        for suite in Suite::ALL {
            assert_eq!(suite.name.to_lowercase().parse(), Ok(suite));
            assert_eq!(suite.keyword.parse(), Ok(suite));
            let key_bytes = match suite.subject() {
                Subject::Cipher(algorithm) => algorithm.key_bytes(),
                Subject::Delegated(delegated) => match delegated.shape() {
                    wirespeed_cipher::Shape::Cipher { key_bytes, .. }
                    | wirespeed_cipher::Shape::Aead { key_bytes } => key_bytes,
                    other => panic!("{suite}: {other:?}"),
                },
                Subject::Digest(_) => panic!("{suite} is no hash"),
            };
            assert_eq!(key_bytes, suite.key_bytes, "{suite}");
        }
        for (given, keyword) in [
            ("AES-256-GCM", "aes256gcm16"),
            ("rfc4106(gcm(aes))", "aes128gcm16"),
            ("aes128-gcm@openssh.com", "aes128gcm16"),
            ("TLS_CHACHA20_POLY1305_SHA256", "chacha20poly1305"),
        ] {
            assert_eq!(given.parse::<Suite>().map(|it| it.keyword), Ok(keyword), "{given}");
        }
        let unknown = "aes-xts".parse::<Suite>().expect_err("no suite").to_string();
        assert!(
            unknown.starts_with("unknown suite 'aes-xts': choose from aes128gcm16"),
            "{unknown}"
        );
    }

    /// By hand from the documents, for a packet of 1420 bytes: header, IV, ciphertext, check value.
    #[test]
    fn sizes_by_the_documents() {
        for (keyword, sealed) in [
            ("aes128gcm16", 8 + 8 + 1424 + 16),
            ("aes256ccm16", 8 + 8 + 1424 + 16),
            ("chacha20poly1305", 8 + 8 + 1424 + 16),
            ("wireguard", 16 + 1424 + 16),
            ("aes128-sha1", 8 + 16 + 1424 + 12),
            ("camellia256-sha512", 8 + 16 + 1424 + 32),
            ("aes256-sha256", 8 + 16 + 1424 + 16),
            ("3des-sha1", 8 + 8 + 1424 + 12),
        ] {
            let suite: Suite = keyword.parse().expect("a suite");
            assert_eq!(suite.sealed_bytes(1420), sealed, "{suite}");
        }
        let wireguard: Suite = "wireguard".parse().expect("a suite");
        // A full Ethernet: 1420 is the MTU for which an outer packet of IPv6 has 1500 bytes, of IPv4 1480; with
        // another 4 of padding 1484.
        assert_eq!(wireguard.wire_bytes(1420), 28 + 1456 + 38);
        assert_eq!(wireguard.ciphertext_bytes(1424), 1424);
    }
}

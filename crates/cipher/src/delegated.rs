//! Algorithms that we have no kernels for: the host's OpenSSL has them, and the Linux kernel may.

use std::fmt;
use std::str::FromStr;

use crate::{Mode, UnknownName, spelling};

/// An algorithm without kernels of our own, by OpenSSL's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delegated(u8);

/// What an algorithm takes and gives, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A block cipher in a mode whose state is its IV.
    Cipher {
        /// The mode: ECB or CBC.
        mode: Mode,
        /// The key.
        key_bytes: usize,
        /// A block, which is also the IV of the modes that have one.
        block_bytes: usize,
    },
    /// An AEAD with a nonce of 12 bytes and a tag of 16.
    Aead {
        /// The key.
        key_bytes: usize,
    },
    /// A hash function.
    Hash {
        /// The digest.
        bytes: usize,
    },
    /// A keyed hash function.
    Mac {
        /// The tag.
        bytes: usize,
    },
}

struct Entry {
    name: &'static str,
    linux: &'static str,
    shape: Shape,
    legacy: bool,
}

const fn cipher(
    name: &'static str,
    linux: &'static str,
    mode: Mode,
    key_bytes: usize,
    block_bytes: usize,
) -> Entry {
    Entry { name, linux, shape: Shape::Cipher { mode, key_bytes, block_bytes }, legacy: false }
}

const fn aead(name: &'static str, linux: &'static str, key_bytes: usize) -> Entry {
    Entry { name, linux, shape: Shape::Aead { key_bytes }, legacy: false }
}

const fn hash(name: &'static str, linux: &'static str, bytes: usize) -> Entry {
    Entry { name, linux, shape: Shape::Hash { bytes }, legacy: false }
}

const fn mac(name: &'static str, linux: &'static str, bytes: usize) -> Entry {
    Entry { name, linux, shape: Shape::Mac { bytes }, legacy: false }
}

const fn legacy(entry: Entry) -> Entry {
    Entry { legacy: true, ..entry }
}

/// Every one. OpenSSL has no algorithm `HMAC-…`, but a MAC `HMAC` with a digest; the names are those of
/// its digests.
static TABLE: [Entry; 16] = [
    legacy(cipher("DES-ECB", "ecb(des)", Mode::Ecb, 8, 8)),
    legacy(cipher("DES-CBC", "cbc(des)", Mode::Cbc, 8, 8)),
    cipher("DES-EDE3-ECB", "ecb(des3_ede)", Mode::Ecb, 24, 8),
    cipher("DES-EDE3-CBC", "cbc(des3_ede)", Mode::Cbc, 24, 8),
    legacy(cipher("BF-ECB", "ecb(blowfish)", Mode::Ecb, 16, 8)),
    legacy(cipher("BF-CBC", "cbc(blowfish)", Mode::Cbc, 16, 8)),
    legacy(cipher("CAST5-ECB", "ecb(cast5)", Mode::Ecb, 16, 8)),
    legacy(cipher("CAST5-CBC", "cbc(cast5)", Mode::Cbc, 16, 8)),
    aead("AES-128-CCM", "ccm(aes)", 16),
    aead("AES-192-CCM", "ccm(aes)", 24),
    aead("AES-256-CCM", "ccm(aes)", 32),
    legacy(hash("MD4", "md4", 16)),
    mac("HMAC-MD5", "hmac(md5)", 16),
    mac("HMAC-SHA1", "hmac(sha1)", 20),
    mac("HMAC-SHA2-256", "hmac(sha256)", 32),
    mac("HMAC-SHA2-512", "hmac(sha512)", 64),
];

/// Slices cannot be compared in constants.
pub(crate) const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

impl Delegated {
    /// How many there are.
    pub const COUNT: usize = TABLE.len();

    /// Every one, in a fixed order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// The one at a place of [`Self::all`].
    pub const fn at(place: usize) -> Option<Self> {
        if place < Self::COUNT { Some(Self(place as u8)) } else { None }
    }

    /// The place in [`Self::all`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The one of exactly that name, for tables.
    ///
    /// # Panics
    /// If there is none, which a constant tells when it is compiled.
    pub const fn called(name: &str) -> Self {
        let mut place = 0;
        while place < TABLE.len() {
            if same(TABLE[place].name.as_bytes(), name.as_bytes()) {
                return Self(place as u8);
            }
            place += 1;
        }
        panic!("no such algorithm")
    }

    const fn entry(self) -> &'static Entry {
        &TABLE[self.0 as usize]
    }

    /// OpenSSL's name.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The name that Linux's crypto has for it.
    pub const fn linux_name(self) -> &'static str {
        self.entry().linux
    }

    /// What it takes and gives.
    pub const fn shape(self) -> Shape {
        self.entry().shape
    }

    /// Whether OpenSSL 3 has it in its legacy provider only, which most hosts do not load.
    pub const fn is_legacy(self) -> bool {
        self.entry().legacy
    }
}

impl fmt::Display for Delegated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Delegated {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let all: Vec<_> = Self::all().collect();
        spelling::meant(given, all.iter().copied(), Self::name)
            .ok_or_else(|| UnknownName::algorithm(given, Self::all().map(Self::name).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Digest};

    #[test]
    fn every_name_is_found_again_and_is_nobody_elses() {
        for delegated in Delegated::all() {
            assert_eq!(delegated.name().to_lowercase().parse(), Ok(delegated));
            assert_eq!(Delegated::called(delegated.name()), delegated);
            assert!(delegated.name().parse::<Algorithm>().is_err());
            assert!(delegated.name().parse::<Digest>().is_err());
        }
    }
}

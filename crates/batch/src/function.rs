//! The hash functions that run in lanes.

use std::fmt;
use std::str::FromStr;

use wirespeed_cipher::{Compression, Digest, UnknownName};

use crate::single::Chain;

/// The longest block of them all.
pub(crate) const LONGEST_BLOCK: usize = 128;
/// The longest hash of them all.
pub(crate) const LONGEST_HASH: usize = 64;

/// A hash function that runs in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// RFC 1321. Broken, and still what many archives are checked with.
    Md5,
    /// One of FIPS 180-4: any but SM3, which has no lanes.
    Sha(Digest),
}

impl Function {
    /// Every function, the shortest hash first.
    pub const ALL: [Self; 6] = [
        Self::Md5,
        Self::Sha(Digest::Sha1),
        Self::Sha(Digest::Sha224),
        Self::Sha(Digest::Sha256),
        Self::Sha(Digest::Sha384),
        Self::Sha(Digest::Sha512),
    ];

    /// OpenSSL's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha(digest) => digest.name(),
        }
    }

    /// Bytes of output.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha(digest) => digest.bytes(),
        }
    }

    /// Bytes in a block.
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::Md5 => 64,
            Self::Sha(digest) => digest.compression().block_bytes(),
        }
    }

    /// The chaining value that a message begins with.
    pub(crate) const fn initial(self) -> Chain {
        match self {
            // The first four of SHA-1's (RFC 1321 §3.3).
            Self::Md5 => {
                let [a, b, c, d, ..] = Digest::Sha1.initial();
                [a, b, c, d, 0, 0, 0, 0]
            }
            Self::Sha(digest) => digest.initial(),
        }
    }

    /// What takes it from block to block.
    pub(crate) const fn step(self) -> Step {
        match self {
            Self::Md5 => Step::Md5,
            Self::Sha(digest) => match digest.compression() {
                Compression::Sha1 => Step::Sha1,
                Compression::Sha256 => Step::Sha256,
                Compression::Sha512 => Step::Sha512,
                Compression::Sm3 => panic!("SM3 has no lanes"),
            },
        }
    }

    /// Writes the end of a message of `length` bytes behind its last `filled` bytes, which begin `end`: a one
    /// bit, zeros, and the length in bits in the last two words (FIPS 180-4 §5.1, RFC 1321 §3.1). Gives the
    /// bytes of the one or two blocks.
    pub(crate) fn pad(
        self,
        end: &mut [u8; 2 * LONGEST_BLOCK],
        filled: usize,
        length: u128,
    ) -> usize {
        let block_bytes = self.block_bytes();
        let length_bytes = block_bytes / 8;
        let blocks = if filled + 1 + length_bytes <= block_bytes { 1 } else { 2 };
        let bytes = blocks * block_bytes;
        let bits = length.wrapping_mul(8);
        end[filled] = 0x80;
        end[filled + 1..bytes - length_bytes].fill(0);
        let place = &mut end[bytes - length_bytes..bytes];
        match self {
            Self::Md5 => place.copy_from_slice(&bits.to_le_bytes()[..length_bytes]),
            Self::Sha(_) => place.copy_from_slice(&bits.to_be_bytes()[16 - length_bytes..]),
        }
        bytes
    }

    /// A chaining value as a hash.
    pub(crate) fn hash(self, chain: &Chain) -> Hash {
        let mut bytes = [0; LONGEST_HASH];
        let word_bytes = self.block_bytes() / 16;
        for (bytes, word) in bytes.chunks_mut(word_bytes).zip(chain) {
            match self {
                Self::Md5 => bytes.copy_from_slice(&word.to_le_bytes()[..word_bytes]),
                Self::Sha(_) => bytes.copy_from_slice(&word.to_be_bytes()[8 - word_bytes..]),
            }
        }
        Hash { bytes, length: self.bytes() }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Function {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let mut all = Self::ALL.into_iter();
        all.find(|it| it.name().eq_ignore_ascii_case(given)).ok_or_else(|| UnknownName {
            kind: "hash function",
            given: given.to_owned(),
            known: Self::ALL.map(Self::name).to_vec(),
        })
    }
}

/// What takes a function from one block of the message to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

/// The hash of a message.
#[derive(Clone, Copy)]
pub struct Hash {
    bytes: [u8; LONGEST_HASH],
    length: usize,
}

impl AsRef<[u8]> for Hash {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for Hash {}

/// In hexadecimal.
impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

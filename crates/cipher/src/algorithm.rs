//! Algorithms by OpenSSL's own names, directions, and modes of use.

use std::fmt;
use std::str::FromStr;

use crate::UnknownName;

/// A mode of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Electronic codebook, SP 800-38A §6.1.
    Ecb,
    /// Cipher block chaining, SP 800-38A §6.2.
    Cbc,
    /// Cipher feedback with 128-bit segments, SP 800-38A §6.3.
    Cfb,
    /// Output feedback, SP 800-38A §6.4.
    Ofb,
    /// Counter with a 128-bit big-endian carry, SP 800-38A §6.5.
    Ctr,
    /// XEX with ciphertext stealing, IEEE 1619 / SP 800-38E.
    Xts,
    /// Galois/counter mode, SP 800-38D.
    Gcm,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 7] =
        [Self::Ecb, Self::Cbc, Self::Cfb, Self::Ofb, Self::Ctr, Self::Xts, Self::Gcm];

    /// Whether both directions are the same function.
    pub const fn is_symmetric(self) -> bool {
        matches!(self, Self::Ofb | Self::Ctr)
    }

    /// Whether a call may be any number of bytes, not only whole blocks.
    pub const fn takes_partial_blocks(self) -> bool {
        !matches!(self, Self::Ecb | Self::Cbc)
    }
}

/// AES in one mode with one key size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithm {
    mode: Mode,
    key_bits: u16,
}

macro_rules! algorithms {
    ($($mode:ident $bits:literal $name:literal,)*) => {
        impl Algorithm {
            /// Every algorithm, mode by mode.
            pub const ALL: &'static [Self] =
                &[$(Self { mode: Mode::$mode, key_bits: $bits },)*];

            /// OpenSSL's name.
            pub const fn name(self) -> &'static str {
                match (self.mode, self.key_bits) {
                    $((Mode::$mode, $bits) => $name,)*
                    _ => unreachable!(),
                }
            }
        }
    };
}

algorithms! {
    Ecb 128 "AES-128-ECB", Ecb 192 "AES-192-ECB", Ecb 256 "AES-256-ECB",
    Cbc 128 "AES-128-CBC", Cbc 192 "AES-192-CBC", Cbc 256 "AES-256-CBC",
    Cfb 128 "AES-128-CFB", Cfb 192 "AES-192-CFB", Cfb 256 "AES-256-CFB",
    Ofb 128 "AES-128-OFB", Ofb 192 "AES-192-OFB", Ofb 256 "AES-256-OFB",
    Ctr 128 "AES-128-CTR", Ctr 192 "AES-192-CTR", Ctr 256 "AES-256-CTR",
    Xts 128 "AES-128-XTS", Xts 256 "AES-256-XTS",
    Gcm 128 "AES-128-GCM", Gcm 192 "AES-192-GCM", Gcm 256 "AES-256-GCM",
}

impl Algorithm {
    /// The mode of operation.
    pub const fn mode(self) -> Mode {
        self.mode
    }

    /// The AES key size in bits: 128, 192 or 256. XTS takes two such keys.
    pub const fn key_bits(self) -> u16 {
        self.key_bits
    }

    /// The place in [`Self::ALL`].
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|other| *other == self).expect("every algorithm is listed")
    }

    /// Bytes of key material: for XTS both keys together.
    pub const fn key_bytes(self) -> usize {
        let one = self.key_bits as usize / 8;
        if matches!(self.mode, Mode::Xts) { 2 * one } else { one }
    }

    /// Bytes of IV by default: none for ECB, 12 for GCM, else 16.
    pub const fn iv_bytes(self) -> usize {
        match self.mode {
            Mode::Ecb => 0,
            Mode::Gcm => 12,
            _ => 16,
        }
    }

    /// The directions that differ.
    pub const fn directions(self) -> &'static [Direction] {
        if self.mode.is_symmetric() { &[Direction::Encrypt] } else { &Direction::BOTH }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .iter()
            .copied()
            .find(|algorithm| algorithm.name().eq_ignore_ascii_case(given))
            .ok_or_else(|| UnknownName {
                kind: "algorithm",
                given: given.to_owned(),
                known: Self::ALL.iter().map(|algorithm| algorithm.name()).collect(),
            })
    }
}

/// Encrypt or decrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

impl Direction {
    /// Both, encryption first.
    pub const BOTH: [Self; 2] = [Self::Encrypt, Self::Decrypt];

    /// "enc" or "dec".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Encrypt => "enc",
            Self::Decrypt => "dec",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How messages and keys follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// A new IV for each message, the key kept: packets, records, sectors.
    Message,
    /// One long message.
    Stream,
    /// A new key for each message.
    Rekey,
}

impl Use {
    /// Every use.
    pub const ALL: [Self; 3] = [Self::Message, Self::Stream, Self::Rekey];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Stream => "stream",
            Self::Rekey => "rekey",
        }
    }
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Use {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|r#use| r#use.name() == given).ok_or_else(|| UnknownName {
            kind: "use",
            given: given.to_owned(),
            known: Self::ALL.map(Self::name).to_vec(),
        })
    }
}

//! Hash functions by OpenSSL's names, and the compression functions that they are made of.

mod constants;

use std::fmt;
use std::str::FromStr;

pub use constants::{SHA256_CONSTANTS, SHA512_CONSTANTS};

use crate::UnknownName;

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Digest {
    /// FIPS 180-4 §6.1.
    Sha1,
    /// FIPS 180-4 §6.3.
    Sha224,
    /// FIPS 180-4 §6.2.
    Sha256,
    /// FIPS 180-4 §6.5.
    Sha384,
    /// FIPS 180-4 §6.4.
    Sha512,
    /// GB/T 32905, ISO/IEC 10118-3.
    Sm3,
}

impl Digest {
    /// Every hash function.
    pub const ALL: [Self; 6] =
        [Self::Sha1, Self::Sha224, Self::Sha256, Self::Sha384, Self::Sha512, Self::Sm3];

    /// OpenSSL's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA2-224",
            Self::Sha256 => "SHA2-256",
            Self::Sha384 => "SHA2-384",
            Self::Sha512 => "SHA2-512",
            Self::Sm3 => "SM3",
        }
    }

    /// Bytes of output.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 | Self::Sm3 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// The compression function.
    pub const fn compression(self) -> Compression {
        match self {
            Self::Sha1 => Compression::Sha1,
            Self::Sha224 | Self::Sha256 => Compression::Sha256,
            Self::Sha384 | Self::Sha512 => Compression::Sha512,
            Self::Sm3 => Compression::Sm3,
        }
    }

    /// The chaining value that a message begins with.
    #[rustfmt::skip]
    pub const fn initial(self) -> [u64; 8] {
        match self {
            Self::Sha1 => {
                [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0, 0, 0]
            }
            Self::Sha224 => [
                0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511,
                0x64f9_8fa7, 0xbefa_4fa4,
            ],
            Self::Sha256 => [
                0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c,
                0x1f83_d9ab, 0x5be0_cd19,
            ],
            Self::Sha384 => [
                0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17,
                0x152f_ecd8_f70e_5939, 0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511,
                0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
            ],
            Self::Sha512 => [
                0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b,
                0xa54f_f53a_5f1d_36f1, 0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f,
                0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
            ],
            Self::Sm3 => [
                0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa,
                0xe38d_ee4d, 0xb0fb_0e4e,
            ],
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Digest {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        let mut all = Self::ALL.into_iter();
        all.find(|digest| digest.name().eq_ignore_ascii_case(given)).ok_or_else(|| UnknownName {
            kind: "digest",
            given: given.to_owned(),
            known: Self::ALL.map(Self::name).to_vec(),
        })
    }
}

/// What takes a hash function from one block of the message to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// 64-byte blocks, five 32-bit words.
    Sha1,
    /// 64-byte blocks, eight 32-bit words.
    Sha256,
    /// 128-byte blocks, eight 64-bit words.
    Sha512,
    /// 64-byte blocks, eight 32-bit words.
    Sm3,
}

impl Compression {
    /// Every compression function.
    pub const ALL: [Self; 4] = [Self::Sha1, Self::Sha256, Self::Sha512, Self::Sm3];

    /// Bytes in a block.
    pub const fn block_bytes(self) -> usize {
        if matches!(self, Self::Sha512) { 128 } else { 64 }
    }

    /// Bytes in a word of the chaining value.
    pub const fn word_bytes(self) -> usize {
        self.block_bytes() / 16
    }

    /// The name, as its largest hash function has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "SHA1",
            Self::Sha256 => "SHA2-256",
            Self::Sha512 => "SHA2-512",
            Self::Sm3 => "SM3",
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

//! Hash functions by OpenSSL's names, and the compression functions that they are made of.

mod constants;

use std::ffi::CStr;
use std::fmt;
use std::str::FromStr;

pub use constants::{KECCAK_CONSTANTS, MD5_CONSTANTS, SHA256_CONSTANTS, SHA512_CONSTANTS};

use crate::catalogue::first_name;
use crate::{UnknownName, spelling};

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Digest {
    /// RFC 1321. Broken, and still what many archives are checked with.
    Md5,
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
    /// FIPS 202 §6.1.
    Sha3_224,
    /// FIPS 202 §6.1.
    Sha3_256,
    /// FIPS 202 §6.1.
    Sha3_384,
    /// FIPS 202 §6.1.
    Sha3_512,
    /// FIPS 202 §6.2: as many bytes of output as are asked for.
    Shake128,
    /// FIPS 202 §6.2: as many bytes of output as are asked for.
    Shake256,
}

/// What a hash function is made of.
struct Entry {
    /// See [`Digest::names`].
    names: &'static CStr,
    /// See [`Digest::linux_name`].
    linux: Option<&'static str>,
    bytes: usize,
    compression: Compression,
    initial: [u64; 8],
    /// See [`Digest::first_padding_byte`].
    first_padding_byte: u8,
}

/// A hash function with the padding of FIPS 180-4 §5.1: a one bit, zeros, and the length.
const fn chained(
    names: &'static CStr,
    linux: &'static str,
    bytes: usize,
    compression: Compression,
    initial: [u64; 8],
) -> Entry {
    let linux = Some(linux);
    Entry { names, linux, bytes, compression, initial, first_padding_byte: 0x80 }
}

/// A hash function of FIPS 202: the bits that tell it from others, and the first one of `pad10*1`.
const fn sponge(
    names: &'static CStr,
    linux: Option<&'static str>,
    bytes: usize,
    compression: Compression,
    first_padding_byte: u8,
) -> Entry {
    Entry { names, linux, bytes, compression, initial: [0; 8], first_padding_byte }
}

/// FIPS 202 §6.1: the bits 01.
const SHA3: u8 = 0b110;
/// FIPS 202 §6.2: the bits 1111.
const SHAKE: u8 = 0b1_1111;

#[rustfmt::skip]
const TABLE: [Entry; Digest::ALL.len()] = [
    chained(c"MD5:SSL3-MD5:1.2.840.113549.2.5", "md5", 16, Compression::Md5, [
        0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0, 0, 0, 0,
    ]),
    chained(c"SHA1:SHA-1:SSL3-SHA1:1.3.14.3.2.26", "sha1", 20, Compression::Sha1, [
        0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0, 0, 0, 0,
    ]),
    chained(c"SHA2-224:SHA-224:SHA224:2.16.840.1.101.3.4.2.4", "sha224", 28, Compression::Sha256, [
        0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
    ]),
    chained(c"SHA2-256:SHA-256:SHA256:2.16.840.1.101.3.4.2.1", "sha256", 32, Compression::Sha256, [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]),
    chained(c"SHA2-384:SHA-384:SHA384:2.16.840.1.101.3.4.2.2", "sha384", 48, Compression::Sha512, [
        0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939,
        0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
    ]),
    chained(c"SHA2-512:SHA-512:SHA512:2.16.840.1.101.3.4.2.3", "sha512", 64, Compression::Sha512, [
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ]),
    chained(c"SM3:1.2.156.10197.1.401", "sm3", 32, Compression::Sm3, [
        0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e,
    ]),
    sponge(c"SHA3-224:2.16.840.1.101.3.4.2.7", Some("sha3-224"), 28, Compression::Keccak144, SHA3),
    sponge(c"SHA3-256:2.16.840.1.101.3.4.2.8", Some("sha3-256"), 32, Compression::Keccak136, SHA3),
    sponge(c"SHA3-384:2.16.840.1.101.3.4.2.9", Some("sha3-384"), 48, Compression::Keccak104, SHA3),
    sponge(c"SHA3-512:2.16.840.1.101.3.4.2.10", Some("sha3-512"), 64, Compression::Keccak72, SHA3),
    sponge(c"SHAKE-128:SHAKE128:2.16.840.1.101.3.4.2.11", None, 16, Compression::Keccak168, SHAKE),
    sponge(c"SHAKE-256:SHAKE256:2.16.840.1.101.3.4.2.12", None, 32, Compression::Keccak136, SHAKE),
];

impl Digest {
    /// Every hash function.
    pub const ALL: [Self; 13] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Sm3,
        Self::Sha3_224,
        Self::Sha3_256,
        Self::Sha3_384,
        Self::Sha3_512,
        Self::Shake128,
        Self::Shake256,
    ];

    const fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    /// OpenSSL's name.
    pub const fn name(self) -> &'static str {
        first_name(self.names())
    }

    /// All of OpenSSL's names and object identifiers, its own first, separated by colons
    /// (providers/implementations/include/prov/names.h).
    pub const fn names(self) -> &'static CStr {
        self.entry().names
    }

    /// The name that Linux's crypto has for it.
    pub const fn linux_name(self) -> Option<&'static str> {
        self.entry().linux
    }

    /// Bytes of output. Of an extendable function they are what OpenSSL 3.0 gives who does not ask for
    /// more: as many as half its strength against collisions takes.
    pub const fn bytes(self) -> usize {
        self.entry().bytes
    }

    /// Whether the output may have any length.
    pub const fn is_extendable(self) -> bool {
        matches!(self, Self::Shake128 | Self::Shake256)
    }

    /// The compression function.
    pub const fn compression(self) -> Compression {
        self.entry().compression
    }

    /// Bytes in a block, which with a sponge is its rate.
    pub const fn block_bytes(self) -> usize {
        self.compression().block_bytes()
    }

    /// The byte that follows the message: a one bit, in a sponge behind the bits that tell its functions
    /// apart.
    pub const fn first_padding_byte(self) -> u8 {
        self.entry().first_padding_byte
    }

    /// The first 16 bytes of the hash of "abc": RFC 1321 appendix A.5, FIPS 180-4's examples, GB/T 32905 appendix
    /// A.1, FIPS 202.
    pub const fn of_abc(self) -> [u8; 16] {
        let first: u128 = match self {
            Self::Md5 => 0x9001_5098_3cd2_4fb0_d696_3f7d_28e1_7f72,
            Self::Sha1 => 0xa999_3e36_4706_816a_ba3e_2571_7850_c26c,
            Self::Sha224 => 0x2309_7d22_3405_d822_8642_a477_bda2_55b3,
            Self::Sha256 => 0xba78_16bf_8f01_cfea_4141_40de_5dae_2223,
            Self::Sha384 => 0xcb00_753f_45a3_5e8b_b5a0_3d69_9ac6_5007,
            Self::Sha512 => 0xddaf_35a1_9361_7aba_cc41_7349_ae20_4131,
            Self::Sha3_224 => 0xe642_824c_3f8c_f24a_d092_34ee_7d3c_766f,
            Self::Sha3_256 => 0x3a98_5da7_4fe2_25b2_045c_172d_6bd3_90bd,
            Self::Sha3_384 => 0xec01_4982_8851_6fc9_2645_9f58_e2c6_ad8d,
            Self::Sha3_512 => 0xb751_850b_1a57_168a_5693_cd92_4b6b_096e,
            Self::Shake128 => 0x5881_092d_d818_bf5c_f8a3_ddb7_93fb_cba7,
            Self::Shake256 => 0x4833_6660_1360_a877_1c68_6308_0cc4_114d,
            Self::Sm3 => 0x66c7_f0f4_62ee_edd9_d1f2_d46b_dc10_e4e2,
        };
        first.to_be_bytes()
    }

    /// The first words of the [`Chain`] that a message begins with; all others are zero.
    pub const fn initial(self) -> [u64; 8] {
        self.entry().initial
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
        // SSL3-MD5 is spelled like nothing else.
        let is_alias = |it: &Self| {
            let names = it.names().to_str().unwrap_or_default();
            names.split(':').any(|name| name.eq_ignore_ascii_case(given))
        };
        let meant = spelling::meant(given, Self::ALL.into_iter(), Self::name);
        meant.or_else(|| Self::ALL.into_iter().find(is_alias)).ok_or_else(|| UnknownName {
            kind: "digest",
            given: given.to_owned(),
            known: Self::ALL.map(Self::name).to_vec(),
        })
    }
}

/// What a compression function moves on: a word in each place, of 32-bit functions in the lower half; a
/// sponge's state is FIPS 202 §3.1.2's, lane (x, y) at 5y + x. As many as [`Compression::words`]; those that a
/// function does not have are zero.
pub type Chain = [u64];

/// What takes a hash function from one block of the message to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// 64-byte blocks, four 32-bit words.
    Md5,
    /// 64-byte blocks, five 32-bit words.
    Sha1,
    /// 64-byte blocks, eight 32-bit words.
    Sha256,
    /// 128-byte blocks, eight 64-bit words.
    Sha512,
    /// 64-byte blocks, eight 32-bit words.
    Sm3,
    /// Keccak-f\[1600\] behind blocks of 168 bytes.
    Keccak168,
    /// The same behind blocks of 144 bytes.
    Keccak144,
    /// The same behind blocks of 136 bytes.
    Keccak136,
    /// The same behind blocks of 104 bytes.
    Keccak104,
    /// The same behind blocks of 72 bytes.
    Keccak72,
}

impl Compression {
    /// Every compression function.
    pub const ALL: [Self; 10] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha256,
        Self::Sha512,
        Self::Sm3,
        Self::Keccak168,
        Self::Keccak144,
        Self::Keccak136,
        Self::Keccak104,
        Self::Keccak72,
    ];

    /// The longest block of them all.
    pub const LONGEST_BLOCK: usize = 168;

    /// Bytes in a block.
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::Md5 | Self::Sha1 | Self::Sha256 | Self::Sm3 => 64,
            Self::Sha512 => 128,
            Self::Keccak168 => 168,
            Self::Keccak144 => 144,
            Self::Keccak136 => 136,
            Self::Keccak104 => 104,
            Self::Keccak72 => 72,
        }
    }

    /// Whether it is a sponge's, whose blocks are parts of its state.
    pub const fn is_sponge(self) -> bool {
        matches!(
            self,
            Self::Keccak168 | Self::Keccak144 | Self::Keccak136 | Self::Keccak104 | Self::Keccak72
        )
    }

    /// Bytes in a word of the [`Chain`].
    pub const fn word_bytes(self) -> usize {
        if self.is_sponge() || matches!(self, Self::Sha512) { 8 } else { 4 }
    }

    /// Words of the [`Chain`].
    pub const fn words(self) -> usize {
        if self.is_sponge() { 25 } else { 8 }
    }

    /// Whether a word begins with its lowest byte.
    pub const fn is_little_endian(self) -> bool {
        self.is_sponge() || matches!(self, Self::Md5)
    }

    /// The name, as its largest hash function has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha256 => "SHA2-256",
            Self::Sha512 => "SHA2-512",
            Self::Sm3 => "SM3",
            Self::Keccak168 => "SHAKE-128",
            Self::Keccak144 => "SHA3-224",
            Self::Keccak136 => "SHA3-256",
            Self::Keccak104 => "SHA3-384",
            Self::Keccak72 => "SHA3-512",
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_tables_are_those_of_the_lists() {
        assert!(Digest::ALL.into_iter().enumerate().all(|(place, it)| it as usize == place));
        assert!(Compression::ALL.into_iter().enumerate().all(|(place, it)| it as usize == place));
        for digest in Digest::ALL {
            for name in digest.names().to_str().expect("ASCII").split(':') {
                assert_eq!(name.to_lowercase().parse(), Ok(digest), "{name}");
            }
            let named = Digest::ALL.into_iter().find(|it| it.name() == digest.compression().name());
            assert_eq!(named.map(Digest::compression), Some(digest.compression()));
        }
    }

    /// FIPS 202 §6: the capacity is twice the strength, and that of a fixed length is its half.
    #[test]
    fn a_block_is_the_state_without_the_capacity() {
        for digest in Digest::ALL.into_iter().filter(|it| it.compression().is_sponge()) {
            assert_eq!(digest.block_bytes(), 200 - 2 * digest.bytes(), "{digest}");
        }
        let longest = Compression::ALL.map(Compression::block_bytes).into_iter().max();
        assert_eq!(longest, Some(Compression::LONGEST_BLOCK));
    }
}

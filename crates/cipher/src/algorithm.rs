//! Algorithms by OpenSSL's own names, directions, and modes of use.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::{Subject, UnknownName, spelling};

/// A mode of operation; of ChaCha20 what it is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Electronic codebook, SP 800-38A §6.1.
    Ecb,
    /// Cipher block chaining, SP 800-38A §6.2.
    Cbc,
    /// The same with ciphertext stealing, SP 800-38A's addendum.
    Cts,
    /// Cipher feedback with 128-bit segments, SP 800-38A §6.3.
    Cfb,
    /// The same with segments of 8 bits.
    Cfb8,
    /// Output feedback, SP 800-38A §6.4.
    Ofb,
    /// Counter with a 128-bit big-endian carry, SP 800-38A §6.5.
    Ctr,
    /// XEX with ciphertext stealing, IEEE 1619 / SP 800-38E.
    Xts,
    /// Galois/counter mode, SP 800-38D.
    Gcm,
    /// Offset codebook, RFC 7253.
    Ocb,
    /// Galois/counter mode with a synthetic IV, RFC 8452.
    GcmSiv,
    /// Counter with CBC-MAC, SP 800-38C.
    Ccm,
    /// ChaCha20 by itself, from a counter and a nonce on: RFC 8439 §2.4.
    Stream,
    /// ChaCha20 with Poly1305: RFC 8439 §2.8.
    Poly1305,
}

/// What a mode is.
#[derive(Clone, Copy)]
struct Facts {
    /// See [`Mode::is_symmetric`].
    is_symmetric: bool,
    /// See [`Mode::has_tag`].
    has_tag: bool,
    /// See [`Mode::is_chain`]: encryption, decryption.
    chains: [bool; 2],
    /// See [`Mode::hashes_by_products`].
    hashes_by_products: bool,
    /// See [`Mode::takes_partial_blocks`].
    takes_partial_blocks: bool,
    /// See [`Mode::takes_whole_messages`].
    takes_whole_messages: bool,
    /// See [`Mode::waits_for_blocks`].
    waits_for_blocks: bool,
    /// See [`Mode::block_size`].
    block_size: usize,
    /// See [`Mode::fewest_bytes`].
    fewest_bytes: usize,
    /// See [`Mode::has_kernels`].
    has_kernels: bool,
    /// See [`Algorithm::iv_bytes`] and [`Algorithm::iv_lengths`]: by default, the shortest, the longest.
    iv: [usize; 3],
}

/// What most modes are: blocks by themselves, in calls of any number of bytes, without a tag.
const PLAIN: Facts = Facts {
    is_symmetric: false,
    has_tag: false,
    chains: [false, false],
    hashes_by_products: false,
    takes_partial_blocks: true,
    takes_whole_messages: false,
    waits_for_blocks: false,
    block_size: 1,
    fewest_bytes: 0,
    has_kernels: true,
    iv: [16, 16, 16],
};
/// Modes whose calls are whole blocks.
const BLOCKS: Facts =
    Facts { takes_partial_blocks: false, waits_for_blocks: true, block_size: 16, ..PLAIN };
/// Modes with a tag.
const TAGGED: Facts = Facts { has_tag: true, iv: [12, 12, 12], ..PLAIN };

impl Mode {
    /// A row for each.
    #[inline]
    const fn facts(self) -> Facts {
        match self {
            Self::Ecb => Facts { iv: [0, 0, 0], ..BLOCKS },
            Self::Cbc => Facts { chains: [true, false], ..BLOCKS },
            Self::Cts => Facts {
                chains: [true, false],
                takes_whole_messages: true,
                block_size: 16,
                fewest_bytes: 16,
                has_kernels: false,
                ..PLAIN
            },
            Self::Cfb => Facts { chains: [true, false], ..PLAIN },
            Self::Cfb8 => Facts { chains: [true, false], has_kernels: false, ..PLAIN },
            Self::Ofb => Facts { is_symmetric: true, chains: [true, true], ..PLAIN },
            Self::Ctr | Self::Stream => Facts { is_symmetric: true, ..PLAIN },
            Self::Xts => Facts { takes_whole_messages: true, fewest_bytes: 16, ..PLAIN },
            Self::Gcm => Facts { hashes_by_products: true, iv: [12, 1, 128], ..TAGGED },
            Self::Ocb => {
                Facts { waits_for_blocks: true, block_size: 16, iv: [12, 1, 15], ..TAGGED }
            }
            Self::GcmSiv => {
                Facts { hashes_by_products: true, takes_whole_messages: true, ..TAGGED }
            }
            Self::Ccm => Facts {
                chains: [true, true],
                takes_whole_messages: true,
                has_kernels: false,
                iv: [12, 7, 13],
                ..TAGGED
            },
            Self::Poly1305 => TAGGED,
        }
    }

    /// Whether both directions are the same function.
    pub const fn is_symmetric(self) -> bool {
        self.facts().is_symmetric
    }

    /// Whether a message has associated data and ends in a tag, by default of 16 bytes.
    pub const fn has_tag(self) -> bool {
        self.facts().has_tag
    }

    /// Whether each block waits for the one before it.
    pub const fn is_chain(self, direction: Direction) -> bool {
        self.facts().chains[direction as usize]
    }

    /// Whether its tag is a hash by carry-less products: GHASH or POLYVAL.
    pub const fn hashes_by_products(self) -> bool {
        self.facts().hashes_by_products
    }

    /// Whether a call may be any number of bytes, not only whole blocks.
    pub const fn takes_partial_blocks(self) -> bool {
        self.facts().takes_partial_blocks
    }

    /// Whether one call must hold the whole message.
    pub const fn takes_whole_messages(self) -> bool {
        self.facts().takes_whole_messages
    }

    /// Whether decryption must be given the tag before the data, because one call is the whole message.
    pub const fn wants_tag_first(self) -> bool {
        self.has_tag() && self.takes_whole_messages()
    }

    /// OpenSSL's block size: 1 where calls may be any number of bytes, and so where nothing is padded or stolen.
    pub const fn block_size(self) -> usize {
        self.facts().block_size
    }

    /// The fewest bytes in a message.
    pub const fn fewest_bytes(self) -> usize {
        self.facts().fewest_bytes
    }

    /// Whether kernels run it as a whole; the others are made of ECB, CBC and CTR.
    pub const fn has_kernels(self) -> bool {
        self.facts().has_kernels
    }

    /// Whether each byte takes a block of the cipher.
    pub const fn has_byte_segments(self) -> bool {
        matches!(self, Self::Cfb8)
    }

    /// Whether a part of a block waits for its rest, because it is treated in another way if it is the last: so all
    /// calls but the last must be whole blocks, and OpenSSL's cipher gives whole blocks until then.
    pub const fn waits_for_blocks(self) -> bool {
        self.facts().waits_for_blocks
    }
}

/// A block cipher with one key size; all have blocks of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockCipher {
    /// FIPS 197.
    Aes128,
    /// FIPS 197.
    Aes192,
    /// FIPS 197.
    Aes256,
    /// GB/T 32907, ISO/IEC 18033-3.
    Sm4,
    /// RFC 3713.
    Camellia128,
    /// RFC 3713.
    Camellia192,
    /// RFC 3713.
    Camellia256,
    /// RFC 5794.
    Aria128,
    /// RFC 5794.
    Aria192,
    /// RFC 5794.
    Aria256,
}

impl BlockCipher {
    /// Every block cipher.
    pub const ALL: [Self; 10] = [
        Self::Aes128,
        Self::Aes192,
        Self::Aes256,
        Self::Sm4,
        Self::Camellia128,
        Self::Camellia192,
        Self::Camellia256,
        Self::Aria128,
        Self::Aria192,
        Self::Aria256,
    ];
    /// AES with each key size.
    pub const AES: [Self; 3] = [Self::Aes128, Self::Aes192, Self::Aes256];

    /// The key size in bits.
    pub const fn key_bits(self) -> u16 {
        match self {
            Self::Aes128 | Self::Sm4 | Self::Camellia128 | Self::Aria128 => 128,
            Self::Aes192 | Self::Camellia192 | Self::Aria192 => 192,
            Self::Aes256 | Self::Camellia256 | Self::Aria256 => 256,
        }
    }

    /// The same cipher with its smallest key.
    pub const fn with_smallest_key(self) -> Self {
        match self {
            Self::Aes128 | Self::Aes192 | Self::Aes256 => Self::Aes128,
            Self::Sm4 => Self::Sm4,
            Self::Camellia128 | Self::Camellia192 | Self::Camellia256 => Self::Camellia128,
            Self::Aria128 | Self::Aria192 | Self::Aria256 => Self::Aria128,
        }
    }

    /// The name, which those of its algorithms begin with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aes128 => "AES-128",
            Self::Aes192 => "AES-192",
            Self::Aes256 => "AES-256",
            Self::Sm4 => "SM4",
            Self::Camellia128 => "CAMELLIA-128",
            Self::Camellia192 => "CAMELLIA-192",
            Self::Camellia256 => "CAMELLIA-256",
            Self::Aria128 => "ARIA-128",
            Self::Aria192 => "ARIA-192",
            Self::Aria256 => "ARIA-256",
        }
    }
}

impl fmt::Display for BlockCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A block cipher in one mode, or ChaCha20.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithm {
    pub(crate) cipher: Option<BlockCipher>,
    pub(crate) mode: Mode,
}

/// The place of each in [`Algorithm::ALL`], by [`Algorithm::family`] and mode.
const PLACES: [[u8; 16]; Algorithm::FAMILIES] = {
    let mut places = [[u8::MAX; 16]; _];
    let mut place = 0;
    while place < Algorithm::ALL.len() {
        let it = Algorithm::ALL[place];
        places[it.family()][it.mode as usize] = place as u8;
        place += 1;
    }
    places
};

impl Algorithm {
    /// Those of AES, which are the first.
    pub const AES: &'static [Self] = {
        let mut count = 0;
        while let Some(cipher) = Self::ALL[count].cipher
            && cipher.with_smallest_key() as usize == BlockCipher::Aes128 as usize
        {
            count += 1;
        }
        Self::ALL.split_at(count).0
    };

    /// The block cipher; ChaCha20 is none.
    pub const fn block_cipher(self) -> Option<BlockCipher> {
        self.cipher
    }

    /// Bytes in a block of the cipher's: what calls are best cut into.
    pub const fn block_bytes(self) -> usize {
        if self.cipher.is_some() { 16 } else { 64 }
    }

    /// The mode of operation.
    pub const fn mode(self) -> Mode {
        self.mode
    }

    /// The key size in bits. XTS takes two such keys.
    pub const fn key_bits(self) -> u16 {
        match self.cipher {
            Some(cipher) => cipher.key_bits(),
            None => 256,
        }
    }

    /// The place in [`Self::ALL`].
    pub const fn index(self) -> usize {
        PLACES[self.family()][self.mode as usize] as usize
    }

    /// How many ciphers there are.
    pub const FAMILIES: usize = BlockCipher::ALL.len() + 1;

    /// The place of the cipher among block ciphers; ChaCha20's is behind them.
    pub const fn family(self) -> usize {
        match self.cipher {
            Some(cipher) => cipher as usize,
            None => BlockCipher::ALL.len(),
        }
    }

    /// The same cipher in the same mode with its smallest key.
    pub const fn with_smallest_key(self) -> Self {
        let Some(cipher) = self.cipher else { return self };
        Self { cipher: Some(cipher.with_smallest_key()), mode: self.mode }
    }

    /// Bytes of key material: for XTS both keys together.
    pub const fn key_bytes(self) -> usize {
        let one = self.key_bits() as usize / 8;
        if matches!(self.mode, Mode::Xts) { 2 * one } else { one }
    }

    /// Bytes of IV by default: none for ECB, 12 where there is a tag, else 16.
    pub const fn iv_bytes(self) -> usize {
        self.mode.facts().iv[0]
    }

    /// The lengths of an IV that it takes, in bytes; GCM's end where OpenSSL's do.
    pub const fn iv_lengths(self) -> RangeInclusive<usize> {
        let [_, shortest, longest] = self.mode.facts().iv;
        shortest..=longest
    }

    /// The directions that differ.
    pub const fn directions(self) -> &'static [Direction] {
        Subject::Cipher(self).directions()
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
        let all = Self::ALL.iter().copied();
        spelling::meant(given, all.clone(), Self::name)
            .ok_or_else(|| UnknownName::algorithm(given, all.map(Self::name).collect()))
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

    /// The other one.
    pub(crate) const fn opposite(self) -> Self {
        match self {
            Self::Encrypt => Self::Decrypt,
            Self::Decrypt => Self::Encrypt,
        }
    }

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

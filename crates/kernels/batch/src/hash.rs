//! The end of a message, and its hash.

use std::fmt;

use wirespeed_cipher::{Compression, Digest};

use crate::lanes::ShortChain;

/// The longest block of them all.
pub(crate) const LONGEST_BLOCK: usize = 128;
/// The longest hash of them all.
const LONGEST_HASH: usize = 64;

/// Writes the end of a message of `length` bytes to where only zeros are: what is `open`, a one bit, zeros, and the length
/// in bits in the last two words (FIPS 180-4 §5.1, RFC 1321 §3.1). Gives the bytes of the one or two blocks.
#[inline(always)]
pub(crate) fn pad(
    digest: Digest,
    end: &mut [u8; 2 * LONGEST_BLOCK],
    open: &[u8],
    length: u128,
) -> usize {
    let block_bytes = digest.block_bytes();
    let length_bytes = block_bytes / 8;
    let filled = open.len();
    let blocks = if filled + 1 + length_bytes <= block_bytes { 1 } else { 2 };
    let bytes = blocks * block_bytes;
    let bits = length.wrapping_mul(8);
    // Lengths that the compiler knows: a call to copy a few bytes costs more than all else here.
    let (pieces, last) = open.as_chunks::<16>();
    let (begun, behind) = end.split_at_mut(filled - last.len());
    begun.as_chunks_mut().0.copy_from_slice(pieces);
    behind.iter_mut().zip(last).for_each(|(to, from)| *to = *from);
    end[filled] = digest.first_padding_byte();
    let place = &mut end[..bytes];
    match digest.compression().word_bytes() {
        8 => *place.last_chunk_mut().expect("a block") = bits.to_be_bytes(),
        _ => {
            let (low, is_little) = (bits as u64, digest.compression().is_little_endian());
            let bits = if is_little { low.to_le_bytes() } else { low.to_be_bytes() };
            *place.last_chunk_mut().expect("a block") = bits;
        }
    }
    bytes
}

/// The hash of a message.
#[derive(Clone, Copy)]
pub struct Hash {
    bytes: [u8; LONGEST_HASH],
    length: usize,
}

impl Hash {
    /// A chaining value as a hash.
    pub(crate) fn of(digest: Digest, chain: &ShortChain) -> Self {
        let mut hash = Self { bytes: [0; LONGEST_HASH], length: digest.bytes() };
        hash.set(digest, chain);
        hash
    }

    /// Each chaining value as a hash, written in its place: what was just written word by word is slow to be moved.
    pub(crate) fn all(digest: Digest, chains: &[ShortChain]) -> Vec<Self> {
        let empty = Self { bytes: [0; LONGEST_HASH], length: digest.bytes() };
        let mut hashes = vec![empty; chains.len()];
        for (hash, chain) in hashes.iter_mut().zip(chains) {
            hash.set(digest, chain);
        }
        hashes
    }

    #[inline(always)]
    fn set(&mut self, digest: Digest, chain: &ShortChain) {
        match digest.compression() {
            Compression::Sha512 => self.write(chain, u64::to_be_bytes),
            Compression::Md5 => self.write(chain, |word| (word as u32).to_le_bytes()),
            _ => self.write(chain, |word| (word as u32).to_be_bytes()),
        }
    }

    /// Writes the words that there can be, those behind the end of the hash as well.
    #[inline(always)]
    fn write<const N: usize>(&mut self, chain: &ShortChain, bytes: impl Fn(u64) -> [u8; N]) {
        for (place, word) in self.bytes.as_chunks_mut().0.iter_mut().zip(chain) {
            *place = bytes(*word);
        }
    }
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

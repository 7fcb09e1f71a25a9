//! The end of a message, and its hash.

use std::fmt;

use wirespeed_cipher::{Chain, Digest};

/// The longest block of them all.
pub(crate) const LONGEST_BLOCK: usize = 128;
/// The longest hash of them all.
const LONGEST_HASH: usize = 64;

/// The chaining value that a message begins with.
pub(crate) fn initial(digest: Digest) -> Chain {
    let mut chain = [0; 25];
    chain[..8].copy_from_slice(&digest.initial());
    chain
}

/// Writes the end of a message of `length` bytes behind its last `filled` bytes, which begin `end`: a one
/// bit, zeros, and the length in bits in the last two words (FIPS 180-4 §5.1, RFC 1321 §3.1). Gives the
/// bytes of the one or two blocks.
pub(crate) fn pad(
    digest: Digest,
    end: &mut [u8; 2 * LONGEST_BLOCK],
    filled: usize,
    length: u128,
) -> usize {
    let block_bytes = digest.block_bytes();
    let length_bytes = block_bytes / 8;
    let blocks = if filled + 1 + length_bytes <= block_bytes { 1 } else { 2 };
    let bytes = blocks * block_bytes;
    let bits = length.wrapping_mul(8);
    end[filled] = digest.first_padding_byte();
    end[filled + 1..bytes - length_bytes].fill(0);
    let place = &mut end[bytes - length_bytes..bytes];
    if digest.compression().is_little_endian() {
        place.copy_from_slice(&bits.to_le_bytes()[..length_bytes]);
    } else {
        place.copy_from_slice(&bits.to_be_bytes()[16 - length_bytes..]);
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
    pub(crate) fn of(digest: Digest, chain: &Chain) -> Self {
        let mut bytes = [0; LONGEST_HASH];
        let word_bytes = digest.compression().word_bytes();
        for (bytes, word) in bytes.chunks_mut(word_bytes).zip(chain) {
            if digest.compression().is_little_endian() {
                bytes.copy_from_slice(&word.to_le_bytes()[..word_bytes]);
            } else {
                bytes.copy_from_slice(&word.to_be_bytes()[8 - word_bytes..]);
            }
        }
        Self { bytes, length: digest.bytes() }
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

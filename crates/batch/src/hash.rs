//! The end of a message, and its hash.

use std::fmt;

use wirespeed_cipher::{Chain, Compression, Digest};

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

/// Writes the end of a message of `length` bytes behind its last `filled` bytes, which begin `end` and have zeros behind
/// them: a one bit, zeros, and the length in bits in the last two words (FIPS 180-4 §5.1, RFC 1321 §3.1). Gives the
/// bytes of the one or two blocks.
#[inline(always)]
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
    // Lengths that the compiler knows: a call to copy a few bytes costs more than all else here.
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
    pub(crate) fn of(digest: Digest, chain: &Chain) -> Self {
        let mut hash = Self { bytes: [0; LONGEST_HASH], length: digest.bytes() };
        match digest.compression() {
            Compression::Sha512 => hash.write(chain, u64::to_be_bytes),
            Compression::Md5 => hash.write(chain, |word| (word as u32).to_le_bytes()),
            _ => hash.write(chain, |word| (word as u32).to_be_bytes()),
        }
        hash
    }

    /// Writes the words that there can be, those behind the end of the hash as well.
    #[inline(always)]
    fn write<const N: usize>(&mut self, chain: &Chain, bytes: impl Fn(u64) -> [u8; N]) {
        for (place, word) in self.bytes.as_chunks_mut().0.iter_mut().zip(&chain[..8]) {
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

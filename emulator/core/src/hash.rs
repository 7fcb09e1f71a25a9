//! The compression functions of the hash engine.

mod sha1;
mod sha2;
mod sm3;

pub(crate) use sha1::SHA1;
pub(crate) use sha2::{SHA256, SHA512};
pub(crate) use sm3::SM3;

/// Room for the longest state.
pub(crate) const MOST_STATE_BYTES: usize = 64;

/// A hash as the instructions know it: a state in memory, and what a block does to it.
pub(crate) struct Hash {
    pub(crate) block_bytes: usize,
    pub(crate) state_bytes: usize,
    /// Takes the state as it is in memory, and one block.
    pub(crate) compress: fn(&mut [u8; MOST_STATE_BYTES], &[u8]),
}

/// The words of a block.
fn big_endian_words<const N: usize>(block: &[u8]) -> [u32; N] {
    let (words, _) = block.as_chunks();
    core::array::from_fn(|at| u32::from_be_bytes(words[at]))
}

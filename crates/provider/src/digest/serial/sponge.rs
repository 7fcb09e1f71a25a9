//! The form of SHA-3 and SHAKE (providers/implementations/digests/sha3_prov.c, "KECCAKv1").
//!
//! Behind the name, all as 64-bit little-endian words: the hash function, the bytes of the hash, those of a
//! block, those in the block behind, the padding, the stage, and the state; then a block. While output goes
//! out the block holds what was made last, and the number tells how much of its end is not out yet.

use wirespeed_cipher::{Compression, Digest, Hasher};
use zeroize::Zeroize;

use super::LONGEST;

pub(super) const NAME: &[u8; 8] = b"KECCAKv1";

const STATE: usize = 25;

/// A name, six numbers, the state and the longest block.
pub(super) const BYTES: usize = 8 + 8 * (6 + STATE) + Compression::LONGEST_BLOCK;

/// `XOF_STATE_INIT`, `XOF_STATE_ABSORB` and `XOF_STATE_SQUEEZE` of internal/sha3.h.
const EMPTY: u64 = 0;
const BEGUN: u64 = 1;
const GOING_OUT: u64 = 3;

/// `SHAKE_SER_ID` and `SHA3_SER_ID`, with the number of the name behind.
const fn identifier(digest: Digest) -> u64 {
    let family = if digest.is_extendable() { 0x02_0000 } else { 0x04_0000 };
    // SHAKE-128 has 16 bytes where there is a default.
    family + 8 * digest.bytes() as u64
}

pub(super) fn write(message: &Hasher, bytes: usize, out: &mut [u8; LONGEST]) {
    let (chain, open, length) = message.standing();
    let digest = message.digest();
    let block_bytes = digest.block_bytes();
    let (stage, in_block) = match message.has_ended() {
        true => (GOING_OUT, block_bytes - open.len()),
        false if length < block_bytes as u128 => (EMPTY, open.len()),
        false => (BEGUN, open.len()),
    };
    let numbers = [
        identifier(digest),
        bytes as u64,
        block_bytes as u64,
        in_block as u64,
        digest.first_padding_byte().into(),
        stage,
    ];
    out[..8].copy_from_slice(NAME);
    let (words, block) = out[8..].split_at_mut(8 * (numbers.len() + STATE));
    for (to, word) in words.chunks_exact_mut(8).zip(numbers.iter().chain(chain)) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    if stage == GOING_OUT {
        let made = chain.iter().flat_map(|word| word.to_le_bytes());
        block.iter_mut().zip(made.take(block_bytes)).for_each(|(to, byte)| *to = byte);
    } else {
        block[..open.len()].copy_from_slice(open);
    }
}

/// None if this is no message of that function and length.
pub(super) fn read(message: &mut Hasher, bytes: usize, input: &[u8]) -> Option<()> {
    let digest = message.digest();
    let block_bytes = digest.block_bytes();
    let (name, rest) = input.split_first_chunk()?;
    let (words, block) = rest.split_at_checked(8 * (6 + STATE))?;
    let (words, _) = words.as_chunks();
    let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next();
    let known =
        [next()?, next()?, next()?] == [identifier(digest), bytes as u64, block_bytes as u64];
    let in_block = usize::try_from(next()?).ok()?;
    let (padding, stage) = (next()?, next()?);
    let mut chain: [u64; STATE] = std::array::from_fn(|_| next().unwrap_or_default());
    let ours = name == NAME && known && padding == u64::from(digest.first_padding_byte());
    if input.len() != BYTES || !ours {
        return None;
    }
    let read = match stage {
        EMPTY | BEGUN if in_block < block_bytes => {
            // How long it is nobody asks, only whether there was a block.
            let length = in_block + if stage == BEGUN { block_bytes } else { 0 };
            message.resume(&chain, &block[..in_block], length as u128);
            Some(())
        }
        GOING_OUT if in_block <= block_bytes && digest.is_extendable() => {
            message.resume_output(&chain, block_bytes - in_block);
            Some(())
        }
        _ => None,
    };
    chain.zeroize();
    read
}

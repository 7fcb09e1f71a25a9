//! SHA-1 (FIPS 180-4, section 6.1).

use super::{Hash, MOST_STATE_BYTES, big_endian_words};

/// Its state in memory is five little-endian words.
pub(crate) const SHA1: Hash = Hash { block_bytes: 64, state_bytes: 20, compress };

fn compress(state: &mut [u8; MOST_STATE_BYTES], block: &[u8]) {
    let (words, _) = state.as_chunks_mut();
    let before: [u32; 5] = core::array::from_fn(|at| u32::from_le_bytes(words[at]));
    // The last sixteen words of the message schedule.
    let mut schedule: [u32; 16] = big_endian_words(block);
    let [mut a, mut b, mut c, mut d, mut e] = before;
    for round in 0..80 {
        let (function, constant) = match round {
            0..20 => (b & c | !b & d, 0x5a82_7999),
            20..40 => (b ^ c ^ d, 0x6ed9_eba1),
            40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let next = a
            .rotate_left(5)
            .wrapping_add(function)
            .wrapping_add(e)
            .wrapping_add(constant)
            .wrapping_add(schedule[round % 16]);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        let earlier = |distance| schedule[(round + 16 - distance) % 16];
        schedule[round % 16] = (earlier(16) ^ earlier(14) ^ earlier(8) ^ earlier(3)).rotate_left(1);
    }
    for (at, after) in [a, b, c, d, e].into_iter().enumerate() {
        words[at] = before[at].wrapping_add(after).to_le_bytes();
    }
}

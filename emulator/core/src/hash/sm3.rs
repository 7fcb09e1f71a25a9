//! SM3 (GB/T 32905-2016).

use super::{Hash, MOST_STATE_BYTES, big_endian_words};

/// Its state in memory is eight big-endian words, unlike the others': the last one is the digest.
pub(crate) const SM3: Hash = Hash { block_bytes: 64, state_bytes: 32, compress };

fn compress(state: &mut [u8; MOST_STATE_BYTES], block: &[u8]) {
    let before: [u32; 8] = big_endian_words(state);
    // The next sixteen words of the expanded message, from W[round] on.
    let mut schedule: [u32; 16] = big_endian_words(block);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = before;
    for round in 0..64 {
        let constant: u32 = if round < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
        let first = a
            .rotate_left(12)
            .wrapping_add(e)
            .wrapping_add(constant.rotate_left(round as u32 % 32))
            .rotate_left(7);
        let second = first ^ a.rotate_left(12);
        let (left, right) = if round < 16 {
            (a ^ b ^ c, e ^ f ^ g)
        } else {
            (a & b | a & c | b & c, e & f | !e & g)
        };
        let later = |distance: usize| schedule[(round + distance) % 16];
        let (word, fourth) = (later(0), later(4));
        let left = left.wrapping_add(d).wrapping_add(second).wrapping_add(word ^ fourth);
        let right = right.wrapping_add(h).wrapping_add(first).wrapping_add(word);
        let mixed = later(0) ^ later(7) ^ later(13).rotate_left(15);
        // The sixteenth from here on (expansion, section 5.3.2).
        let mixed = mixed ^ mixed.rotate_left(15) ^ mixed.rotate_left(23);
        let next = mixed ^ later(3).rotate_left(7) ^ later(10);
        schedule[round % 16] = next;
        (d, c, b, a) = (c, b.rotate_left(9), a, left);
        (h, g, f, e) =
            (g, f.rotate_left(19), e, right ^ right.rotate_left(9) ^ right.rotate_left(17));
    }
    let (words, _) = state.as_chunks_mut();
    for (at, after) in [a, b, c, d, e, f, g, h].into_iter().enumerate() {
        words[at] = (before[at] ^ after).to_be_bytes();
    }
}

//! SHA-1, FIPS 180-4 §6.1.2.

use super::Step;

pub(super) struct Sha1;

impl Step for Sha1 {
    type Word = u32;

    fn block(chain: &mut [u32; 8], block: &[u32; 16]) {
        let mut w = *block;
        let [mut a, mut b, mut c, mut d, mut e, ..] = *chain;
        for t in 0..80 {
            if t >= 16 {
                let sum = w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^ w[t % 16];
                w[t % 16] = sum.rotate_left(1);
            }
            let (f, k) = match t / 20 {
                0 => ((b & c) ^ (!b & d), 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) ^ (b & d) ^ (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(f)
                .wrapping_add(e)
                .wrapping_add(k)
                .wrapping_add(w[t % 16]);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (word, step) in chain.iter_mut().zip([a, b, c, d, e]) {
            *word = word.wrapping_add(step);
        }
    }
}

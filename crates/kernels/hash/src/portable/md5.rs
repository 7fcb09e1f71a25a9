//! MD5, RFC 1321 §3.4.

use wirespeed_cipher::MD5_CONSTANTS;

use super::Step;

pub(super) struct Md5;

/// How far each step of a round turns, four by four.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

impl Step for Md5 {
    type Word = u32;
    const LITTLE_ENDIAN: bool = true;

    fn block(chain: &mut [u32; 8], block: &[u32; 16]) {
        let [mut a, mut b, mut c, mut d, ..] = *chain;
        for t in 0..64 {
            let (mixed, word) = match t / 16 {
                0 => ((b & c) | (!b & d), t),
                1 => ((b & d) | (c & !d), 5 * t + 1),
                2 => (b ^ c ^ d, 3 * t + 5),
                _ => (c ^ (b | !d), 7 * t),
            };
            let sum =
                a.wrapping_add(mixed).wrapping_add(block[word % 16]).wrapping_add(MD5_CONSTANTS[t]);
            let next = b.wrapping_add(sum.rotate_left(TURNS[t / 16][t % 4]));
            (a, b, c, d) = (d, next, b, c);
        }
        for (word, step) in chain.iter_mut().zip([a, b, c, d]) {
            *word = word.wrapping_add(step);
        }
    }
}

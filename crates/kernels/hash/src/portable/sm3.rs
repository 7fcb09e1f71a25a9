//! SM3, GB/T 32905-2016 §5.3.

use super::Step;

pub(super) struct Sm3;

impl Step for Sm3 {
    type Word = u32;

    fn block(chain: &mut [u32; 8], block: &[u32; 16]) {
        let mut w = *block;
        let mut s = *chain;
        for j in 0..64 {
            let [a, b, c, d, e, f, g, h] = s;
            let early = j < 16;
            let constant: u32 = if early { 0x79cc_4519 } else { 0x7a87_9d8a };
            let turned = a.rotate_left(12);
            let mixed = turned.wrapping_add(e).wrapping_add(constant.rotate_left(j as u32 % 32));
            let ss1 = mixed.rotate_left(7);
            let ff = if early { a ^ b ^ c } else { (a & b) | (a & c) | (b & c) };
            let gg = if early { e ^ f ^ g } else { (e & f) | (!e & g) };
            let tt1 = ff
                .wrapping_add(d)
                .wrapping_add(ss1 ^ turned)
                .wrapping_add(w[j % 16] ^ w[(j + 4) % 16]);
            let tt2 = gg.wrapping_add(h).wrapping_add(ss1).wrapping_add(w[j % 16]);
            s = [tt1, a, b.rotate_left(9), c, permute(tt2, 9, 17), e, f.rotate_left(19), g];
            // The message's word sixteen further on takes the place of the one just used.
            let x = w[j % 16] ^ w[(j + 7) % 16] ^ w[(j + 13) % 16].rotate_left(15);
            w[j % 16] = permute(x, 15, 23) ^ w[(j + 3) % 16].rotate_left(7) ^ w[(j + 10) % 16];
        }
        for (word, step) in chain.iter_mut().zip(s) {
            *word ^= step;
        }
    }
}

/// P0 with 9 and 17, P1 with 15 and 23 (§4.3).
const fn permute(x: u32, first: u32, second: u32) -> u32 {
    x ^ x.rotate_left(first) ^ x.rotate_left(second)
}

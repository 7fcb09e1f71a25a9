//! Keccak-f[1600] and the sponge around it, FIPS 202 §3.2, §3.3 and §4.

use wirespeed_cipher::{Chain, KECCAK_CONSTANTS};

/// Adds each block to the first lanes of the state, and permutes it.
#[inline(always)]
pub(crate) fn absorb<const RATE: usize>(state: &mut Chain, blocks: &[u8]) {
    let state = state.first_chunk_mut().expect("25 words");
    for block in blocks.chunks_exact(RATE) {
        for (lane, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        permute(state);
    }
}

/// How far rho turns lane (x, y), at 5y + x (§3.2.2, table 2 modulo 64).
#[rustfmt::skip]
const TURNS: [u32; 25] = [
     0,  1, 62, 28, 27,
    36, 44,  6, 55, 20,
     3, 10, 43, 25, 39,
    41, 45, 15, 21,  8,
    18,  2, 61, 56, 14,
];

/// All rounds (§3.3).
#[inline(always)]
fn permute(state: &mut [u64; 25]) {
    for constant in KECCAK_CONSTANTS {
        // Theta: each column gets the parities of two others.
        let parity: [u64; 5] = std::array::from_fn(|x| {
            state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]
        });
        let added: [u64; 5] =
            std::array::from_fn(|x| parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1));
        // Rho and pi: lane (x, y) goes, turned, to (y, 2x + 3y).
        let mut moved = [0; 25];
        for y in 0..5 {
            for x in 0..5 {
                let turned = (state[5 * y + x] ^ added[x]).rotate_left(TURNS[5 * y + x]);
                moved[5 * ((2 * x + 3 * y) % 5) + y] = turned;
            }
        }
        // Chi: the only step that is not linear.
        for y in 0..5 {
            for x in 0..5 {
                state[5 * y + x] =
                    moved[5 * y + x] ^ (!moved[5 * y + (x + 1) % 5] & moved[5 * y + (x + 2) % 5]);
            }
        }
        // Iota.
        state[0] ^= constant;
    }
}

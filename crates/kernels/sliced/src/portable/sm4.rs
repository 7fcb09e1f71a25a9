//! SM4 (GB/T 32907-2016, ISO/IEC 18033-3) of one block in constant time: the S-box is a circuit.

use wirespeed_cipher::{Block, Schedule};
use zeroize::Zeroize;

use wirespeed_kernels_core::bitslice;

use crate::circuits;
use crate::field::SM4;

/// The key schedule: see [`Schedule`] for its form.
pub(crate) fn expand(key: &[u8], decrypt: bool, out: &mut Schedule) {
    const FAMILY: [u32; 4] = [0xa3b1_bac6, 0x56aa_3350, 0x677d_9197, 0xb270_22dc];
    out.round_keys[0].copy_from_slice(key);
    let mut words: [u32; 4] = std::array::from_fn(|i| word(key, i) ^ FAMILY[i]);
    let round_keys = out.round_keys[1..9].as_flattened_mut();
    for round in 0..32 {
        // CK: the bytes (4·round + j)·7 mod 256.
        let constant = std::array::from_fn(|j| (4 * round + j).wrapping_mul(7) as u8);
        let mixed = words[1] ^ words[2] ^ words[3] ^ u32::from_be_bytes(constant);
        let t = substitute(mixed);
        let next = words[0] ^ t ^ t.rotate_left(13) ^ t.rotate_left(23);
        words = [words[1], words[2], words[3], next];
        let place = if decrypt { 31 - round } else { round };
        round_keys[4 * place..4 * place + 4].copy_from_slice(&next.to_be_bytes());
    }
    words.zeroize();
}

/// The `i`th big-endian word.
fn word(bytes: &[u8], i: usize) -> u32 {
    u32::from_be_bytes(bytes[4 * i..4 * i + 4].try_into().expect("four bytes"))
}

/// A block through all 32 rounds.
pub(crate) fn encrypt(round_keys: &[Block], block: &Block) -> Block {
    let round_keys = round_keys.as_flattened();
    let mut state: [u32; 4] = std::array::from_fn(|i| word(block, i));
    for round in 0..32 {
        let [a, b, c, d] = state;
        let t = substitute(b ^ c ^ d ^ word(round_keys, round));
        let next =
            a ^ t ^ t.rotate_left(2) ^ t.rotate_left(10) ^ t.rotate_left(18) ^ t.rotate_left(24);
        state = [b, c, d, next];
    }
    let mut result = [0; 16];
    for (bytes, word) in result.chunks_exact_mut(4).zip(state.iter().rev()) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    result
}

/// The S-box on every byte.
fn substitute(word: u32) -> u32 {
    let planes = bitslice::transpose(word.into()).to_le_bytes();
    let planes = circuits::substitute::<_, SM4>(&planes, 0xff);
    bitslice::transpose(u64::from_le_bytes(planes)) as u32
}

/// An affine map over GF(2): for each bit of the result the bits that it is the sum of, and a constant.
pub(crate) type Affine = ([u8; 8], u8);

pub(crate) const BEFORE: Affine = ([0x06, 0x17, 0x0a, 0x35, 0x3a, 0x72, 0x9b, 0x0d], 0x23);
pub(crate) const AFTER: Affine = ([0x9c, 0x3a, 0x8c, 0xc4, 0x74, 0xc3, 0x61, 0xa8], 0x3b);

#[cfg(test)]
mod tests {
    use super::*;

    /// GB/T 32907-2016, appendix A.1 and A.2.
    const KEY: [u8; 16] = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210_u128.to_be_bytes();

    #[test]
    fn the_standards_example() {
        let ciphertext = 0x681e_df34_d206_965e_86b3_e94f_536e_4246_u128.to_be_bytes();
        let mut schedule = Schedule::EMPTY;
        expand(&KEY, false, &mut schedule);
        assert_eq!(encrypt(&schedule.round_keys[1..9], &KEY), ciphertext);
        expand(&KEY, true, &mut schedule);
        assert_eq!(encrypt(&schedule.round_keys[1..9], &ciphertext), KEY);
    }

    #[test]
    fn the_s_box_is_the_standards() {
        // The ends of its table and two rows from the middle.
        let words = [0x0001_0203, 0xfcfd_feff, 0x7071_7273, 0xa0a1_a2a3];
        let expected = [0xd690_e9fe, 0xd7cb_3948, 0xd400_4657, 0x1df6_e22e];
        assert_eq!(words.map(substitute), expected);
    }
}

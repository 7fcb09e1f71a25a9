//! SM4 (GB/T 32907-2016, ISO/IEC 18033-3) in constant time: the S-box is AES's between two affine maps.
//!
//! Both S-boxes are inversion in GF(2^8) between affine maps, over different polynomials; the fields are
//! isomorphic, so SM4's is `after(AES(before(x)))`. A test holds it against the standard's table.

use wirespeed_cipher::{Block, BlockCipher, BlockKernels, InOut, Route, Schedule};
use zeroize::Zeroize;

use wirespeed_kernels_core::bitslice::{self, Planes};
use wirespeed_kernels_core::engine::{self, Engine, Galois};

/// The portable kernels.
pub(crate) static KERNELS: BlockKernels = engine::table::<Sm4>();

struct Sm4;

impl Engine for Sm4 {
    const ROUTE: Route = Route::Portable;
    const CIPHER: BlockCipher = BlockCipher::Sm4;
    const GALOIS: Galois = wirespeed_aes::portable::GALOIS;

    fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule) {
        expand(key, DECRYPT, out);
    }

    fn ecb<const DECRYPT: bool>(key: &Schedule, data: InOut<'_>) {
        // Decryption is encryption with the round keys in reverse, which the schedule holds.
        let round_keys = &key.round_keys[1..9];
        let mut rest = data;
        while rest.len() >= 16 {
            let few = rest.len() < 3 * 16;
            let count = if few { 16 } else { (rest.len() & !15).min(16 * SIDE_BY_SIDE) };
            let (mut now, then) = rest.split_at(count);
            let mut blocks = [[0; 16]; SIDE_BY_SIDE];
            now.save(&mut blocks.as_flattened_mut()[..count]);
            match few {
                true => encrypt::<1>(round_keys, blocks.first_chunk_mut().expect("a block")),
                false => encrypt(round_keys, &mut blocks),
            }
            now.overwrite(&blocks.as_flattened()[..count]);
            rest = then;
        }
    }
}

/// Blocks that fill the planes, with a word of each. Fewer than three are done sooner one by one.
const SIDE_BY_SIDE: usize = 16;

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
        let mut substituted = [mixed];
        substitute(&mut substituted);
        let [t] = substituted;
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

/// Blocks through all 32 rounds.
pub(crate) fn encrypt<const N: usize>(round_keys: &[Block], blocks: &mut [Block; N]) {
    let round_keys = round_keys.as_flattened();
    // Word i of every block.
    let mut state: [[u32; N]; 4] =
        std::array::from_fn(|i| std::array::from_fn(|block| word(&blocks[block], i)));
    for round in 0..32 {
        let round_key = word(round_keys, round);
        let [a, b, c, d] = state;
        let mut t: [u32; N] = std::array::from_fn(|i| b[i] ^ c[i] ^ d[i] ^ round_key);
        substitute(&mut t);
        let next = std::array::from_fn(|i| {
            let t = t[i];
            a[i] ^ t ^ t.rotate_left(2) ^ t.rotate_left(10) ^ t.rotate_left(18) ^ t.rotate_left(24)
        });
        state = [b, c, d, next];
    }
    for (i, block) in blocks.iter_mut().enumerate() {
        for (at, words) in state.iter().rev().enumerate() {
            block[4 * at..4 * at + 4].copy_from_slice(&words[i].to_be_bytes());
        }
    }
}

/// The S-box on every byte.
fn substitute<const N: usize>(words: &mut [u32; N]) {
    const { assert!(N <= SIDE_BY_SIDE) };
    let mut planes: Planes = [0; 8];
    for (pair, words) in words.chunks(2).enumerate() {
        let second = words.get(1).map_or(0, |word| u64::from(*word) << 32);
        let bits = bitslice::transpose(u64::from(words[0]) | second);
        for (i, plane) in planes.iter_mut().enumerate() {
            *plane |= ((bits >> (8 * i)) & 0xff) << (8 * pair);
        }
    }
    planes = affine(&planes, BEFORE);
    bitslice::sub_bytes(&mut planes);
    planes = affine(&planes, AFTER);
    for (pair, words) in words.chunks_mut(2).enumerate() {
        let bits = planes
            .iter()
            .enumerate()
            .fold(0, |bits, (i, plane)| bits | ((plane >> (8 * pair)) & 0xff) << (8 * i));
        let bits = bitslice::transpose(bits);
        for (word, value) in words.iter_mut().zip([bits as u32, (bits >> 32) as u32]) {
            *word = value;
        }
    }
}

/// An affine map over GF(2): for each bit of the result the bits that it is the sum of, and a constant.
pub(crate) type Affine = ([u8; 8], u8);

pub(crate) const BEFORE: Affine = ([0x06, 0x17, 0x0a, 0x35, 0x3a, 0x72, 0x9b, 0x0d], 0x23);
pub(crate) const AFTER: Affine = ([0x9c, 0x3a, 0x8c, 0xc4, 0x74, 0xc3, 0x61, 0xa8], 0x3b);

fn affine(planes: &Planes, (rows, constant): Affine) -> Planes {
    std::array::from_fn(|bit| {
        let chosen = (0..8).filter(|i| rows[bit] >> i & 1 != 0).map(|i| planes[i]);
        let sum = chosen.fold(0, |sum, plane| sum ^ plane);
        if constant >> bit & 1 != 0 { !sum } else { sum }
    })
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::{BlockKey, Direction};

    use super::*;

    /// GB/T 32907-2016, appendix A.1 and A.2.
    const KEY: [u8; 16] = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210_u128.to_be_bytes();

    fn once(block: Block, direction: Direction) -> Block {
        let mut key = BlockKey::empty(&KERNELS);
        key.set(&KEY, direction);
        // One by one, and side by side.
        let mut blocks = [block; 17];
        let data = InOut::in_place(blocks.as_flattened_mut());
        (KERNELS.ecb[direction as usize])(key.schedule(), data);
        assert_eq!(blocks, [blocks[0]; 17]);
        blocks[0]
    }

    #[test]
    fn the_standards_example() {
        let ciphertext = 0x681e_df34_d206_965e_86b3_e94f_536e_4246_u128.to_be_bytes();
        assert_eq!(once(KEY, Direction::Encrypt), ciphertext);
        assert_eq!(once(ciphertext, Direction::Decrypt), KEY);
    }

    #[test]
    fn the_s_box_is_the_standards() {
        // The ends of its table and two rows from the middle.
        let mut words = [0x0001_0203, 0xfcfd_feff, 0x7071_7273, 0xa0a1_a2a3, 0, 0, 0, 0];
        substitute(&mut words);
        let zero = 0xd6d6_d6d6;
        assert_eq!(
            words,
            [0xd690_e9fe, 0xd7cb_3948, 0xd400_4657, 0x1df6_e22e, zero, zero, zero, zero]
        );
    }
}

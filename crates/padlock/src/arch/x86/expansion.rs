//! Key expansion (FIPS 197 §5.2) for the key sizes that not every PadLock expands right.
//!
//! Linux, OpenSSL, GnuTLS and libgcrypt let the unit expand 128-bit keys only: on some steppings it
//! gets longer ones wrong. Tables would leak the key through the cache, so the S-box is computed, four
//! bytes at a time in one word; a key is expanded once, and that takes microseconds.

use wirespeed_cipher::{Block, Direction};

use crate::arch::x86::control::KeySize;

/// Expands `key` into as many round keys as its size has, in the order of use: for decryption those of
/// the equivalent inverse cipher (FIPS 197 §5.3.5).
///
/// # Panics
/// If `key` is not of that size.
pub(crate) fn expand(size: KeySize, key: &[u8], direction: Direction, out: &mut [Block; 16]) {
    assert_eq!(key.len(), size.bytes(), "AES key size");
    let key_words = key.len() / 4;
    let bytes = out.as_flattened_mut();
    bytes[..key.len()].copy_from_slice(key);
    let mut constant = 1;
    for i in key_words..4 * (size.rounds() + 1) {
        let mut word = word_at(bytes, i - 1);
        if i % key_words == 0 {
            word = substitute(word.rotate_right(8)) ^ constant;
            constant = times_x(constant);
        } else if key_words > 6 && i % key_words == 4 {
            word = substitute(word);
        }
        word ^= word_at(bytes, i - key_words);
        bytes[4 * i..4 * i + 4].copy_from_slice(&word.to_le_bytes());
    }
    if direction == Direction::Decrypt {
        let keys = &mut out[..=size.rounds()];
        keys.reverse();
        let middle = 1..size.rounds();
        for column in keys[middle].as_flattened_mut().as_chunks_mut::<4>().0 {
            *column = inverse_mix_column(u32::from_le_bytes(*column)).to_le_bytes();
        }
    }
}

fn word_at(bytes: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("4 bytes"))
}

/// Multiplies each of four bytes by x in GF(2^8) (FIPS 197 §4.2.1).
const fn times_x(bytes: u32) -> u32 {
    let top = bytes >> 7 & 0x0101_0101;
    ((bytes & 0x7f7f_7f7f) << 1) ^ (top * 0x1b)
}

/// Multiplies bytes pair by pair.
fn multiply(mut a: u32, b: u32) -> u32 {
    let mut product = 0;
    for bit in 0..8 {
        // A byte of ones where this bit of `b`'s byte is set.
        product ^= a & ((b >> bit & 0x0101_0101) * 0xff);
        a = times_x(a);
    }
    product
}

/// The S-box on each of four bytes (FIPS 197 §5.1.1): the inverse, which is the 254th power, then the
/// affine map.
fn substitute(bytes: u32) -> u32 {
    let square = |x| multiply(x, x);
    // 2, 3, 12, 15, 240, 252, 254.
    let two = square(bytes);
    let three = multiply(two, bytes);
    let twelve = square(square(three));
    let fifteen = multiply(twelve, three);
    let many = (0..4).fold(fifteen, |x, _| square(x));
    let inverse = multiply(multiply(many, twelve), two);
    let rotate = |by: u32| {
        let kept = 0x0101_0101 * (0xff >> (8 - by));
        (inverse << by & !kept) | (inverse >> (8 - by) & kept)
    };
    (1..5).fold(inverse ^ 0x6363_6363, |sum, by| sum ^ rotate(by))
}

/// InvMixColumns on one column (FIPS 197 §5.3.3), as MixColumns after multiplication by 04·x^2 + 05.
const fn inverse_mix_column(column: u32) -> u32 {
    let four = times_x(times_x(column ^ column.rotate_right(16)));
    let column = column ^ four;
    let next = column.rotate_right(8);
    let pair = column ^ next;
    times_x(pair) ^ next ^ pair.rotate_right(16)
}

#[cfg(test)]
mod tests {
    use aes::cipher::{Block as BlockOf, BlockEncrypt, KeyInit};

    use super::*;

    #[test]
    fn every_byte_is_substituted_as_the_standard_says() {
        // FIPS 197 figure 7, first and last row.
        let row = |first: u8| -> Vec<u8> {
            let words = (0..4).map(|i| first + 4 * i);
            let bytes = |b: u8| u32::from_le_bytes([b, b + 1, b + 2, b + 3]);
            words.flat_map(|b| substitute(bytes(b)).to_le_bytes()).collect()
        };
        let zero = 0x637c_777b_f26b_6fc5_3001_672b_fed7_ab76_u128;
        let last = 0x8ca1_890d_bfe6_4268_4199_2d0f_b054_bb16_u128;
        assert_eq!(row(0), zero.to_be_bytes());
        assert_eq!(row(0xf0), last.to_be_bytes());
    }

    #[test]
    fn expansion_is_that_of_fips_197_appendix_a() {
        let mut out = [[0; 16]; 16];
        let key = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
        expand(KeySize::Bits128, &key, Direction::Encrypt, &mut out);
        assert_eq!(u128::from_be_bytes(out[10]), 0xd014_f9a8_c9ee_2589_e13f_0cc8_b663_0ca6);
        assert_eq!(out[11], [0; 16], "ten rounds have eleven keys");
    }

    /// The round keys are used as the standard uses them, in software made of this module's own parts.
    fn decrypt(keys: &[Block], block: Block) -> Block {
        let inverse: Vec<u8> = {
            let mut table = vec![0; 256];
            for b in 0..=255u8 {
                table[substitute(u32::from(b)) as u8 as usize] = b;
            }
            table
        };
        let add = |state: Block, key: &Block| std::array::from_fn(|i| state[i] ^ key[i]);
        let mut state = add(block, &keys[0]);
        for (round, key) in keys.iter().enumerate().skip(1) {
            // InvSubBytes and InvShiftRows.
            state = std::array::from_fn(|i| inverse[usize::from(state[(13 * i) % 16])]);
            if round + 1 < keys.len() {
                for column in state.as_chunks_mut::<4>().0 {
                    *column = inverse_mix_column(u32::from_le_bytes(*column)).to_le_bytes();
                }
            }
            state = add(state, key);
        }
        state
    }

    #[test]
    fn the_inverse_schedule_decrypts_what_another_implementation_encrypted() {
        fn check<C: KeyInit + BlockEncrypt>(size: KeySize) {
            for seed in 0..50u8 {
                let key: Vec<u8> = (0..size.bytes())
                    .map(|i| (i as u8).wrapping_mul(29) ^ seed.wrapping_mul(5))
                    .collect();
                let plaintext: Block = std::array::from_fn(|i| (i as u8).wrapping_mul(seed));
                let mut out = [[0; 16]; 16];
                expand(size, &key, Direction::Decrypt, &mut out);
                let cipher = C::new_from_slice(&key).expect("its key size");
                let mut block = BlockOf::<C>::clone_from_slice(&plaintext);
                cipher.encrypt_block(&mut block);
                let ciphertext = block[..].try_into().expect("a block");
                assert_eq!(decrypt(&out[..=size.rounds()], ciphertext), plaintext, "{size:?}");
            }
        }
        check::<aes::Aes128>(KeySize::Bits128);
        check::<aes::Aes192>(KeySize::Bits192);
        check::<aes::Aes256>(KeySize::Bits256);
    }
}

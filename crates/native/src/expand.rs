//! Key expansion (FIPS 197 §5.2) and that of the equivalent inverse cipher (§5.3.5).
//!
//! Each word of the schedule stands in every column of a vector of its own, so that nothing leaves the
//! vector unit between the words of the chain.

use wirespeed_cipher::Schedule;

use crate::unit::{One, Unit};

/// Expands for encryption.
///
/// # Panics
/// If the key is shorter than `ROUNDS` calls for.
#[inline(always)]
pub(crate) fn encryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    let u = u.single();
    let key_words = ROUNDS - 6;
    assert_eq!(key.len(), 4 * key_words, "AES key size");
    let mut words = [u.zero(); 60];
    for i in 0..key_words {
        let bytes = key[4 * i..4 * i + 4].try_into().expect("four bytes");
        words[i] = u.every_column(u32::from_le_bytes(bytes));
    }
    let mut previous = words[key_words - 1];
    let mut constant = 1;
    for i in key_words..4 * (ROUNDS + 1) {
        if i % key_words == 0 {
            previous = u.sub_word::<true>(previous, constant);
            constant = (constant << 1) ^ ((constant >> 7) * 0x11b);
        } else if key_words > 6 && i % key_words == 4 {
            previous = u.sub_word::<false>(previous, 0);
        }
        previous = u.xor(previous, words[i - key_words]);
        words[i] = previous;
    }
    for round in 0..=ROUNDS {
        let first = 4 * round;
        let [a, b, c, d] = [words[first], words[first + 1], words[first + 2], words[first + 3]];
        // SAFETY: a round key is a block.
        unsafe { u.store(out.round_keys[round].as_mut_ptr(), u.columns(a, b, c, d)) };
    }
    u.wipe(&mut words);
}

/// Expands for decryption: the round keys in reverse, all but the outer two through InvMixColumns.
#[inline(always)]
pub(crate) fn decryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    encryption::<U, ROUNDS>(u, key, out);
    out.round_keys[..=ROUNDS].reverse();
    let u = u.single();
    for round in 1..ROUNDS {
        let place = out.round_keys[round].as_mut_ptr();
        // SAFETY: a round key is a block.
        unsafe { u.store(place, u.inverse_mix(u.load(place))) };
    }
}

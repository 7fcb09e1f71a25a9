//! Key expansion (FIPS 197 §5.2) and that of the equivalent inverse cipher (§5.3.5).
//!
//! Each word of the schedule stands in every column of a vector of its own, so that nothing leaves the
//! vector unit between the words of the chain.

use wirespeed_cipher::Schedule;

use crate::unit::{One, Unit};

/// Expands for encryption.
///
/// # Panics
/// If the key is not as long as `ROUNDS` calls for.
#[inline(always)]
pub(crate) fn encryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    let u = u.single();
    let key_words = ROUNDS - 6;
    assert_eq!(key.len(), 4 * key_words, "AES key size");
    // The last `key_words` words; the next ones take their places.
    let mut words = [u.zero(); 8];
    for i in 0..key_words {
        let bytes = key[4 * i..4 * i + 4].try_into().expect("four bytes");
        words[i] = u.every_column(u32::from_le_bytes(bytes));
    }
    let mut constant = 1;
    let mut done = 0;
    loop {
        for i in (0..key_words).step_by(4) {
            write(
                u,
                out,
                done + i,
                [words[i], words[i + 1], words[(i + 2) & 7], words[(i + 3) & 7]],
            );
        }
        done += key_words;
        if done >= 4 * (ROUNDS + 1) {
            return;
        }
        words[0] = u.xor(words[0], u.sub_word::<true>(words[key_words - 1], constant));
        constant = (constant << 1) ^ ((constant >> 7) * 0x11b);
        for i in 1..key_words {
            let before = words[i - 1];
            let before =
                if key_words > 6 && i == 4 { u.sub_word::<false>(before, 0) } else { before };
            words[i] = u.xor(words[i], before);
        }
    }
}

/// Writes four words from word `first` on, as far as there is room. With 192-bit keys the last two of
/// every six words come with two that the next call writes again.
#[inline(always)]
fn write<U: One>(u: U, out: &mut Schedule, first: usize, [a, b, c, d]: [U::V; 4]) {
    let bytes = out.round_keys.as_flattened_mut();
    if let Some(place) = bytes.get_mut(4 * first..4 * first + 16) {
        // SAFETY: sixteen bytes.
        unsafe { u.store(place.as_mut_ptr(), u.columns(a, b, c, d)) };
    }
}

/// Expands for decryption: the round keys in reverse, all but the outer two through InvMixColumns.
#[inline(always)]
pub(crate) fn decryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    encryption::<U, ROUNDS>(u, key, out);
    let u = u.single();
    let keys = &mut out.round_keys;
    for round in 0..=ROUNDS / 2 {
        let (low, high) = (keys[round].as_mut_ptr(), keys[ROUNDS - round].as_mut_ptr());
        // SAFETY: each round key is a block.
        unsafe {
            let (mut first, mut last) = (u.load(low), u.load(high));
            if round > 0 {
                first = u.inverse_mix(first);
                last = u.inverse_mix(last);
            }
            u.store(low, last);
            u.store(high, first);
        }
    }
}

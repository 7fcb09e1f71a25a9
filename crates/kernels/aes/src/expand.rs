//! Key expansion (FIPS 197 §5.2) and that of the equivalent inverse cipher (§5.3.5).

use wirespeed_cipher::Schedule;

use crate::unit::{One, Unit};

/// Expands for encryption.
///
/// # Panics
/// If the key is not as long as `ROUNDS` calls for.
#[inline(always)]
pub(crate) fn encryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    expand::<_, ROUNDS, false>(u.single(), key, out);
}

/// Expands for decryption: the round keys in reverse, all but the outer two through InvMixColumns.
///
/// # Panics
/// If the key is not as long as `ROUNDS` calls for.
#[inline(always)]
pub(crate) fn decryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    if ROUNDS == 12 {
        // Words come in sixes: round keys are whole only afterwards.
        expand::<_, ROUNDS, false>(u.single(), key, out);
        invert::<_, ROUNDS>(u.single(), out);
    } else {
        expand::<_, ROUNDS, true>(u.single(), key, out);
    }
}

/// Expands four to eight words at a time: the first four in one vector, the other two (192-bit keys) or
/// four (256-bit keys) in a second. With `INVERT` each round key goes where decryption wants it.
#[inline(always)]
fn expand<U: One, const ROUNDS: usize, const INVERT: bool>(u: U, key: &[u8], out: &mut Schedule) {
    let key_words = ROUNDS - 6;
    out.rounds = ROUNDS as u8;
    assert_eq!(key.len(), 4 * key_words, "AES key size");
    // SAFETY: so many bytes are in the key, at least 16.
    let mut first = unsafe { u.load(key.as_ptr()) };
    let mut second = match key.len() - 16 {
        0 => first,
        // SAFETY: as above.
        rest => unsafe { u.load_first(key.as_ptr().add(16), rest) },
    };
    let mut constant = 1;
    let mut done = 0;
    loop {
        write::<U, ROUNDS, INVERT>(u, out, done, first);
        if key_words > 4 {
            // With 192-bit keys the upper half is not meant; the next write covers it.
            write::<U, ROUNDS, INVERT>(u, out, done + 4, second);
        }
        done += key_words;
        if done >= 4 * (ROUNDS + 1) {
            return;
        }
        let last = match key_words {
            4 => u.every_column::<3, true>(first),
            6 => u.every_column::<1, true>(second),
            _ => u.every_column::<3, true>(second),
        };
        first = u.xor(u.running_sum(first), u.sub_columns(last, constant));
        constant = (constant << 1) ^ ((constant >> 7) * 0x11b);
        let last = u.every_column::<3, false>(first);
        let last = if key_words > 6 { u.sub_columns(last, 0) } else { last };
        second = u.xor(u.running_sum(second), last);
    }
}

/// Writes four words from word `index` on, if there is room; with `INVERT` as a round key of decryption.
#[inline(always)]
fn write<U: One, const ROUNDS: usize, const INVERT: bool>(
    u: U,
    out: &mut Schedule,
    index: usize,
    mut words: U::V,
) {
    let mut at = index;
    if INVERT {
        let Some(inverse) = (4 * ROUNDS).checked_sub(index) else { return };
        at = inverse;
        if at != 0 && index != 0 {
            words = u.inverse_mix(words);
        }
    }
    if let Some(place) = out.round_keys.as_flattened_mut().get_mut(4 * at..4 * at + 16) {
        // SAFETY: sixteen bytes.
        unsafe { u.store(place.as_mut_ptr(), words) };
    }
}

/// Turns round keys for encryption into round keys for decryption.
#[inline(always)]
fn invert<U: One, const ROUNDS: usize>(u: U, out: &mut Schedule) {
    let keys = &mut out.round_keys;
    for round in 0..=ROUNDS / 2 {
        // SAFETY: each round key is a block. In the middle both are the same one.
        unsafe {
            let mut first = u.load(keys[round].as_ptr());
            let mut last = u.load(keys[ROUNDS - round].as_ptr());
            if round > 0 {
                first = u.inverse_mix(first);
                last = u.inverse_mix(last);
            }
            u.store(keys[round].as_mut_ptr(), last);
            u.store(keys[ROUNDS - round].as_mut_ptr(), first);
        }
    }
}

//! Key expansion (FIPS 197 §5.2) and that of the equivalent inverse cipher (§5.3.5).

use wirespeed_cipher::Schedule;

use crate::unit::{One, Unit};

/// Expands for encryption, four to eight words at a time: the first four in one vector, the other two
/// (192-bit keys) or four (256-bit keys) in a second.
///
/// # Panics
/// If the key is not as long as `ROUNDS` calls for.
#[inline(always)]
pub(crate) fn encryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    let u = u.single();
    let key_words = ROUNDS - 6;
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
        write(u, out, done, first);
        if key_words > 4 {
            // With 192-bit keys the upper half is not meant; the next write covers it.
            write(u, out, done + 4, second);
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

/// Writes four words from word `index` on, if there is room.
#[inline(always)]
fn write<U: One>(u: U, out: &mut Schedule, index: usize, words: U::V) {
    let bytes = out.round_keys.as_flattened_mut();
    if let Some(place) = bytes.get_mut(4 * index..4 * index + 16) {
        // SAFETY: sixteen bytes.
        unsafe { u.store(place.as_mut_ptr(), words) };
    }
}

/// Expands for decryption: the round keys in reverse, all but the outer two through InvMixColumns.
#[inline(always)]
pub(crate) fn decryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    encryption::<U, ROUNDS>(u, key, out);
    let u = u.single();
    // One pointer for both ends: in the middle they meet.
    let keys = out.round_keys.as_mut_ptr();
    for round in 0..=ROUNDS / 2 {
        // SAFETY: at most ROUNDS, which is 14: inside the 15 round keys, each of them a block.
        unsafe {
            let (low, high) = (keys.add(round).cast::<u8>(), keys.add(ROUNDS - round).cast());
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

//! Key expansion (FIPS 197 §5.2) and that of the equivalent inverse cipher (§5.3.5).

use wirespeed_cipher::Schedule;
use zeroize::Zeroize;

use crate::unit::{One, Unit};

/// Expands for encryption.
#[inline(always)]
pub(crate) fn encryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    let u = u.single();
    let key_words = ROUNDS - 6;
    let mut words = [0u32; 60];
    for (word, bytes) in words.iter_mut().zip(key.chunks_exact(4)) {
        *word = u32::from_le_bytes(bytes.try_into().expect("a chunk of 4"));
    }
    let mut constant = 1u32;
    for i in key_words..4 * (ROUNDS + 1) {
        let mut word = words[i - 1];
        if i % key_words == 0 {
            word = u.sub_word(word).rotate_right(8) ^ constant;
            constant = (constant << 1) ^ ((constant >> 7) * 0x11b);
        } else if key_words > 6 && i % key_words == 4 {
            word = u.sub_word(word);
        }
        words[i] = words[i - key_words] ^ word;
    }
    for (round_key, words) in out.round_keys[..=ROUNDS].iter_mut().zip(words.chunks_exact(4)) {
        for (bytes, word) in round_key.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
    words.zeroize();
}

/// Expands for decryption: the round keys in reverse, all but the outer two through InvMixColumns.
#[inline(always)]
pub(crate) fn decryption<U: Unit, const ROUNDS: usize>(u: U, key: &[u8], out: &mut Schedule) {
    encryption::<U, ROUNDS>(u, key, out);
    out.round_keys[..=ROUNDS].reverse();
    for round_key in &mut out.round_keys[1..ROUNDS] {
        *round_key = u.single().inverse_mix(*round_key);
    }
}

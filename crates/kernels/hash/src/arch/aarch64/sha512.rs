//! SHA-512, FIPS 180-4 §6.4.2, by its instructions (Arm ARM, "SHA512H" and following).

use std::arch::aarch64::*;

use wirespeed_cipher::{Chain, SHA512_CONSTANTS};
use wirespeed_kernels_core::call;

/// The chaining value as the instructions want it: two words to a vector.
#[inline(always)]
pub(super) fn four_vectors(chain: &mut Chain, data: &[u8]) {
    let chain: &mut [u64; 8] = chain.first_chunk_mut().expect("eight words");
    let zero = call!(vdupq_n_u64(0));
    let mut s = [zero; 4];
    for (i, two) in s.iter_mut().enumerate() {
        // SAFETY: the value is as long as four vectors.
        *two = unsafe { vld1q_u64(chain.as_ptr().add(2 * i)) };
    }
    for block in data.as_chunks::<128>().0 {
        let mut m = [zero; 8];
        for (i, two) in m.iter_mut().enumerate() {
            // SAFETY: the block is as long as eight vectors.
            let bytes = unsafe { vld1q_u8(block.as_ptr().add(16 * i)) };
            *two = call!(vreinterpretq_u64_u8(vrev64q_u8(bytes)));
        }
        let before = s;
        let mut constants = SHA512_CONSTANTS.as_ptr();
        /// Two rounds; with `more` also the words of the message sixteen further on.
        macro_rules! two {
            (@ $i:literal) => {
                let [ab, cd, ef, gh] = s;
                // SAFETY: the table has 80 words, and the last sixteen begin at 64.
                let words = unsafe { vaddq_u64(m[$i], vld1q_u64(constants.add(2 * $i))) };
                let early = call!(vaddq_u64(gh, vextq_u64::<1>(words, words)));
                let (fg, de) = (call!(vextq_u64::<1>(ef, gh)), call!(vextq_u64::<1>(cd, ef)));
                let sums = call!(vsha512hq_u64(early, fg, de));
                s = [call!(vsha512h2q_u64(sums, cd, ab)), ab, call!(vaddq_u64(cd, sums)), ef];
            };
            ($($i:literal)*) => { $(two!(@ $i);)* };
            (more $($i:literal)*) => {$(
                two!(@ $i);
                let [w0, w1, w7] = [m[$i], m[($i + 1) % 8], m[($i + 7) % 8]];
                let middle = call!(vextq_u64::<1>(m[($i + 4) % 8], m[($i + 5) % 8]));
                m[$i] = call!(vsha512su1q_u64(vsha512su0q_u64(w0, w1), w7, middle));
            )*};
        }
        for _ in 0..4 {
            two!(more 0 1 2 3 4 5 6 7);
            constants = constants.wrapping_add(16);
        }
        two!(0 1 2 3 4 5 6 7);
        for (two, before) in s.iter_mut().zip(before) {
            *two = call!(vaddq_u64(*two, before));
        }
    }
    for (i, two) in s.into_iter().enumerate() {
        // SAFETY: the value is as long as four vectors.
        unsafe { vst1q_u64(chain.as_mut_ptr().add(2 * i), two) };
    }
}

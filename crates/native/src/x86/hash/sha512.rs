//! SHA-512, FIPS 180-4 §6.4.2: the rounds on integers; beside those of one block the message schedules of that
//! and of the next, in the two halves of vectors.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use wirespeed_cipher::{Chain, SHA512_CONSTANTS};

use super::integers::kept;

/// How vectors of words are turned.
pub(super) trait Turn {
    /// §4.1.3's small sigmas: two rotations and a shift. A rotation comes with its counterpart to the left.
    fn small<const A: i32, const LEFT_A: i32, const B: i32, const LEFT_B: i32, const C: i32>(
        x: __m256i,
    ) -> __m256i;
}

/// VPRORQ, and VPTERNLOGQ for the sum.
pub(super) struct ByInstruction;
/// What AVX2 has.
pub(super) struct ByShifts;

impl Turn for ByInstruction {
    #[inline(always)]
    fn small<const A: i32, const LEFT_A: i32, const B: i32, const LEFT_B: i32, const C: i32>(
        x: __m256i,
    ) -> __m256i {
        let (a, b) = (call!(_mm256_ror_epi64::<A>(x)), call!(_mm256_ror_epi64::<B>(x)));
        call!(_mm256_ternarylogic_epi64::<0x96>(a, b, _mm256_srli_epi64::<C>(x)))
    }
}

impl Turn for ByShifts {
    #[inline(always)]
    fn small<const A: i32, const LEFT_A: i32, const B: i32, const LEFT_B: i32, const C: i32>(
        x: __m256i,
    ) -> __m256i {
        let (a, b) = (call!(_mm256_srli_epi64::<A>(x)), call!(_mm256_srli_epi64::<B>(x)));
        let (d, e) = (call!(_mm256_slli_epi64::<LEFT_A>(x)), call!(_mm256_slli_epi64::<LEFT_B>(x)));
        let (right, left) = (call!(_mm256_xor_si256(a, b)), call!(_mm256_xor_si256(d, e)));
        let right = call!(_mm256_xor_si256(right, _mm256_srli_epi64::<C>(x)));
        call!(_mm256_xor_si256(right, left))
    }
}

/// Takes the chaining value over every block.
#[inline(always)]
pub(super) fn blocks<T: Turn>(chain: &mut Chain, data: &[u8]) {
    let mut s = [0; 8];
    s.copy_from_slice(&chain[..8]);
    let order = call!(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let order = call!(_mm256_broadcastsi128_si256(order));
    // The words of the schedule with their constants: two of this block, two of the next.
    let mut sums = MaybeUninit::<[__m256i; 40]>::uninit();
    let sums = sums.as_mut_ptr().cast::<__m256i>();
    /// A round, with the places where A to H are now. What depends on the round before is added last, and
    /// `between` is A xor B of that round.
    macro_rules! round {
        ($between:ident $a:literal $b:literal $c:literal $d:literal
                        $e:literal $f:literal $g:literal $h:literal, $word:expr) => {
            let (a, e) = (s[$a], s[$e]);
            let known = kept!(s[$d].wrapping_add(s[$h].wrapping_add($word)));
            let known = kept!(kept!(known.wrapping_add(!e & s[$g])).wrapping_add(e & s[$f]));
            let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
            let sum0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
            let moved = kept!((s[$b] & s[$c]).wrapping_sub(s[$d]));
            let moved = kept!(moved.wrapping_add(a & $between));
            $between = a ^ s[$b];
            s[$d] = kept!(known.wrapping_add(sum1));
            s[$h] = kept!(s[$d].wrapping_add(moved)).wrapping_add(sum0);
        };
    }
    /// Two rounds with a pair of sums, of this block (0) or the next (2).
    macro_rules! two {
        ($between:ident $pair:expr, $which:literal [$a:literal $b:literal $c:literal $d:literal
                                                    $e:literal $f:literal $g:literal $h:literal]) => {
            let words = sums.wrapping_add($pair).cast::<u64>().wrapping_add($which);
            // SAFETY: there are 40 pairs, and this one was written before.
            let (first, second) = unsafe { (words.read(), words.add(1).read()) };
            round!($between $a $b $c $d $e $f $g $h, first);
            round!($between $h $a $b $c $d $e $f $g, second);
        };
    }
    let (blocks, _) = data.as_chunks::<128>();
    for pair in blocks.chunks(2) {
        // Without a next block the vectors have this one twice.
        let (first, second) = (&pair[0], &pair[pair.len() - 1]);
        let mut w = [order; 8];
        macro_rules! load {
            ($($i:literal)*) => {$(
                // SAFETY: the blocks have 128 bytes, and i is at most 7.
                let (low, high) = unsafe { (first.as_ptr().add(16 * $i), second.as_ptr().add(16 * $i)) };
                let both = call!(_mm256_loadu2_m128i(high.cast(), low.cast()));
                w[$i] = call!(_mm256_shuffle_epi8(both, order));
            )*};
        }
        load!(0 1 2 3 4 5 6 7);
        /// Words with their constants, for the rounds.
        macro_rules! put {
            ($place:expr, $words:expr) => {
                let constants = SHA512_CONSTANTS.as_ptr().wrapping_add(2 * ($place)).cast();
                // The table has 80 words, and the last pair begins at 2 * 39.
                let constants = call!(_mm256_broadcastsi128_si256(_mm_loadu_si128(constants)));
                // SAFETY: there are 40 pairs, and this one is the last at most.
                unsafe { sums.add($place).write(_mm256_add_epi64($words, constants)) };
            };
        }
        for i in 0..8 {
            put!(i, w[i]);
        }
        let before = s;
        let mut between = s[1] ^ s[2];
        for sixteenth in 0..5 {
            macro_rules! step {
                ($($i:literal $places:tt)*) => {$(
                    let place = 8 * sixteenth + $i;
                    two!(between place, 0 $places);
                    if sixteenth < 4 {
                        let near = call!(_mm256_alignr_epi8::<8>(w[($i + 1) % 8], w[$i]));
                        let middle = call!(_mm256_alignr_epi8::<8>(w[($i + 5) % 8], w[($i + 4) % 8]));
                        let sum = call!(_mm256_add_epi64(w[$i], middle));
                        let sum = call!(_mm256_add_epi64(sum, T::small::<1, 63, 8, 56, 7>(near)));
                        let far = T::small::<19, 45, 61, 3, 6>(w[($i + 7) % 8]);
                        w[$i] = call!(_mm256_add_epi64(sum, far));
                        put!(place + 8, w[$i]);
                    }
                )*};
            }
            step!(0 [0 1 2 3 4 5 6 7] 1 [6 7 0 1 2 3 4 5] 2 [4 5 6 7 0 1 2 3] 3 [2 3 4 5 6 7 0 1]
                  4 [0 1 2 3 4 5 6 7] 5 [6 7 0 1 2 3 4 5] 6 [4 5 6 7 0 1 2 3] 7 [2 3 4 5 6 7 0 1]);
        }
        add(&mut s, &before);
        if pair.len() == 2 {
            let before = s;
            let mut between = s[1] ^ s[2];
            for tenth in 0..10 {
                two!(between 4 * tenth, 2 [0 1 2 3 4 5 6 7]);
                two!(between 4 * tenth + 1, 2 [6 7 0 1 2 3 4 5]);
                two!(between 4 * tenth + 2, 2 [4 5 6 7 0 1 2 3]);
                two!(between 4 * tenth + 3, 2 [2 3 4 5 6 7 0 1]);
            }
            add(&mut s, &before);
        }
    }
    chain[..8].copy_from_slice(&s);
}

#[inline(always)]
fn add(s: &mut [u64; 8], before: &[u64; 8]) {
    for i in 0..8 {
        s[i] = s[i].wrapping_add(before[i]);
    }
}

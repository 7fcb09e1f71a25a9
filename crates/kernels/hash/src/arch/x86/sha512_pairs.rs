//! SHA-512, FIPS 180-4 §6.4.2, where no integer has 64 bits: A and E are the two halves of a vector, so are B and F, C and
//! G, D and H. Each round makes A and E, and the others are those of the rounds before.
//!
//! Beside the rounds of one block run the message schedules of that and of the next, in the two halves of longer vectors.
//! In assembly: with eight registers a compiler keeps in memory what the next round waits for, which takes half as long again.

use std::arch::asm;
use std::mem::MaybeUninit;

use wirespeed_cipher::{Chain, SHA512_CONSTANTS};
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::integers::kept;
use super::load;

/// What the rounds have in memory.
#[repr(C, align(16))]
struct Table {
    /// §4.1.3's rotations to the right, of A and of E.
    right: [[u64; 2]; 3],
    /// Their counterparts to the left.
    left: [[u64; 2]; 3],
    /// Where C is, and where H is.
    halves: [[u64; 2]; 2],
}

static TABLE: Table = Table {
    right: [[28, 14], [34, 18], [39, 41]],
    left: [[64 - 28, 64 - 14], [64 - 34, 64 - 18], [64 - 39, 64 - 41]],
    halves: [[!0, 0], [0, !0]],
};

/// By AVX2: t1 becomes the majority of A, B, C and the choice of E between F and G. Where A and C differ, B decides.
macro_rules! chosen_by_shifts {
    ($a:literal $b:literal $c:literal) => {
        concat!(
            "vpand {t2:x}, {",
            $c,
            "}, xmmword ptr [{table} + 96]\n",
            "vpxor {t3:x}, {",
            $b,
            "}, {",
            $c,
            "}\n",
            "vpxor {t2:x}, {t2:x}, {",
            $a,
            "}\n",
            "vpand {t2:x}, {t2:x}, {t3:x}\n",
            "vpxor {t2:x}, {t2:x}, {",
            $c,
            "}\n",
        )
    };
}

/// The same by VPTERNLOGQ, of which one waits for A.
macro_rules! chosen_by_instruction {
    ($a:literal $b:literal $c:literal) => {
        concat!(
            "vpxor {t3:x}, {",
            $b,
            "}, {",
            $c,
            "}\n",
            "vmovdqa {t2:x}, {",
            $c,
            "}\n",
            "vpternlogq {t2:x}, {t3:x}, xmmword ptr [{table} + 96], 0x70\n",
            "vpternlogq {t2:x}, {t3:x}, {",
            $a,
            "}, 0x78\n",
        )
    };
}

/// By AVX2: t1 becomes the sums over A and E.
macro_rules! sums_by_shifts {
    ($a:literal) => {
        concat!(
            "vpsrlvq {t1:x}, {",
            $a,
            "}, xmmword ptr [{table}]\n",
            "vpsllvq {t2:x}, {",
            $a,
            "}, xmmword ptr [{table} + 48]\n",
            "vpsrlvq {t3:x}, {",
            $a,
            "}, xmmword ptr [{table} + 16]\n",
            "vpxor {t1:x}, {t1:x}, {t2:x}\n",
            "vpsllvq {t2:x}, {",
            $a,
            "}, xmmword ptr [{table} + 64]\n",
            "vpxor {t3:x}, {t3:x}, {t2:x}\n",
            "vpsrlvq {t2:x}, {",
            $a,
            "}, xmmword ptr [{table} + 32]\n",
            "vpxor {t1:x}, {t1:x}, {t3:x}\n",
            "vpsllvq {t3:x}, {",
            $a,
            "}, xmmword ptr [{table} + 80]\n",
            "vpxor {t2:x}, {t2:x}, {t3:x}\n",
            "vpxor {t1:x}, {t1:x}, {t2:x}\n",
        )
    };
}

/// The same by VPRORVQ.
macro_rules! sums_by_instruction {
    ($a:literal) => {
        concat!(
            "vprorvq {t1:x}, {",
            $a,
            "}, xmmword ptr [{table}]\n",
            "vprorvq {t2:x}, {",
            $a,
            "}, xmmword ptr [{table} + 16]\n",
            "vprorvq {t3:x}, {",
            $a,
            "}, xmmword ptr [{table} + 32]\n",
            "vpternlogq {t1:x}, {t2:x}, {t3:x}, 0x96\n",
        )
    };
}

/// A round, with the word that lies there. A and E come into the place of D and H.
macro_rules! round {
    ($chosen:ident $sums:ident [$a:literal $b:literal $c:literal $d:literal] $word:expr) => {
        concat!(
            "vpbroadcastq {t0:x}, qword ptr [{words} + ", $word, "]\n",
            "vpaddq {t0:x}, {t0:x}, {", $d, "}\n",
            "vpand {t0:x}, {t0:x}, xmmword ptr [{table} + 112]\n",
            $sums!($a),
            $chosen!($a $b $c),
            "vpaddq {t0:x}, {t0:x}, {t2:x}\n",
            "vpaddq {t0:x}, {t0:x}, {t1:x}\n",
            // The upper half goes to the lower one, and to D. VPALIGNR would be one instruction, but two clocks on Zen.
            "vpunpckhqdq {t1:x}, {t0:x}, {t0:x}\n",
            "vpunpcklqdq {t0:x}, {t0:x}, {", $d, "}\n",
            "vpaddq {", $d, "}, {t0:x}, {t1:x}\n",
        )
    };
}

/// §4.1.3's small sigma of t1, by two rotations with their counterparts and a shift. By AVX2, in t2.
macro_rules! small_by_shifts {
    ($a:literal $left_a:literal $b:literal $left_b:literal $c:literal) => {
        concat!(
            "vpsrlq {t2:y}, {t1:y}, ",
            $a,
            "\n",
            "vpsllq {t3:y}, {t1:y}, ",
            $left_a,
            "\n",
            "vpxor {t2:y}, {t2:y}, {t3:y}\n",
            "vpsrlq {t3:y}, {t1:y}, ",
            $b,
            "\n",
            "vpxor {t2:y}, {t2:y}, {t3:y}\n",
            "vpsllq {t3:y}, {t1:y}, ",
            $left_b,
            "\n",
            "vpxor {t2:y}, {t2:y}, {t3:y}\n",
            "vpsrlq {t3:y}, {t1:y}, ",
            $c,
            "\n",
            "vpxor {t2:y}, {t2:y}, {t3:y}\n",
        )
    };
}

/// The same by VPRORQ.
macro_rules! small_by_instruction {
    ($a:literal $left_a:literal $b:literal $left_b:literal $c:literal) => {
        concat!(
            "vprorq {t2:y}, {t1:y}, ",
            $a,
            "\n",
            "vprorq {t3:y}, {t1:y}, ",
            $b,
            "\n",
            "vpsrlq {t1:y}, {t1:y}, ",
            $c,
            "\n",
            "vpternlogq {t2:y}, {t3:y}, {t1:y}, 0x96\n",
        )
    };
}

/// The pair of words sixteen further on, in the place of the first; with their constants behind the words of now.
macro_rules! schedule {
    ($small:ident $i:literal $w0:literal $w1:literal $w4:literal $w5:literal $w7:literal) => {
        concat!(
            "vmovdqa {t1:y}, ymmword ptr [{w} + 32 * ", $w1, "]\n",
            "vpalignr {t1:y}, {t1:y}, ymmword ptr [{w} + 32 * ", $w0, "], 8\n",
            $small!(1 63 8 56 7),
            "vmovdqa {t1:y}, ymmword ptr [{w} + 32 * ", $w5, "]\n",
            "vpalignr {t1:y}, {t1:y}, ymmword ptr [{w} + 32 * ", $w4, "], 8\n",
            "vpaddq {t0:y}, {t2:y}, ymmword ptr [{w} + 32 * ", $w0, "]\n",
            "vpaddq {t0:y}, {t0:y}, {t1:y}\n",
            "vmovdqa {t1:y}, ymmword ptr [{w} + 32 * ", $w7, "]\n",
            $small!(19 45 61 3 6),
            "vpaddq {t0:y}, {t0:y}, {t2:y}\n",
            "vmovdqa ymmword ptr [{w} + 32 * ", $w0, "], {t0:y}\n",
            "vbroadcasti128 {t1:y}, xmmword ptr [{constants} + 128 + 16 * ", $i, "]\n",
            "vpaddq {t0:y}, {t0:y}, {t1:y}\n",
            "vmovdqa ymmword ptr [{words} + 256 + 32 * ", $i, "], {t0:y}\n",
        )
    };
}

/// No schedule: all words are there.
macro_rules! none {
    ($small:ident $($place:literal)*) => {
        ""
    };
}

/// Sixteen rounds, after which A to H are where they were.
macro_rules! sixteen {
    ($schedule:ident $small:ident $chosen:ident $sums:ident) => {
        sixteen!(@ $schedule $small $chosen $sums
            [0 0 1 4 5 7] [1 1 2 5 6 0] [2 2 3 6 7 1] [3 3 4 7 0 2]
            [4 4 5 0 1 3] [5 5 6 1 2 4] [6 6 7 2 3 5] [7 7 0 3 4 6])
    };
    (@ $schedule:ident $small:ident $chosen:ident $sums:ident
     $([$i:literal $($w:literal)*] [$j:literal $($v:literal)*])*) => {
        concat!($(
            round!($chosen $sums ["a" "b" "c" "d"] concat!("32 * ", $i)),
            round!($chosen $sums ["d" "a" "b" "c"] concat!("32 * ", $i, " + 8")),
            $schedule!($small $i $($w)*),
            round!($chosen $sums ["c" "d" "a" "b"] concat!("32 * ", $j)),
            round!($chosen $sums ["b" "c" "d" "a"] concat!("32 * ", $j, " + 8")),
            $schedule!($small $j $($v)*),
        )*)
    };
}

/// Assembly with A to H and the words, and what else it takes.
macro_rules! assembly {
    ($text:expr, $s:ident $words:ident $($more:tt)*) => {
        asm!(
            $text,
            a = inout(xmm_reg) $s[0], b = inout(xmm_reg) $s[1],
            c = inout(xmm_reg) $s[2], d = inout(xmm_reg) $s[3],
            t0 = out(ymm_reg) _, t1 = out(ymm_reg) _, t2 = out(ymm_reg) _, t3 = out(ymm_reg) _,
            words = in(reg) $words,
            table = in(reg) &raw const TABLE,
            $($more)*
            options(nostack, preserves_flags),
        )
    };
}

/// Defines a function over whole blocks.
macro_rules! blocks {
    ($(#[$documentation:meta])* $name:ident $features:literal, $($how:ident)*) => {
        $(#[$documentation])*
        #[inline(always)]
        pub(super) fn $name(chain: &mut Chain, data: &[u8]) {
            /// Sixteen rounds with the words that begin there.
            ///
            /// # Safety
            /// Eight pairs must have been written, and the instructions be there.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn rounds(s: &mut [__m128i; 4], words: *const u64) {
                // SAFETY: reads those.
                unsafe { assembly!(sixteen!(none $($how)*), s words) }
            }

            /// The same, and the words of the sixteen behind.
            ///
            /// # Safety
            /// As there; the next eight pairs, and as many constants, must be there.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn more(
                s: &mut [__m128i; 4],
                w: &mut [__m256i; 8],
                words: *mut u64,
                constants: *const u64,
            ) {
                // SAFETY: reads and writes those.
                unsafe {
                    assembly!(sixteen!(schedule $($how)*), s words
                        w = in(reg) w.as_mut_ptr(), constants = in(reg) constants,);
                }
            }
            over(chain, data, rounds, more);
        }
    };
}

blocks! {
    /// What AVX2 has.
    by_shifts "avx2", small_by_shifts chosen_by_shifts sums_by_shifts
}
blocks! {
    /// AVX-512's rotations, and its logic functions of three.
    by_instruction "avx2,avx512f,avx512vl", small_by_instruction chosen_by_instruction sums_by_instruction
}

/// Takes the chaining value over every block. `rounds` runs sixteen, `more` also makes the next sixteen words.
#[inline(always)]
fn over(
    chain: &mut Chain,
    data: &[u8],
    rounds: unsafe fn(&mut [__m128i; 4], *const u64),
    more: unsafe fn(&mut [__m128i; 4], &mut [__m256i; 8], *mut u64, *const u64),
) {
    let chain: &mut [u64; 8] = chain.first_chunk_mut().expect("eight words");
    let order = call!(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let order = call!(_mm256_broadcastsi128_si256(order));
    let constants = SHA512_CONSTANTS.as_ptr();
    let mut s = [call!(_mm_setzero_si128()); 4];
    for i in 0..4 {
        s[i] = call!(_mm_set_epi64x(chain[4 + i] as i64, chain[i] as i64));
    }
    // The words with their constants: two of this block, two of the next.
    let mut sums = MaybeUninit::<[__m256i; 40]>::uninit();
    let sums = sums.as_mut_ptr().cast::<__m256i>();
    for pair in data.as_chunks::<128>().0.chunks(2) {
        // Without a next block the vectors have this one twice.
        let (first, second) = (&pair[0], &pair[pair.len() - 1]);
        let mut w = [order; 8];
        for (i, words) in w.iter_mut().enumerate() {
            let (low, high) = (load(first, i), load(second, i));
            *words = call!(_mm256_shuffle_epi8(_mm256_set_m128i(high, low), order));
            // SAFETY: the table has 80 words, and there is room for 40 pairs.
            unsafe {
                let constants = _mm_loadu_si128(constants.add(2 * i).cast());
                let constants = _mm256_broadcastsi128_si256(constants);
                sums.add(i).write(_mm256_add_epi64(*words, constants));
            }
        }
        for which in 0..pair.len() {
            let before = s;
            let mut words = sums.cast::<u64>().wrapping_add(2 * which);
            let mut constants = constants;
            // A compiler that knew these would write out all rounds, which are more than a CPU keeps decoded.
            let scheduled = kept!(if which == 0 { 4_usize } else { 0 });
            let all = kept!(5_usize);
            // SAFETY: there are 40 pairs, and each sixteen rounds have theirs from those before: of the second block from
            // the first one's.
            unsafe {
                for _ in 0..scheduled {
                    more(&mut s, &mut w, words, constants);
                    (words, constants) = (words.wrapping_add(32), constants.wrapping_add(16));
                }
                for _ in scheduled..all {
                    rounds(&mut s, words);
                    words = words.wrapping_add(32);
                }
            }
            for i in 0..4 {
                s[i] = call!(_mm_add_epi64(s[i], before[i]));
            }
        }
    }
    for i in 0..4 {
        // SAFETY: both are eight bytes.
        unsafe {
            _mm_storel_epi64(chain[i..].as_mut_ptr().cast(), s[i]);
            _mm_storeh_pd(chain[4 + i..].as_mut_ptr().cast(), _mm_castsi128_pd(s[i]));
        }
    }
}

//! SHA-512, FIPS 180-4 §6.4.2: the rounds on integers; beside those of one block the message schedules of that
//! and of the next, in the two halves of vectors.
//!
//! In assembly, for the order: a compiler keeps other values at hand, and puts them into other instructions. Of
//! a search through the orders that there are, this one took 3 % less time on Zen 5 than what came of Rust.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use wirespeed_cipher::{Chain, SHA512_CONSTANTS};

use super::super::load_halves;
use super::integers::kept;

/// Assembly as text, of lines in which names are operands.
macro_rules! text {
    ($($instruction:ident $first:tt $(, $other:tt)*;)*) => {
        concat!($(
            stringify!($instruction), " ", text!(@ $first) $(, ", ", text!(@ $other))*, "\n",
        )*)
    };
    (@ [$base:ident + $stride:literal * $index:literal + $offset:literal]) => {
        concat!("[{", stringify!($base), "} + ", $stride, " * ", $index, " + ", $offset, "]")
    };
    (@ $name:ident) => {
        concat!("{", stringify!($name), "}")
    };
    (@ $number:literal) => {
        $number
    };
}

/// A round, with the places where A to H are now, and with that of the next round's word from a pair on. To H its word
/// has been added before. `between` is B xor C: the majority is B and C, or A and either. With a LEA for the sum before
/// the last, instead of an addition and a move, a round took half a clock longer on Zen 5.
macro_rules! round {
    ($pair:literal $next:literal $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
        text! {
            andn t0, $e, $g;
            and between, $a;
            rorx t1, $a, 34;
            mov t2, $e;
            and t2, $f;
            add $h, $d;
            add $h, t0;
            add $h, t2;
            rorx t2, $a, 28;
            xor t1, t2;
            rorx t0, $e, 14;
            rorx t2, $e, 18;
            xor t0, t2;
            add $g, [words + 32 * $pair + $next];
            rorx t2, $e, 41;
            xor t0, t2;
            add $h, t0;
            mov t0, $b;
            and t0, $c;
            sub t0, $d;
            rorx t2, $a, 39;
            xor t1, t2;
            add t0, between;
            add t0, $h;
            mov $d, t0;
            add $d, t1;
            mov between, $a;
            xor between, $b;
        }
    };
}

/// §4.1.3's small sigmas: two rotations and a shift. A rotation comes with its counterpart to the left.
macro_rules! small_by_instruction {
    ($to:ident $x:ident $a:literal $left_a:literal $b:literal $left_b:literal $c:literal) => {
        text! {
            vprorq x1, $x, $a;
            vprorq x2, $x, $b;
            vpsrlq $to, $x, $c;
            vpternlogq $to, x1, x2, 0x96;
        }
    };
}

/// The same by what AVX2 has.
macro_rules! small_by_shifts {
    ($to:ident $x:ident $a:literal $left_a:literal $b:literal $left_b:literal $c:literal) => {
        text! {
            vpsrlq x1, $x, $a;
            vpsllq x2, $x, $left_a;
            vpxor x1, x1, x2;
            vpsrlq x2, $x, $b;
            vpxor x1, x1, x2;
            vpsllq x2, $x, $left_b;
            vpxor x1, x1, x2;
            vpsrlq $to, $x, $c;
            vpxor $to, $to, x1;
        }
    };
}

/// The next two words of the schedules, in place of the ones used last, and with their constants for the rounds. Both have
/// their places from a pair on.
macro_rules! schedule {
    ($small:ident $w0:ident $w1:ident $w4:ident $w5:ident $w7:ident
     $pair:literal $constant:literal $place:literal) => {
        concat!(
            text! {
                vpalignr x0, $w1, $w0, 8;
                vpalignr x3, $w5, $w4, 8;
                vpaddq x3, x3, $w0;
            },
            $small!(x0 x0 1 63 8 56 7),
            $small!(x4 $w7 19 45 61 3 6),
            text! {
                vpaddq x0, x0, x3;
                vpaddq $w0, x0, x4;
                vbroadcasti128 x0, [constants + 16 * $pair + $constant];
                vpaddq x0, x0, $w0;
                vmovdqu [words + 32 * $pair + $place], x0;
            },
        )
    };
}

/// Four rounds with two pairs of words, after which A to H are where they were. The schedules' words begin with those
/// used last; the fourth pair of them has no part in this.
macro_rules! four {
    ($pair:literal $w0:ident $w1:ident $w2:ident $w4:ident $w5:ident $w6:ident $w7:ident
     $schedule:ident $small:ident) => {
        concat!(
            round!($pair 8 a b c d e f g h),
            round!($pair 32 d a b c h e f g),
            $schedule!($small $w0 $w1 $w4 $w5 $w7 $pair 128 256),
            round!($pair 40 c d a b g h e f),
            round!($pair 64 b c d a f g h e),
            $schedule!($small $w1 $w2 $w5 $w6 $w0 $pair 144 288),
        )
    };
}

macro_rules! sixteen {
    ($schedule:ident $small:ident) => {
        concat!(
            four!(0 w0 w1 w2 w4 w5 w6 w7 $schedule $small),
            four!(2 w2 w3 w4 w6 w7 w0 w1 $schedule $small),
            four!(4 w4 w5 w6 w0 w1 w2 w3 $schedule $small),
            four!(6 w6 w7 w0 w2 w3 w4 w5 $schedule $small),
        )
    };
}

/// No schedule: all words are there.
macro_rules! none {
    ($($ignored:tt)*) => {
        ""
    };
}

/// Assembly with A to H, the majority's part and the words, and what else it takes.
macro_rules! assembly {
    ($text:expr, $s:ident $between:ident $words:ident $($more:tt)*) => {
        asm!(
            $text,
            a = inout(reg) $s[0], b = inout(reg) $s[1], c = inout(reg) $s[2], d = inout(reg) $s[3],
            e = inout(reg) $s[4], f = inout(reg) $s[5], g = inout(reg) $s[6], h = inout(reg) $s[7],
            between = inout(reg) *$between,
            words = in(reg) $words,
            t0 = out(reg) _, t1 = out(reg) _, t2 = out(reg) _,
            $($more)*
            options(nostack),
        )
    };
}

/// Sixteen rounds with the words that begin there.
///
/// # Safety
/// Eight pairs and the first word of the next one must have been written.
#[inline(always)]
unsafe fn rounds(s: &mut [u64; 8], between: &mut u64, words: *const u64) {
    // SAFETY: reads those.
    unsafe { assembly!(sixteen!(none none), s between words) }
}

/// Defines the function over whole blocks.
macro_rules! blocks {
    ($(#[$documentation:meta])* $name:ident $small:ident) => {
        $(#[$documentation])*
        #[inline(always)]
        pub(super) fn $name(chain: &mut Chain, data: &[u8]) {
            /// Sixteen rounds as in [`rounds`], and the words of the sixteen behind.
            ///
            /// # Safety
            /// As there; the next eight pairs, and as many constants, must be there, and the instructions.
            #[target_feature(enable = "avx2")]
            #[inline]
            unsafe fn more(
                s: &mut [u64; 8],
                between: &mut u64,
                w: &mut [__m256i; 8],
                words: *mut u64,
                constants: *const u64,
            ) {
                // SAFETY: reads and writes those.
                unsafe {
                    assembly!(sixteen!(schedule $small), s between words
                        constants = in(reg) constants,
                        w0 = inout(ymm_reg) w[0], w1 = inout(ymm_reg) w[1],
                        w2 = inout(ymm_reg) w[2], w3 = inout(ymm_reg) w[3],
                        w4 = inout(ymm_reg) w[4], w5 = inout(ymm_reg) w[5],
                        w6 = inout(ymm_reg) w[6], w7 = inout(ymm_reg) w[7],
                        x0 = out(ymm_reg) _, x1 = out(ymm_reg) _, x2 = out(ymm_reg) _,
                        x3 = out(ymm_reg) _, x4 = out(ymm_reg) _,);
                }
            }
            over(chain, data, more);
        }
    };
}

blocks! {
    /// VPRORQ, and VPTERNLOGQ for the sum.
    by_instruction small_by_instruction
}
blocks! {
    /// What AVX2 has.
    by_shifts small_by_shifts
}

/// Two words of a block.
#[inline(always)]
fn load(block: &[u8; 128], i: usize) -> __m128i {
    let words = &block[16 * i..][..16];
    // SAFETY: there are sixteen bytes.
    unsafe {
        match i {
            7 => load_halves(words.as_ptr()),
            _ => _mm_loadu_si128(words.as_ptr().cast()),
        }
    }
}

/// Takes the chaining value over every block. `more` runs sixteen rounds and makes the next sixteen words.
#[inline(always)]
fn over(
    chain: &mut Chain,
    data: &[u8],
    more: unsafe fn(&mut [u64; 8], &mut u64, &mut [__m256i; 8], *mut u64, *const u64),
) {
    let chain = chain.first_chunk_mut().expect("eight words");
    let mut s: [u64; 8] = *chain;
    let order = call!(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let order = call!(_mm256_broadcastsi128_si256(order));
    let constants = SHA512_CONSTANTS.as_ptr();
    // The words with their constants: two of this block, two of the next. Behind them what the last round adds
    // for the one that there is not.
    let mut sums = MaybeUninit::<[__m256i; 41]>::uninit();
    let sums = sums.as_mut_ptr().cast::<__m256i>();
    // SAFETY: the last place.
    unsafe { sums.add(40).write(_mm256_setzero_si256()) };
    let (blocks, _) = data.as_chunks::<128>();
    for pair in blocks.chunks(2) {
        // Without a next block the vectors have this one twice.
        let (first, second) = (&pair[0], &pair[pair.len() - 1]);
        let mut w = [order; 8];
        for (i, words) in w.iter_mut().enumerate() {
            let (low, high) = (load(first, i), load(second, i));
            *words = call!(_mm256_shuffle_epi8(_mm256_set_m128i(high, low), order));
            // SAFETY: the table has 80 words, and there is room for 41 pairs.
            unsafe {
                let constants = _mm_loadu_si128(constants.add(2 * i).cast());
                let constants = _mm256_broadcastsi128_si256(constants);
                sums.add(i).write(_mm256_add_epi64(*words, constants));
            }
        }
        for which in 0..pair.len() {
            let before = s;
            let mut between = s[1] ^ s[2];
            let mut words = sums.cast::<u64>().wrapping_add(2 * which);
            let mut constants = constants;
            // A compiler that knew these would write out all rounds, which are more than a CPU keeps decoded.
            let scheduled = kept!(if which == 0 { 4_usize } else { 0 });
            let all = kept!(5_usize);
            // SAFETY: there are 40 pairs and one more, and each sixteen rounds have theirs from those before: of the
            // second block from the first one's.
            unsafe {
                s[7] = s[7].wrapping_add(words.read());
                for _ in 0..scheduled {
                    more(&mut s, &mut between, &mut w, words, constants);
                    (words, constants) = (words.wrapping_add(32), constants.wrapping_add(16));
                }
                for _ in scheduled..all {
                    rounds(&mut s, &mut between, words);
                    words = words.wrapping_add(32);
                }
            }
            for (word, before) in s.iter_mut().zip(before) {
                *word = word.wrapping_add(before);
            }
        }
    }
    *chain = s;
}

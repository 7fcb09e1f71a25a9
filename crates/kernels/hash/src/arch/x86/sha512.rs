//! SHA-512, FIPS 180-4 §6.4.2: the rounds on integers; beside those of one block the message schedules of that
//! and of the next, in the two halves of vectors.
//!
//! In assembly, for the order: a compiler keeps other values at hand, and puts them into other instructions, for 3 % more time
//! on Zen 5. There are two orders, for CPUs with more units for integers or fewer.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use wirespeed_cipher::{Chain, SHA512_CONSTANTS};
use wirespeed_kernels_core::call;

use super::integers::kept;
use super::load;

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

/// An order of a round in which the chain is shortest: four clocks from E to E, if a CPU has units for the 24 operations that
/// there are. With a LEA for the sum before the last, instead of an addition and a move, a round took half a clock longer
/// on Zen 5.
///
/// As in `fewest`, two rounds at a time go to `$then`, for the first to the last of four places where A to H are then. To
/// H its word has been added before, and the next word, so far behind a pair, is added to G. `between` is B xor C: the
/// majority is B and C, or A and either.
macro_rules! shortest {
    (0 $($then:tt)*) => { shortest!([] [a b c d e f g h] [d a b c h e f g] $($then)*) };
    (1 $($then:tt)*) => { shortest!([] [c d a b g h e f] [b c d a f g h e] $($then)*) };
    (2 $($then:tt)*) => { shortest!(0 $($then)*) };
    (3 $($then:tt)*) => { shortest!(1 $($then)*) };
    ([$($done:tt)*]
     [$a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident] $([$($later:ident)*])?
     ($pair:literal $next:literal $($further:literal)?) $($then:tt)*) => {
        shortest!(
            [$($done)*
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
            ]
            $([$($later)*])? ($pair $($further)?) $($then)*
        )
    };
    ($done:tt ($pair:literal) $then:ident $($with:tt)*) => { $then!($done $($with)*) };
}

/// The order of the fewest operations, 22, which is what counts where there are four units for them: E takes five clocks. A
/// search through the orders of its instructions found this on Zen 4, where others take up to a clock longer. Each
/// round A comes into H's place.
macro_rules! fewest {
    (0 $($then:tt)*) => { fewest!([] [a b c d e f g h] [h a b c d e f g] $($then)*) };
    (1 $($then:tt)*) => { fewest!([] [g h a b c d e f] [f g h a b c d e] $($then)*) };
    (2 $($then:tt)*) => { fewest!([] [e f g h a b c d] [d e f g h a b c] $($then)*) };
    (3 $($then:tt)*) => { fewest!([] [c d e f g h a b] [b c d e f g h a] $($then)*) };
    ([$($done:tt)*]
     [$a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident] $([$($later:ident)*])?
     ($pair:literal $next:literal $($further:literal)?) $($then:tt)*) => {
        fewest!(
            [$($done)*
                mov t2, $e;
                andn t0, $e, $g;
                and t2, $f;
                add $h, t0;
                add $h, t2;
                rorx t0, $e, 14;
                rorx t2, $e, 18;
                rorx t1, $a, 28;
                xor t0, t2;
                rorx t2, $e, 41;
                xor t0, t2;
                add $h, t0;
                add $d, $h;
                mov t0, $a;
                xor t0, $b;
                and between, t0;
                rorx t2, $a, 34;
                xor between, $b;
                xor t1, t2;
                add $h, between;
                rorx t2, $a, 39;
                add $g, [words + 32 * $pair + $next];
                xor t1, t2;
                add $h, t1;
                mov between, t0;
            ]
            $([$($later)*])? ($pair $($further)?) $($then)*
        )
    };
    ($done:tt ($pair:literal) $then:ident $($with:tt)*) => { $then!($done $($with)*) };
}

/// §4.1.3's small sigmas, `[to x …]` for each, behind what there is: two rotations and a shift. A rotation comes with its
/// counterpart to the left.
macro_rules! by_instruction {
    ([$($done:tt)*]
     [$to:ident $x:ident $a:literal $left_a:literal $b:literal $left_b:literal $c:literal]
     $($then:tt)*) => {
        by_instruction!(
            [$($done)*
                vprorq x1, $x, $a;
                vprorq x2, $x, $b;
                vpsrlq $to, $x, $c;
                vpternlogq $to, x1, x2, 0x96;
            ]
            $($then)*
        )
    };
    ($done:tt $then:ident $($with:tt)*) => { $then!($done $($with)*) };
}

/// The same by what AVX2 has.
macro_rules! by_shifts {
    ([$($done:tt)*]
     [$to:ident $x:ident $a:literal $left_a:literal $b:literal $left_b:literal $c:literal]
     $($then:tt)*) => {
        by_shifts!(
            [$($done)*
                vpsrlq x1, $x, $a;
                vpsllq x2, $x, $left_a;
                vpxor x1, x1, x2;
                vpsrlq x2, $x, $b;
                vpxor x1, x1, x2;
                vpsllq x2, $x, $left_b;
                vpxor x1, x1, x2;
                vpsrlq $to, $x, $c;
                vpxor $to, $to, x1;
            ]
            $($then)*
        )
    };
    ($done:tt $then:ident $($with:tt)*) => { $then!($done $($with)*) };
}

/// With two rounds the next two words of the schedules, in place of the ones used last, and with their constants for the
/// rounds. Both have their places from a pair on.
macro_rules! schedule {
    ([$($done:tt)*] with $rounds:tt $mixed:ident $w0:ident
     ($pair:literal $constant:literal $place:literal)) => {
        $mixed!(
            $rounds
            [$($done)*
                vpaddq x0, x0, x3;
                vpaddq $w0, x0, x4;
                vbroadcasti128 x0, [constants + 16 * $pair + $constant];
                vpaddq x0, x0, $w0;
                vmovdqu [words + 32 * $pair + $place], x0;
            ]
        )
    };
    ($rounds:tt ($mixed:ident $small:ident)
     $w0:ident $w1:ident $w4:ident $w5:ident $w7:ident $places:tt) => {
        $small!(
            [
                vpalignr x0, $w1, $w0, 8;
                vpalignr x3, $w5, $w4, 8;
                vpaddq x3, x3, $w0;
            ]
            [x0 x0 1 63 8 56 7] [x4 $w7 19 45 61 3 6]
            schedule with $rounds $mixed $w0 $places
        )
    };
}

/// No schedule: all words are there.
macro_rules! none {
    ([$($rounds:tt)*] $($ignored:tt)*) => { text! { $($rounds)* } };
}

/// The schedule's instructions behind the rounds'.
macro_rules! behind {
    ([$($rounds:tt)*] [$($schedule:tt)*]) => { text! { $($rounds)* $($schedule)* } };
}

/// One of the schedule's instructions within every three of the rounds'.
macro_rules! woven {
    ([$first:ident $a:tt $(, $b:tt)*; $second:ident $c:tt $(, $d:tt)*;
      $third:ident $e:tt $(, $f:tt)*; $($rounds:tt)*]
     [$one:ident $x:tt $(, $y:tt)*; $($schedule:tt)*]) => {
        concat!(
            text! { $first $a $(, $b)*; $second $c $(, $d)*; $one $x $(, $y)*; $third $e $(, $f)*; },
            woven!([$($rounds)*] [$($schedule)*]),
        )
    };
    ($rounds:tt $schedule:tt) => { behind!($rounds $schedule) };
}

/// Eight rounds with four pairs of words, after which A to H are where they were. The schedules' words begin with those
/// used last.
macro_rules! eight {
    ($order:ident $schedule:ident $how:tt $p:literal $q:literal
     $w0:ident $w1:ident $w2:ident $w3:ident $w4:ident $w5:ident $w6:ident $w7:ident) => {
        concat!(
            $order!(0 ($p 8 32) $schedule $how $w0 $w1 $w4 $w5 $w7 ($p 128 256)),
            $order!(1 ($p 40 64) $schedule $how $w1 $w2 $w5 $w6 $w0 ($p 144 288)),
            $order!(2 ($q 8 32) $schedule $how $w2 $w3 $w6 $w7 $w1 ($q 128 256)),
            $order!(3 ($q 40 64) $schedule $how $w3 $w4 $w7 $w0 $w2 ($q 144 288)),
        )
    };
}

macro_rules! sixteen {
    ($order:ident $schedule:ident $how:tt) => {
        concat!(
            eight!($order $schedule $how 0 2 w0 w1 w2 w3 w4 w5 w6 w7),
            eight!($order $schedule $how 4 6 w4 w5 w6 w7 w0 w1 w2 w3),
        )
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

/// Defines a function over whole blocks: by an order of the rounds, and a place among them of a schedule.
macro_rules! blocks {
    ($(#[$documentation:meta])* $name:ident $order:ident $how:tt) => {
        $(#[$documentation])*
        #[inline(always)]
        pub(super) fn $name(chain: &mut Chain, data: &[u8]) {
            /// Sixteen rounds with the words that begin there.
            ///
            /// # Safety
            /// Eight pairs and the first word of the next one must have been written, and the instructions be there.
            #[target_feature(enable = "bmi1,bmi2")]
            #[inline]
            unsafe fn rounds(s: &mut [u64; 8], between: &mut u64, words: *const u64) {
                // SAFETY: reads those.
                unsafe { assembly!(sixteen!($order none ()), s between words) }
            }

            /// The same, and the words of the sixteen behind.
            ///
            /// # Safety
            /// As there; the next eight pairs, and as many constants, must be there.
            #[target_feature(enable = "avx2,bmi1,bmi2")]
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
                    assembly!(sixteen!($order schedule $how), s between words
                        constants = in(reg) constants,
                        w0 = inout(ymm_reg) w[0], w1 = inout(ymm_reg) w[1],
                        w2 = inout(ymm_reg) w[2], w3 = inout(ymm_reg) w[3],
                        w4 = inout(ymm_reg) w[4], w5 = inout(ymm_reg) w[5],
                        w6 = inout(ymm_reg) w[6], w7 = inout(ymm_reg) w[7],
                        x0 = out(ymm_reg) _, x1 = out(ymm_reg) _, x2 = out(ymm_reg) _,
                        x3 = out(ymm_reg) _, x4 = out(ymm_reg) _,);
                }
            }
            over(chain, data, rounds, more);
        }
    };
}

blocks! {
    /// VPRORQ, and VPTERNLOGQ for the sum; for CPUs with more than four units for integers.
    wide_by_instruction shortest (behind by_instruction)
}
blocks! {
    /// The same for those with four.
    narrow_by_instruction fewest (woven by_instruction)
}
blocks! {
    /// What AVX2 has.
    wide_by_shifts shortest (behind by_shifts)
}
blocks! {
    /// The same for CPUs with four units for integers.
    narrow_by_shifts fewest (woven by_shifts)
}

/// Takes the chaining value over every block. `rounds` runs sixteen, `more` also makes the next sixteen words.
#[inline(always)]
fn over(
    chain: &mut Chain,
    data: &[u8],
    rounds: unsafe fn(&mut [u64; 8], &mut u64, *const u64),
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

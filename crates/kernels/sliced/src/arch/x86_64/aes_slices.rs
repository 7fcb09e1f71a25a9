//! AES-NI: AES's S-box on every byte of a vector, between affine maps by tables for nibbles.

use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;

use wirespeed_cipher::{Block, BlockKernels, InOut, Route, Schedule};
use wirespeed_cpu::{AesNi, Avx2};

use super::bytes::{Aes, Bytes, UNSHIFT, pin};
use super::slices::{common, machine, places, transpose};
use crate::field::BOXES;
use crate::serial::{self, In};
use crate::waves::{self, Mode, Runs};
use crate::{Cipher, Core, Machine, Slices, Wide, tables};
use wirespeed_aes::arch::x86_64::galois;
use wirespeed_kernels_core::engine::Galois;
use wirespeed_kernels_core::{Chain, call};

/// For each S-box the tables before AES's and behind it.
static TABLES: [[[Block; 2]; 2]; BOXES.len()] = {
    let mut tables = [[[[0; 16]; 2]; 2]; BOXES.len()];
    let mut number = 0;
    while number < BOXES.len() {
        tables[number] = [BOXES[number].before.nibbles(), BOXES[number].after_aes().nibbles()];
        number += 1;
    }
    tables
};

/// AES's S-box on every byte of a vector.
#[inline]
#[target_feature(enable = "ssse3,aes")]
fn s_box(v: __m128i) -> __m128i {
    // It is a sum, of which the compiler would shuffle both sides.
    _mm_aesenclast_si128(_mm_shuffle_epi8(pin(v), table(&UNSHIFT)), _mm_setzero_si128())
}

/// The same by halves.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn s_box_of_two(mut v: __m256i) -> __m256i {
    // SAFETY: no instruction, only a comment.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) v, options(pure, nomem, nostack, preserves_flags));
    }
    let v = _mm256_shuffle_epi8(v, table_for_two(&UNSHIFT));
    let (halves, no_key) =
        ([_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v)], _mm_setzero_si128());
    _mm256_set_m128i(
        _mm_aesenclast_si128(halves[1], no_key),
        _mm_aesenclast_si128(halves[0], no_key),
    )
}

#[inline]
#[target_feature(enable = "ssse3")]
fn table(entries: &'static Block) -> __m128i {
    // SAFETY: it is a vector.
    unsafe { _mm_loadu_si128(entries.as_ptr().cast()) }
}

/// A table for each half.
#[inline]
#[target_feature(enable = "avx2")]
fn table_for_two(entries: &'static Block) -> __m256i {
    _mm256_broadcastsi128_si256(table(entries))
}

/// Defines a unit: the intrinsics of one vector width.
macro_rules! unit {
    (
        $(#[$doc:meta])*
        $name:ident<$wide:ident>: $vector:ident of $blocks:literal, then $narrow:ty,
        $load:ident $store:ident $xor:ident $and:ident $or:ident $add:ident $greater:ident $right:ident
        $shuffle:ident $splat8:ident $splat32:ident $low:ident $high:ident $table:ident $s_box:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name<const $wide: bool>(());

        impl<const $wide: bool> $name<$wide> {
            /// The unit, unproved.
            ///
            /// # Safety
            /// This CPU has what [`AesNi`] stands for, and if `WIDE` what [`Avx2`] does.
            #[inline(always)]
            const unsafe fn assume() -> Self {
                Self(())
            }

            /// An affine map on every byte.
            #[inline(always)]
            fn map(self, v: $vector, tables: &'static [Block; 2]) -> $vector {
                let nibble = call!($splat8(0x0f));
                let (lower, upper) = (self.and(v, nibble), self.and(call!($right::<4>(v)), nibble));
                let [low, high] = [call!($table(&tables[0])), call!($table(&tables[1]))];
                self.xor(call!($shuffle(low, lower)), call!($shuffle(high, upper)))
            }
        }

        impl<const $wide: bool> Slices for $name<$wide> {
            common!(
                $vector of $blocks, then $narrow,
                $load $store $xor $and $or $add $splat8 $splat32 $low $high
            );

            #[inline(always)]
            fn select<const MASK: u8>(self, a: $vector, b: $vector) -> $vector {
                let mask = call!($splat8(MASK as i8));
                self.xor(b, self.and(self.xor(a, b), mask))
            }

            #[inline(always)]
            fn rotate_by_one(self, v: $vector) -> $vector {
                let (top, lowest) = (call!($right::<7>(v)), call!($splat8(1)));
                let top = self.and(top, lowest);
                self.or(call!($add(v, v)), top)
            }

            #[inline(always)]
            fn spread_top_bit(self, v: $vector) -> $vector {
                let zero = call!($splat8(0));
                call!($greater(zero, v))
            }

            #[inline(always)]
            fn substitute<const BOX: usize>(self, mut v: $vector) -> $vector {
                if !const { BOXES[BOX].before.is_identity() } {
                    v = self.map(v, &TABLES[BOX][0]);
                }
                v = call!($s_box(v));
                if const { BOXES[BOX].after_aes().is_identity() } {
                    return v;
                }
                self.map(v, &TABLES[BOX][1])
            }

            #[inline(always)]
            fn run<C: Core>(self, keys: &[Wide], state: &mut [$vector; 16]) {
                // SAFETY: the unit proves the features.
                unsafe {
                    if $wide {
                        run_256::<Self, C>(self, keys, state);
                    } else {
                        run_128::<Self, C>(self, keys, state);
                    }
                }
            }
        }
    };
}

unit! {
    /// 128-bit vectors; with `WIDE` in the company of AVX2, whose instructions leave their operands alone.
    Xmm<WIDE>: __m128i of 16, then Self,
    _mm_loadu_si128 _mm_storeu_si128 _mm_xor_si128 _mm_and_si128 _mm_or_si128 _mm_add_epi8 _mm_cmpgt_epi8
    _mm_srli_epi16 _mm_shuffle_epi8 _mm_set1_epi8 _mm_set1_epi32 _mm_unpacklo_epi8 _mm_unpackhi_epi8
    table s_box
}

unit! {
    /// 256-bit vectors.
    Ymm<WIDE>: __m256i of 32, then Xmm<WIDE>,
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_xor_si256 _mm256_and_si256 _mm256_or_si256 _mm256_add_epi8
    _mm256_cmpgt_epi8 _mm256_srli_epi16 _mm256_shuffle_epi8 _mm256_set1_epi8 _mm256_set1_epi32
    _mm256_unpacklo_epi8 _mm256_unpackhi_epi8 table_for_two s_box_of_two
}

machine!(
    Narrow run_128 table_128: Xmm<false>, Bytes<Aes>, FEW_BY_TABLES, Route::AesNi, AesNi,
    "ssse3,sse4.1,aes"
);
machine!(
    Wider run_256 table_256: Ymm<true>, Bytes<Aes>, FEW_BY_TABLES, Route::AesNi, (AesNi, Avx2),
    "ssse3,sse4.1,avx,avx2,bmi1,bmi2,aes"
);

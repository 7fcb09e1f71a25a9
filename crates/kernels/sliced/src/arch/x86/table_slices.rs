//! S-boxes by tables for nibbles: of the affine maps before and behind AES's S-box, or before and behind inversion by
//! shuffles.

use std::arch::asm;
use std::marker::PhantomData;

use wirespeed_cipher::{Block, BlockKernels, InOut, Route, Schedule};

use super::bytes::{Aes, Bytes, Shuffles, pin};
use super::slices::common;
use crate::field::BOXES;
use crate::machine::{machine, places, transpose};
use crate::nibbles::{AROUND_AES, BY_INVERSION, LookUp, UNSHIFT};
use crate::serial::{self, In};
use crate::waves::{self, Mode, Runs};
use crate::{Core, Machine, Slices, Wide, tables};
use wirespeed_aes::arch::x86::{galois, galois_avx2, galois_ssse3};
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::engine::Galois;
use wirespeed_kernels_core::{Chain, call};

/// How a CPU gets through an S-box.
pub(super) trait Kind: Copy {
    /// Whether by look-ups alone, or else by AES's S-box.
    const SHUFFLES: bool;

    /// AES's S-box on every byte of a vector.
    fn s_box(v: __m128i) -> __m128i;

    /// The same on two.
    fn s_box_of_two(v: __m256i) -> __m256i;

    /// Takes blocks through a cipher, in a function with the features of this kind.
    fn run<S: Slices, C: Core>(u: S, keys: &[Wide], state: &mut [S::V; 16]);
}

/// Defines a kind.
macro_rules! kind {
    ($(#[$doc:meta])* $name:ident: $run:ident, $shuffles:literal, $s_box:ident, $s_box_of_two:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        enum $name {}

        impl Kind for $name {
            const SHUFFLES: bool = $shuffles;

            #[inline(always)]
            fn s_box(v: __m128i) -> __m128i {
                call!($s_box(v))
            }

            #[inline(always)]
            fn s_box_of_two(v: __m256i) -> __m256i {
                call!($s_box_of_two(v))
            }

            #[inline(always)]
            fn run<S: Slices, C: Core>(u: S, keys: &[Wide], state: &mut [S::V; 16]) {
                // SAFETY: the unit proves the features.
                unsafe { $run::<S, C>(u, keys, state) }
            }
        }
    };
}

kind! {
    /// AES-NI.
    Narrow: run_128, false, s_box, s_box_by_halves
}
kind! {
    /// AES-NI beside AVX2.
    Wider: run_256, false, s_box, s_box_by_halves
}
kind! {
    /// VAES.
    Vaes: run_vaes, false, s_box, s_box_of_two
}
kind! {
    /// SSSE3.
    Ssse3: run_ssse3, true, s_box, s_box_of_two
}
kind! {
    /// AVX2.
    Avx2: run_avx2, true, s_box, s_box_of_two
}

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
fn s_box_by_halves(v: __m256i) -> __m256i {
    let v = _mm256_shuffle_epi8(pin_two(v), table_for_two(&UNSHIFT));
    let (halves, no_key) =
        ([_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v)], _mm_setzero_si128());
    _mm256_set_m128i(
        _mm_aesenclast_si128(halves[1], no_key),
        _mm_aesenclast_si128(halves[0], no_key),
    )
}

/// The same at once.
#[inline]
#[target_feature(enable = "avx2,vaes")]
fn s_box_of_two(v: __m256i) -> __m256i {
    let v = _mm256_shuffle_epi8(pin_two(v), table_for_two(&UNSHIFT));
    _mm256_aesenclast_epi128(v, _mm256_setzero_si256())
}

/// See [`pin`].
#[inline]
#[target_feature(enable = "avx2")]
fn pin_two(mut v: __m256i) -> __m256i {
    // SAFETY: no instruction, only a comment.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) v, options(pure, nomem, nostack, preserves_flags));
    }
    v
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
        $name:ident<$kind:ident>: $vector:ident of $blocks:literal, then $narrow:ty,
        $load:ident $store:ident $xor:ident $and:ident $or:ident $add:ident $greater:ident $right:ident
        $shuffle:ident $splat8:ident $splat32:ident $low:ident $high:ident $table:ident $s_box:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name<$kind>(PhantomData<$kind>);

        impl<$kind: Kind> $name<$kind> {
            /// The unit, unproved.
            ///
            /// # Safety
            /// This CPU has what the kind stands for.
            #[inline(always)]
            const unsafe fn assume() -> Self {
                Self(PhantomData)
            }
        }

        impl<$kind: Kind> LookUp for $name<$kind> {
            type V = $vector;

            #[inline(always)]
            fn sum(self, a: $vector, b: $vector) -> $vector {
                call!($xor(a, b))
            }

            #[inline(always)]
            fn halves(self, v: $vector) -> [$vector; 2] {
                let nibble = call!($splat8(0x0f));
                [call!($and(v, nibble)), call!($and(call!($right::<4>(v)), nibble))]
            }

            #[inline(always)]
            fn byte(self, byte: u8) -> $vector {
                call!($splat8(byte as i8))
            }

            #[inline(always)]
            fn look_up(self, entries: &'static Block, places: $vector) -> $vector {
                let entries = call!($table(entries));
                call!($shuffle(entries, places))
            }
        }

        impl<$kind: Kind> Slices for $name<$kind> {
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
                if $kind::SHUFFLES {
                    return self.invert(v, &BY_INVERSION[BOX]);
                }
                if !const { BOXES[BOX].before.is_identity() } {
                    v = self.affine(v, &AROUND_AES[BOX][0]);
                }
                v = $kind::$s_box(v);
                if const { BOXES[BOX].after_aes().is_identity() } {
                    return v;
                }
                self.affine(v, &AROUND_AES[BOX][1])
            }

            #[inline(always)]
            fn run<C: Core>(self, keys: &[Wide], state: &mut [$vector; 16]) {
                $kind::run::<Self, C>(self, keys, state);
            }
        }
    };
}

unit! {
    /// 128-bit vectors.
    Xmm<K>: __m128i of 16, then Self,
    _mm_loadu_si128 _mm_storeu_si128 _mm_xor_si128 _mm_and_si128 _mm_or_si128 _mm_add_epi8 _mm_cmpgt_epi8
    _mm_srli_epi16 _mm_shuffle_epi8 _mm_set1_epi8 _mm_set1_epi32 _mm_unpacklo_epi8 _mm_unpackhi_epi8
    table s_box
}

unit! {
    /// 256-bit vectors.
    Ymm<K>: __m256i of 32, then Xmm<K>,
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_xor_si256 _mm256_and_si256 _mm256_or_si256 _mm256_add_epi8
    _mm256_cmpgt_epi8 _mm256_srli_epi16 _mm256_shuffle_epi8 _mm256_set1_epi8 _mm256_set1_epi32
    _mm256_unpacklo_epi8 _mm256_unpackhi_epi8 table_for_two s_box_of_two
}

/// The machines.
mod on {
    use super::*;

    machine!(
        Narrow run_128 table_128: Xmm<super::Narrow>, Bytes<Aes>, FEW_BY_TABLES, Route::AesNi,
        wirespeed_cpu::AesNi, galois(), "ssse3,sse4.1,aes"
    );
    machine!(
        Wider run_256 table_256: Ymm<super::Wider>, Bytes<Aes>, FEW_BY_TABLES, Route::AesNi,
        (wirespeed_cpu::AesNi, wirespeed_cpu::Avx2), galois(), "ssse3,sse4.1,avx,avx2,bmi1,bmi2,aes"
    );
    machine!(
        Vaes run_vaes table_vaes: Ymm<super::Vaes>, Bytes<Aes>, FEW_BY_TABLES, Route::Vaes256,
        wirespeed_cpu::Vaes256, galois(), "ssse3,sse4.1,avx,avx2,aes,vaes"
    );
    machine!(
        Ssse3 run_ssse3 table_ssse3: Xmm<super::Ssse3>, Bytes<Shuffles>, FEW_BY_TABLES, Route::Ssse3,
        wirespeed_cpu::Ssse3, galois_ssse3(), "ssse3"
    );
    machine!(
        Avx2 run_avx2 table_avx2: Ymm<super::Avx2>, Bytes<Shuffles>, FEW_BY_TABLES, Route::Avx2,
        wirespeed_cpu::Avx2, galois_avx2(), "ssse3,sse4.1,avx,avx2,bmi1,bmi2"
    );
}

use on::{run_128, run_256, run_avx2, run_ssse3, run_vaes};
pub(super) use on::{table_128, table_256, table_avx2, table_ssse3, table_vaes};

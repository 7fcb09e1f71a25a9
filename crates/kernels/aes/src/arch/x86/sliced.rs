//! AES without its instructions: SSE2, SSSE3 and AVX2.

use wirespeed_cipher::{BlockKernels, Schedule};
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::engine::Galois;
use wirespeed_kernels_core::{align_stack, call};

use super::xmm::{Avx2, Kind, Shuffling, Sse2, Ssse3, Xmm};
use super::ymm::Ymm;
use crate::bitsliced::unit::ByPlanes;
use crate::bitsliced::vectors::{self, Bits, Turns};
use crate::bitsliced::{Planes, words};
use crate::modes::ghash::carryless::Sums;
use crate::modes::ghash::tables::Looked;
use crate::permuted::{self, Shuffles};
use crate::unit::{Carryless, One, Vector};

/// The kernels of the route `sse2` by key size.
pub(super) fn sse2(_proof: wirespeed_cpu::Sse2) -> &'static [BlockKernels; 3] {
    of_sse2::KERNELS
}

/// The kernels of the route `ssse3` by key size.
pub(super) fn ssse3(_proof: wirespeed_cpu::Ssse3) -> &'static [BlockKernels; 3] {
    of_ssse3::KERNELS
}

/// The kernels of the route `avx2` by key size.
pub(super) fn avx2(_proof: wirespeed_cpu::Avx2) -> &'static [BlockKernels; 3] {
    of_avx2::KERNELS
}

/// A route's table.
macro_rules! kernels {
    ($module:ident, $route:ident, $name:ident, $features:literal) => {
        mod $module {
            use wirespeed_cipher::Route;

            use super::*;

            crate::table::table!(
                Route::$route,
                $name<$route>,
                // SAFETY: whoever reaches the table has the token.
                unsafe { $name::assume() },
                ByKeySize::NONE,
                $features
            );

            pub(super) static KERNELS: &[BlockKernels; 3] = &TABLE;
        }
    };
}

kernels!(of_sse2, Sse2, Xmm, "sse2");
kernels!(of_ssse3, Ssse3, Xmm, "ssse3");
kernels!(of_avx2, Avx2, Ymm, "avx2");

/// A route's hash.
macro_rules! galois {
    ($name:ident, $module:ident) => {
        /// GCM's hash for the tables of other ciphers than AES.
        ///
        /// # Safety
        /// Its functions run only where the route's token was proved.
        pub const unsafe fn $name() -> Galois {
            crate::table::galois(&$module::KERNELS[0])
        }
    };
}

galois!(galois_sse2, of_sse2);
galois!(galois_ssse3, of_ssse3);
galois!(galois_avx2, of_avx2);

impl<K: Kind> Bits for Xmm<K> {
    #[inline(always)]
    fn and(self, a: __m128i, b: __m128i) -> __m128i {
        call!(_mm_and_si128(a, b))
    }

    #[inline(always)]
    fn shift_left_by<const BITS: i32>(self, v: __m128i) -> __m128i {
        call!(_mm_slli_epi64::<BITS>(v))
    }

    #[inline(always)]
    fn shift_right_by<const BITS: i32>(self, v: __m128i) -> __m128i {
        call!(_mm_srli_epi64::<BITS>(v))
    }

    #[inline(always)]
    fn splat_byte(self, byte: u8) -> __m128i {
        call!(_mm_set1_epi8(byte as i8))
    }

    #[inline(always)]
    fn equal(self, a: __m128i, b: __m128i) -> __m128i {
        call!(_mm_cmpeq_epi8(a, b))
    }
}

impl<K: Kind> Bits for Ymm<K> {
    #[inline(always)]
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        call!(_mm256_and_si256(a, b))
    }

    #[inline(always)]
    fn shift_left_by<const BITS: i32>(self, v: __m256i) -> __m256i {
        call!(_mm256_slli_epi64::<BITS>(v))
    }

    #[inline(always)]
    fn shift_right_by<const BITS: i32>(self, v: __m256i) -> __m256i {
        call!(_mm256_srli_epi64::<BITS>(v))
    }

    #[inline(always)]
    fn splat_byte(self, byte: u8) -> __m256i {
        call!(_mm256_set1_epi8(byte as i8))
    }

    #[inline(always)]
    fn equal(self, a: __m256i, b: __m256i) -> __m256i {
        call!(_mm256_cmpeq_epi8(a, b))
    }
}

impl<K: Shuffling> Shuffles for Xmm<K> {
    #[inline(always)]
    fn shuffle(self, table: __m128i, places: __m128i) -> __m128i {
        call!(_mm_shuffle_epi8(table, places))
    }

    #[inline(always)]
    fn next_byte(self, high: __m128i, low: __m128i) -> __m128i {
        call!(_mm_alignr_epi8::<15>(high, low))
    }
}

impl<K: Shuffling> Shuffles for Ymm<K> {
    #[inline(always)]
    fn shuffle(self, table: __m256i, places: __m256i) -> __m256i {
        call!(_mm256_shuffle_epi8(table, places))
    }

    #[inline(always)]
    fn next_byte(self, high: __m256i, low: __m256i) -> __m256i {
        call!(_mm256_alignr_epi8::<15>(high, low))
    }
}

impl Turns for Xmm<Sse2> {
    #[inline(always)]
    fn turn(self, v: __m128i, rows: usize, columns: usize) -> __m128i {
        let v = match columns {
            0 => v,
            1 => call!(_mm_shuffle_epi32::<0x39>(v)),
            2 => call!(_mm_shuffle_epi32::<0x4e>(v)),
            _ => call!(_mm_shuffle_epi32::<0x93>(v)),
        };
        if rows == 2 {
            return call!(_mm_shufflehi_epi16::<0xb1>(_mm_shufflelo_epi16::<0xb1>(v)));
        }
        call!(_mm_or_si128(_mm_srli_epi32::<8>(v), _mm_slli_epi32::<24>(v)))
    }

    #[inline(always)]
    fn shift_rows_twice(self, v: __m128i) -> __m128i {
        let odd = call!(_mm_set1_epi32(0xff00_ff00_u32 as i32));
        let moved = call!(_mm_shuffle_epi32::<0x4e>(v));
        self.xor(v, self.and(self.xor(v, moved), odd))
    }
}

/// The functions of their own, with the features of the unit.
macro_rules! functions {
    ($unit:ty, $features:literal, by_planes) => {
        #[inline(always)]
        fn by_planes<const DECRYPT: bool>(
            self,
            keys: &[Planes<Self::V>],
            state: &mut Planes<Self::V>,
        ) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn by_planes<const DECRYPT: bool>(
                u: $unit,
                keys: &[Planes<<$unit as Vector>::V>],
                state: &mut Planes<<$unit as Vector>::V>,
            ) {
                align_stack!();
                vectors::crypt::<_, DECRYPT>(u, keys, state);
            }
            // SAFETY: the unit proves the features.
            unsafe { by_planes::<DECRYPT>(self, keys, state) }
        }
    };
    ($unit:ty, $features:literal, by_shuffles) => {
        #[inline(always)]
        fn by_shuffles<const DECRYPT: bool, const N: usize>(
            self,
            schedule: &Schedule,
            rounds: usize,
            state: &mut [Self::V; N],
        ) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn by_shuffles<const DECRYPT: bool, const N: usize>(
                u: $unit,
                schedule: &Schedule,
                rounds: usize,
                state: &mut [<$unit as Vector>::V; N],
            ) {
                align_stack!();
                *state = permuted::crypt::<_, DECRYPT, N>(u, schedule, rounds, *state);
            }
            // SAFETY: the unit proves the features.
            unsafe { by_shuffles::<DECRYPT, N>(self, schedule, rounds, state) }
        }
    };
}

/// What a unit of one block does with several.
macro_rules! one_block {
    () => {
        type One = Self;

        #[inline(always)]
        fn one(self) -> Self {
            self
        }

        #[inline(always)]
        fn sum_of_blocks(self, v: __m128i) -> __m128i {
            v
        }

        #[inline(always)]
        fn first_of_blocks(self, v: __m128i) -> __m128i {
            v
        }
    };
}

impl ByPlanes for Xmm<Sse2> {
    type Hash<'k> = Sums<'k, Self>;
    const SHUFFLED: usize = 0;

    one_block!();
    functions!(Xmm<Sse2>, "sse2", by_planes);

    fn by_shuffles<const DECRYPT: bool, const N: usize>(
        self,
        _schedule: &Schedule,
        _rounds: usize,
        _state: &mut [__m128i; N],
    ) {
        unreachable!("no vectors go by shuffles");
    }
}

/// A unit of one block with shuffles.
macro_rules! one_shuffling_block {
    ($kind:ident, $features:literal) => {
        impl ByPlanes for Xmm<$kind> {
            type Hash<'k> = Looked<'k, Self>;
            const SHUFFLED: usize = 4;

            one_block!();
            functions!(Xmm<$kind>, $features, by_planes);
            functions!(Xmm<$kind>, $features, by_shuffles);
        }
    };
}

one_shuffling_block!(Ssse3, "ssse3");
one_shuffling_block!(Avx2, "avx2");

impl ByPlanes for Ymm<Avx2> {
    type One = Xmm<Avx2>;
    type Hash<'k> = Looked<'k, Self>;
    const SHUFFLED: usize = 4;

    #[inline(always)]
    fn one(self) -> Xmm<Avx2> {
        self.0
    }

    #[inline(always)]
    fn sum_of_blocks(self, v: __m256i) -> __m128i {
        self.sum_of_both(v)
    }

    #[inline(always)]
    fn first_of_blocks(self, v: __m128i) -> __m256i {
        self.first_of_two(v)
    }

    functions!(Ymm<Avx2>, "avx2", by_planes);
    functions!(Ymm<Avx2>, "avx2", by_shuffles);
}

impl Carryless for Xmm<Sse2> {
    /// Karatsuba's three products of words, of which two are made at once.
    #[inline(always)]
    fn multiply<const A_HIGH: bool, const B_HIGH: bool>(self, a: __m128i, b: __m128i) -> __m128i {
        let (a, b) = (words_of_half::<A_HIGH>(a), words_of_half::<B_HIGH>(b));
        let outer = call!(products_of_words(a, b));
        let [a, b] = [a, b].map(|words| self.xor(words, self.swap_halves(words)));
        let middle = call!(products_of_words(a, b));
        let middle = self.xor3(middle, outer, self.swap_halves(outer));
        self.xor(outer, call!(_mm_slli_si128::<4>(_mm_move_epi64(middle))))
    }
}

/// The words of a half, each in a half of its own.
#[inline(always)]
fn words_of_half<const HIGH: bool>(v: __m128i) -> __m128i {
    if HIGH { call!(_mm_shuffle_epi32::<0xfa>(v)) } else { call!(_mm_shuffle_epi32::<0x50>(v)) }
}

/// The carry-less product of the first words of both halves; see [`clmul`](wirespeed_kernels_core::clmul).
#[inline]
#[target_feature(enable = "sse2")]
fn products_of_words(a: __m128i, b: __m128i) -> __m128i {
    let a = [every_fourth(a, 0), every_fourth(a, 1), every_fourth(a, 2), every_fourth(a, 3)];
    let b = [every_fourth(b, 0), every_fourth(b, 1), every_fourth(b, 2), every_fourth(b, 3)];
    let mut product = _mm_setzero_si128();
    for place in 0..4 {
        let mut sum = _mm_mul_epu32(a[0], b[place]);
        for i in 1..4 {
            // The parts whose places add up to this one modulo 4.
            sum = _mm_xor_si128(sum, _mm_mul_epu32(a[i], b[(4 + place - i) % 4]));
        }
        product = _mm_or_si128(product, every_fourth(sum, place));
    }
    product
}

/// The bits whose places are this one modulo 4.
#[inline]
#[target_feature(enable = "sse2")]
fn every_fourth(v: __m128i, place: usize) -> __m128i {
    _mm_and_si128(v, _mm_set1_epi32(0x1111_1111 << place))
}

/// What units of one block do alike.
macro_rules! one {
    () => {
        #[inline(always)]
        fn every_column<const COLUMN: usize, const ROTATE: bool>(self, v: __m128i) -> __m128i {
            let v = match COLUMN {
                0 => call!(_mm_shuffle_epi32::<0x00>(v)),
                1 => call!(_mm_shuffle_epi32::<0x55>(v)),
                2 => call!(_mm_shuffle_epi32::<0xaa>(v)),
                _ => call!(_mm_shuffle_epi32::<0xff>(v)),
            };
            if ROTATE { self.turn(v, 1, 0) } else { v }
        }

        #[inline(always)]
        fn running_sum(self, v: __m128i) -> __m128i {
            let pairs = self.xor(v, call!(_mm_slli_si128::<4>(v)));
            self.xor(pairs, call!(_mm_slli_si128::<8>(pairs)))
        }

        #[inline(always)]
        fn inverse_mix(self, block: __m128i) -> __m128i {
            vectors::inverse_mix(self, block)
        }
    };
}

impl One for Xmm<Sse2> {
    one!();

    #[inline(always)]
    fn sub_columns(self, v: __m128i, constant: u32) -> __m128i {
        let word = call!(_mm_cvtsi128_si32(v)) as u32;
        let substituted = words::sub_bytes(word.into()) as u32 ^ constant;
        call!(_mm_set1_epi32(substituted as i32))
    }
}

impl<K: Shuffling> One for Xmm<K>
where
    Self: ByPlanes<One = Self, V = __m128i>,
{
    one!();

    #[inline(always)]
    fn sub_columns(self, v: __m128i, constant: u32) -> __m128i {
        self.xor(permuted::sub_bytes(self, v), call!(_mm_set1_epi32(constant as i32)))
    }
}

//! AVX-512: sixteen lanes of 32 bits, or eight of 64; rotations and functions of three in one instruction.

use std::arch::asm;

use wirespeed_cipher::Compression;
use wirespeed_cpu::Avx512;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::EIGHT_REGISTERS;
use crate::words::{Pair, Words};

/// Lanes of 32 bits. A value proves AVX-512.
#[derive(Clone, Copy)]
struct Zmm32(());

/// Lanes of 64 bits. A value proves AVX-512.
#[derive(Clone, Copy)]
struct Zmm64(());

rungs! { "avx,avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq":
    MD5: Md5 u32 [
        16 [2, 2], Zmm32 = Zmm32(());
        #[cfg(target_arch = "x86_64")]
        32 [17, 17], Pair<Zmm32> = Pair(Zmm32(()));
    ]
    SHA1: Sha1 u32 [16 [2, if EIGHT_REGISTERS { 7 } else { 4 }], Zmm32 = Zmm32(());]
    SHA256: Sha256 u32 [16 [2, if EIGHT_REGISTERS { 10 } else { 7 }], Zmm32 = Zmm32(());]
    SHA512: Sha512 u64 [8 [if EIGHT_REGISTERS { 3 } else { 2 }; 2], Zmm64 = Zmm64(());]
}

/// The kernels of a function.
pub(super) fn rungs(_proof: Avx512, compression: Compression) -> Option<Rungs> {
    Some(match compression {
        Compression::Md5 => Rungs::Narrow(MD5),
        Compression::Sha1 => Rungs::Narrow(SHA1),
        Compression::Sha256 => Rungs::Narrow(SHA256),
        Compression::Sha512 => Rungs::Wide(SHA512),
        _ => return None,
    })
}

/// What words of both sizes have, by the names of their instructions.
macro_rules! words {
    ($word:ty, $signed:ty, $splat:ident $add:ident $rotate:ident $shift:ident) => {
        type Word = $word;
        type V = __m512i;
        const LANES: usize = 64 / size_of::<$word>();

        #[inline(always)]
        fn splat(self, word: $word) -> __m512i {
            call!($splat(word as $signed))
        }

        #[inline(always)]
        fn add(self, a: __m512i, b: __m512i) -> __m512i {
            call!($add(a, b))
        }

        #[inline(always)]
        fn xor(self, a: __m512i, b: __m512i) -> __m512i {
            call!(_mm512_xor_si512(a, b))
        }

        #[inline(always)]
        fn xor3(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            call!(_mm512_ternarylogic_epi64::<0x96>(a, b, c))
        }

        #[inline(always)]
        fn choose(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            call!(_mm512_ternarylogic_epi64::<0xca>(a, b, c))
        }

        #[inline(always)]
        fn majority(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            call!(_mm512_ternarylogic_epi64::<0xe8>(a, b, c))
        }

        #[inline(always)]
        fn or_not(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
            call!(_mm512_ternarylogic_epi64::<0x39>(a, b, c))
        }

        #[inline(always)]
        fn rotate<const LEFT: i32>(self, a: __m512i) -> __m512i {
            // SAFETY: the unit proves the features.
            unsafe { $rotate::<LEFT>(a) }
        }

        #[inline(always)]
        fn shift<const RIGHT: i32>(self, a: __m512i) -> __m512i {
            // The count is a constant after inlining.
            call!($shift(a, _mm_cvtsi32_si128(RIGHT)))
        }

        #[inline(always)]
        fn pin(self, a: __m512i) -> __m512i {
            #[inline]
            #[target_feature(enable = "avx512f")]
            fn pin(mut a: __m512i) -> __m512i {
                // SAFETY: no instruction.
                unsafe {
                    asm!("/* {0} */", inout(zmm_reg) a, options(pure, nomem, nostack, preserves_flags));
                }
                a
            }
            call!(pin(a))
        }

        #[inline(always)]
        unsafe fn prefetch(self, from: *const *const u8, offset: usize) {
            // SAFETY: the caller's promise.
            unsafe { super::prefetch::<{ Self::LANES }>(from, offset) };
        }

        #[inline(always)]
        unsafe fn load(self, from: *const $word) -> __m512i {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_loadu_si512(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut $word, v: __m512i) {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_storeu_si512(to.cast(), v) };
        }
    };
}

/// Half a vector from one lane, and half from another: a step of turning a matrix that costs no shuffle.
///
/// # Safety
/// Both pointers are readable at `from`, and 32 bytes at `offset` from each; the CPU has AVX-512.
#[inline(always)]
unsafe fn halves(from: *const *const u8, [low, high]: [usize; 2], offset: usize) -> __m512i {
    // SAFETY: the caller vouches for the pointers and what they point to.
    unsafe {
        let low = _mm256_loadu_si256((*from.add(low)).add(offset).cast());
        let high = _mm256_loadu_si256((*from.add(high)).add(offset).cast());
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    }
}

/// The even quarters of two vectors, and the odd ones.
#[inline(always)]
fn quarters(a: __m512i, b: __m512i) -> [__m512i; 2] {
    [call!(_mm512_shuffle_i32x4::<0x88>(a, b)), call!(_mm512_shuffle_i32x4::<0xdd>(a, b))]
}

impl Words for Zmm32 {
    words!(u32, i32, _mm512_set1_epi32 _mm512_add_epi32 _mm512_rol_epi32 _mm512_srl_epi32);

    /// A matrix of 16 by 16 words turned, half of each row at a time: halves side by side, within quarters by words and
    /// pairs, then the quarters.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [__m512i; 16] {
        let swap = call!(_mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203));
        let mut words = [swap; 16];
        for half in 0..2 {
            // Words 0 and 4, 1 and 5, 2 and 6, 3 and 7 of this half, of eight rows each.
            let mut eights = [[swap; 4]; 2];
            for i in 0..2 {
                let offset = offset + 32 * half;
                // SAFETY: the caller vouches for as many pointers and bytes, the unit for AVX-512.
                let [a, b, c, d] = unsafe {
                    [
                        halves(from, [8 * i, 8 * i + 4], offset),
                        halves(from, [8 * i + 1, 8 * i + 5], offset),
                        halves(from, [8 * i + 2, 8 * i + 6], offset),
                        halves(from, [8 * i + 3, 8 * i + 7], offset),
                    ]
                };
                let low = [call!(_mm512_unpacklo_epi32(a, b)), call!(_mm512_unpacklo_epi32(c, d))];
                let high = [call!(_mm512_unpackhi_epi32(a, b)), call!(_mm512_unpackhi_epi32(c, d))];
                eights[i] = [
                    call!(_mm512_unpacklo_epi64(low[0], low[1])),
                    call!(_mm512_unpackhi_epi64(low[0], low[1])),
                    call!(_mm512_unpacklo_epi64(high[0], high[1])),
                    call!(_mm512_unpackhi_epi64(high[0], high[1])),
                ];
            }
            for j in 0..4 {
                let two = quarters(eights[0][j], eights[1][j]);
                for k in 0..2 {
                    let word = two[k];
                    words[8 * half + 4 * k + j] =
                        if BIG { call!(_mm512_shuffle_epi8(word, swap)) } else { word };
                }
            }
        }
        words
    }
}

impl Words for Zmm64 {
    words!(u64, i64, _mm512_set1_epi64 _mm512_add_epi64 _mm512_rol_epi64 _mm512_srl_epi64);

    /// Four matrices of 8 by 4 words turned: halves side by side, within quarters by words, then the quarters.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [__m512i; 16] {
        let swap = call!(_mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607));
        let mut words = [swap; 16];
        for part in 0..4 {
            let offset = offset + 32 * part;
            // SAFETY: the caller vouches for as many pointers and 128 bytes at each, the unit for AVX-512.
            let [a, b, c, d] = unsafe {
                [
                    halves(from, [0, 2], offset),
                    halves(from, [1, 3], offset),
                    halves(from, [4, 6], offset),
                    halves(from, [5, 7], offset),
                ]
            };
            let even =
                quarters(call!(_mm512_unpacklo_epi64(a, b)), call!(_mm512_unpacklo_epi64(c, d)));
            let odd =
                quarters(call!(_mm512_unpackhi_epi64(a, b)), call!(_mm512_unpackhi_epi64(c, d)));
            for k in 0..2 {
                let two = [even[k], odd[k]];
                for j in 0..2 {
                    let word = two[j];
                    words[4 * part + 2 * k + j] =
                        if BIG { call!(_mm512_shuffle_epi8(word, swap)) } else { word };
                }
            }
        }
        words
    }
}

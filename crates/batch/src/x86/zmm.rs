//! AVX-512: sixteen lanes of 32 bits, or eight of 64; rotations and functions of three in one instruction.

use std::arch::asm;
use std::arch::x86_64::*;

use wirespeed_cipher::Compression;
use wirespeed_cpu::Avx512;

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
        32 [17, 17], Pair<Zmm32> = Pair(Zmm32(()));
    ]
    SHA1: Sha1 u32 [16 [2, 4], Zmm32 = Zmm32(());]
    SHA256: Sha256 u32 [16 [2, 7], Zmm32 = Zmm32(());]
    SHA512: Sha512 u64 [8 [2, 2], Zmm64 = Zmm64(());]
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
        unsafe fn load(self, from: *const $word) -> __m512i {
            call!(_mm512_loadu_si512(from.cast()))
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut $word, v: __m512i) {
            call!(_mm512_storeu_si512(to.cast(), v));
        }
    };
}

/// 64 bytes from each of `N` lanes.
///
/// # Safety
/// `N` pointers are readable at `from`, and 64 bytes at `offset` from each; the CPU has AVX-512.
#[inline(always)]
unsafe fn rows<const N: usize>(from: *const *const u8, offset: usize) -> [__m512i; N] {
    let mut rows = [call!(_mm512_setzero_si512()); N];
    for i in 0..N {
        // SAFETY: the caller vouches for the pointer and what it points to.
        rows[i] = unsafe { _mm512_loadu_si512((*from.add(i)).add(offset).cast()) };
    }
    rows
}

/// Makes four vectors' quarters into four vectors: quarter `p` of vector `j` becomes quarter `j` of vector `p`.
#[inline(always)]
fn turn_quarters([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let even =
        [call!(_mm512_shuffle_i32x4::<0x88>(a, b)), call!(_mm512_shuffle_i32x4::<0x88>(c, d))];
    let odd =
        [call!(_mm512_shuffle_i32x4::<0xdd>(a, b)), call!(_mm512_shuffle_i32x4::<0xdd>(c, d))];
    [
        call!(_mm512_shuffle_i32x4::<0x88>(even[0], even[1])),
        call!(_mm512_shuffle_i32x4::<0x88>(odd[0], odd[1])),
        call!(_mm512_shuffle_i32x4::<0xdd>(even[0], even[1])),
        call!(_mm512_shuffle_i32x4::<0xdd>(odd[0], odd[1])),
    ]
}

impl Words for Zmm32 {
    words!(u32, i32, _mm512_set1_epi32 _mm512_add_epi32 _mm512_rol_epi32 _mm512_srl_epi32);

    /// A matrix of 16 by 16 words turned: within quarters by words and pairs, then the quarters.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [__m512i; 16] {
        // SAFETY: the caller vouches for as many pointers and bytes, the unit for AVX-512.
        let rows: [_; 16] = unsafe { rows(from, offset) };
        let swap = call!(_mm512_set4_epi32(0x0c0d_0e0f, 0x0809_0a0b, 0x0405_0607, 0x0001_0203));
        let mut fours = rows;
        for i in 0..4 {
            let [a, b, c, d] = [rows[4 * i], rows[4 * i + 1], rows[4 * i + 2], rows[4 * i + 3]];
            let low = [call!(_mm512_unpacklo_epi32(a, b)), call!(_mm512_unpacklo_epi32(c, d))];
            let high = [call!(_mm512_unpackhi_epi32(a, b)), call!(_mm512_unpackhi_epi32(c, d))];
            fours[4 * i] = call!(_mm512_unpacklo_epi64(low[0], low[1]));
            fours[4 * i + 1] = call!(_mm512_unpackhi_epi64(low[0], low[1]));
            fours[4 * i + 2] = call!(_mm512_unpacklo_epi64(high[0], high[1]));
            fours[4 * i + 3] = call!(_mm512_unpackhi_epi64(high[0], high[1]));
        }
        let mut words = fours;
        for j in 0..4 {
            let turned = turn_quarters([fours[j], fours[4 + j], fours[8 + j], fours[12 + j]]);
            for p in 0..4 {
                let word = turned[p];
                words[4 * p + j] = if BIG { call!(_mm512_shuffle_epi8(word, swap)) } else { word };
            }
        }
        words
    }
}

impl Words for Zmm64 {
    words!(u64, i64, _mm512_set1_epi64 _mm512_add_epi64 _mm512_rol_epi64 _mm512_srl_epi64);

    /// Two matrices of 8 by 8 words turned: within quarters by words, then the quarters.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [__m512i; 16] {
        let swap = call!(_mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607));
        let mut words = [swap; 16];
        for half in 0..2 {
            // SAFETY: the caller vouches for as many pointers and 128 bytes at each, the unit for AVX-512.
            let rows: [_; 8] = unsafe { rows(from, offset + 64 * half) };
            let mut twos = rows;
            for i in 0..4 {
                let [a, b] = [rows[2 * i], rows[2 * i + 1]];
                twos[2 * i] = call!(_mm512_unpacklo_epi64(a, b));
                twos[2 * i + 1] = call!(_mm512_unpackhi_epi64(a, b));
            }
            for j in 0..2 {
                let turned = turn_quarters([twos[j], twos[2 + j], twos[4 + j], twos[6 + j]]);
                for p in 0..4 {
                    let word = turned[p];
                    words[8 * half + 2 * p + j] =
                        if BIG { call!(_mm512_shuffle_epi8(word, swap)) } else { word };
                }
            }
        }
        words
    }
}

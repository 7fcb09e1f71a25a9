//! AVX2: eight lanes of 32 bits, or four of 64.

use wirespeed_cipher::Compression;
use wirespeed_cpu::Avx2;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::{EIGHT_REGISTERS, NEVER};
use crate::words::{Pair, Words};

/// Lanes of 32 bits. A value proves AVX2.
#[derive(Clone, Copy)]
struct Ymm32(());

/// Lanes of 64 bits. A value proves AVX2.
#[derive(Clone, Copy)]
struct Ymm64(());

rungs! { "avx,avx2,bmi1,bmi2":
    MD5: Md5 u32 [
        8 [2, 2], Ymm32 = Ymm32(());
        #[cfg(target_arch = "x86_64")]
        16 [9, 9], Pair<Ymm32> = Pair(Ymm32(()));
    ]
    SHA1: Sha1 u32 [8 [2, 4], Ymm32 = Ymm32(());]
    SHA256: Sha256 u32 [8 [2, if EIGHT_REGISTERS { NEVER } else { 8 }], Ymm32 = Ymm32(());]
    SHA512: Sha512 u64 [4 [2, 2], Ymm64 = Ymm64(());]
}

/// The kernels of a function.
pub(super) fn rungs(_proof: Avx2, compression: Compression) -> Option<Rungs> {
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
    ($word:ty, $signed:ty, $($instructions:ident)*) => {
        words_by_shifts!(
            __m256i ymm_reg "avx2", $word, $signed, $($instructions)*
            _mm256_xor_si256 _mm256_and_si256 _mm256_or_si256 _mm256_set1_epi8
            _mm256_loadu_si256 _mm256_storeu_si256
        );
    };
}

/// 32 bytes from each of `N` lanes.
///
/// # Safety
/// `N` pointers are readable at `from`, and 32 bytes at `offset` from each; the CPU has AVX2.
#[inline(always)]
unsafe fn rows<const N: usize>(from: *const *const u8, offset: usize) -> [__m256i; N] {
    let mut rows = [call!(_mm256_setzero_si256()); N];
    for i in 0..N {
        // SAFETY: the caller vouches for the pointer and what it points to.
        rows[i] = unsafe { _mm256_loadu_si256((*from.add(i)).add(offset).cast()) };
    }
    rows
}

/// The lower halves of two vectors, and the upper ones.
#[inline(always)]
fn turn_halves(a: __m256i, b: __m256i) -> [__m256i; 2] {
    [call!(_mm256_permute2x128_si256::<0x20>(a, b)), call!(_mm256_permute2x128_si256::<0x31>(a, b))]
}

impl Words for Ymm32 {
    words!(u32, i32, _mm256_set1_epi32 _mm256_add_epi32 _mm256_sll_epi32 _mm256_srl_epi32);

    /// Two matrices of 8 by 8 words turned: within halves by words and pairs, then the halves.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [__m256i; 16] {
        let swap = call!(_mm256_set_epi64x(
            0x0c0d_0e0f_0809_0a0b,
            0x0405_0607_0001_0203,
            0x0c0d_0e0f_0809_0a0b,
            0x0405_0607_0001_0203
        ));
        let mut words = [swap; 16];
        for half in 0..2 {
            // SAFETY: the caller vouches for as many pointers and 64 bytes at each, the unit for AVX2.
            let rows: [_; 8] = unsafe { rows(from, offset + 32 * half) };
            let mut fours = rows;
            for i in 0..2 {
                let [a, b, c, d] = [rows[4 * i], rows[4 * i + 1], rows[4 * i + 2], rows[4 * i + 3]];
                let low = [call!(_mm256_unpacklo_epi32(a, b)), call!(_mm256_unpacklo_epi32(c, d))];
                let high = [call!(_mm256_unpackhi_epi32(a, b)), call!(_mm256_unpackhi_epi32(c, d))];
                fours[4 * i] = call!(_mm256_unpacklo_epi64(low[0], low[1]));
                fours[4 * i + 1] = call!(_mm256_unpackhi_epi64(low[0], low[1]));
                fours[4 * i + 2] = call!(_mm256_unpacklo_epi64(high[0], high[1]));
                fours[4 * i + 3] = call!(_mm256_unpackhi_epi64(high[0], high[1]));
            }
            for j in 0..4 {
                let turned = turn_halves(fours[j], fours[4 + j]);
                for p in 0..2 {
                    let word = turned[p];
                    words[8 * half + 4 * p + j] =
                        if BIG { call!(_mm256_shuffle_epi8(word, swap)) } else { word };
                }
            }
        }
        words
    }
}

impl Words for Ymm64 {
    words!(u64, i64, _mm256_set1_epi64x _mm256_add_epi64 _mm256_sll_epi64 _mm256_srl_epi64);

    /// Four matrices of 4 by 4 words turned: within halves by words, then the halves.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [__m256i; 16] {
        let swap = call!(_mm256_set_epi64x(
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607,
            0x0809_0a0b_0c0d_0e0f,
            0x0001_0203_0405_0607
        ));
        let mut words = [swap; 16];
        for quarter in 0..4 {
            // SAFETY: the caller vouches for as many pointers and 128 bytes at each, the unit for AVX2.
            let [a, b, c, d]: [_; 4] = unsafe { rows(from, offset + 32 * quarter) };
            let low =
                turn_halves(call!(_mm256_unpacklo_epi64(a, b)), call!(_mm256_unpacklo_epi64(c, d)));
            let high =
                turn_halves(call!(_mm256_unpackhi_epi64(a, b)), call!(_mm256_unpackhi_epi64(c, d)));
            for (i, word) in [low[0], high[0], low[1], high[1]].into_iter().enumerate() {
                words[4 * quarter + i] =
                    if BIG { call!(_mm256_shuffle_epi8(word, swap)) } else { word };
            }
        }
        words
    }
}

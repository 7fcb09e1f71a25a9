//! SSE2: four lanes of 32 bits, or two of 64, of which 64-bit code has as much in a register for integers.

use wirespeed_cipher::Compression;
use wirespeed_cpu::Sse2;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::{EIGHT_REGISTERS, NEVER};
use crate::words::Words;

/// Lanes of 32 bits. A value proves SSE2.
#[derive(Clone, Copy)]
struct Xmm32(());

/// Lanes of 64 bits. A value proves SSE2.
#[derive(Clone, Copy)]
struct Xmm64(());

rungs! { "sse2":
    MD5: Md5 u32 [4 [2, 2], Xmm32 = Xmm32(());]
    SHA1: Sha1 u32 [4 [2, NEVER], Xmm32 = Xmm32(());]
    SHA256: Sha256 u32 [4 [2, NEVER], Xmm32 = Xmm32(());]
    SHA512: Sha512 u64 [2 [2, 2], Xmm64 = Xmm64(());]
}

/// The kernels of a function.
pub(super) fn rungs(_proof: Sse2, compression: Compression) -> Option<Rungs> {
    Some(match compression {
        Compression::Md5 => Rungs::Narrow(MD5),
        Compression::Sha1 => Rungs::Narrow(SHA1),
        Compression::Sha256 => Rungs::Narrow(SHA256),
        Compression::Sha512 if EIGHT_REGISTERS => Rungs::Wide(SHA512),
        _ => return None,
    })
}

/// What words of both sizes have, by the names of their instructions.
macro_rules! words {
    ($word:ty, $signed:ty, $($instructions:ident)*) => {
        words_by_shifts!(
            __m128i xmm_reg "sse2", $word, $signed, $($instructions)*
            _mm_xor_si128 _mm_and_si128 _mm_or_si128 _mm_set1_epi8 _mm_loadu_si128 _mm_storeu_si128
        );
    };
}

/// Sixteen bytes of a lane.
///
/// # Safety
/// There is such a pointer, and sixteen bytes at `offset` from it.
#[inline(always)]
unsafe fn row(from: *const *const u8, lane: usize, offset: usize) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe { _mm_loadu_si128((*from.add(lane)).add(offset).cast()) }
}

/// The bytes of each word of 32 bits the other way round: its halves by shuffles, their bytes by shifts.
#[inline(always)]
fn swap<const BIG: bool>(v: __m128i) -> __m128i {
    if !BIG {
        return v;
    }
    let v = call!(_mm_shufflehi_epi16::<0xb1>(_mm_shufflelo_epi16::<0xb1>(v)));
    call!(_mm_or_si128(_mm_slli_epi16::<8>(v), _mm_srli_epi16::<8>(v)))
}

impl Words for Xmm32 {
    words!(u32, i32, _mm_set1_epi32 _mm_add_epi32 _mm_sll_epi32 _mm_srl_epi32);

    /// Four matrices of 4 by 4 words turned.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [__m128i; 16] {
        let mut words = [call!(_mm_setzero_si128()); 16];
        for (quarter, four) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let offset = offset + 16 * quarter;
            // SAFETY: the caller vouches for four pointers and 64 bytes at each.
            let [a, b, c, d] = unsafe {
                [
                    row(from, 0, offset),
                    row(from, 1, offset),
                    row(from, 2, offset),
                    row(from, 3, offset),
                ]
            };
            let (ab, cd) = (call!(_mm_unpacklo_epi32(a, b)), call!(_mm_unpacklo_epi32(c, d)));
            four[0] = swap::<BIG>(call!(_mm_unpacklo_epi64(ab, cd)));
            four[1] = swap::<BIG>(call!(_mm_unpackhi_epi64(ab, cd)));
            let (ab, cd) = (call!(_mm_unpackhi_epi32(a, b)), call!(_mm_unpackhi_epi32(c, d)));
            four[2] = swap::<BIG>(call!(_mm_unpacklo_epi64(ab, cd)));
            four[3] = swap::<BIG>(call!(_mm_unpackhi_epi64(ab, cd)));
        }
        words
    }
}

impl Words for Xmm64 {
    words!(u64, i64, _mm_set1_epi64x _mm_add_epi64 _mm_sll_epi64 _mm_srl_epi64);

    /// Eight matrices of 2 by 2 words turned.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [__m128i; 16] {
        let mut words = [call!(_mm_setzero_si128()); 16];
        for (eighth, two) in words.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            // SAFETY: the caller vouches for two pointers and 128 bytes at each.
            let (mut a, mut b) =
                unsafe { (row(from, 0, offset + 16 * eighth), row(from, 1, offset + 16 * eighth)) };
            if BIG {
                a = swap::<BIG>(call!(_mm_shuffle_epi32::<0xb1>(a)));
                b = swap::<BIG>(call!(_mm_shuffle_epi32::<0xb1>(b)));
            }
            *two = [call!(_mm_unpacklo_epi64(a, b)), call!(_mm_unpackhi_epi64(a, b))];
        }
        words
    }
}

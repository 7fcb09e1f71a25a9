//! Streams of AES: four to a vector by VAES on 512 bits (in 64-bit code), two on 256, one by AES-NI.

use std::arch::asm;

use wirespeed_cipher::Block;
use wirespeed_cpu::{AesNi, Vaes256};
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use crate::ciphers::ChainMode;
use crate::ciphers::lanes::Rung;
use crate::ciphers::streams::{self, SQUARE, Streams};

/// The methods of [`Streams`] that are one instruction each.
macro_rules! instructions {
    ($vector:ty, $register:ident, $feature:literal, $xor:ident, $round:ident, $last:ident) => {
        #[inline(always)]
        fn xor(self, a: $vector, b: $vector) -> $vector {
            call!($xor(a, b))
        }

        #[inline(always)]
        fn round(self, v: $vector, key: $vector) -> $vector {
            call!($round(v, key))
        }

        #[inline(always)]
        fn last_round(self, v: $vector, key: $vector) -> $vector {
            call!($last(v, key))
        }

        #[inline(always)]
        fn pin(self, v: $vector) -> $vector {
            #[inline]
            #[target_feature(enable = $feature)]
            fn pin(mut v: $vector) -> $vector {
                // SAFETY: no instruction; not `pure`, so that it keeps its place among its like.
                unsafe {
                    asm!("/* {0} */", inout($register) v, options(nomem, nostack, preserves_flags));
                }
                v
            }
            // SAFETY: the unit proves the feature.
            unsafe { pin(v) }
        }
    };
}

/// A block of a lane's stream.
///
/// # Safety
/// There is such a pointer, and a block at `offset` from it.
#[inline(always)]
unsafe fn block(from: *const *const u8, lane: usize, offset: usize) -> __m128i {
    // SAFETY: the caller's promise; SSE2 is here.
    unsafe { _mm_loadu_si128((*from.add(lane)).add(offset).cast()) }
}

/// Writes a block of a lane's stream.
///
/// # Safety
/// There is such a pointer, and room for a block at `offset` from it.
#[inline(always)]
unsafe fn put_block(to: *const *mut u8, lane: usize, offset: usize, block: __m128i) {
    // SAFETY: the caller's promise; SSE2 is here.
    unsafe { _mm_storeu_si128((*to.add(lane)).add(offset).cast(), block) }
}

/// VAES on 512-bit vectors.
#[cfg(target_arch = "x86_64")]
pub(super) mod zmm {
    use super::*;

    /// The unit: only made where its features are.
    #[derive(Clone, Copy)]
    struct Zmm;

    stream_rungs!("avx,avx2,bmi2,aes,vaes,avx512f,avx512bw,avx512vl", Zmm = Zmm, [1 2 4]);

    /// Exchanges rows and columns of blocks.
    #[inline(always)]
    fn turn([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let low =
            [call!(_mm512_shuffle_i64x2::<0x44>(a, b)), call!(_mm512_shuffle_i64x2::<0x44>(c, d))];
        let high =
            [call!(_mm512_shuffle_i64x2::<0xee>(a, b)), call!(_mm512_shuffle_i64x2::<0xee>(c, d))];
        [
            call!(_mm512_shuffle_i64x2::<0x88>(low[0], low[1])),
            call!(_mm512_shuffle_i64x2::<0xdd>(low[0], low[1])),
            call!(_mm512_shuffle_i64x2::<0x88>(high[0], high[1])),
            call!(_mm512_shuffle_i64x2::<0xdd>(high[0], high[1])),
        ]
    }

    /// Two blocks of a lane's stream, and two of the next one's.
    ///
    /// # Safety
    /// There are two pointers, and two blocks at `offset` from each.
    #[inline(always)]
    unsafe fn pair(from: *const *const u8, offset: usize) -> __m512i {
        // SAFETY: the caller's promise.
        unsafe {
            let low = _mm256_loadu_si256((*from).add(offset).cast());
            let high = _mm256_loadu_si256((*from.add(1)).add(offset).cast());
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
    }

    /// The first blocks of four pairs, and the second ones.
    #[inline(always)]
    fn turn_pairs(ab: __m512i, cd: __m512i) -> [__m512i; 2] {
        [call!(_mm512_shuffle_i64x2::<0x88>(ab, cd)), call!(_mm512_shuffle_i64x2::<0xdd>(ab, cd))]
    }

    impl Streams for Zmm {
        type V = __m512i;
        const LANES: usize = 4;

        #[inline(always)]
        unsafe fn splat(self, from: *const Block) -> __m512i {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(from.cast())) }
        }

        #[inline(always)]
        unsafe fn load(self, from: *const Block) -> __m512i {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_loadu_si512(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut Block, v: __m512i) {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_storeu_si512(to.cast(), v) };
        }

        #[inline(always)]
        unsafe fn gather(self, from: *const *const u8, offset: usize) -> __m512i {
            // SAFETY: the caller vouches for four pointers, and for a block at each.
            unsafe {
                let v = _mm512_castsi128_si512(block(from, 0, offset));
                let v = _mm512_inserti32x4::<1>(v, block(from, 1, offset));
                let v = _mm512_inserti32x4::<2>(v, block(from, 2, offset));
                _mm512_inserti32x4::<3>(v, block(from, 3, offset))
            }
        }

        #[inline(always)]
        unsafe fn scatter(self, to: *const *mut u8, offset: usize, v: __m512i) {
            // SAFETY: the caller vouches for four pointers, and for a block at each.
            unsafe {
                put_block(to, 0, offset, _mm512_castsi512_si128(v));
                put_block(to, 1, offset, _mm512_extracti32x4_epi32::<1>(v));
                put_block(to, 2, offset, _mm512_extracti32x4_epi32::<2>(v));
                put_block(to, 3, offset, _mm512_extracti32x4_epi32::<3>(v));
            }
        }

        #[inline(always)]
        unsafe fn prefetch(self, from: *const *const u8, offset: usize) {
            // SAFETY: the caller's promise.
            unsafe { super::super::prefetch::<{ Self::LANES }>(from, offset) };
        }

        #[inline(always)]
        unsafe fn gather_square(self, from: *const *const u8, offset: usize) -> [__m512i; SQUARE] {
            // SAFETY: the caller vouches for four pointers, and for four blocks at each.
            unsafe {
                let (ab, cd) = (pair(from, offset), pair(from.add(2), offset));
                let [first, second] = turn_pairs(ab, cd);
                let (ab, cd) = (pair(from, offset + 32), pair(from.add(2), offset + 32));
                let [third, fourth] = turn_pairs(ab, cd);
                [first, second, third, fourth]
            }
        }

        #[inline(always)]
        unsafe fn scatter_square(
            self,
            to: *const *mut u8,
            offset: usize,
            square: [__m512i; SQUARE],
        ) {
            let [first, second, third, fourth] = turn(square);
            // SAFETY: the caller vouches for four pointers, and for four blocks at each.
            unsafe {
                _mm512_storeu_si512((*to).add(offset).cast(), first);
                _mm512_storeu_si512((*to.add(1)).add(offset).cast(), second);
                _mm512_storeu_si512((*to.add(2)).add(offset).cast(), third);
                _mm512_storeu_si512((*to.add(3)).add(offset).cast(), fourth);
            }
        }

        instructions!(
            __m512i,
            zmm_reg,
            "avx512f",
            _mm512_xor_si512,
            _mm512_aesenc_epi128,
            _mm512_aesenclast_epi128
        );
    }
}

/// VAES on 256-bit vectors.
pub(super) mod ymm {
    use super::*;

    /// The unit: only made where its features are.
    #[derive(Clone, Copy)]
    struct Ymm;

    #[cfg(target_arch = "x86_64")]
    stream_rungs!("avx,avx2,aes,vaes", Ymm = Ymm, [1 2 4 8]);
    #[cfg(target_arch = "x86")]
    stream_rungs!("avx,avx2,aes,vaes", Ymm = Ymm, [1 2 4 6]);

    impl Streams for Ymm {
        type V = __m256i;
        const LANES: usize = 2;

        #[inline(always)]
        unsafe fn splat(self, from: *const Block) -> __m256i {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast())) }
        }

        #[inline(always)]
        unsafe fn load(self, from: *const Block) -> __m256i {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm256_loadu_si256(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut Block, v: __m256i) {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm256_storeu_si256(to.cast(), v) };
        }

        #[inline(always)]
        unsafe fn gather(self, from: *const *const u8, offset: usize) -> __m256i {
            // SAFETY: the caller vouches for two pointers, and for a block at each.
            unsafe {
                let low = _mm256_castsi128_si256(block(from, 0, offset));
                _mm256_inserti128_si256::<1>(low, block(from, 1, offset))
            }
        }

        #[inline(always)]
        unsafe fn scatter(self, to: *const *mut u8, offset: usize, v: __m256i) {
            // SAFETY: the caller vouches for two pointers, and for a block at each.
            unsafe {
                put_block(to, 0, offset, _mm256_castsi256_si128(v));
                put_block(to, 1, offset, _mm256_extracti128_si256::<1>(v));
            }
        }

        instructions!(
            __m256i,
            ymm_reg,
            "avx",
            _mm256_xor_si256,
            _mm256_aesenc_epi128,
            _mm256_aesenclast_epi128
        );
    }
}

/// AES-NI.
pub(super) mod xmm {
    use super::*;

    /// The unit: only made where its features are.
    #[derive(Clone, Copy)]
    struct Xmm;

    #[cfg(target_arch = "x86_64")]
    stream_rungs!("ssse3,sse4.1,aes", Xmm = Xmm, [2 4 8]);
    #[cfg(target_arch = "x86")]
    stream_rungs!("ssse3,sse4.1,aes", Xmm = Xmm, [2 4 6]);

    impl Streams for Xmm {
        type V = __m128i;
        const LANES: usize = 1;

        #[inline(always)]
        unsafe fn splat(self, from: *const Block) -> __m128i {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm_loadu_si128(from.cast()) }
        }

        #[inline(always)]
        unsafe fn load(self, from: *const Block) -> __m128i {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm_loadu_si128(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut Block, v: __m128i) {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm_storeu_si128(to.cast(), v) };
        }

        #[inline(always)]
        unsafe fn gather(self, from: *const *const u8, offset: usize) -> __m128i {
            // SAFETY: the caller vouches for a pointer, and for a block there.
            unsafe { block(from, 0, offset) }
        }

        #[inline(always)]
        unsafe fn scatter(self, to: *const *mut u8, offset: usize, v: __m128i) {
            // SAFETY: the caller vouches for a pointer, and for a block there.
            unsafe { put_block(to, 0, offset, v) }
        }

        instructions!(
            __m128i,
            xmm_reg,
            "sse2",
            _mm_xor_si128,
            _mm_aesenc_si128,
            _mm_aesenclast_si128
        );
    }
}

/// The kernels of a chain by VAES on 512-bit vectors.
#[cfg(target_arch = "x86_64")]
pub(super) fn vaes512(
    _proof: wirespeed_cpu::Vaes512,
    chain: ChainMode,
    key_size: usize,
) -> &'static [Rung] {
    &zmm::RUNGS[chain as usize][key_size]
}

/// The kernels of a chain by VAES on 256-bit vectors.
pub(super) fn vaes256(_proof: Vaes256, chain: ChainMode, key_size: usize) -> &'static [Rung] {
    &ymm::RUNGS[chain as usize][key_size]
}

/// The kernels of a chain by AES-NI.
pub(super) fn aesni(_proof: AesNi, chain: ChainMode, key_size: usize) -> &'static [Rung] {
    &xmm::RUNGS[chain as usize][key_size]
}

//! 256-bit vectors: two blocks in a vector.

use std::arch::asm;

use wirespeed_cipher::Block;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::xmm::{Kind, Xmm};
use crate::mask;
use crate::unit::Vector;

/// A 256-bit unit. A value proves AVX2, and all that [`Xmm`] does.
#[derive(Clone, Copy)]
pub(super) struct Ymm<K>(pub(super) Xmm<K>);

impl<K: Kind> Ymm<K> {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has AVX2 and what `K` stands for.
    #[inline(always)]
    pub(super) const unsafe fn assume() -> Self {
        // SAFETY: the caller vouches for more.
        Self(unsafe { Xmm::assume() })
    }

    /// The exclusive or of both blocks.
    #[inline(always)]
    pub(super) fn sum_of_both(self, v: __m256i) -> __m128i {
        let high = call!(_mm256_extracti128_si256::<1>(v));
        self.0.xor(call!(_mm256_castsi256_si128(v)), high)
    }

    /// The block in the first place, zeros behind it.
    #[inline(always)]
    pub(super) fn first_of_two(self, v: __m128i) -> __m256i {
        call!(_mm256_zextsi128_si256(v))
    }
}

impl<K: Kind> Vector for Ymm<K> {
    type V = __m256i;
    const WIDTH: usize = 2;

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> __m256i {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn load_first(self, from: *const u8, count: usize) -> __m256i {
        // SAFETY: the caller vouches for `count` bytes.
        unsafe {
            if count > 16 {
                let high = self.0.load_first(from.add(16), count - 16);
                _mm256_set_m128i(high, self.0.load(from))
            } else {
                self.first_of_two(self.0.load_first(from, count))
            }
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, v: __m256i) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm256_storeu_si256(to.cast(), v) };
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, v: __m256i, count: usize) {
        let low = call!(_mm256_castsi256_si128(v));
        // SAFETY: the caller vouches for `count` bytes.
        unsafe {
            if count > 16 {
                self.0.store(to, low);
                let high = _mm256_extracti128_si256::<1>(v);
                self.0.store_first(to.add(16), high, count - 16);
            } else {
                self.0.store_first(to, low, count);
            }
        }
    }

    #[inline(always)]
    fn keep_first(self, v: __m256i, count: usize) -> __m256i {
        // SAFETY: a mask is as long as the vector.
        unsafe { _mm256_and_si256(v, _mm256_loadu_si256(mask::first(count).cast())) }
    }

    #[inline(always)]
    fn splat(self, block: Block) -> __m256i {
        call!(_mm256_broadcastsi128_si256(self.0.splat(block)))
    }

    #[inline(always)]
    fn zero(self) -> __m256i {
        call!(_mm256_setzero_si256())
    }

    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        call!(_mm256_xor_si256(a, b))
    }

    #[inline(always)]
    fn swap_bytes(self, v: __m256i) -> __m256i {
        let order = call!(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        call!(_mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(order)))
    }

    #[inline(always)]
    fn swap_halves(self, v: __m256i) -> __m256i {
        call!(_mm256_shuffle_epi32::<0x4e>(v))
    }

    #[inline(always)]
    fn low_to_high(self, v: __m256i) -> __m256i {
        call!(_mm256_bslli_epi128::<8>(v))
    }

    #[inline(always)]
    fn high_to_low(self, v: __m256i) -> __m256i {
        call!(_mm256_bsrli_epi128::<8>(v))
    }

    #[inline(always)]
    fn shift_up(self, v: __m256i) -> __m256i {
        call!(_mm256_bslli_epi128::<2>(v))
    }

    #[inline(always)]
    fn shifted_out(self, v: __m256i) -> __m256i {
        call!(_mm256_bsrli_epi128::<14>(v))
    }

    #[inline(always)]
    fn shift_left(self, v: __m256i, bits: u32) -> __m256i {
        let n = i64::from(bits);
        call!(_mm256_sllv_epi64(v, _mm256_set_epi64x(n + 1, n + 1, n, n)))
    }

    #[inline(always)]
    fn shift_right_rest(self, v: __m256i, bits: u32) -> __m256i {
        let n = 64 - i64::from(bits);
        call!(_mm256_srlv_epi64(v, _mm256_set_epi64x(n - 1, n - 1, n, n)))
    }

    #[inline(always)]
    fn add(self, v: __m256i, count: u32, spread: bool) -> __m256i {
        let count = count as i32;
        let second = count.wrapping_add(spread.into());
        call!(_mm256_add_epi32(v, _mm256_set_epi32(0, 0, 0, second, 0, 0, 0, count)))
    }

    #[inline(always)]
    fn add_to_last_byte(self, v: __m256i, count: u8) -> __m256i {
        let last = i32::from_le_bytes([0, 0, 0, count]);
        call!(_mm256_add_epi32(v, _mm256_set_epi32(last, 0, 0, 0, last, 0, 0, 0)))
    }

    #[inline(always)]
    fn shift_in(self, previous: __m256i, current: __m256i) -> __m256i {
        call!(_mm256_permute2x128_si256::<0x21>(previous, current))
    }

    #[inline(always)]
    fn pin(self, v: __m256i) -> __m256i {
        #[inline]
        #[target_feature(enable = "avx")]
        fn pin(mut v: __m256i) -> __m256i {
            // SAFETY: no instruction; not `pure`, so that it keeps its place among its like.
            unsafe {
                asm!("/* {0} */", inout(ymm_reg) v, options(nomem, nostack, preserves_flags));
            };
            v
        }
        // SAFETY: the unit proves the feature.
        unsafe { pin(v) }
    }
}

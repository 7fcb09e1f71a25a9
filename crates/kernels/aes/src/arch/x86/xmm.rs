//! 128-bit vectors: one block in a vector.

use std::arch::asm;
use std::marker::PhantomData;

use wirespeed_cipher::{Block, partial};
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::low_half;
use crate::mask;
use crate::unit::Vector;

/// A 128-bit unit. A value proves SSE2 and what `K` stands for.
#[derive(Clone, Copy)]
pub(super) struct Xmm<K>(PhantomData<K>);

/// What a CPU has for AES.
pub(super) trait Kind: Copy {
    /// Whether there is PSHUFB.
    const SHUFFLES: bool;
}

/// A CPU with PSHUFB.
pub(super) trait Shuffling: Kind {}

macro_rules! kinds {
    ($($(#[$about:meta])+ $kind:ident: $shuffles:literal)+) => {
        $(
            $(#[$about])+
            #[derive(Clone, Copy)]
            pub(super) enum $kind {}

            impl Kind for $kind {
                const SHUFFLES: bool = $shuffles;
            }
        )+
    };
}

kinds! {
    /// SSSE3, SSE4.1, AES-NI and PCLMULQDQ.
    Aes: true
    /// AVX2.
    Avx2: true
    /// SSSE3.
    Ssse3: true
    /// SSE2.
    Sse2: false
}

impl Shuffling for Avx2 {}
impl Shuffling for Ssse3 {}

impl<K: Kind> Xmm<K> {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what `K` stands for.
    #[inline(always)]
    pub(super) const unsafe fn assume() -> Self {
        Self(PhantomData)
    }
}

impl<K: Kind> Vector for Xmm<K> {
    type V = __m128i;
    const WIDTH: usize = 1;

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> __m128i {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn load_first(self, from: *const u8, count: usize) -> __m128i {
        if count == 16 {
            // SAFETY: as much is there, by the caller's promise.
            return unsafe { _mm_loadu_si128(from.cast()) };
        }
        // SAFETY: the caller vouches for `count` bytes.
        let value = unsafe { partial::load(from, count) };
        call!(_mm_set_epi64x((value >> 64) as i64, value as i64))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, v: __m128i) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm_storeu_si128(to.cast(), v) };
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, v: __m128i, count: usize) {
        if count == 16 {
            // SAFETY: as much is there, by the caller's promise.
            return unsafe { _mm_storeu_si128(to.cast(), v) };
        }
        let low = call!(low_half(v));
        let high = call!(low_half(_mm_unpackhi_epi64(v, v)));
        // SAFETY: the caller vouches for `count` bytes.
        unsafe { partial::store(to, u128::from(high) << 64 | u128::from(low), count) };
    }

    #[inline(always)]
    fn keep_first(self, v: __m128i, count: usize) -> __m128i {
        // SAFETY: a mask is as long as the vector.
        unsafe { _mm_and_si128(v, _mm_loadu_si128(mask::first(count).cast())) }
    }

    #[inline(always)]
    fn splat(self, block: Block) -> __m128i {
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
    }

    #[inline(always)]
    fn zero(self) -> __m128i {
        call!(_mm_setzero_si128())
    }

    #[inline(always)]
    fn xor(self, a: __m128i, b: __m128i) -> __m128i {
        call!(_mm_xor_si128(a, b))
    }

    #[inline(always)]
    fn swap_bytes(self, v: __m128i) -> __m128i {
        if K::SHUFFLES {
            let order = call!(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
            return call!(_mm_shuffle_epi8(v, order));
        }
        let words = call!(_mm_or_si128(_mm_slli_epi16::<8>(v), _mm_srli_epi16::<8>(v)));
        let halves = call!(_mm_shufflehi_epi16::<0x1b>(_mm_shufflelo_epi16::<0x1b>(words)));
        call!(_mm_shuffle_epi32::<0x4e>(halves))
    }

    #[inline(always)]
    fn swap_halves(self, v: __m128i) -> __m128i {
        call!(_mm_shuffle_epi32::<0x4e>(v))
    }

    #[inline(always)]
    fn low_to_high(self, v: __m128i) -> __m128i {
        call!(_mm_slli_si128::<8>(v))
    }

    #[inline(always)]
    fn high_to_low(self, v: __m128i) -> __m128i {
        call!(_mm_srli_si128::<8>(v))
    }

    #[inline(always)]
    fn shift_up(self, v: __m128i) -> __m128i {
        call!(_mm_slli_si128::<1>(v))
    }

    #[inline(always)]
    fn shifted_out(self, v: __m128i) -> __m128i {
        call!(_mm_srli_si128::<15>(v))
    }

    #[inline(always)]
    fn shift_left(self, v: __m128i, bits: u32) -> __m128i {
        call!(_mm_sll_epi64(v, _mm_cvtsi32_si128(bits as i32)))
    }

    #[inline(always)]
    fn shift_right_rest(self, v: __m128i, bits: u32) -> __m128i {
        call!(_mm_srl_epi64(v, _mm_cvtsi32_si128(64 - bits as i32)))
    }

    #[inline(always)]
    fn add(self, v: __m128i, count: u32, _spread: bool) -> __m128i {
        call!(_mm_add_epi32(v, _mm_set_epi32(0, 0, 0, count as i32)))
    }

    #[inline(always)]
    fn add_to_last_byte(self, v: __m128i, count: u8) -> __m128i {
        let last = i32::from_le_bytes([0, 0, 0, count]);
        call!(_mm_add_epi32(v, _mm_set_epi32(last, 0, 0, 0)))
    }

    #[inline(always)]
    fn shift_in(self, previous: __m128i, _current: __m128i) -> __m128i {
        previous
    }

    #[inline(always)]
    fn pin(self, v: __m128i) -> __m128i {
        #[inline]
        #[target_feature(enable = "sse2")]
        fn pin(mut v: __m128i) -> __m128i {
            // SAFETY: no instruction; not `pure`, so that it keeps its place among its like.
            unsafe {
                asm!("/* {0} */", inout(xmm_reg) v, options(nomem, nostack, preserves_flags));
            };
            v
        }
        // SAFETY: the unit proves the feature.
        unsafe { pin(v) }
    }
}

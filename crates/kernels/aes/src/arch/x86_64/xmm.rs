//! AES-NI and PCLMULQDQ: one block in a vector.

use std::arch::asm;
use std::arch::x86_64::*;

use wirespeed_cipher::{Route, partial};
use wirespeed_cpu::AesNi;
use wirespeed_kernels_core::call;

use super::mask;
use super::rounds::{self, Rounds};
use crate::unit::{One, Unit};
use wirespeed_kernels_core::engine::Galois;

/// The 128-bit unit. A value proves SSSE3, SSE4.1, AES-NI and PCLMULQDQ.
#[derive(Clone, Copy)]
pub(super) struct Xmm(());

impl Xmm {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what [`AesNi`] stands for.
    #[inline(always)]
    pub(super) const unsafe fn assume() -> Self {
        Self(())
    }
}

crate::table::table!(
    Route::AesNi,
    Xmm,
    // SAFETY: `table` takes the token.
    unsafe { Xmm::assume() },
    "ssse3,sse4.1,aes,pclmulqdq"
);

/// GCM's hash for the tables of other ciphers than AES.
///
/// # Safety
/// Its functions run only where [`AesNi`] was proved.
pub const unsafe fn galois() -> Galois {
    Galois { set_key, ghash, tag: gcm_tag, polyval_key, polyval }
}

wirespeed_kernels_core::entries! { ["ssse3,sse4.1,aes,pclmulqdq"]
    fn set_key[][](hash_key: Block, key: &mut GcmKey)
        // SAFETY: as for the table.
        { ghash::set_key::<_, false>(unsafe { Xmm::assume() }, hash_key, key) }
}

/// The kernels by key size.
pub(super) fn table(_proof: AesNi) -> &'static [BlockKernels; 3] {
    &TABLE
}

impl Unit for Xmm {
    type V = __m128i;
    type Single = Self;
    const WIDTH: usize = 1;

    #[inline(always)]
    fn single(self) -> Self {
        self
    }

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
        let low = call!(_mm_cvtsi128_si64(v)) as u64;
        let high = call!(_mm_extract_epi64::<1>(v)) as u64;
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
        let order = call!(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        call!(_mm_shuffle_epi8(v, order))
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
    fn multiply<const A_HIGH: bool, const B_HIGH: bool>(self, a: __m128i, b: __m128i) -> __m128i {
        match (A_HIGH, B_HIGH) {
            (false, false) => call!(_mm_clmulepi64_si128::<0x00>(a, b)),
            (true, false) => call!(_mm_clmulepi64_si128::<0x01>(a, b)),
            (false, true) => call!(_mm_clmulepi64_si128::<0x10>(a, b)),
            (true, true) => call!(_mm_clmulepi64_si128::<0x11>(a, b)),
        }
    }

    #[inline(always)]
    fn sum(self, v: __m128i) -> __m128i {
        v
    }

    #[inline(always)]
    fn widen(self, v: __m128i) -> __m128i {
        v
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

    rounds::unit_methods!();
}

impl One for Xmm {
    #[inline(always)]
    fn chain<const ROUNDS: usize>(self, key: &Schedule, state: __m128i, feed: __m128i) -> __m128i {
        rounds::chain::<_, ROUNDS>(self, key, state, feed)
    }

    #[inline(always)]
    fn every_column<const COLUMN: usize, const ROTATE: bool>(self, v: __m128i) -> __m128i {
        let first = 0x01010101 * (4 * COLUMN as i32);
        let order = if ROTATE { first + 0x00_03_02_01 } else { first + 0x03_02_01_00 };
        call!(_mm_shuffle_epi8(v, _mm_set1_epi32(order)))
    }

    #[inline(always)]
    fn sub_columns(self, v: __m128i, constant: u32) -> __m128i {
        // With the same word in every column ShiftRows changes nothing.
        call!(_mm_aesenclast_si128(v, _mm_set1_epi32(constant as i32)))
    }

    #[inline(always)]
    fn running_sum(self, v: __m128i) -> __m128i {
        let pairs = self.xor(v, call!(_mm_slli_si128::<4>(v)));
        self.xor(pairs, call!(_mm_slli_si128::<8>(pairs)))
    }

    #[inline(always)]
    fn inverse_mix(self, block: __m128i) -> __m128i {
        call!(_mm_aesimc_si128(block))
    }
}

impl Rounds for Xmm {
    #[inline(always)]
    fn round_key(self, key: &Block) -> __m128i {
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm_load_si128(key.as_ptr().cast()) }
    }

    #[inline(always)]
    fn encrypt_round(self, v: __m128i, key: __m128i) -> __m128i {
        call!(_mm_aesenc_si128(v, key))
    }

    #[inline(always)]
    fn encrypt_last(self, v: __m128i, key: __m128i) -> __m128i {
        call!(_mm_aesenclast_si128(v, key))
    }

    #[inline(always)]
    fn decrypt_round(self, v: __m128i, key: __m128i) -> __m128i {
        call!(_mm_aesdec_si128(v, key))
    }

    #[inline(always)]
    fn decrypt_last(self, v: __m128i, key: __m128i) -> __m128i {
        call!(_mm_aesdeclast_si128(v, key))
    }
}

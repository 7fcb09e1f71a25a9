//! VAES and VPCLMULQDQ on 512-bit vectors: four blocks in a vector, and byte masks for its ends.

use std::arch::asm;

use wirespeed_cipher::Route;
use wirespeed_cpu::Vaes512;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::xmm::{Aes, Xmm};
use crate::rounds::{self, Rounds};
use crate::unit::{Carryless, Unit, Vector};

/// The 512-bit unit. A value proves AVX-512 with VAES and VPCLMULQDQ, and all that [`Xmm`] does.
#[derive(Clone, Copy)]
pub(super) struct Zmm(Xmm<Aes>);

impl Zmm {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what [`Vaes512`] stands for.
    #[inline(always)]
    const unsafe fn assume() -> Self {
        // SAFETY: the caller vouches for more.
        Self(unsafe { Xmm::assume() })
    }
}

crate::table::table!(
    Route::Vaes512,
    Zmm,
    // SAFETY: `table` takes the token.
    unsafe { Zmm::assume() },
    ByKeySize { gcm: true, short: true, others: true },
    "ssse3,sse4.1,aes,pclmulqdq,avx,avx2,bmi2,vaes,vpclmulqdq,avx512f,avx512bw,avx512vl"
);

/// The kernels by key size.
pub(super) fn table(_proof: Vaes512) -> &'static [BlockKernels; 3] {
    &TABLE
}

/// A mask of the first `count` bytes, 0 to 64.
#[inline(always)]
const fn first(count: usize) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

impl Vector for Zmm {
    type V = __m512i;
    const WIDTH: usize = 4;

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> __m512i {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn load_first(self, from: *const u8, count: usize) -> __m512i {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm512_maskz_loadu_epi8(first(count), from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, v: __m512i) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm512_storeu_si512(to.cast(), v) };
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, v: __m512i, count: usize) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), first(count), v) };
    }

    #[inline(always)]
    fn keep_first(self, v: __m512i, count: usize) -> __m512i {
        call!(_mm512_maskz_mov_epi8(first(count), v))
    }

    #[inline(always)]
    fn splat(self, block: Block) -> __m512i {
        call!(_mm512_broadcast_i32x4(self.0.splat(block)))
    }

    #[inline(always)]
    fn zero(self) -> __m512i {
        call!(_mm512_setzero_si512())
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
    fn swap_bytes(self, v: __m512i) -> __m512i {
        let order = call!(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        call!(_mm512_shuffle_epi8(v, _mm512_broadcast_i32x4(order)))
    }

    #[inline(always)]
    fn swap_halves(self, v: __m512i) -> __m512i {
        call!(_mm512_shuffle_epi32::<0x4e>(v))
    }

    #[inline(always)]
    fn low_to_high(self, v: __m512i) -> __m512i {
        call!(_mm512_bslli_epi128::<8>(v))
    }

    #[inline(always)]
    fn high_to_low(self, v: __m512i) -> __m512i {
        call!(_mm512_bsrli_epi128::<8>(v))
    }

    #[inline(always)]
    fn shift_up(self, v: __m512i) -> __m512i {
        call!(_mm512_bslli_epi128::<4>(v))
    }

    #[inline(always)]
    fn shifted_out(self, v: __m512i) -> __m512i {
        call!(_mm512_bsrli_epi128::<12>(v))
    }

    #[inline(always)]
    fn shift_left(self, v: __m512i, bits: u32) -> __m512i {
        let n = i64::from(bits);
        let counts = call!(_mm512_set_epi64(n + 3, n + 3, n + 2, n + 2, n + 1, n + 1, n, n));
        call!(_mm512_sllv_epi64(v, counts))
    }

    #[inline(always)]
    fn shift_right_rest(self, v: __m512i, bits: u32) -> __m512i {
        let n = 64 - i64::from(bits);
        let counts = call!(_mm512_set_epi64(n - 3, n - 3, n - 2, n - 2, n - 1, n - 1, n, n));
        call!(_mm512_srlv_epi64(v, counts))
    }

    #[inline(always)]
    fn add(self, v: __m512i, count: u32, spread: bool) -> __m512i {
        let nth = |place: i32| (count as i32).wrapping_add(if spread { place } else { 0 });
        let counts = call!(_mm512_set_epi32(
            0,
            0,
            0,
            nth(3),
            0,
            0,
            0,
            nth(2),
            0,
            0,
            0,
            nth(1),
            0,
            0,
            0,
            nth(0)
        ));
        call!(_mm512_add_epi32(v, counts))
    }

    #[inline(always)]
    fn add_to_last_byte(self, v: __m512i, count: u8) -> __m512i {
        let last = i32::from_le_bytes([0, 0, 0, count]);
        call!(_mm512_add_epi32(v, _mm512_set4_epi32(last, 0, 0, 0)))
    }

    #[inline(always)]
    fn shift_in(self, previous: __m512i, current: __m512i) -> __m512i {
        call!(_mm512_alignr_epi64::<6>(current, previous))
    }

    #[inline(always)]
    fn pin(self, v: __m512i) -> __m512i {
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn pin(mut v: __m512i) -> __m512i {
            // SAFETY: no instruction; not `pure`, so that it keeps its place among its like.
            unsafe {
                asm!("/* {0} */", inout(zmm_reg) v, options(nomem, nostack, preserves_flags));
            };
            v
        }
        // SAFETY: the unit proves the feature.
        unsafe { pin(v) }
    }
}

impl Unit for Zmm {
    type Single = Xmm<Aes>;
    const REGISTERS: usize = 32;
    const STITCHED: bool = true;

    #[inline(always)]
    fn single(self) -> Xmm<Aes> {
        self.0
    }

    #[inline(always)]
    fn sum(self, v: __m512i) -> __m128i {
        let high = call!(_mm512_extracti64x4_epi64::<1>(v));
        let half = call!(_mm256_xor_si256(_mm512_castsi512_si256(v), high));
        let quarter = call!(_mm256_extracti128_si256::<1>(half));
        self.0.xor(call!(_mm256_castsi256_si128(half)), quarter)
    }

    #[inline(always)]
    fn widen(self, v: __m128i) -> __m512i {
        call!(_mm512_zextsi128_si512(v))
    }

    #[inline(always)]
    fn carry<const HIGH: bool>(self, v: Self::V) -> Self::V {
        rounds::carry::<_, HIGH>(self, v)
    }

    rounds::unit_methods!();
}

impl Carryless for Zmm {
    #[inline(always)]
    fn multiply<const A_HIGH: bool, const B_HIGH: bool>(self, a: __m512i, b: __m512i) -> __m512i {
        match (A_HIGH, B_HIGH) {
            (false, false) => call!(_mm512_clmulepi64_epi128::<0x00>(a, b)),
            (true, false) => call!(_mm512_clmulepi64_epi128::<0x01>(a, b)),
            (false, true) => call!(_mm512_clmulepi64_epi128::<0x10>(a, b)),
            (true, true) => call!(_mm512_clmulepi64_epi128::<0x11>(a, b)),
        }
    }
}

impl Rounds for Zmm {
    #[inline(always)]
    fn round_key(self, key: &Block) -> __m512i {
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm512_broadcast_i32x4(_mm_load_si128(key.as_ptr().cast())) }
    }

    #[inline(always)]
    fn encrypt_round(self, v: __m512i, key: __m512i) -> __m512i {
        call!(_mm512_aesenc_epi128(v, key))
    }

    #[inline(always)]
    fn encrypt_last(self, v: __m512i, key: __m512i) -> __m512i {
        call!(_mm512_aesenclast_epi128(v, key))
    }

    #[inline(always)]
    fn decrypt_round(self, v: __m512i, key: __m512i) -> __m512i {
        call!(_mm512_aesdec_epi128(v, key))
    }

    #[inline(always)]
    fn decrypt_last(self, v: __m512i, key: __m512i) -> __m512i {
        call!(_mm512_aesdeclast_epi128(v, key))
    }
}

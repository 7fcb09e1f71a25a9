//! AES-NI and PCLMULQDQ, one block in a vector.

use wirespeed_cipher::Route;
use wirespeed_cpu::AesNi;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;
use wirespeed_kernels_core::engine::Galois;

use super::xmm::{Aes, Xmm};
use crate::rounds::{self, Rounds};
use crate::unit::{Carryless, One, Unit, Vector};

crate::table::table!(
    Route::AesNi,
    Xmm<Aes>,
    // SAFETY: `table` takes the token.
    unsafe { Xmm::assume() },
    ByKeySize { gcm: false, short: true, others: false },
    "ssse3,sse4.1,aes,pclmulqdq"
);

/// GCM's hash for the tables of other ciphers than AES.
///
/// # Safety
/// Its functions run only where [`AesNi`] was proved.
pub const unsafe fn galois() -> Galois {
    crate::table::galois(&TABLE[0])
}

/// The kernels by key size.
pub(super) fn table(_proof: AesNi) -> &'static [BlockKernels; 3] {
    &TABLE
}

impl Unit for Xmm<Aes> {
    type Single = Self;
    const REGISTERS: usize = super::REGISTERS;
    const STITCHED: bool = true;

    #[inline(always)]
    fn single(self) -> Self {
        self
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
    fn carry<const HIGH: bool>(self, v: Self::V) -> Self::V {
        rounds::carry::<_, HIGH>(self, v)
    }

    rounds::unit_methods!();
}

impl Carryless for Xmm<Aes> {
    #[inline(always)]
    fn multiply<const A_HIGH: bool, const B_HIGH: bool>(self, a: __m128i, b: __m128i) -> __m128i {
        match (A_HIGH, B_HIGH) {
            (false, false) => call!(_mm_clmulepi64_si128::<0x00>(a, b)),
            (true, false) => call!(_mm_clmulepi64_si128::<0x01>(a, b)),
            (false, true) => call!(_mm_clmulepi64_si128::<0x10>(a, b)),
            (true, true) => call!(_mm_clmulepi64_si128::<0x11>(a, b)),
        }
    }
}

impl One for Xmm<Aes> {
    #[inline(always)]
    fn chain<const ROUNDS: usize>(
        self,
        key: Self::Key<'_>,
        _whitening: __m128i,
        state: [__m128i; 2],
        feed: __m128i,
    ) -> [__m128i; 2] {
        rounds::chain(self, key, state, feed)
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

impl Rounds for Xmm<Aes> {
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

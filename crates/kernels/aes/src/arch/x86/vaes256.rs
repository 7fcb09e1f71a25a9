//! VAES and VPCLMULQDQ on 256-bit vectors.

use wirespeed_cipher::Route;
use wirespeed_cpu::Vaes256;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::xmm::{Aes, Xmm};
use super::ymm::Ymm;
use crate::rounds::{self, Rounds};
use crate::unit::{Carryless, Unit};

crate::table::table!(
    Route::Vaes256,
    Ymm<Aes>,
    // SAFETY: `table` takes the token.
    unsafe { Ymm::assume() },
    // GCM's loop has no register to spare.
    ByKeySize { gcm: true, short: true, others: false },
    "ssse3,sse4.1,aes,pclmulqdq,avx,avx2,vaes,vpclmulqdq"
);

/// The kernels by key size.
pub(super) fn table(_proof: Vaes256) -> &'static [BlockKernels; 3] {
    &TABLE
}

impl Unit for Ymm<Aes> {
    type Single = Xmm<Aes>;
    const REGISTERS: usize = super::REGISTERS;
    const STITCHED: bool = true;

    #[inline(always)]
    fn single(self) -> Xmm<Aes> {
        self.0
    }

    #[inline(always)]
    fn sum(self, v: __m256i) -> __m128i {
        self.sum_of_both(v)
    }

    #[inline(always)]
    fn widen(self, v: __m128i) -> __m256i {
        self.first_of_two(v)
    }

    #[inline(always)]
    fn carry<const HIGH: bool>(self, v: Self::V) -> Self::V {
        rounds::carry::<_, HIGH>(self, v)
    }

    rounds::unit_methods!();
}

impl Carryless for Ymm<Aes> {
    #[inline(always)]
    fn multiply<const A_HIGH: bool, const B_HIGH: bool>(self, a: __m256i, b: __m256i) -> __m256i {
        match (A_HIGH, B_HIGH) {
            (false, false) => call!(_mm256_clmulepi64_epi128::<0x00>(a, b)),
            (true, false) => call!(_mm256_clmulepi64_epi128::<0x01>(a, b)),
            (false, true) => call!(_mm256_clmulepi64_epi128::<0x10>(a, b)),
            (true, true) => call!(_mm256_clmulepi64_epi128::<0x11>(a, b)),
        }
    }
}

impl Rounds for Ymm<Aes> {
    #[inline(always)]
    fn round_key(self, key: &Block) -> __m256i {
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm256_broadcastsi128_si256(_mm_load_si128(key.as_ptr().cast())) }
    }

    #[inline(always)]
    fn encrypt_round(self, v: __m256i, key: __m256i) -> __m256i {
        call!(_mm256_aesenc_epi128(v, key))
    }

    #[inline(always)]
    fn encrypt_last(self, v: __m256i, key: __m256i) -> __m256i {
        call!(_mm256_aesenclast_epi128(v, key))
    }

    #[inline(always)]
    fn decrypt_round(self, v: __m256i, key: __m256i) -> __m256i {
        call!(_mm256_aesdec_epi128(v, key))
    }

    #[inline(always)]
    fn decrypt_last(self, v: __m256i, key: __m256i) -> __m256i {
        call!(_mm256_aesdeclast_epi128(v, key))
    }
}

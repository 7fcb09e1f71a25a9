//! The units of x86, one for each vector width. Those of 512 bits are for 64-bit code: else there are eight registers.
//!
//! A unit's value is the proof that its instructions exist: it is only made inside functions compiled
//! with the unit's target features, and those are only reached through a table, which asks for the CPU
//! token.

mod aes_ni;
mod sliced;
mod vaes256;
#[cfg(target_arch = "x86_64")]
mod vaes512;
mod xmm;
mod ymm;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::{AesNi, Avx2, Features, Gfni256, Gfni512, Sse2, Ssse3, Token, Vaes256};
use wirespeed_kernels_core::Absent;
use wirespeed_kernels_core::arch::x86::*;

pub use aes_ni::galois;
pub use sliced::{galois_avx2, galois_sse2, galois_ssse3};

/// Vector registers of up to 256 bits.
const REGISTERS: usize = if cfg!(target_arch = "x86") { 8 } else { 16 };

/// The kernels of a route by key size.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels; 3], Absent> {
    let table = match route {
        #[cfg(target_arch = "x86_64")]
        Route::Vaes512 => {
            wirespeed_cpu::Vaes512::probe(features).map(|it| Some(vaes512::table(it)))
        }
        Route::Vaes256 => Vaes256::probe(features).map(|it| Some(vaes256::table(it))),
        Route::AesNi => AesNi::probe(features).map(|it| Some(aes_ni::table(it))),
        Route::Avx2 => Avx2::probe(features).map(|it| Some(sliced::avx2(it))),
        Route::Ssse3 => Ssse3::probe(features).map(|it| Some(sliced::ssse3(it))),
        Route::Sse2 => Sse2::probe(features).map(|it| Some(sliced::sse2(it))),
        // They have other ciphers, where the CPU has them.
        Route::Gfni512 => Gfni512::probe(features).map(|_| None),
        Route::Gfni256 => Gfni256::probe(features).map(|_| None),
        _ => Ok(None),
    };
    table.map_err(Absent::Missing)?.ok_or(Absent::Without(cipher))
}

/// The lower half of a vector.
#[inline]
#[target_feature(enable = "sse2")]
fn low_half(v: __m128i) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return _mm_cvtsi128_si64(v) as u64;
    #[cfg(target_arch = "x86")]
    {
        let mut low = 0;
        // SAFETY: there is room for half a vector.
        unsafe { _mm_storel_epi64((&raw mut low).cast(), v) };
        low
    }
}

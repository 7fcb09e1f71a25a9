//! The x86-64 units, one for each vector width.
//!
//! A unit's value is the proof that its instructions exist: it is only made inside functions compiled
//! with the unit's target features, and those are only reached through a table, which asks for the CPU
//! token.

mod aes_ni;
mod sliced;
mod vaes256;
mod vaes512;
mod xmm;
mod ymm;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::{
    AesNi, Avx2, Features, Gfni256, Gfni512, Sse2, Ssse3, Token, Vaes256, Vaes512,
};
use wirespeed_kernels_core::Absent;

pub use aes_ni::galois;
pub use sliced::{galois_avx2, galois_ssse3};

/// The kernels of a route by key size.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels; 3], Absent> {
    let table = match route {
        Route::Vaes512 => Vaes512::probe(features).map(|it| Some(vaes512::table(it))),
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

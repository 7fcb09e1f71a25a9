//! The units of 64-bit ARM: by the instructions for AES, and by vectors alone.

#![allow(
    inline_always_mismatching_target_features,
    reason = "a unit's methods become part of functions that have the features"
)]

mod ce;
mod neon;
mod quad;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::{AesCe, AesCeSha3, Features, Neon, Sm4Ce, Token};
use wirespeed_kernels_core::Absent;

pub use ce::galois;
pub use neon::galois as galois_neon;

/// The kernels of a route by key size.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels; 3], Absent> {
    let table = match route {
        Route::AesCe => match AesCeSha3::probe(features) {
            Ok(token) => Ok(Some(ce::with_sha3(token))),
            Err(_) => AesCe::probe(features).map(|it| Some(ce::without_sha3(it))),
        },
        Route::Neon => Neon::probe(features).map(|it| Some(neon::table(it))),
        // It has another cipher, where the CPU has it.
        Route::Sm4Ce => Sm4Ce::probe(features).map(|_| None),
        _ => Ok(None),
    };
    table.map_err(Absent::Missing)?.ok_or(Absent::Without(cipher))
}

//! The units of 64-bit ARM: AES's S-box between tables for the halves of bytes, and tables alone. SM4 has instructions of
//! its own.

#![allow(
    inline_always_mismatching_target_features,
    reason = "a unit's methods become part of functions that have the features"
)]

mod quad;
mod sm4_ce;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::{AesCe, AesCeSha3, Features, Neon, Sm4Ce, Token};
use wirespeed_kernels_core::Absent;

/// The kernels of a route.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels], Absent> {
    let table = match route {
        Route::AesCe => match AesCeSha3::probe(features) {
            Ok(token) => Ok(Some(quad::table_ce_sha3::<false>(token))),
            Err(_) => AesCe::probe(features).map(|it| Some(quad::table_ce::<false>(it))),
        },
        Route::Neon => Neon::probe(features).map(|it| Some(quad::table_neon::<false>(it))),
        Route::Sm4Ce => Sm4Ce::probe(features).map(|it| Some(sm4_ce::table(it, features))),
        _ => Ok(None),
    };
    table.map_err(Absent::Missing)?.ok_or(Absent::Without(cipher))
}

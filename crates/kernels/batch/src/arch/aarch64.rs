//! The 64-bit ARM routes: streams of AES by its instructions, and lanes of NEON.

#![allow(
    inline_always_mismatching_target_features,
    reason = "a unit's methods become part of functions that have the features"
)]

#[allow(clippy::needless_range_loop, reason = "as in `compress`")]
mod quad;
mod streams;

use wirespeed_cipher::{BlockCipher, Compression, Route};
use wirespeed_cpu::{AesCe, Features, Neon, Token};
use wirespeed_kernels::Absent;

use crate::ciphers::ChainMode;
use crate::ciphers::lanes::Rung as StreamsRung;
use crate::lanes::Rungs;

/// A function's kernels by an ARM route.
pub(crate) fn rungs(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<Rungs, Absent> {
    let found = match route {
        Route::Neon => Neon::probe(features).map(|proof| quad::rungs(proof, compression)),
        _ => return Err(Absent::NotNative),
    };
    found.map_err(Absent::Missing)?.ok_or(Absent::WithoutHash(compression))
}

/// The kernels for streams of AES by a route that has its rounds.
pub(crate) fn chains(
    route: Route,
    cipher: BlockCipher,
    chain: ChainMode,
    features: Features,
) -> Option<&'static [StreamsRung]> {
    let key_size = BlockCipher::AES.iter().position(|it| *it == cipher)?;
    match route {
        Route::AesCe => Some(streams::aes_ce(AesCe::probe(features).ok()?, chain, key_size)),
        _ => None,
    }
}

//! The x86-64 routes: lanes of AVX-512 and of AVX2.
//!
//! A unit's value is the proof that its instructions exist: it is only made inside functions compiled
//! with the unit's target features, and those are only reached through [`rungs()`], which asks for the CPU
//! token.

/// Asks for what lies `offset` bytes on in each lane, which may be behind its end.
///
/// # Safety
/// `LANES` pointers are readable at `from`.
#[inline(always)]
unsafe fn prefetch<const LANES: usize>(from: *const *const u8, offset: usize) {
    for lane in 0..LANES {
        // SAFETY: the caller vouches for the pointer; SSE is part of x86-64, and asking faults nowhere.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((*from.add(lane)).wrapping_add(offset).cast()) };
    }
}

mod streams;
#[allow(clippy::needless_range_loop, reason = "as in `compress`")]
mod ymm;
#[allow(clippy::needless_range_loop, reason = "as in `compress`")]
mod zmm;

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

use wirespeed_cipher::{BlockCipher, Compression, Route};
use wirespeed_cpu::{AesNi, Avx2, Avx512, Features, Token, Vaes256, Vaes512};
use wirespeed_kernels::Absent;

use crate::ciphers::ChainMode;
use crate::ciphers::lanes::Rung as StreamsRung;
use crate::lanes::Rungs;

/// A function's kernels by an x86 route.
pub(crate) fn rungs(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<Rungs, Absent> {
    let found = match route {
        Route::Avx512 => Avx512::probe(features).map(|proof| zmm::rungs(proof, compression)),
        Route::Avx2 => Avx2::probe(features).map(|proof| ymm::rungs(proof, compression)),
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
        Route::Vaes512 => Some(streams::vaes512(Vaes512::probe(features).ok()?, chain, key_size)),
        Route::Vaes256 => Some(streams::vaes256(Vaes256::probe(features).ok()?, chain, key_size)),
        Route::AesNi => Some(streams::aesni(AesNi::probe(features).ok()?, chain, key_size)),
        _ => None,
    }
}

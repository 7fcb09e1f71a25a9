//! The x86-64 routes: one unit per vector width, and PadLock.
//!
//! A unit's value is the proof that its instructions exist: it is only made inside functions compiled
//! with the unit's target features, and those are only reached through [`kernels`], which asks for the
//! CPU token.

/// Calls an intrinsic on behalf of a unit, whose value proves its features.
macro_rules! call {
    ($intrinsic:ident $(::<$constant:literal>)? ($($argument:expr),*)) => {
        // SAFETY: the unit proves the features, and memory is the caller's promise.
        unsafe { $intrinsic $(::<$constant>)? ($($argument),*) }
    };
}

mod mask;
mod padlock;
mod rounds;
mod sha;
mod xmm;
mod ymm;
mod zmm;

pub(crate) use padlock::no_padlock;

use wirespeed_cipher::{BlockCipher, BlockKernels, Compression, HashKernels, Route};
use wirespeed_cpu::{AesNi, Features, Token, Vaes256, Vaes512};

use crate::Absent;

/// The kernels of an x86 route.
pub(crate) fn kernels(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static BlockKernels, Absent> {
    let aes = match route {
        Route::Vaes512 => Vaes512::probe(features).map(zmm::table),
        Route::Vaes256 => Vaes256::probe(features).map(ymm::table),
        Route::AesNi => AesNi::probe(features).map(xmm::table),
        Route::PadLock => return padlock::kernels(cipher, features),
        Route::Portable | Route::Libcrypto | Route::Kernel => return Err(Absent::NotNative),
        _ => return Err(Absent::Without(cipher)),
    };
    let aes = aes.map_err(Absent::Missing)?;
    aes.iter().find(|kernels| kernels.cipher == cipher).ok_or(Absent::Without(cipher))
}

/// A compression function by an x86 route.
pub(crate) fn hash(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    match route {
        Route::PadLock => padlock::hash(compression, features),
        Route::ShaNi => sha::hash(compression, features),
        Route::Portable | Route::Libcrypto | Route::Kernel => Err(Absent::NotNative),
        _ => Err(Absent::WithoutHash(compression)),
    }
}

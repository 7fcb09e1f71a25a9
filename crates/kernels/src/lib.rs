//! Which kernels each route has here, family by family, and their self-tests.

mod arch;
mod proof;

use wirespeed_cipher::{
    Algorithm, BlockCipher, BlockKernels, Compression, HashKernels, Route, StreamKernels,
};
use wirespeed_cpu::Features;

pub use arch::ROUTES;
pub use proof::{prove, prove_hashes, prove_table, self_test};
pub use wirespeed_chacha::{prove_stream, self_test_stream};
pub use wirespeed_hash::{prove_hash, self_test_hash};
pub use wirespeed_kernels_core::Absent;
pub use wirespeed_kernels_core::proof::{Failure, Proof};

/// Whether `route` is one of our own kernels for this architecture.
pub fn native(route: Route) -> Result<(), Absent> {
    match route {
        Route::Libcrypto | Route::Kernel | Route::DevCrypto => Err(Absent::NotNative),
        _ if ROUTES.contains(&route) => Ok(()),
        _ => Err(Absent::Elsewhere),
    }
}

/// The kernels of `route` for a cipher, if `features` allow it.
pub fn kernels(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static BlockKernels, Absent> {
    native(route)?;
    match route {
        Route::PadLock => arch::padlock_kernels(cipher, features),
        _ if BlockCipher::AES.contains(&cipher) => wirespeed_aes::kernels(route, cipher, features),
        _ => wirespeed_sliced::kernels(route, cipher, features),
    }
}

/// Whether `route` has an algorithm, and `features` allow it.
pub fn has(route: Route, algorithm: Algorithm, features: Features) -> Result<(), Absent> {
    match algorithm.block_cipher() {
        Some(cipher) => kernels(route, cipher, features).map(|_| ()),
        None => stream(route, features).map(|_| ()),
    }
}

/// Whether `route` has anything at all here; the error says what the CPU lacks.
pub fn presence(route: Route, features: Features) -> Result<(), Absent> {
    let ciphers = Algorithm::ALL.iter().map(|algorithm| has(route, *algorithm, features));
    let hashes = Compression::ALL.into_iter().map(|it| hash(route, it, features).map(|_| ()));
    let better = |best: Result<(), Absent>, next: Result<(), Absent>| match (best, next) {
        (Ok(()), _) | (_, Ok(())) => Ok(()),
        (Err(Absent::Missing(feature)), _) | (_, Err(Absent::Missing(feature))) => {
            Err(Absent::Missing(feature))
        }
        (best, _) => best,
    };
    ciphers.chain(hashes).reduce(better).unwrap_or(Err(Absent::NotNative))
}

/// Whether `route` is here and serves an algorithm well in calls of every length, so that it needs no measurement to serve.
pub fn suits_every_call(route: Route, algorithm: Algorithm, features: Features) -> bool {
    match algorithm.block_cipher() {
        Some(cipher) => {
            let suits = |it: &BlockKernels| it.suits_every_call(algorithm.mode());
            kernels(route, cipher, features).is_ok_and(suits)
        }
        None => stream(route, features).is_ok_and(|stream| stream.suits_every_call),
    }
}

/// Whether it is worth measuring a route that is here. A block cipher on general instructions is not where there are
/// instructions for AES, and neither is an S-box by those of AES where GFNI has it.
pub fn competes(route: Route, algorithm: Algorithm, features: Features) -> bool {
    let Some(cipher) = algorithm.block_cipher() else { return true };
    let better = match route {
        Route::Avx2 | Route::Ssse3 | Route::Sse2 => Route::AesNi,
        Route::Neon => Route::AesCe,
        Route::Vaes256 if !BlockCipher::AES.contains(&cipher) => Route::Gfni256,
        _ => return true,
    };
    kernels(better, cipher, features).is_err()
}

/// ChaCha20 and Poly1305 by `route`, if `features` allow it.
pub fn stream(route: Route, features: Features) -> Result<&'static StreamKernels, Absent> {
    native(route)?;
    wirespeed_chacha::kernels(route, features)
}

/// A compression function by `route`, if `features` allow it.
pub fn hash(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    native(route)?;
    match route {
        Route::PadLock => arch::padlock_hash(compression, features),
        _ => wirespeed_hash::kernels(route, compression, features),
    }
}

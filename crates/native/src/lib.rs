//! Our own kernels: one skeleton per mode, run by every vector width; engines beside them.

#[allow(
    clippy::needless_range_loop,
    reason = "one index walks several arrays of vectors; an iterator's closures would miss the features"
)]
mod chacha;
mod engine;
mod expand;
#[allow(
    clippy::needless_range_loop,
    reason = "one index walks several arrays of vectors; an iterator's closures would miss the features"
)]
mod modes;
mod portable;
mod proof;
#[allow(
    clippy::needless_range_loop,
    reason = "one index walks several arrays of vectors; an iterator's closures would miss the features"
)]
mod sliced;
mod table;
mod unit;
mod wiped;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt;

use wirespeed_cipher::{
    Algorithm, BlockCipher, BlockKernels, Compression, HashKernels, Route, StreamKernels,
};
use wirespeed_cpu::{Feature, Features};

pub use proof::hash::{prove_hash, prove_hashes, self_test_hash};
pub use proof::stream::{prove_stream, self_test_stream};
pub use proof::{Failure, Proof, prove, prove_table, self_test};

/// The routes of this crate, the fastest on paper first.
pub const ROUTES: [Route; 10] = [
    Route::Vaes512,
    Route::Vaes256,
    Route::Gfni512,
    Route::Gfni256,
    Route::AesNi,
    Route::ShaNi,
    Route::Avx512,
    Route::Avx2,
    Route::PadLock,
    Route::Portable,
];

/// Why a route is not to be had here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The CPU lacks a feature, or the operating system does not save its state.
    Missing(Feature),
    /// The route has no such cipher, on any machine.
    Without(BlockCipher),
    /// The route has no ChaCha20, on any machine.
    WithoutStream,
    /// The route has no such compression function, at least not on this machine: PadLock's of C7 hashes
    /// whole messages only.
    WithoutHash(Compression),
    /// Another crate's route.
    NotNative,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Missing(Feature::Ace) => f.write_str(&x86::no_padlock()),
            Self::Missing(feature) => write!(f, "this CPU has no {}", feature.name()),
            Self::Without(cipher) => write!(f, "this route has no {cipher}"),
            Self::WithoutStream => f.write_str("this route has no ChaCha20"),
            Self::WithoutHash(compression) => write!(f, "this route has no {compression}"),
            Self::NotNative => f.write_str("not a route of our own kernels"),
        }
    }
}

impl std::error::Error for Absent {}

/// The kernels of `route` for a cipher, if `features` allow it.
pub fn kernels(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static BlockKernels, Absent> {
    if route == Route::Portable {
        return Ok(portable::kernels(cipher));
    }
    #[cfg(target_arch = "x86_64")]
    return x86::kernels(route, cipher, features);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = features;
        Err(Absent::NotNative)
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
        Some(cipher) => kernels(route, cipher, features).is_ok_and(BlockKernels::suits_every_call),
        None => stream(route, features).is_ok_and(|stream| stream.suits_every_call),
    }
}

/// ChaCha20 and Poly1305 by `route`, if `features` allow it.
pub fn stream(route: Route, features: Features) -> Result<&'static StreamKernels, Absent> {
    if route == Route::Portable {
        return Ok(&chacha::portable::KERNELS);
    }
    #[cfg(target_arch = "x86_64")]
    return x86::stream(route, features);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = features;
        Err(Absent::NotNative)
    }
}

/// A compression function by `route`, if `features` allow it.
pub fn hash(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    if route == Route::Portable {
        return Ok(portable::hash(compression));
    }
    #[cfg(target_arch = "x86_64")]
    return x86::hash(route, compression, features);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = features;
        Err(Absent::NotNative)
    }
}

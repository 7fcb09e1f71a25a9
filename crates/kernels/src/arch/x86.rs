//! The routes of x86.

pub(crate) mod padlock;

use wirespeed_cipher::Route;

/// The routes of our own kernels, the fastest on paper first.
#[cfg(target_arch = "x86_64")]
pub const ROUTES: &[Route] = &[
    Route::Vaes512,
    Route::Vaes256,
    Route::Gfni512,
    Route::Gfni256,
    Route::AesNi,
    Route::ShaNi,
    Route::Avx512,
    Route::Avx2,
    Route::Ssse3,
    Route::Sse2,
    Route::PadLock,
    Route::Portable,
];

/// The routes of our own kernels in 32-bit code. Ciphers on vectors of 512 bits and GFNI are in 64-bit code.
#[cfg(all(target_arch = "x86", target_feature = "sse2"))]
pub const ROUTES: &[Route] = &[
    Route::Vaes256,
    Route::AesNi,
    Route::ShaNi,
    Route::Avx512,
    Route::Avx2,
    Route::Ssse3,
    Route::Sse2,
    Route::PadLock,
    Route::Portable,
];

/// The routes of our own kernels where there need be no vectors.
#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
pub const ROUTES: &[Route] = &[Route::PadLock, Route::Portable];

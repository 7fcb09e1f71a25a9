//! The x86-64 routes.

pub(crate) mod padlock;

use wirespeed_cipher::Route;

/// The routes of our own kernels, the fastest on paper first.
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

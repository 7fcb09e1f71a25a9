//! The routes of 64-bit ARM.

use wirespeed_cipher::Route;

/// The routes of our own kernels, the fastest on paper first.
pub const ROUTES: &[Route] =
    &[Route::Sm4Ce, Route::AesCe, Route::ShaCe, Route::Neon, Route::Portable];

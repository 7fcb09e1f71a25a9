//! The x86-64 functions: by the SHA extensions, by vectors, by the integer instructions of BMI.

mod by_vectors;
mod integers;
mod keccak;
mod sha512;
mod sha_ni;

use std::arch::x86_64::*;

use wirespeed_cipher::{Compression, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

/// A compression function by a route.
pub(crate) fn kernels(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    match route {
        Route::ShaNi => sha_ni::hash(compression, features),
        Route::Avx512 | Route::Avx2 => by_vectors::hash(route, compression, features),
        _ => Err(Absent::WithoutHash(compression)),
    }
}

/// The last sixteen bytes of a block. A message's length has been stored in them just now, by itself: one load
/// over all would wait until it is in the cache, and the compiler makes one of two unless it must not.
///
/// # Safety
/// The bytes must be there.
#[inline(always)]
unsafe fn load_halves(from: *const u8) -> __m128i {
    // SAFETY: the caller's.
    let last = unsafe { from.add(8).cast::<i64>().read_volatile() };
    // SAFETY: as much is there, by the caller's promise.
    unsafe { _mm_unpacklo_epi64(_mm_loadl_epi64(from.cast()), _mm_cvtsi64_si128(last)) }
}

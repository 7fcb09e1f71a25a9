//! The functions of x86: by the SHA extensions, by vectors, by the integer instructions of BMI.
//!
//! 32-bit code has half as many registers, none of them for 64-bit integers: there SHA-512 and SHA-3 run in vectors.

#[cfg(target_arch = "x86_64")]
mod by_vectors;
#[cfg(target_arch = "x86")]
mod in_32_bits;
mod integers;
mod keccak;
#[cfg(target_arch = "x86_64")]
mod sha512;
#[cfg(target_arch = "x86")]
mod sha512_pairs;
mod sha_ni;

use wirespeed_cipher::{Compression, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;
use wirespeed_kernels_core::arch::x86::*;

/// A compression function by a route.
pub(crate) fn kernels(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    match route {
        Route::ShaNi => sha_ni::hash(compression, features),
        #[cfg(target_arch = "x86_64")]
        _ => by_vectors::hash(route, compression, features),
        #[cfg(target_arch = "x86")]
        _ => in_32_bits::hash(route, compression, features),
    }
}

/// The last sixteen bytes of a block. A message's length has been stored in them just now, by itself: one load
/// over all would wait until it is in the cache, and the compiler makes one of two unless it must not.
///
/// # Safety
/// The bytes must be there.
#[inline(always)]
unsafe fn load_halves(from: *const u8) -> __m128i {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: the caller's.
        let last = unsafe { from.add(8).cast::<i64>().read_volatile() };
        // SAFETY: as much is there, by the caller's promise.
        unsafe { _mm_unpacklo_epi64(_mm_loadl_epi64(from.cast()), _mm_cvtsi64_si128(last)) }
    }
    #[cfg(target_arch = "x86")]
    {
        let last = from.wrapping_add(integers::kept!(8_usize));
        // SAFETY: as much is there, by the caller's promise.
        unsafe {
            let first = _mm_castsi128_pd(_mm_loadl_epi64(from.cast()));
            _mm_castpd_si128(_mm_loadh_pd(first, last.cast()))
        }
    }
}

/// Sixteen bytes of a block; the last ones in halves.
#[inline(always)]
fn load<const BYTES: usize>(block: &[u8; BYTES], i: usize) -> __m128i {
    let from = block[16 * i..][..16].as_ptr();
    // SAFETY: there are sixteen bytes.
    unsafe { if 16 * (i + 1) == BYTES { load_halves(from) } else { _mm_loadu_si128(from.cast()) } }
}

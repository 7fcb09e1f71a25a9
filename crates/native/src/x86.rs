//! The x86-64 routes: one unit per vector width, and PadLock.
//!
//! A unit's value is the proof that its instructions exist: it is only made inside functions compiled
//! with the unit's target features, and those are only reached through [`kernels`], which asks for the
//! CPU token.

/// Calls an intrinsic on behalf of a unit, whose value proves its features.
macro_rules! call {
    ($intrinsic:ident $(::<$constant:tt>)? ($($argument:expr),*)) => {
        // SAFETY: the unit proves the features, and memory is the caller's promise.
        unsafe { $intrinsic $(::<$constant>)? ($($argument),*) }
    };
}

#[allow(clippy::needless_range_loop, reason = "as in `sliced`")]
mod aes_slices;
mod bytes;
#[allow(clippy::needless_range_loop, reason = "as in `sliced`")]
mod chacha;
#[allow(clippy::needless_range_loop, reason = "as in `sliced`")]
mod gfni;
#[allow(clippy::needless_range_loop, reason = "as in `sliced`")]
mod hash;
mod mask;
mod padlock;
mod rounds;
mod sha;
mod slices;
mod xmm;
mod ymm;
mod zmm;

pub(crate) use padlock::no_padlock;

use std::arch::x86_64::*;

use wirespeed_cipher::{BlockCipher, BlockKernels, Compression, HashKernels, Route, StreamKernels};
use wirespeed_cpu::{AesNi, Avx2, Feature, Features, Gfni256, Gfni512, Token, Vaes256, Vaes512};

use crate::Absent;

/// The last sixteen bytes of a block. A message's length has been stored in them just now, by itself: one load
/// over all would wait until it is in the cache, and the compiler makes one of two unless it must not.
///
/// # Safety
/// The bytes must be there.
#[inline(always)]
unsafe fn load_halves(from: *const u8) -> __m128i {
    // SAFETY: the caller's.
    let last = unsafe { from.add(8).cast::<i64>().read_volatile() };
    call!(_mm_unpacklo_epi64(_mm_loadl_epi64(from.cast()), _mm_cvtsi64_si128(last)))
}

/// The kernels of an x86 route.
pub(crate) fn kernels(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static BlockKernels, Absent> {
    let found = match route {
        Route::Vaes512 => Vaes512::probe(features).map(|it| of(cipher, zmm::table(it))),
        Route::Vaes256 => Vaes256::probe(features).map(|it| of(cipher, ymm::table(it))),
        Route::Gfni512 => Gfni512::probe(features).map(|it| of(cipher, gfni_512(it, features))),
        Route::Gfni256 => {
            Gfni256::probe(features).map(|it| of(cipher, gfni::table_256::<false>(it)))
        }
        Route::AesNi => AesNi::probe(features)
            .map(|it| of(cipher, xmm::table(it)).or_else(|| of(cipher, aes_sliced(it, features)))),
        Route::PadLock => return padlock::kernels(cipher, features),
        Route::Portable | Route::Libcrypto | Route::Kernel => return Err(Absent::NotNative),
        Route::ShaNi | Route::Avx512 | Route::Avx2 => return Err(Absent::Without(cipher)),
    };
    found.map_err(Absent::Missing)?.ok_or(Absent::Without(cipher))
}

/// The kernels for a cipher, if a route has it.
fn of(cipher: BlockCipher, table: &'static [BlockKernels]) -> Option<&'static BlockKernels> {
    table.iter().find(|kernels| kernels.cipher == cipher)
}

/// Ciphers over GFNI, in the order that suits this CPU.
fn gfni_512(gfni: Gfni512, features: Features) -> &'static [BlockKernels] {
    if features.has(Feature::Avx512Vp2intersect) {
        gfni::table_512::<true>(gfni)
    } else {
        gfni::table_512::<false>(gfni)
    }
}

/// Also what another CPU would get.
#[cfg(test)]
pub(crate) fn gfni_512_in_every_order(
    cipher: BlockCipher,
    features: Features,
) -> Vec<&'static BlockKernels> {
    let Ok(gfni) = Gfni512::probe(features) else { return Vec::new() };
    let tables = [gfni::table_512::<false>(gfni), gfni::table_512::<true>(gfni)];
    tables.into_iter().filter_map(|table| of(cipher, table)).collect()
}

/// Other ciphers with AES's S-box, by the widest vectors.
fn aes_sliced(aes: AesNi, features: Features) -> &'static [BlockKernels] {
    match Avx2::probe(features) {
        Ok(avx2) => aes_slices::table_256::<false>((aes, avx2)),
        Err(_) => aes_slices::table_128::<false>(aes),
    }
}

/// ChaCha20 and Poly1305 by an x86 route.
pub(crate) fn stream(route: Route, features: Features) -> Result<&'static StreamKernels, Absent> {
    match route {
        Route::Portable | Route::Libcrypto | Route::Kernel => Err(Absent::NotNative),
        _ => chacha::kernels(route, features),
    }
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
        Route::Avx512 | Route::Avx2 => hash::hash(route, compression, features),
        Route::Portable | Route::Libcrypto | Route::Kernel => Err(Absent::NotNative),
        _ => Err(Absent::WithoutHash(compression)),
    }
}

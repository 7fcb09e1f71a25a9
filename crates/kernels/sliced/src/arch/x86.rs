//! The units of x86: tables for nibbles and, in 64-bit code, GFNI of two widths.

mod bytes;
#[cfg(target_arch = "x86_64")]
mod gfni;
mod planes;
mod slices;
mod table_slices;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::{AesNi, Avx2, Features, Sse2, Ssse3, Token, Vaes256, Vaes512};
use wirespeed_kernels_core::Absent;

#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) use gfni::in_every_order;

/// The kernels of a route.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels], Absent> {
    let table = match route {
        #[cfg(target_arch = "x86_64")]
        Route::Gfni512 | Route::Gfni256 => gfni::table(route, features).map(Some),
        Route::AesNi => AesNi::probe(features).map(|it| Some(aes_sliced(it, features))),
        Route::Vaes256 => {
            Vaes256::probe(features).map(|it| Some(table_slices::table_vaes::<false>(it)))
        }
        Route::Avx2 => Avx2::probe(features).map(|it| Some(table_slices::table_avx2::<false>(it))),
        Route::Ssse3 => {
            Ssse3::probe(features).map(|it| Some(table_slices::table_ssse3::<false>(it)))
        }
        Route::Sse2 => Sse2::probe(features).map(|it| Some(planes::table_sse2(it))),
        // It has AES alone, where the CPU has it.
        Route::Vaes512 => Vaes512::probe(features).map(|_| None),
        _ => Ok(None),
    };
    table.map_err(Absent::Missing)?.ok_or(Absent::Without(cipher))
}

/// AES's S-box, by the widest vectors.
fn aes_sliced(aes: AesNi, features: Features) -> &'static [BlockKernels] {
    match Avx2::probe(features) {
        Ok(avx2) => table_slices::table_256::<false>((aes, avx2)),
        Err(_) => table_slices::table_128::<false>(aes),
    }
}

//! The x86-64 units: GFNI of two widths, and tables for nibbles.

mod bytes;
mod gfni;
mod slices;
mod table_slices;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::{
    AesNi, Avx2, Feature, Features, Gfni256, Gfni512, Ssse3, Token, Vaes256, Vaes512,
};
use wirespeed_kernels_core::Absent;

/// The kernels of a route.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels], Absent> {
    let table = match route {
        Route::Gfni512 => Gfni512::probe(features).map(|it| Some(gfni_512(it, features))),
        Route::Gfni256 => Gfni256::probe(features).map(|it| Some(gfni::table_256::<false>(it))),
        Route::AesNi => AesNi::probe(features).map(|it| Some(aes_sliced(it, features))),
        Route::Vaes256 => {
            Vaes256::probe(features).map(|it| Some(table_slices::table_vaes::<false>(it)))
        }
        Route::Avx2 => Avx2::probe(features).map(|it| Some(table_slices::table_avx2::<false>(it))),
        Route::Ssse3 => {
            Ssse3::probe(features).map(|it| Some(table_slices::table_ssse3::<false>(it)))
        }
        // It has AES alone, where the CPU has it.
        Route::Vaes512 => Vaes512::probe(features).map(|_| None),
        _ => Ok(None),
    };
    table.map_err(Absent::Missing)?.ok_or(Absent::Without(cipher))
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
    tables.into_iter().flatten().filter(|kernels| kernels.cipher == cipher).collect()
}

/// AES's S-box, by the widest vectors.
fn aes_sliced(aes: AesNi, features: Features) -> &'static [BlockKernels] {
    match Avx2::probe(features) {
        Ok(avx2) => table_slices::table_256::<false>((aes, avx2)),
        Err(_) => table_slices::table_128::<false>(aes),
    }
}

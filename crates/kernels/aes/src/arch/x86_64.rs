//! The x86-64 units, one for each vector width.
//!
//! A unit's value is the proof that its instructions exist: it is only made inside functions compiled
//! with the unit's target features, and those are only reached through a table, which asks for the CPU
//! token.

mod mask;
mod rounds;
mod xmm;
mod ymm;
mod zmm;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::{AesNi, Features, Token, Vaes256, Vaes512};
use wirespeed_kernels_core::Absent;

pub use xmm::galois;

/// The kernels of a route by key size.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels; 3], Absent> {
    let table = match route {
        Route::Vaes512 => Vaes512::probe(features).map(zmm::table),
        Route::Vaes256 => Vaes256::probe(features).map(ymm::table),
        Route::AesNi => AesNi::probe(features).map(xmm::table),
        _ => return Err(Absent::Without(cipher)),
    };
    table.map_err(Absent::Missing)
}

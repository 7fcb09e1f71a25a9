//! AES in every mode: each mode written once over a [`Unit`](unit::Unit), run by every vector width.

#![cfg_attr(
    not(any(target_feature = "sse2", target_feature = "neon")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "part of it is for vector units alone"
    )
)]
#![allow(
    clippy::needless_range_loop,
    reason = "one index walks several arrays of vectors; an iterator's closures would miss the features"
)]

pub mod arch;
pub mod portable;

mod bitsliced;
mod expand;
mod mask;
mod modes;
mod permuted;
mod rounds;
mod table;
mod unit;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

/// The kernels of a route for AES with one of its key sizes, if `features` allow it.
pub fn kernels(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static BlockKernels, Absent> {
    let table = match route {
        Route::Portable => portable::table(),
        _ => arch::table(route, cipher, features)?,
    };
    table.iter().find(|kernels| kernels.cipher == cipher).ok_or(Absent::Without(cipher))
}

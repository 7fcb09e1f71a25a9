//! Compression functions, one message at a time.

#![cfg_attr(
    not(any(target_feature = "sse2", target_feature = "neon")),
    allow(dead_code, unused_imports, reason = "part of it is for vector units alone")
)]

mod arch;
mod portable;
mod proof;

use wirespeed_cipher::{Chain, Compression, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

pub use proof::{prove_hash, self_test_hash};

/// A compression function by a route, if `features` allow it.
pub fn kernels(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    if route == Route::Portable {
        return Ok(portable::kernels(compression));
    }
    arch::kernels(route, compression, features)
}

/// One of a table.
const fn of(route: Route, compression: Compression, blocks: fn(&mut Chain, &[u8])) -> HashKernels {
    HashKernels { route, compression, blocks }
}

//! Our own AES kernels: one skeleton per mode, run by every vector width.

mod expand;
#[allow(
    clippy::needless_range_loop,
    reason = "one index walks several arrays of vectors; an iterator's closures would miss the features"
)]
mod modes;
mod portable;
mod proof;
mod table;
mod unit;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt;

use wirespeed_cipher::{AesKernels, Route};
use wirespeed_cpu::{Feature, Features};

pub use proof::{Failure, Proof, prove, self_test};

/// The routes of this crate, the fastest on paper first.
pub const ROUTES: [Route; 4] = [Route::Vaes512, Route::Vaes256, Route::AesNi, Route::Portable];

/// Why a route is not to be had here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The CPU lacks a feature, or the operating system does not save its state.
    Missing(Feature),
    /// Another crate's route.
    NotNative,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(feature) => write!(f, "this CPU has no {}", feature.name()),
            Self::NotNative => f.write_str("not a route of our own kernels"),
        }
    }
}

impl std::error::Error for Absent {}

/// The AES kernels of `route` for keys of `key_bits`, if `features` allow it.
///
/// # Panics
/// If `key_bits` is not 128, 192 or 256.
pub fn aes(route: Route, key_bits: u16, features: Features) -> Result<&'static AesKernels, Absent> {
    let table = table_of(route, features)?;
    let kernels = table.iter().find(|kernels| kernels.key_bits == key_bits);
    Ok(kernels.unwrap_or_else(|| panic!("AES has no {key_bits}-bit keys")))
}

fn table_of(route: Route, features: Features) -> Result<&'static [AesKernels; 3], Absent> {
    if route == Route::Portable {
        return Ok(portable::table());
    }
    #[cfg(target_arch = "x86_64")]
    return x86::table(route, features);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = features;
        Err(Absent::NotNative)
    }
}

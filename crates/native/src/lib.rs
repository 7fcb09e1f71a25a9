//! Our own AES kernels: one skeleton per mode, run by every vector width.

use std::fmt;

use wirespeed_cipher::{AesKernels, Route};
use wirespeed_cpu::{Feature, Features};

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
    let _ = (route, key_bits, features);
    todo!()
}

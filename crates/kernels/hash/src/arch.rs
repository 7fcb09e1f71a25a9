//! The functions of each architecture.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use wirespeed_cipher::{Compression, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

/// A compression function by a route.
pub(crate) fn kernels(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    #[cfg(target_arch = "x86_64")]
    return x86_64::kernels(route, compression, features);
    #[cfg(target_arch = "aarch64")]
    return aarch64::kernels(route, compression, features);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        let _ = (route, compression, features);
        Err(Absent::Elsewhere)
    }
}

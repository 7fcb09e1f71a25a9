//! The functions of each architecture.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_feature = "sse2")]
mod x86;

use wirespeed_cipher::{Compression, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

/// A compression function by a route.
pub(crate) fn kernels(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    #[cfg(target_feature = "sse2")]
    return x86::kernels(route, compression, features);
    #[cfg(target_arch = "aarch64")]
    return aarch64::kernels(route, compression, features);
    #[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
    {
        let _ = (route, compression, features);
        Err(Absent::Elsewhere)
    }
}

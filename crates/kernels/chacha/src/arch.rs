//! The units of each architecture.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_feature = "sse2")]
mod x86;

use wirespeed_cipher::{Route, StreamKernels};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

/// The kernels of a route.
pub(crate) fn kernels(route: Route, features: Features) -> Result<&'static StreamKernels, Absent> {
    #[cfg(target_feature = "sse2")]
    return x86::kernels(route, features);
    #[cfg(target_arch = "aarch64")]
    return aarch64::kernels(route, features);
    #[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
    {
        let _ = (route, features);
        Err(Absent::Elsewhere)
    }
}

//! The units of each architecture.

#[cfg(target_arch = "aarch64")]
pub mod aarch64;
#[cfg(target_feature = "sse2")]
pub mod x86;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

/// The kernels of a route by key size.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels; 3], Absent> {
    #[cfg(target_feature = "sse2")]
    return x86::table(route, cipher, features);
    #[cfg(target_arch = "aarch64")]
    return aarch64::table(route, cipher, features);
    #[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
    {
        let _ = (route, cipher, features);
        Err(Absent::Elsewhere)
    }
}

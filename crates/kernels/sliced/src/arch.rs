//! The units of each architecture.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_feature = "sse2")]
mod x86;

use wirespeed_cipher::{BlockCipher, BlockKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

/// The kernels of a route.
pub(crate) fn table(
    route: Route,
    cipher: BlockCipher,
    features: Features,
) -> Result<&'static [BlockKernels], Absent> {
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

/// Also what another CPU would get.
#[cfg(test)]
pub(crate) fn more_tables(cipher: BlockCipher, features: Features) -> Vec<&'static BlockKernels> {
    #[cfg(target_arch = "x86_64")]
    return x86::in_every_order(cipher, features);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (cipher, features);
        Vec::new()
    }
}

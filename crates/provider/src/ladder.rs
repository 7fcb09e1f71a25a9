//! Our own routes, in the order to try them without a plan.

use wirespeed_cipher::{AesKernels, Algorithm, Route};
use wirespeed_cpu::Features;
use wirespeed_native::Absent;

/// The routes to try without a plan, the best first.
///
/// `portable` is not among them: on a CPU without AES instructions libcrypto's own SSSE3 code is
/// faster.
pub(crate) const LADDER: [Route; 3] = [Route::Vaes512, Route::Vaes256, Route::AesNi];

/// A route that is present and has passed its self-test: kernels for 128, 192 and 256 bits.
#[derive(Clone, Copy)]
pub(crate) struct Proven {
    route: Route,
    kernels: [&'static AesKernels; 3],
}

impl Proven {
    /// Probes and tests `route`: none if it is there and gives wrong bytes.
    pub(crate) fn find(route: Route, features: Features) -> Result<Option<Self>, Absent> {
        let kernels = |key_bits| wirespeed_native::aes(route, key_bits, features);
        let kernels = [kernels(128)?, kernels(192)?, kernels(256)?];
        let right = kernels.iter().all(|kernels| wirespeed_native::self_test(kernels));
        Ok(right.then_some(Self { route, kernels }))
    }

    /// Kernels for 128, 192 and 256 bits, proved or not.
    #[cfg(test)]
    pub(crate) const fn forged(kernels: [&'static AesKernels; 3]) -> Self {
        Self { route: kernels[0].route, kernels }
    }

    pub(crate) fn route(&self) -> Route {
        self.route
    }

    pub(crate) fn kernels(&self, algorithm: Algorithm) -> &'static AesKernels {
        self.kernels[usize::from(algorithm.key_bits()) / 64 - 2]
    }
}

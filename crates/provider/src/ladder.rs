//! Which route serves: the best on the ladder, or the one that was asked for.

use wirespeed_cipher::{AesKernels, Algorithm, Route};
use wirespeed_cpu::Features;

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
    /// Probes and tests `route`; the error says why it is not to be had.
    pub(crate) fn new(route: Route, features: Features) -> Result<Self, String> {
        let kernels = |key_bits| {
            let kernels = wirespeed_native::aes(route, key_bits, features)
                .map_err(|absent| format!("{route} is absent: {absent}"))?;
            if wirespeed_native::self_test(kernels) {
                Ok(kernels)
            } else {
                Err(format!("{route} is quarantined: AES-{key_bits} failed its self-test"))
            }
        };
        Ok(Self { route, kernels: [kernels(128)?, kernels(192)?, kernels(256)?] })
    }

    pub(crate) fn route(&self) -> Route {
        self.route
    }

    pub(crate) fn kernels(&self, algorithm: Algorithm) -> &'static AesKernels {
        self.kernels[usize::from(algorithm.key_bits()) / 64 - 2]
    }
}

/// The first route of the ladder that is to be had; if none is, all the reasons.
pub(crate) fn best(features: Features) -> Result<Proven, String> {
    let mut reasons = Vec::new();
    for route in LADDER {
        match Proven::new(route, features) {
            Ok(proven) => return Ok(proven),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_aes_instructions_nothing_is_chosen_and_every_rung_says_why() {
        let reasons = best(Features::NONE).err().expect("portable is never chosen by itself");
        for route in LADDER {
            assert!(reasons.contains(&format!("{route} is absent")), "{reasons}");
        }
    }

    #[test]
    fn portable_is_there_for_whoever_asks() {
        let proven = Proven::new(Route::Portable, Features::NONE).expect("portable needs nothing");
        assert_eq!(proven.route(), Route::Portable);
        for algorithm in Algorithm::ALL {
            assert_eq!(proven.kernels(*algorithm).key_bits, algorithm.key_bits());
        }
    }

    #[test]
    fn another_crates_route_is_refused_by_name() {
        let reason = Proven::new(Route::Libcrypto, Features::detect()).err().expect("not native");
        assert!(reason.starts_with("libcrypto is absent"), "{reason}");
    }
}

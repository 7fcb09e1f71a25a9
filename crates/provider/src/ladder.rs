//! Our own routes, in the order to try them without a plan.

use wirespeed_cipher::{Algorithm, BlockCipher, BlockKernels, Compression, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_native::Absent;

/// A route that is present and has passed its self-test, with the kernels of all that it has.
#[derive(Clone, Copy)]
pub(crate) struct Proven {
    route: Route,
    kernels: [Option<&'static BlockKernels>; BlockCipher::ALL.len()],
    hashes: [Option<&'static HashKernels>; Compression::ALL.len()],
}

impl Proven {
    /// Probes and tests `route`: none if it is there and gives wrong bytes.
    pub(crate) fn find(route: Route, features: Features) -> Result<Option<Self>, Absent> {
        let found = BlockCipher::ALL.map(|it| wirespeed_native::kernels(route, it, features));
        let kernels = found.map(Result::ok);
        let hashes = Compression::ALL.map(|it| wirespeed_native::hash(route, it, features).ok());
        if kernels.iter().all(Option::is_none) && hashes.iter().all(Option::is_none) {
            return Err(found.into_iter().find_map(Result::err).unwrap_or(Absent::NotNative));
        }
        let right = kernels.iter().flatten().all(|kernels| wirespeed_native::self_test(kernels))
            && hashes.iter().flatten().all(|kernels| wirespeed_native::self_test_hash(kernels));
        Ok(right.then_some(Self { route, kernels, hashes }))
    }

    /// Kernels, proved or not.
    #[cfg(test)]
    pub(crate) fn forged(kernels: &[&'static BlockKernels]) -> Self {
        let of = |cipher| kernels.iter().find(|kernels| kernels.cipher == cipher).copied();
        let hashes = [None; Compression::ALL.len()];
        Self { route: kernels[0].route, kernels: BlockCipher::ALL.map(of), hashes }
    }

    pub(crate) fn route(&self) -> Route {
        self.route
    }

    /// The kernels for an algorithm, if this route has its cipher.
    pub(crate) fn kernels(&self, algorithm: Algorithm) -> Option<&'static BlockKernels> {
        self.cipher(algorithm.cipher())
    }

    /// The kernels for a block cipher, if this route has it.
    pub(crate) fn cipher(&self, cipher: BlockCipher) -> Option<&'static BlockKernels> {
        self.kernels[cipher as usize]
    }

    /// The kernels for a compression function, if this route has it.
    pub(crate) fn hash(&self, compression: Compression) -> Option<&'static HashKernels> {
        self.hashes[compression as usize]
    }
}

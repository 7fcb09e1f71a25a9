//! Machines for which there are no kernels of their own yet.

use wirespeed_cipher::Route;

/// The routes of our own kernels.
pub const ROUTES: &[Route] = &[Route::Portable];

/// Only x86 has PadLock.
pub(crate) mod padlock {
    use wirespeed_cipher::{BlockCipher, BlockKernels, Compression, HashKernels};
    use wirespeed_cpu::Features;
    use wirespeed_kernels_core::Absent;

    pub(crate) fn kernels(_: BlockCipher, _: Features) -> Result<&'static BlockKernels, Absent> {
        Err(Absent::Elsewhere)
    }

    pub(crate) fn hash(_: Compression, _: Features) -> Result<&'static HashKernels, Absent> {
        Err(Absent::Elsewhere)
    }
}

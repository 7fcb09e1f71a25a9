//! Machines without PadLock, and those for which there are no kernels of their own yet.

/// The routes of our own kernels.
#[cfg(not(target_arch = "aarch64"))]
pub const ROUTES: &[wirespeed_cipher::Route] = &[wirespeed_cipher::Route::Portable];

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

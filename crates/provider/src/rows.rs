//! Which kernels run a call of so many bytes: what every data call looks up.

use wirespeed_cipher::{BlockKernels, Direction};
use wirespeed_plan::{OCTAVES, octave};

/// One algorithm: for each direction, an entry for every octave of lengths.
///
/// An entry is none where the call takes the slow way, which is for whatever the fast way leaves no
/// time for: libcrypto's route, verification, counting. Every context has a copy, so that a call finds
/// its kernels with one load.
#[derive(Clone, Copy)]
pub(crate) struct Rows([[Option<&'static BlockKernels>; OCTAVES]; 2]);

impl Rows {
    /// Every call takes the slow way.
    pub(crate) const BLIND: Self = Self::uniform(None);

    /// The same for every call.
    pub(crate) const fn uniform(kernels: Option<&'static BlockKernels>) -> Self {
        Self([[kernels; OCTAVES]; 2])
    }

    /// Changes an entry.
    pub(crate) fn set(
        &mut self,
        direction: Direction,
        octave: usize,
        kernels: Option<&'static BlockKernels>,
    ) {
        self.0[direction as usize][octave] = kernels;
    }

    /// The kernels for a call of `bytes`, unless it takes the slow way.
    #[inline(always)]
    pub(crate) const fn kernels(
        &self,
        direction: Direction,
        bytes: usize,
    ) -> Option<&'static BlockKernels> {
        self.0[direction as usize][octave(bytes)]
    }

    /// All entries.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Option<&'static BlockKernels>> {
        self.0.as_flattened().iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::{BlockCipher, Route};
    use wirespeed_cpu::Features;

    use super::*;

    #[test]
    fn an_entry_serves_its_octave_alone() {
        let kernels =
            wirespeed_native::kernels(Route::Portable, BlockCipher::Aes128, Features::NONE)
                .unwrap();
        let mut rows = Rows::BLIND;
        rows.set(Direction::Decrypt, octave(1024), Some(kernels));
        let served = |bytes| rows.kernels(Direction::Decrypt, bytes).is_some();
        assert_eq!([1023, 1024, 2047, 2048].map(served), [false, true, true, false]);
        assert!(rows.kernels(Direction::Encrypt, 1024).is_none());
    }

    #[test]
    fn every_length_has_an_entry() {
        let kernels =
            wirespeed_native::kernels(Route::Portable, BlockCipher::Aes256, Features::NONE)
                .unwrap();
        let rows = Rows::uniform(Some(kernels));
        for bytes in [0, 1, 15, 16, 17, 65535, 65536, 65537, usize::MAX] {
            assert!(rows.kernels(Direction::Encrypt, bytes).is_some(), "{bytes}");
        }
    }
}

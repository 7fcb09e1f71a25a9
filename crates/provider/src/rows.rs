//! Which kernels run a call of so many bytes: what every data call looks up.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use wirespeed_cipher::{AesKernels, Direction};
use wirespeed_plan::{OCTAVES, octave};

/// One algorithm in one direction: an entry for every octave of lengths.
///
/// An entry is null where the call takes the slow way, which is for whatever the fast way leaves no
/// time for: libcrypto's route, verification, counting.
struct Row([AtomicPtr<AesKernels>; OCTAVES]);

/// Both directions of one algorithm. Contexts share it, and a quarantine changes it under them.
pub(crate) struct Rows([Row; 2]);

impl Rows {
    /// Every call takes the slow way.
    pub(crate) const fn blind() -> Self {
        Self([const { Row([const { AtomicPtr::new(null_mut()) }; OCTAVES]) }; 2])
    }

    /// The same kernels for every call.
    pub(crate) fn uniform(kernels: Option<&'static AesKernels>) -> Self {
        let rows = Self::blind();
        for direction in Direction::BOTH {
            (0..OCTAVES).for_each(|octave| rows.set(direction, octave, kernels));
        }
        rows
    }

    /// Changes an entry, for all contexts from their next call on.
    pub(crate) fn set(
        &self,
        direction: Direction,
        octave: usize,
        kernels: Option<&'static AesKernels>,
    ) {
        let pointer = kernels.map_or(null_mut(), |kernels| std::ptr::from_ref(kernels).cast_mut());
        self.0[direction as usize].0[octave].store(pointer, Ordering::Relaxed);
    }

    /// The kernels for a call of `bytes`, unless it takes the slow way.
    #[inline(always)]
    pub(crate) fn kernels(
        &self,
        direction: Direction,
        bytes: usize,
    ) -> Option<&'static AesKernels> {
        self.entry(direction, octave(bytes))
    }

    /// One entry.
    #[inline(always)]
    pub(crate) fn entry(&self, direction: Direction, octave: usize) -> Option<&'static AesKernels> {
        let pointer = self.0[direction as usize].0[octave].load(Ordering::Relaxed);
        // SAFETY: `set` stores nothing but null and `&'static` references.
        unsafe { pointer.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Route;
    use wirespeed_cpu::Features;

    use super::*;

    #[test]
    fn an_entry_serves_its_octave_alone() {
        let kernels = wirespeed_native::aes(Route::Portable, 128, Features::NONE).unwrap();
        let rows = Rows::blind();
        rows.set(Direction::Decrypt, octave(1024), Some(kernels));
        let served = |bytes| rows.kernels(Direction::Decrypt, bytes).is_some();
        assert_eq!([1023, 1024, 2047, 2048].map(served), [false, true, true, false]);
        assert!(rows.kernels(Direction::Encrypt, 1024).is_none());
    }

    #[test]
    fn every_length_has_an_entry() {
        let kernels = wirespeed_native::aes(Route::Portable, 256, Features::NONE).unwrap();
        let rows = Rows::uniform(Some(kernels));
        for bytes in [0, 1, 15, 16, 17, 65535, 65536, 65537, usize::MAX] {
            assert!(rows.kernels(Direction::Encrypt, bytes).is_some(), "{bytes}");
        }
    }
}

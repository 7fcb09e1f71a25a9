//! Who runs a call of so many bytes: what every data call looks up.

use wirespeed_cipher::Direction;
use wirespeed_plan::{SIZE_BUCKETS, size_bucket};

/// One algorithm: for each direction, an entry for every size bucket; kernels, or their route.
///
/// An entry is none where the call takes the slow path, which is for whatever the fast path leaves no
/// time for: libcrypto's route, verification, counting.
#[derive(Clone, Copy)]
pub(crate) struct RouteTable<T>([[Option<T>; SIZE_BUCKETS]; 2]);

impl<T: Copy> RouteTable<T> {
    /// Every call takes the slow path.
    pub(crate) const BLIND: Self = Self::uniform(None);

    /// The same for every call.
    pub(crate) const fn uniform(entry: Option<T>) -> Self {
        Self([[entry; SIZE_BUCKETS]; 2])
    }

    /// Changes an entry.
    pub(crate) fn set(&mut self, direction: Direction, size_bucket: usize, entry: Option<T>) {
        self.0[direction as usize][size_bucket] = entry;
    }

    /// The entry for a call of `bytes`, unless it takes the slow path.
    #[inline(always)]
    pub(crate) const fn of_call(&self, direction: Direction, bytes: usize) -> Option<T> {
        self.0[direction as usize][size_bucket(bytes)]
    }

    /// All entries.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Option<T>> {
        self.0.as_flattened().iter().copied()
    }

    /// For each direction the size buckets without an entry, one bit each.
    pub(crate) fn empty(&self) -> [u16; 2] {
        self.0.map(|size_buckets| {
            let bits = size_buckets.iter().enumerate();
            bits.fold(0, |all, (i, entry)| all | u16::from(entry.is_none()) << i)
        })
    }

    /// Something else in place of each entry.
    pub(crate) fn map<U>(self, f: impl Fn(T) -> U) -> RouteTable<U> {
        RouteTable(self.0.map(|size_buckets| size_buckets.map(|entry| entry.map(&f))))
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Route;

    use super::*;

    #[test]
    fn an_entry_serves_its_sizes_alone() {
        let mut rows = RouteTable::BLIND;
        rows.set(Direction::Decrypt, size_bucket(1024), Some(Route::Portable));
        let served = |bytes| rows.of_call(Direction::Decrypt, bytes).is_some();
        assert_eq!([1023, 1024, 2047, 2048].map(served), [false, true, true, false]);
        assert!(rows.of_call(Direction::Encrypt, 1024).is_none());
    }

    #[test]
    fn every_length_has_an_entry() {
        let rows = RouteTable::uniform(Some(Route::Portable)).map(Route::name);
        for bytes in [0, 1, 15, 16, 17, 65535, 65536, 65537, usize::MAX] {
            assert_eq!(rows.of_call(Direction::Encrypt, bytes), Some("portable"), "{bytes}");
        }
    }
}

//! Memory with 32-bit addresses, which is all that `montmul` can point to.

use std::io;
use std::ptr::{self, NonNull};
use std::slice;

use zeroize::Zeroize;

/// Words below 2 GiB, zero at first and wiped when dropped.
pub(super) struct LowMemory {
    start: NonNull<u32>,
    words: usize,
}

// SAFETY: it owns its memory, as a box does.
unsafe impl Send for LowMemory {}

impl LowMemory {
    /// Asks the kernel for so many words.
    pub(super) fn new(words: usize) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping is nobody else's.
        let start = unsafe { libc::mmap(ptr::null_mut(), 4 * words, access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { start: NonNull::new(start.cast()).expect("not at 0"), words })
    }

    /// The address of a word, for the unit to write to; MAP_32BIT means below 2 GiB.
    pub(super) fn address(&self, index: usize) -> u32 {
        assert!(index < self.words);
        u32::try_from(self.start.as_ptr().expose_provenance() + 4 * index).expect("MAP_32BIT")
    }

    /// The words.
    pub(super) const fn words(&self) -> &[u32] {
        // SAFETY: the mapping has so many words, zero at first, and is borrowed.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    /// The words.
    pub(super) const fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as above, and borrowed alone.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.words) }
    }
}

impl Drop for LowMemory {
    fn drop(&mut self) {
        self.words_mut().zeroize();
        // SAFETY: the mapping is ours, and so long.
        unsafe { libc::munmap(self.start.as_ptr().cast(), 4 * self.words) };
    }
}

//! Memory whose last byte is the last one that may be touched.

use std::ptr;

const PAGE: usize = 4096;

/// Pages with an inaccessible one behind them.
pub(crate) struct Place {
    start: *mut u8,
    bytes: usize,
}

impl Place {
    /// At least so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let bytes = bytes.next_multiple_of(PAGE);
        // SAFETY: a new mapping is nobody else's, and its last page is within it.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let start = libc::mmap(ptr::null_mut(), bytes + PAGE, access, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED, "a mapping");
            assert_eq!(libc::mprotect(start.byte_add(bytes), PAGE, libc::PROT_NONE), 0);
            start.cast()
        };
        Self { start, bytes }
    }

    /// So many bytes that end so many before the end.
    pub(crate) fn at(&mut self, bytes: usize, before_end: usize) -> &mut [u8] {
        let first = self.bytes.checked_sub(bytes + before_end).expect("there is room");
        // SAFETY: they are within the mapping, which is zero at first and borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(first), bytes) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and so long.
        unsafe { libc::munmap(self.start.cast(), self.bytes + PAGE) };
    }
}

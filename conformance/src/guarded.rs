//! Memory that ends, or begins, exactly where nothing may be touched any more.

use std::ops::{Deref, DerefMut};
use std::ptr;

/// One page of 4 KiB.
const PAGE: usize = 4096;

/// Some pages between two that fault at any access.
pub struct Guarded {
    start: *mut u8,
    pages: usize,
}

// SAFETY: the mapping belongs to this value alone.
unsafe impl Send for Guarded {}

impl Guarded {
    /// Room for `length` bytes and more.
    ///
    /// # Panics
    /// If the system has no memory left.
    pub fn new(length: usize) -> Self {
        let pages = length.div_ceil(PAGE) + 2;
        // SAFETY: a new private mapping, wherever the system likes.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(ptr::null_mut(), pages * PAGE, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(start, libc::MAP_FAILED, "mmap");
        let start: *mut u8 = start.cast();
        // SAFETY: the pages between the first and the last of our own mapping.
        let opened = unsafe {
            let inner = start.add(PAGE).cast();
            libc::mprotect(inner, (pages - 2) * PAGE, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(opened, 0, "mprotect");
        Self { start, pages }
    }

    /// The last `length` bytes before the end, or the first after the beginning.
    pub fn at(&mut self, edge: Edge, length: usize) -> &mut [u8] {
        match edge {
            Edge::Begin => &mut self[..length],
            Edge::End => {
                let from = self.len() - length;
                &mut self[from..]
            }
        }
    }
}

/// An edge of guarded memory.
#[derive(Clone, Copy, Debug)]
pub enum Edge {
    /// The byte before must not be touched.
    Begin,
    /// The byte after must not be touched.
    End,
}

impl Deref for Guarded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: these pages are readable and ours.
        unsafe { std::slice::from_raw_parts(self.start.add(PAGE), (self.pages - 2) * PAGE) }
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: these pages are writable and ours.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(PAGE), (self.pages - 2) * PAGE) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nothing borrows any more.
        unsafe { libc::munmap(self.start.cast(), self.pages * PAGE) };
    }
}

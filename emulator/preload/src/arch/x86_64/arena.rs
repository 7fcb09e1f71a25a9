//! Memory for the one part that allocates, the decoder that finds CPUID: the program's `malloc` may
//! not be ready yet, or may be what was just interrupted.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Several times what the decoder's tables take. Pages that nobody touches cost nothing.
const SIZE: usize = 4 << 20;

#[repr(align(4096))]
struct Arena {
    bytes: UnsafeCell<[u8; SIZE]>,
    used: AtomicUsize,
}

// SAFETY: every allocation is a part of `bytes` of its own, given out by an atomic counter.
unsafe impl Sync for Arena {}

// SAFETY: parts never overlap and never move; they are aligned as asked, because the arena is
// aligned to pages and larger alignments are refused.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut start = 0;
        let take = |used: usize| {
            start = used.checked_next_multiple_of(layout.align())?;
            start.checked_add(layout.size()).filter(|end| *end <= SIZE)
        };
        let taken =
            layout.align() <= 4096 && self.used.fetch_update(Relaxed, Relaxed, take).is_ok();
        // SAFETY: `start` lies within the bytes, as `take` saw to.
        if taken { unsafe { self.bytes.get().cast::<u8>().add(start) } } else { ptr::null_mut() }
    }

    /// The tables stay as long as the process does; what they outgrew while they were built is little.
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ARENA: Arena = Arena { bytes: UnsafeCell::new([0; SIZE]), used: AtomicUsize::new(0) };

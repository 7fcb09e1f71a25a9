//! Memory for when there is none: the module never ends its host for want of memory.
//!
//! Rust ends the process when an allocation fails. Contexts are allocated with that in mind and
//! become an OpenSSL error; what little else is allocated, while loading and for texts, then comes
//! out of a fixed reserve.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Several times what loading with the longest plan takes; pages that are never touched cost nothing.
const BYTES: usize = 1 << 20;

/// The system's allocator with a reserve behind it.
pub(crate) struct Reserve {
    memory: UnsafeCell<[u8; BYTES]>,
    /// Bytes given out, and above them how many pieces are in use. When none is, it starts again.
    state: AtomicUsize,
}

// SAFETY: pieces of the memory are given out once, by the atomic state, and never touched here.
unsafe impl Sync for Reserve {}

const ONE_PIECE: usize = 2 * BYTES;

impl Reserve {
    pub(crate) const fn new() -> Self {
        Self { memory: UnsafeCell::new([0; BYTES]), state: AtomicUsize::new(0) }
    }

    fn owns(&self, pointer: *mut u8) -> bool {
        let start = self.memory.get().cast::<u8>();
        (start..start.wrapping_add(BYTES)).contains(&pointer)
    }

    #[cold]
    fn give(&self, layout: Layout) -> *mut u8 {
        let start = self.memory.get().cast::<u8>();
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let given = state % ONE_PIECE;
            let from = given + start.wrapping_add(given).align_offset(layout.align());
            let Some(to) = from.checked_add(layout.size()).filter(|to| *to <= BYTES) else {
                return null_mut();
            };
            // Registers of 32 bits count some thousand pieces.
            let Some(next) = (state - given + to).checked_add(ONE_PIECE) else {
                return null_mut();
            };
            match self.state.compare_exchange(state, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return start.wrapping_add(from),
                Err(other) => state = other,
            }
        }
    }

    #[cold]
    fn take_back(&self, pointer: *mut u8, bytes: usize) {
        let from = pointer as usize - self.memory.get() as usize;
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let given = state % ONE_PIECE;
            // The last piece makes room for the next: a self-test asks for many, one after the other.
            let without = if from + bytes == given { from } else { given };
            let next = if state < 2 * ONE_PIECE { 0 } else { state - given + without - ONE_PIECE };
            match self.state.compare_exchange(state, next, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => state = other,
            }
        }
    }
}

// SAFETY: what the system's allocator gives is its own; pieces of the reserve are aligned, as long as
// asked for, and no two in use overlap: the end moves back only when the last piece comes back.
unsafe impl GlobalAlloc for Reserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the same.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() { self.give(layout) } else { memory }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if self.owns(pointer) {
            return self.take_back(pointer, layout.size());
        }
        // SAFETY: not ours, so the system's, with the caller's layout.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_aligned_apart_and_come_back() {
        static RESERVE: Reserve = Reserve::new();
        let layout = |size, align| Layout::from_size_align(size, align).unwrap();
        let first = RESERVE.give(layout(3, 1));
        let second = RESERVE.give(layout(100, 64));
        assert!(RESERVE.owns(first) && RESERVE.owns(second));
        assert!(second as usize >= first as usize + 3 && (second as usize).is_multiple_of(64));
        assert!(RESERVE.give(layout(BYTES, 1)).is_null(), "more than is left");
        RESERVE.take_back(second, 100);
        assert_eq!(RESERVE.give(layout(100, 64)), second, "the last piece makes room");
        RESERVE.take_back(first, 3);
        RESERVE.take_back(second, 100);
        assert_eq!(RESERVE.give(layout(BYTES, 1)), first, "all of it again");
    }
}

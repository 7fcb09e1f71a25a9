//! Memory that a forked child finds empty: it tells the child that a socket or a counter is its parent's, and keeps
//! other people's plaintext from it. A value that no child waits for. And the atomic word that processes share.

mod set_once;

use std::io;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::Ordering;

#[cfg(target_has_atomic = "64")]
pub use std::sync::atomic::AtomicU64 as Word;

#[cfg(not(target_has_atomic = "64"))]
mod word;
#[cfg(not(target_has_atomic = "64"))]
pub use word::{Word, is_atomic_for_all};

pub use set_once::SetOnce;

/// Whether a [`Word`] in shared memory is atomic for all processes.
#[cfg(target_has_atomic = "64")]
pub const fn is_atomic_for_all() -> bool {
    true
}

/// The smallest page of any machine.
const PAGE: usize = 4096;

/// Pages of this process's own: a mark in the first, room for output behind it.
///
/// `MADV_WIPEONFORK` (Linux 4.14) needs neither a handler at fork, which a library that can be unloaded
/// must not register, nor a system call at each use. Pages that are not used cost no memory.
#[derive(Debug)]
pub struct Area {
    start: NonNull<u8>,
    /// Behind the mark.
    room: usize,
}

// SAFETY: the pages belong to this value alone, wherever it is.
unsafe impl Send for Area {}
// SAFETY: as above; only the mark is written through a shared reference, and it is atomic.
unsafe impl Sync for Area {}

impl Area {
    /// With room for so many bytes; this process's own. An error of the kind `InvalidInput` means that Linux is too old.
    pub fn new(room: usize) -> io::Result<Self> {
        let room = room.next_multiple_of(PAGE);
        let length = PAGE + room;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, wherever the kernel likes; nothing that exists is touched.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).expect("nothing is mapped at zero");
        let area = Self { start, room };
        // SAFETY: the pages are the mapping's.
        let advised =
            unsafe { libc::madvise(start.as_ptr().cast(), length, libc::MADV_WIPEONFORK) };
        if advised != 0 {
            return Err(io::Error::last_os_error());
        }
        area.claim();
        Ok(area)
    }

    /// What this process has written there; zero in a child until it writes something itself.
    #[inline]
    pub fn mark(&self) -> &Word {
        // SAFETY: the first page is mapped as long as `self` lives, aligned, and only ever used as this.
        unsafe { Word::from_ptr(self.start.as_ptr().cast()) }
    }

    /// Whether the process that claimed it was this one, and not its parent.
    pub fn is_ours(&self) -> bool {
        self.mark().load(Ordering::Relaxed) != 0
    }

    /// Makes it this process's.
    pub fn claim(&self) {
        self.mark().store(1, Ordering::Relaxed);
    }

    /// Bytes of room.
    pub const fn room(&self) -> usize {
        self.room
    }

    /// The room's first bytes.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn bytes(&mut self, count: usize) -> &mut [u8] {
        assert!(count <= self.room, "room for {count} bytes in {}", self.room);
        // SAFETY: so many bytes are mapped behind the mark, initialised by the kernel, and borrowed with
        // `self`.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr().add(PAGE), count) }
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and nobody has a reference into it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), PAGE + self.room) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_finds_neither_mark_nor_bytes() {
        let mut area = Area::new(5000).expect("an area");
        assert_eq!(area.room(), 8192);
        area.bytes(8192).fill(7);
        assert!(area.is_ours());
        // SAFETY: the child calls nothing that a thread of this process may have locked.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let was_empty = !area.is_ours() && area.bytes(8192).iter().all(|byte| *byte == 0);
            area.claim();
            // SAFETY: it ends this process without the handlers of the test program.
            unsafe { libc::_exit(i32::from(!(was_empty && area.is_ours()))) }
        }
        let mut status = 0;
        // SAFETY: a child of ours and room for its status.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0);
        assert!(area.is_ours() && area.bytes(8192).iter().all(|byte| *byte == 7));
    }
}

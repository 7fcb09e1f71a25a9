//! Memory that a forked child finds empty: it tells the child that a socket is its parent's, and keeps
//! other people's plaintext from it.

use std::io;
use std::ptr::{self, NonNull};
use std::slice;

use crate::Error;
use crate::presence::too_old;
use crate::wire::PAGE;

/// Pages of this process's own: a mark in the first, room for output behind it.
///
/// `MADV_WIPEONFORK` (Linux 4.14) needs neither a handler at fork, which a library that can be unloaded
/// must not register, nor a system call at each use. Pages that are not used cost no memory.
#[derive(Debug)]
pub(crate) struct Area {
    start: NonNull<u8>,
    /// Behind the mark.
    room: usize,
}

// SAFETY: the pages belong to this value alone, wherever it is.
unsafe impl Send for Area {}
// SAFETY: as above; nothing is written through a shared reference.
unsafe impl Sync for Area {}

impl Area {
    /// With room for so many bytes.
    pub(crate) fn new(room: usize) -> Result<Self, Error> {
        let room = room.next_multiple_of(PAGE);
        let length = PAGE + room;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, wherever the kernel likes; nothing that exists is touched.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(Error::Busy(io::Error::last_os_error()));
        }
        let start = NonNull::new(start.cast()).expect("nothing is mapped at zero");
        let mut area = Self { start, room };
        // SAFETY: the pages are the mapping's.
        let advised =
            unsafe { libc::madvise(start.as_ptr().cast(), length, libc::MADV_WIPEONFORK) };
        if advised != 0 {
            return Err(Error::Absent(too_old()));
        }
        area.claim();
        Ok(area)
    }

    /// Whether the process that claimed it was this one, and not its parent.
    pub(crate) fn is_ours(&self) -> bool {
        // SAFETY: the first byte is mapped. The kernel may clear it at fork, so it is read anew.
        unsafe { self.start.as_ptr().read_volatile() == 1 }
    }

    /// Makes it this process's.
    pub(crate) fn claim(&mut self) {
        // SAFETY: the first byte is mapped and writable.
        unsafe { self.start.as_ptr().write_volatile(1) };
    }

    /// Bytes of room.
    pub(crate) const fn room(&self) -> usize {
        self.room
    }

    /// The room's first bytes.
    ///
    /// # Panics
    /// If there are not so many.
    pub(crate) fn bytes(&mut self, count: usize) -> &mut [u8] {
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

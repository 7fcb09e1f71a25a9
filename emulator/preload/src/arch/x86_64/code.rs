//! Writing over code that runs: through /proc/self/mem, which gives this process a copy of the page
//! and leaves its protection alone.

use libc::c_int;

/// An open /proc/self/mem.
#[derive(Debug)]
pub(crate) struct Code(c_int);

impl Code {
    /// The code of this process; none where /proc is not mounted or the kernel forbids it.
    pub(crate) fn open() -> Option<Self> {
        let path = c"/proc/self/mem".as_ptr();
        let flags = libc::O_RDWR | libc::O_CLOEXEC;
        // SAFETY: the path ends with NUL.
        let file = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, flags) };
        (file >= 0).then_some(Self(file as c_int))
    }

    /// Writes bytes over code. A single byte changes at once for all threads.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> bool {
        let (from, length) = (bytes.as_ptr(), bytes.len());
        // SAFETY: the kernel reads the bytes, and refuses an address without memory.
        let written = unsafe { libc::syscall(libc::SYS_pwrite64, self.0, from, length, address) };
        usize::try_from(written) == Ok(length)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours.
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

/// Writes over code that no segment lets be written, where there is no /proc: it is writable for a
/// moment.
pub(crate) fn write_unprotected(address: u64, bytes: &[u8]) -> bool {
    const PAGE: u64 = 4096;
    let start = address & !(PAGE - 1);
    let end = (address + bytes.len() as u64).next_multiple_of(PAGE);
    let protect = |protection: c_int| {
        // SAFETY: these pages hold code that is mapped; executing stays allowed all the time.
        unsafe { libc::syscall(libc::SYS_mprotect, start, end - start, protection) == 0 }
    };
    let code = libc::PROT_READ | libc::PROT_EXEC;
    if !protect(code | libc::PROT_WRITE) {
        return false;
    }
    for (byte, to) in bytes.iter().zip(address..) {
        // SAFETY: within the pages that are writable now.
        unsafe { (to as *mut u8).write_volatile(*byte) };
    }
    protect(code)
}

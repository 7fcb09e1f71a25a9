//! The counters in a mapped file, which forked workers and several programs add to together.
//!
//! They are for looking into a program, and off by default: whoever cuts the file short while it is
//! mapped ends that program at its next call (SIGBUS, mmap(2)).

use std::ffi::CString;
use std::io::Error;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};

use wirespeed_cipher::{Direction, Route};
use wirespeed_stats::{BYTES, LOADS, MAGIC, QUARANTINED, WORDS, calls};

/// The mapping. It outlives the file's name, a chroot and the descriptor, which is closed at once.
pub(crate) struct Counters {
    words: NonNull<[AtomicU64; WORDS]>,
}

// SAFETY: atomic words in memory that stays mapped until `drop`.
unsafe impl Send for Counters {}
// SAFETY: as above.
unsafe impl Sync for Counters {}

impl Counters {
    /// Maps `path`, which becomes a stats file if it is not there or empty. The error says what is
    /// wrong with it.
    pub(crate) fn open(path: &str) -> Result<Self, String> {
        let system = |what: &str| format!("{what}: {}", Error::last_os_error());
        let name = CString::new(path).map_err(|_| "a path has no NUL".to_owned())?;
        let flags =
            libc::O_RDWR | libc::O_CREAT | libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_NONBLOCK;
        // SAFETY: a NUL-terminated path.
        let descriptor = Descriptor(unsafe { libc::open(name.as_ptr(), flags, 0o600) });
        if descriptor.0 < 0 {
            return Err(system("cannot be opened for writing"));
        }
        let size = descriptor.regular_size().ok_or("is not a regular file")?;
        if size == 0 {
            // SAFETY: an open descriptor of a regular file.
            if unsafe { libc::ftruncate(descriptor.0, BYTES as libc::off_t) } != 0 {
                return Err(system("cannot be made as large as the counters"));
            }
        } else if size != BYTES as u64 {
            return Err("is no stats file of this version".to_owned());
        }
        let (access, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: a new mapping of a file of this size.
        let address = unsafe { libc::mmap(null_mut(), BYTES, access, shared, descriptor.0, 0) };
        let words = NonNull::new(address.cast()).filter(|_| address != libc::MAP_FAILED);
        let counters = Self { words: words.ok_or_else(|| system("cannot be mapped"))? };
        counters.claim()?;
        counters.words()[LOADS].fetch_add(1, Ordering::Relaxed);
        Ok(counters)
    }

    /// Makes new words a stats file; refuses another's.
    fn claim(&self) -> Result<(), String> {
        let mut magic = [0_u8; LOADS * 8];
        magic[..MAGIC.len()].copy_from_slice(MAGIC);
        for (word, bytes) in self.words().iter().zip(magic.as_chunks::<8>().0) {
            let wanted = u64::from_ne_bytes(*bytes);
            // Two programs may do this at once: both write the same.
            let found = word.compare_exchange(0, wanted, Ordering::Relaxed, Ordering::Relaxed);
            if found.is_err_and(|found| found != wanted) {
                return Err("is no stats file of this version".to_owned());
            }
        }
        Ok(())
    }

    fn words(&self) -> &[AtomicU64; WORDS] {
        // SAFETY: mapped until `drop`, aligned to a page, and only ever used atomically.
        unsafe { self.words.as_ref() }
    }

    /// Counts one data call.
    pub(crate) fn count(&self, algorithm: usize, direction: Direction, route: Route, bytes: usize) {
        let word = calls(algorithm, direction, route);
        self.words()[word].fetch_add(1, Ordering::Relaxed);
        self.words()[word + 1].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Notes a quarantined route.
    pub(crate) fn quarantine(&self, route: Route) {
        self.words()[QUARANTINED].fetch_or(route.bit(), Ordering::Relaxed);
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, of this size, and given up here.
        unsafe { libc::munmap(self.words.as_ptr().cast(), BYTES) };
    }
}

/// Closes at the end of its scope: no file is kept open in other people's processes.
struct Descriptor(libc::c_int);

impl Descriptor {
    fn regular_size(&self) -> Option<u64> {
        // SAFETY: all zeros is a valid `stat`, which is only written to.
        let mut status: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: an open descriptor, and room for the answer.
        let found = unsafe { libc::fstat(self.0, &raw mut status) } == 0;
        let regular = status.st_mode & libc::S_IFMT == libc::S_IFREG;
        (found && regular).then_some(status.st_size as u64)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        if self.0 >= 0 {
            // SAFETY: our own descriptor, closed once.
            unsafe { libc::close(self.0) };
        }
    }
}

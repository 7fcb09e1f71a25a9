//! What the library knows about the process it is in: settled in its constructor, read by
//! everything else.

use core::ffi::CStr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::OnceLock;

use libc::c_int;
use padlock_emulator::Cpu;
use padlock_runner::{Counts, Settings, Text};

use crate::arch::x86_64::report::Stderr;

/// The process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) settings: Settings<'static>,
    pub(crate) cpu: Cpu,
    /// Its name in the kernel, as /proc/PID/comm has it.
    pub(crate) name: [u8; 16],
    /// The file that it executes.
    pub(crate) program: Text<1024>,
    /// This library's own file.
    pub(crate) library: &'static CStr,
    /// What standard error is at the start.
    pub(crate) stderr: Option<Stderr>,
}

// Setting it locks, which the constructor may; reading is a load, as handlers need.
static PROCESS: OnceLock<Process> = OnceLock::new();

/// The process; none before the constructor has run.
pub(crate) fn process() -> Option<&'static Process> {
    PROCESS.get()
}

/// Settles what is known.
pub(crate) fn settle(process: Process) {
    // The constructor runs once.
    let _ = PROCESS.set(process);
}

/// What trapped in this process.
pub(crate) static COUNTS: Counts = Counts::new();

/// The process that the counts are about. A child of vfork shares memory with its parent, and must
/// not report its parent's counts.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// From now on the counts are about the calling process, which has done nothing yet.
pub(crate) extern "C" fn begin() {
    OWNER.store(id(), Relaxed);
    COUNTS.clear();
}

/// Whether the counts are about the calling process.
pub(crate) fn owns_counts() -> bool {
    OWNER.load(Relaxed) == id()
}

/// The process's number.
pub(crate) fn id() -> u32 {
    // SAFETY: takes nothing and always succeeds.
    unsafe { libc::getpid() }.cast_unsigned()
}

/// The thread's number.
pub(crate) fn thread_id() -> u32 {
    // SAFETY: takes nothing and always succeeds.
    unsafe { libc::gettid() }.cast_unsigned()
}

/// Keeps `errno` as it is while something else sets it: the program did not call us.
pub(crate) fn keeping_errno<Result>(work: impl FnOnce() -> Result) -> Result {
    // SAFETY: the address of the calling thread's errno, which lives as long as the thread.
    let errno: *mut c_int = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let kept = unsafe { *errno };
    let result = work();
    // SAFETY: as above.
    unsafe { *errno = kept };
    result
}

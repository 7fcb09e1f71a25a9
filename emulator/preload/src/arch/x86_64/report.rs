//! The lines of `--stats` and `--trace`, written with one system call each.

use core::ffi::CStr;
use core::mem::MaybeUninit;

use libc::c_int;
use padlock_runner::Trace;

use crate::arch::x86_64::objects;
use crate::arch::x86_64::process::{
    COUNTS, Process, id, keeping_errno, owns_counts, process, thread_id,
};

/// What standard error was when the program started. A program may close it and open something else
/// under its number, into which no line of ours belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stderr {
    device: u64,
    file: u64,
}

impl Stderr {
    /// What it is now.
    pub(crate) fn now() -> Option<Self> {
        let mut about = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the kernel fills the structure if it returns 0.
        let known = unsafe { libc::fstat(libc::STDERR_FILENO, about.as_mut_ptr()) } == 0;
        // SAFETY: as above.
        let about = known.then(|| unsafe { about.assume_init() })?;
        Some(Self { device: about.st_dev, file: about.st_ino })
    }
}

/// Says what was counted since the last time, if that was asked for: when the process ends, and, if
/// there is anything to say, before it executes another program.
// By itself on the stack: its text is long, and handlers have little room.
#[inline(never)]
pub(crate) fn write_counts(process: &Process) {
    if process.settings.stats && owns_counts() && process.stderr == Stderr::now() {
        let length = process.name.iter().position(|byte| *byte == 0).unwrap_or(0);
        let line = COUNTS.line(id(), process.name.get(..length).unwrap_or_default());
        COUNTS.clear();
        write(libc::STDERR_FILENO, line.as_bytes());
    }
}

/// The process ends.
pub(crate) extern "C" fn end() {
    if let Some(process) = process() {
        keeping_errno(|| write_counts(process));
    }
}

/// Adds a line to the trace, if there is one.
// By itself on the stack: handlers have little room.
#[inline(never)]
pub(crate) fn trace(
    path: &CStr,
    signal: &'static str,
    address: u64,
    operation: &str,
    blocks: u64,
    operands: Option<[u64; 2]>,
) {
    let object = objects::containing(address);
    let trace = Trace {
        process: id(),
        thread: thread_id(),
        signal,
        address,
        object: object.as_ref().map(|object| (object.name, object.start)),
        operation,
        blocks,
        operands,
    };
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_CLOEXEC;
    // SAFETY: the path ends with NUL. A raw call, because `open` is a place where threads are cancelled.
    let file =
        unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0o666) };
    // Not kept open: the program may close all its descriptors, or count them.
    if file >= 0 {
        let (before, object, behind) = trace.line();
        let pieces = [before.as_bytes(), object, behind.as_bytes()].map(|piece| libc::iovec {
            iov_base: piece.as_ptr().cast_mut().cast(),
            iov_len: piece.len(),
        });
        // SAFETY: the pieces are there. Nobody can be told if it fails.
        unsafe { libc::syscall(libc::SYS_writev, file, pieces.as_ptr(), pieces.len()) };
        // SAFETY: the descriptor is ours.
        unsafe { libc::syscall(libc::SYS_close, file) };
    }
}

/// Says something on standard error.
#[inline(never)]
pub(crate) fn complain(parts: &[&[u8]]) {
    let mut line = padlock_runner::Text::<512>::new();
    line.push(b"padlock-run: ");
    for part in parts {
        line.push(part);
    }
    line.push(b"\n");
    write(libc::STDERR_FILENO, line.as_bytes());
}

fn write(file: c_int, bytes: &[u8]) {
    // SAFETY: the bytes are there. Nobody can be told if it fails.
    unsafe { libc::syscall(libc::SYS_write, file, bytes.as_ptr(), bytes.len()) };
}

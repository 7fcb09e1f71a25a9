//! Why a traced thread stopped, from the status that wait(2) gives.

use std::io;
use std::mem;

use libc::{c_int, siginfo_t};

use super::thread::Thread;

/// Why a thread stopped, in the words of ptrace(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It is gone.
    Ended,
    /// A signal is about to be delivered.
    Signal(c_int),
    /// Its whole group stopped: Ctrl-Z, SIGSTOP.
    Group,
    /// It is new, or continues from a group-stop: nothing to do.
    Nothing,
    /// It has become another program.
    Exec,
    /// It is about to do a system call about which a filter asks.
    Filtered,
    /// It is at the border of a system call.
    SystemCall,
}

impl Stop {
    fn from_status(status: c_int) -> Self {
        if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            return Self::Ended;
        }
        let signal = libc::WSTOPSIG(status);
        match status >> 16 {
            libc::PTRACE_EVENT_EXEC => Self::Exec,
            libc::PTRACE_EVENT_SECCOMP => Self::Filtered,
            libc::PTRACE_EVENT_STOP if signal != libc::SIGTRAP => Self::Group,
            0 if signal == libc::SIGTRAP | 0x80 => Self::SystemCall,
            0 => Self::Signal(signal),
            _ => Self::Nothing,
        }
    }
}

/// Waits for the next stop of any traced thread; none when all have ended.
///
/// A process whose end is told here stays a zombie until [`reap`]: its parent hears of it only then, when
/// its counts have been reported.
pub(crate) fn next() -> io::Result<Option<(Thread, Stop)>> {
    const EVERY_KIND: c_int = libc::WEXITED | libc::WSTOPPED | libc::__WALL;
    loop {
        // SAFETY: all zeros are a valid siginfo.
        let mut about: siginfo_t = unsafe { mem::zeroed() };
        // SAFETY: the kernel fills the structure.
        let failed =
            unsafe { libc::waitid(libc::P_ALL, 0, &mut about, EVERY_KIND | libc::WNOWAIT) };
        if failed != 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::ECHILD) => Ok(None),
                _ => Err(error),
            };
        }
        // SAFETY: wait has filled in the number of a child.
        let thread = Thread(unsafe { about.si_pid() });
        if matches!(about.si_code, libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED) {
            return Ok(Some((thread, Stop::Ended)));
        }
        // Killed meanwhile, it may have no stop to tell any more, nor yet an end.
        if let Some(stop) = wait(thread, libc::WNOHANG)? {
            return Ok(Some((thread, stop)));
        }
    }
}

/// Waits for the next stop of this thread, which must be the only one of its process.
pub(crate) fn of(thread: Thread) -> io::Result<Stop> {
    wait(thread, 0).map(|stop| stop.unwrap_or(Stop::Ended))
}

/// Takes note of a thread that has ended.
pub(crate) fn reap(thread: Thread) {
    // It may have been taken note of already: killed between two looks at it.
    let _ = wait(thread, libc::WNOHANG);
}

fn wait(thread: Thread, options: c_int) -> io::Result<Option<Stop>> {
    let mut status = 0;
    // SAFETY: the kernel fills one number.
    match unsafe { libc::waitpid(thread.0, &mut status, libc::__WALL | options) } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        _ => Ok(Some(Stop::from_status(status))),
    }
}

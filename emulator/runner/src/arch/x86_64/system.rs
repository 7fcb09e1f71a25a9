//! What only the kernel's own interface tells: ids, capabilities of files, who traces us, CPUID faulting, SIGPIPE.

use std::ffi::CString;
use std::fs;
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use libc::c_int;

/// `ARCH_SET_CPUID` of asm/prctl.h: whether CPUID may be executed.
pub(crate) const ARCH_SET_CPUID: u64 = 0x1012;

/// Whether this kernel, on this CPU, can make CPUID fault.
pub(crate) fn can_fault_cpuid() -> bool {
    const ALLOWED: c_int = 1;
    // SAFETY: takes numbers. Allows what is allowed already; ENODEV where it cannot be forbidden.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_SET_CPUID, ALLOWED) == 0 }
}

/// Whether this program was started with SIGPIPE ignored.
static IGNORES_BROKEN_PIPES: AtomicBool = AtomicBool::new(false);

/// Rust's `main` begins with SIGPIPE ignored, and its `exec` ends with SIGPIPE as it is by default: how it was
/// is seen only before both.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK_AT_SIGPIPE: extern "C" fn() = look_at_sigpipe;

extern "C" fn look_at_sigpipe() {
    // SAFETY: all zeros are a valid action, and the kernel fills it.
    let handler = unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        libc::sigaction(libc::SIGPIPE, ptr::null(), &mut action);
        action.sa_sigaction
    };
    IGNORES_BROKEN_PIPES.store(handler == libc::SIG_IGN, Relaxed);
}

/// Lets the command have SIGPIPE as this program was given it.
pub(crate) fn hand_on_sigpipe(command: &mut Command) {
    let hand_on = || {
        if IGNORES_BROKEN_PIPES.load(Relaxed) {
            // SAFETY: takes numbers.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        }
        Ok(())
    };
    // SAFETY: it only calls what may be called after fork.
    unsafe { command.pre_exec(hand_on) };
}

/// The user and the group whose rights this process has.
pub(crate) fn effective_ids() -> (u32, u32) {
    // SAFETY: take nothing and cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Whether a file gives capabilities to whom executes it.
pub(crate) fn has_capabilities(file: &Path) -> bool {
    let Ok(file) = CString::new(file.as_os_str().as_bytes()) else { return false };
    let name = c"security.capability".as_ptr();
    // SAFETY: two strings, and no room for an answer: only its length is asked for.
    unsafe { libc::getxattr(file.as_ptr(), name, ptr::null_mut(), 0) > 0 }
}

/// The process that traces this one, and its program.
pub(crate) fn tracer() -> Option<(u32, Option<PathBuf>)> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("TracerPid:"))?;
    let number: u32 = line.trim().parse().ok().filter(|number| *number != 0)?;
    Some((number, fs::read_link(format!("/proc/{number}/exe")).ok()))
}

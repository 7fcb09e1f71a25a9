//! What only the kernel's own interface tells: ids, capabilities of files, who traces us, CPUID faulting.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

use libc::c_int;

/// `ARCH_SET_CPUID` of asm/prctl.h: whether CPUID may be executed.
pub(crate) const ARCH_SET_CPUID: u64 = 0x1012;

/// Whether this kernel, on this CPU, can make CPUID fault.
pub(crate) fn can_fault_cpuid() -> bool {
    const ALLOWED: c_int = 1;
    // SAFETY: takes numbers. Allows what is allowed already; ENODEV where it cannot be forbidden.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_SET_CPUID, ALLOWED) == 0 }
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

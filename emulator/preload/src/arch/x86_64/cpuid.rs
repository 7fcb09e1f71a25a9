//! CPUID as the kernel can make it fault, and as the real CPU answers it.

use core::arch::x86_64::__cpuid_count;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Of asm/prctl.h: whether CPUID is carried out (1) or raises #GP (0) in this thread, and in those
/// that it starts; execve sets it to 1.
const ARCH_SET_CPUID: libc::c_int = 0x1012;

/// Whether the kernel makes CPUID fault.
static FAULTS: AtomicBool = AtomicBool::new(false);

/// Makes CPUID fault from now on, if the kernel can: that takes `cpuid_fault` in /proc/cpuinfo.
pub(crate) fn make_it_fault() -> bool {
    // Known before the first one can fault.
    FAULTS.store(true, Relaxed);
    let faults = set(0);
    FAULTS.store(faults, Relaxed);
    faults
}

/// What the real CPU answers.
pub(crate) fn ask(leaf: u32, subleaf: u32) -> [u32; 4] {
    let faults = FAULTS.load(Relaxed);
    if faults {
        set(1);
    }
    // Safe since Rust 1.94.
    #[allow(unused_unsafe)]
    // SAFETY: every 64-bit CPU has CPUID.
    let answer = unsafe { __cpuid_count(leaf, subleaf) };
    if faults {
        set(0);
    }
    [answer.eax, answer.ebx, answer.ecx, answer.edx]
}

fn set(carried_out: libc::c_ulong) -> bool {
    // SAFETY: takes numbers.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_SET_CPUID, carried_out) == 0 }
}

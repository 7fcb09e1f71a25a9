//! CPUID as the kernel can make it fault, and as the real CPU answers it.

use core::arch::x86_64::__cpuid_count;

/// Of asm/prctl.h: whether CPUID is carried out (1) or raises #GP (0) in this thread, and in those that it starts; execve sets it to 1.
const ARCH_SET_CPUID: libc::c_int = 0x1012;

/// Makes CPUID fault. Without `cpuid_fault` in /proc/cpuinfo the kernel cannot.
pub(crate) fn make_it_fault() -> bool {
    set(0)
}

/// What the real CPU answers.
pub(crate) fn ask(leaf: u32, subleaf: u32, faults: bool) -> [u32; 4] {
    if faults {
        set(1);
    }
    let answer = __cpuid_count(leaf, subleaf);
    if faults {
        set(0);
    }
    [answer.eax, answer.ebx, answer.ecx, answer.edx]
}

fn set(carried_out: libc::c_ulong) -> bool {
    // SAFETY: takes numbers.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_SET_CPUID, carried_out) == 0 }
}

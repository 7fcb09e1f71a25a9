//! A CPU without CPUID, made of this one: after each instruction bit 21 of EFLAGS is as it was, and CPUID is noticed.

use std::arch::asm;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use libc::{REG_EIP, SA_SIGINFO, SIGTRAP, c_int, c_void, sigaction, siginfo_t, ucontext_t};

use crate::arch::padlock::PadLock;
use crate::arch::x86::{ThisCpu, brand, features, hypervisor, vendor};
use crate::{Features, no_cpuid, no_padlock};

const ID: u32 = 1 << 21;
const TRAP: u32 = 1 << 8;
const CPUID: [u8; 2] = [0x0f, 0xa2];

/// Whether bit 21 of EFLAGS is to stay as it is.
static FIXED: AtomicBool = AtomicBool::new(false);
/// CPUIDs that were carried out.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Behind each instruction.
extern "C" fn behind(_: c_int, _: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: SA_SIGINFO: the kernel hands over the context, which nobody else sees now.
    let registers = unsafe { &(*context.cast::<ucontext_t>()).uc_mcontext.gregs };
    if FIXED.load(Ordering::Relaxed) {
        // SAFETY: no code depends on this flag. The context's is not restored (FIX_EFLAGS of Linux's
        // arch/x86/kernel/signal_32.c), so the handler's stays.
        unsafe { asm!("pushfd", "and dword ptr [esp], {}", "popfd", const !ID) };
    }
    let next = ptr::with_exposed_provenance::<u8>(registers[REG_EIP as usize] as usize);
    // SAFETY: the instruction that comes next. Behind 0Fh it goes on.
    let code =
        unsafe { [next.read(), if next.read() == CPUID[0] { next.add(1).read() } else { 0 }] };
    if code == CPUID {
        ASKED.fetch_add(1, Ordering::Relaxed);
    }
}

/// What this answers on such a CPU, or step by step on this one, and how often it asked CPUID.
fn stepped<A>(fixed: bool, ask: impl FnOnce() -> A) -> (A, usize) {
    FIXED.store(fixed, Ordering::Relaxed);
    ASKED.store(0, Ordering::Relaxed);
    // SAFETY: flags come back as they were but for the one that brings SIGTRAP behind each instruction.
    unsafe { asm!("pushfd", "or dword ptr [esp], {}", "popfd", const TRAP) };
    let answer = ask();
    // SAFETY: as above.
    unsafe { asm!("pushfd", "and dword ptr [esp], {}", "popfd", const !TRAP) };
    (answer, ASKED.load(Ordering::Relaxed))
}

#[test]
fn nothing_is_asked() {
    // SAFETY: all zeros are a valid sigaction; the handler only touches its context and atomics.
    unsafe {
        let mut action: sigaction = mem::zeroed();
        action.sa_sigaction = behind as *const () as usize;
        action.sa_flags = SA_SIGINFO;
        assert_eq!(sigaction(SIGTRAP, &action, ptr::null_mut()), 0);
    }
    let asked = || (features(&ThisCpu), vendor(), brand(), hypervisor(), PadLock::of(&ThisCpu));
    let ((here, obstacle), count) = stepped(false, || (asked(), no_cpuid()));
    assert!(here.0 != Features::NONE && count > 10, "{count}");
    assert_eq!((here, obstacle), (asked(), None));
    let ((here, obstacle, why), count) = stepped(true, || (asked(), no_cpuid(), no_padlock()));
    assert_eq!(here, (Features::NONE, String::new(), None, None, None));
    assert_eq!(obstacle, Some(&*why));
    assert!(why.contains("no CPUID"), "{why}");
    assert_eq!(count, 0);
}

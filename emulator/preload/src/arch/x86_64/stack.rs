//! The room that handlers have: an alternate stack that the program gave to its own handlers may be
//! too small for the emulator.
//!
//! Beyond its end lies the program's memory, which must not be written over; or none, and then the
//! kernel would begin the handler of that fault on top of the same stack, for ever.

use core::arch::naked_asm;
use core::mem::offset_of;
use core::ptr;

use libc::{stack_t, ucontext_t};

use crate::arch::x86_64::actions::leave_to_kernel;
use crate::arch::x86_64::context::Context;
use crate::arch::x86_64::handlers::handle;
use crate::arch::x86_64::process::{id, thread_id};
use crate::arch::x86_64::report::complain;

/// What finding out whose a signal is takes.
const LITTLE: u64 = 1 << 10;
/// What carrying out an instruction takes: its largest frames, those of hashing, are half of this. A line of
/// the trace takes less.
const ENOUGH: u64 = 3 << 10;

/// The stack for the last words.
#[repr(align(16))]
struct Last(#[expect(dead_code, reason = "written by the CPU")] [u8; LAST_SIZE]);

const LAST_SIZE: usize = 16 << 10;

static mut LAST: Last = Last([0; LAST_SIZE]);

/// Where the kernel enters: looks whether there is room for the handler, without a stack of its own.
#[unsafe(naked)]
pub(crate) extern "C" fn enter() {
    const STACK: usize = offset_of!(ucontext_t, uc_stack);
    naked_asm!(
        // How far the stack pointer is above the beginning of the alternate stack, if it is on it.
        "mov rax, rsp",
        "sub rax, [rdx + {start}]",
        "cmp rax, [rdx + {size}]",
        "jae {handle}",
        "cmp rax, {little}",
        "jae {handle}",
        "lea rsp, [rip + {last} + {last_size}]",
        "call {exhausted}",
        "ud2",
        start = const STACK + offset_of!(stack_t, ss_sp),
        size = const STACK + offset_of!(stack_t, ss_size),
        little = const LITTLE,
        handle = sym handle,
        last = sym LAST,
        last_size = const LAST_SIZE,
        exhausted = sym exhausted,
    )
}

/// Ends the program if there is not enough room for an instruction or a line of the trace.
pub(crate) fn demand(context: &Context<'_>) {
    let (start, size) = context.alternate_stack();
    let here = 0_u8;
    let room = (ptr::from_ref(&here).addr() as u64).wrapping_sub(start);
    if room < size && room < ENOUGH {
        exhausted();
    }
}

/// Says so, and ends the program as the kernel does where it has no room for a signal itself.
extern "C" fn exhausted() -> ! {
    complain(&[
        b"an alternate stack for signals is too small: ",
        b"PadLock takes 8 KiB more than AT_MINSIGSTKSZ",
    ]);
    leave_to_kernel(libc::SIGSEGV);
    loop {
        // SAFETY: takes numbers. The signal is not blocked, so nothing returns.
        unsafe { libc::syscall(libc::SYS_tgkill, id(), thread_id(), libc::SIGSEGV) };
    }
}

//! A system call that a stopped program is made to do for us.

use std::io;
use std::os::unix::fs::FileExt;

use libc::c_int;
use padlock_emulator::Width;

use super::stop::{self, Stop};
use super::thread::{Resume, Thread, width};

/// `syscall`.
const SYSCALL: [u8; 2] = [0x0f, 0x05];
/// `int $0x80`.
const INT_80: [u8; 2] = [0xcd, 0x80];

/// A system call by its number in either interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) number_64: u64,
    pub(crate) number_32: u64,
}

/// arch_prctl(2), of asm/unistd_64.h and asm/unistd_32.h.
pub(crate) const ARCH_PRCTL: Call = Call { number_64: 158, number_32: 384 };

/// Lets the thread do this system call and stand again where it stood; what the call returned.
///
/// It must be the only thread of its process, because the instruction under its program counter is another
/// one for a moment, and it must not stand before a system call, which would go first.
pub(crate) fn call(thread: Thread, call: Call, arguments: [u64; 2]) -> io::Result<i64> {
    let before = thread.registers()?;
    let mut registers = before;
    // No system call is interrupted here that the kernel would want to restart.
    registers.orig_rax = u64::MAX;
    let instruction = match width(&before) {
        Width::Bits64 => {
            registers.rax = call.number_64;
            [registers.rdi, registers.rsi] = arguments;
            SYSCALL
        }
        Width::Bits32 => {
            registers.rax = call.number_32;
            [registers.rbx, registers.rcx] = arguments;
            INT_80
        }
    };
    let code = thread.memory_file()?;
    let mut covered = [0; 2];
    code.read_exact_at(&mut covered, before.rip)?;
    let mask = thread.signal_mask()?;
    // What may be refused comes first: nothing has changed then.
    code.write_all_at(&instruction, before.rip)?;
    // A blocked SIGTRAP would be forced on it, and its handler be gone.
    thread.set_signal_mask(!(1 << (libc::SIGTRAP - 1)))?;
    thread.set_registers(&registers)?;
    let held = step(thread)?;
    let result = thread.registers()?.rax;
    code.write_all_at(&covered, before.rip)?;
    thread.set_registers(&before)?;
    thread.set_signal_mask(mask)?;
    for signal in held {
        // SAFETY: takes numbers.
        unsafe { libc::syscall(libc::SYS_tgkill, thread.0, thread.0, signal) };
    }
    Ok(match width(&before) {
        Width::Bits64 => result.cast_signed(),
        Width::Bits32 => i64::from((result as u32).cast_signed()),
    })
}

/// One instruction; the signals that cannot be blocked and came in between.
fn step(thread: Thread) -> io::Result<Vec<c_int>> {
    let mut held = Vec::new();
    loop {
        thread.resume(Resume::OneInstruction, 0)?;
        match stop::of(thread)? {
            Stop::Signal(libc::SIGTRAP) => return Ok(held),
            Stop::Signal(signal) => held.push(signal),
            Stop::Ended => return Err(io::Error::from_raw_os_error(libc::ESRCH)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use super::*;
    use crate::arch::x86_64::system::{ARCH_SET_CPUID, can_fault_cpuid};

    const GETPID: Call = Call { number_64: 39, number_32: 20 };

    #[test]
    fn a_program_that_has_just_begun_does_calls_for_us_and_goes_on() {
        let (reader, mut writer) = io::pipe().expect("a pipe");
        let program = c"/bin/true".as_ptr();
        let arguments = [program, std::ptr::null()];
        // SAFETY: the child calls nothing but read(2), execve(2) and _exit(2), with what was made before.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let mut byte = [0_u8];
            // SAFETY: as above.
            unsafe {
                libc::read(reader.as_raw_fd(), byte.as_mut_ptr().cast(), 1);
                libc::execv(program, arguments.as_ptr());
                libc::_exit(99);
            }
        }
        let thread = Thread(child);
        thread.seize(false).expect("traced");
        writer.write_all(&[1]).expect("it reads");
        assert_eq!(stop::of(thread).expect("a stop"), Stop::Exec);
        thread.resume(Resume::ToSystemCall, 0).expect("it goes on");
        assert_eq!(stop::of(thread).expect("a stop"), Stop::SystemCall);
        let before = thread.registers().expect("registers");
        assert_eq!(call(thread, GETPID, [0; 2]).expect("called"), i64::from(child));
        let expected = if can_fault_cpuid() { 0 } else { -i64::from(libc::ENODEV) };
        // Allowed, as it is, lest the program die of it.
        let answer = call(thread, ARCH_PRCTL, [ARCH_SET_CPUID, 1]).expect("called");
        assert_eq!(answer, expected);
        let after = thread.registers().expect("registers");
        assert_eq!((before.rip, before.rsp, before.rax), (after.rip, after.rsp, after.rax));
        thread.resume(Resume::Freely, 0).expect("it goes on");
        let mut status = 0;
        // SAFETY: our own child, and room for its status.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
    }
}

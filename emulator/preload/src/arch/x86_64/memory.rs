//! The program's memory, which may refuse an access: then the instruction faults as on hardware,
//! not the emulator.
//!
//! Accesses are made by two instructions that are known by their addresses. When one of them
//! faults, the handler of SIGSEGV and SIGBUS lets it go on at `padlock_refused` with the kernel's
//! reason in registers ([`recover`]), as the kernel does for its own copies from and to programs.

use core::arch::global_asm;

use libc::{c_int, siginfo_t};
use padlock_emulator::{Memory, PageFault};

use crate::arch::x86_64::context::Context;

global_asm!(
    ".pushsection .text",
    // (to, from, length): copies; returns a `Refusal`.
    "padlock_copy:",
    "mov rcx, rdx",
    "xor eax, eax",
    "padlock_copy_access:",
    "rep movsb",
    "ret",
    // (address): makes sure that a byte can be written, without changing it; returns a `Refusal`.
    "padlock_touch:",
    "xor eax, eax",
    "padlock_touch_access:",
    "lock or byte ptr [rdi], 0",
    "padlock_refused:",
    "ret",
    ".popsection",
);

unsafe extern "sysv64" {
    fn padlock_copy(to: *mut u8, from: *const u8, length: usize) -> Answer;
    fn padlock_touch(address: *mut u8) -> Answer;
    // Places in code, not functions.
    static padlock_copy_access: u8;
    static padlock_touch_access: u8;
    static padlock_refused: u8;
}

/// How an access ended, in RAX and RDX.
#[repr(C)]
#[derive(Clone, Copy)]
struct Answer {
    /// Zero if it succeeded. Otherwise the signal, and above it si_code.
    reason: u64,
    /// si_addr, if it failed.
    address: u64,
}

/// Why the kernel refused an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// SIGSEGV or SIGBUS.
    pub(crate) signal: c_int,
    /// Its si_code.
    pub(crate) code: c_int,
}

/// Lets an access of ours end as refused, if the signal is about one.
pub(crate) fn recover(signal: c_int, information: &siginfo_t, context: &mut Context<'_>) -> bool {
    let accesses = [&raw const padlock_copy_access, &raw const padlock_touch_access];
    let address = context.address();
    if information.si_code <= 0 || !accesses.iter().any(|access| access.addr() as u64 == address) {
        return false;
    }
    let mut registers = context.registers();
    let code = u64::from(information.si_code.cast_unsigned());
    registers.rax = code << 32 | u64::from(signal.cast_unsigned());
    // SAFETY: the kernel sets si_addr in the signals of faults, which this is by its code.
    registers.rdx = unsafe { information.si_addr() }.addr() as u64;
    context.set_registers(&registers);
    context.set_address((&raw const padlock_refused).addr() as u64);
    true
}

const PAGE: u64 = 4096;

/// The memory of the program around us.
#[derive(Debug, Default)]
pub(crate) struct Own {
    /// Why the last access failed.
    refusal: Option<Refusal>,
}

impl Own {
    /// Why the last access that failed did so.
    pub(crate) const fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// An access of `start` and what follows, as the kernel ended it.
    fn judge(&mut self, answer: Answer, start: u64, write: bool) -> Result<(), PageFault> {
        if answer.reason == 0 {
            return Ok(());
        }
        let signal = (answer.reason as u32).cast_signed();
        let code = ((answer.reason >> 32) as u32).cast_signed();
        self.refusal = Some(Refusal { signal, code });
        // A copy may report any byte of the page.
        let page = answer.address & !(PAGE - 1);
        Err(PageFault { address: start.max(page), write })
    }
}

impl Memory for Own {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), PageFault> {
        let from = address as *const u8;
        // SAFETY: writes to `into` only. What it reads may be anything, even nothing: `recover`
        // then ends it.
        let answer = unsafe { padlock_copy(into.as_mut_ptr(), from, into.len()) };
        self.judge(answer, address, false)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), PageFault> {
        // Within one page a copy is done or refused as a whole; before others, each page is asked.
        let last = address.saturating_add((bytes.len() as u64).saturating_sub(1));
        if address / PAGE != last / PAGE {
            for page in address / PAGE..=last / PAGE {
                let first = address.max(page * PAGE);
                // SAFETY: changes nothing; if it cannot be, `recover` ends it.
                let answer = unsafe { padlock_touch(first as *mut u8) };
                self.judge(answer, first, true)?;
            }
        }
        // SAFETY: the program's instruction says that these bytes be written there; a refusal ends
        // in `recover`.
        let answer = unsafe { padlock_copy(address as *mut u8, bytes.as_ptr(), bytes.len()) };
        self.judge(answer, address, true)
    }
}

impl Own {
    /// As many bytes of code at `address` as there are, and their number.
    pub(crate) fn read_code(&mut self, address: u64, into: &mut [u8]) -> usize {
        if self.read(address, into).is_ok() {
            return into.len();
        }
        // The instruction may be the last one before memory ends.
        let rest = ((PAGE - address % PAGE) as usize).min(into.len());
        let begin = into.get_mut(..rest).unwrap_or_default();
        if self.read(address, begin).is_ok() { rest } else { 0 }
    }
}

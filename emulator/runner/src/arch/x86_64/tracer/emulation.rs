//! What a trapped instruction does, brought from a stopped thread's registers and memory to the emulated CPU and back.

use std::arch::x86_64::__cpuid_count;
use std::io;

use libc::{c_int, user_regs_struct};
use padlock_emulator::{Cpu, LONGEST, Operation, Outcome, PageFault, Random, Registers, Width};
use padlock_runner::{CPUID, SEGV_ACCERR, SI_KERNEL, Signal, Trap, classify};

use super::mappings;
use super::memory::Pages;
use super::thread::{Thread, width};

/// Of asm-generic/siginfo.h: nothing is mapped there.
const SEGV_MAPERR: c_int = 1;
/// The mapping goes beyond its file's end.
const BUS_ADRERR: c_int = 2;

/// What a thread stopped for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// Not for us: it gets its signal.
    Theirs,
    /// It was answered; the thread gets this signal, or (zero) none.
    Given(Trapped, c_int),
}

/// An instruction that trapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trapped {
    /// Where it stands.
    pub(crate) address: u64,
    /// What it does, and source and destination as it began; CPUID otherwise.
    pub(crate) operation: Option<(Operation, [u64; 2])>,
    pub(crate) blocks: u64,
}

/// Does what the instruction under the thread's program counter says, if that is why it got this signal.
pub(crate) fn answer(cpu: &Cpu, thread: Thread, signal: c_int) -> io::Result<Answer> {
    let cause = match (signal, thread.signal_code()?) {
        // Sent by a process: kill(2), raise(3).
        (_, code) if code <= 0 => return Ok(Answer::Theirs),
        (libc::SIGILL, _) => Signal::IllegalInstruction,
        (libc::SIGSEGV, SI_KERNEL) => Signal::GeneralProtection,
        _ => return Ok(Answer::Theirs),
    };
    let mut registers = thread.registers()?;
    let address = registers.rip;
    let width = width(&registers);
    let mut code = [0; LONGEST];
    let length = thread.read_code(address, &mut code);
    let operands = [registers.rsi, registers.rdi];
    let (operation, blocks, signal) = match classify(cause, &code[..length], width) {
        None => return Ok(Answer::Theirs),
        Some(Trap::Cpuid) => {
            cpuid(cpu, &mut registers);
            advance(&mut registers, CPUID.len(), width);
            thread.set_registers(&registers)?;
            (None, 0, 0)
        }
        Some(Trap::PadLock(instruction)) => {
            let mut memory = Pages::new(thread);
            let mut six = to_padlock(&registers);
            let mut blocks = 0;
            let outcome =
                cpu.step(instruction, width, &mut six, &mut memory, &mut Kernel, &mut blocks);
            memory.finish();
            from_padlock(&six, &mut registers);
            if outcome == Outcome::Done {
                advance(&mut registers, instruction.length, width);
            }
            thread.set_registers(&registers)?;
            let signal = match outcome {
                Outcome::Done | Outcome::Interrupted => 0,
                Outcome::Undefined => return Ok(Answer::Theirs),
                Outcome::GeneralProtection => fault(thread, libc::SIGSEGV, SI_KERNEL, 0)?,
                Outcome::PageFault(PageFault { address, write }) => {
                    let (signal, code) = refusal(thread, address, write)?;
                    fault(thread, signal, code, address)?
                }
            };
            (Some((instruction.operation, operands)), blocks, signal)
        }
    };
    Ok(Answer::Given(Trapped { address, operation, blocks }, signal))
}

fn cpuid(cpu: &Cpu, registers: &mut user_regs_struct) {
    let (leaf, subleaf) = (registers.rax as u32, registers.rcx as u32);
    // Safe since Rust 1.94.
    #[allow(unused_unsafe)]
    // SAFETY: every 64-bit CPU has CPUID.
    let real = unsafe { __cpuid_count(leaf, subleaf) };
    let real = [real.eax, real.ebx, real.ecx, real.edx];
    let [rax, rbx, rcx, rdx] = cpu.cpuid(leaf, subleaf, real).map(u64::from);
    *registers = user_regs_struct { rax, rbx, rcx, rdx, ..*registers };
}

fn advance(registers: &mut user_regs_struct, length: usize, width: Width) {
    let next = registers.rip.wrapping_add(length as u64);
    registers.rip = if width == Width::Bits32 { next & u64::from(u32::MAX) } else { next };
}

const fn to_padlock(registers: &user_regs_struct) -> Registers {
    let user_regs_struct { rax, rbx, rcx, rdx, rsi, rdi, .. } = *registers;
    Registers { rax, rbx, rcx, rdx, rsi, rdi }
}

const fn from_padlock(six: &Registers, registers: &mut user_regs_struct) {
    let Registers { rax, rbx, rcx, rdx, rsi, rdi } = *six;
    *registers = user_regs_struct { rax, rbx, rcx, rdx, rsi, rdi, ..*registers };
}

/// The signal and its code for an access that memory refused.
fn refusal(thread: Thread, address: u64, write: bool) -> io::Result<(c_int, c_int)> {
    Ok(match mappings::at(thread, address)? {
        None => (libc::SIGSEGV, SEGV_MAPERR),
        Some(it) if if write { it.writable } else { it.readable } => (libc::SIGBUS, BUS_ADRERR),
        Some(_) => (libc::SIGSEGV, SEGV_ACCERR),
    })
}

/// Prepares a fault; the signal that the thread is to get for it.
///
/// A fault cannot be blocked or ignored: the kernel then ends the program by it. A tracer's signal can, so
/// the program runs into a fault of the kernel's own making, where nobody can map memory. SIGSEGV is blocked for that
/// moment, lest a handler of SIGSEGV get what a blocked or ignored SIGBUS stood for: the program ends by SIGSEGV.
fn fault(thread: Thread, signal: c_int, code: c_int, address: u64) -> io::Result<c_int> {
    let bit = |signal: c_int| 1_u64 << (signal - 1);
    let mask = thread.signal_mask()?;
    if (mask | ignored_signals(thread)?) & bit(signal) == 0 {
        thread.set_fault(signal, code, address)?;
        return Ok(signal);
    }
    let mut registers = thread.registers()?;
    registers.rip = match width(&registers) {
        Width::Bits64 => 0x7fff_ffff_f000,
        Width::Bits32 => 0xffff_f000,
    };
    thread.set_registers(&registers)?;
    thread.set_signal_mask(mask | bit(libc::SIGSEGV))?;
    Ok(0)
}

/// The signals that its program ignores: bit 0 is signal 1.
fn ignored_signals(thread: Thread) -> io::Result<u64> {
    Ok(u64::from_str_radix(&thread.status("SigIgn")?, 16).unwrap_or(0))
}

/// xstore's bytes, from the kernel.
struct Kernel;

impl Random for Kernel {
    fn fill(&mut self, into: &mut [u8]) {
        let mut done = 0;
        while let Some(rest) = into.get_mut(done..).filter(|rest| !rest.is_empty()) {
            // SAFETY: the kernel fills at most the slice.
            let count = unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) };
            // It fails for no reason but a signal, and we handle none.
            done += usize::try_from(count).unwrap_or(0);
        }
    }
}

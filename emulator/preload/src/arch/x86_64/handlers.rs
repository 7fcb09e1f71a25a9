//! The handler of the signals that instructions raise: it finds out whose they are, and carries out
//! PadLock's instructions and CPUID.

use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use libc::{c_int, c_void, siginfo_t, ucontext_t};
use padlock_emulator::{Instruction, LONGEST, Outcome, Random, Registers, Width};
use padlock_runner::{CPUID, INT3, REP, SEGV_ACCERR, SI_KERNEL, Signal, Trap, classify};

use crate::arch::x86_64::actions::{self, Action, OURS};
use crate::arch::x86_64::code::Code;
use crate::arch::x86_64::context::Context;
use crate::arch::x86_64::cpuid;
use crate::arch::x86_64::interpose::next;
use crate::arch::x86_64::memory::{self, Own, Refusal};
use crate::arch::x86_64::objects;
use crate::arch::x86_64::process::{COUNTS, Process, keeping_errno, process};
use crate::arch::x86_64::report;
use crate::arch::x86_64::stack;

/// Vectors of exceptions (Intel SDM, volume 3, table 7-1), as they show in a signal's context.
const GENERAL_PROTECTION: u64 = 13;
const PAGE_FAULT: u64 = 14;

/// Makes the handler that of [`OURS`], and remembers what was to be done at them.
pub(crate) fn install() {
    for signal in OURS {
        let flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        // The handler may be interrupted by itself: an access to the program's memory may fault,
        // and the program's own handlers may run into PadLock's instructions.
        let ours = Action { handler: (stack::enter as *const ()).addr(), flags, mask: 0 }.to_libc();
        let mut before = Action::DEFAULT.to_libc();
        if let Some(sigaction) = next().sigaction {
            // SAFETY: libc's function, with structures that live as long as the call.
            unsafe { sigaction(signal, &raw const ours, &raw mut before) };
            actions::replace(signal, &Action::of(&before));
        }
    }
}

/// The handler itself, with some room on the stack.
pub(crate) extern "C" fn handle(signal: c_int, information: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel hands these to a handler with SA_SIGINFO, for as long as it runs.
    let (information, context) = unsafe { (&mut *information, &mut *context.cast::<ucontext_t>()) };
    let mut context = Context::new(context);
    if memory::recover(signal, information, &mut context) {
        return;
    }
    let fault = keeping_errno(|| answer(signal, information, &mut context));
    match fault {
        None => {}
        Some(Fault::Theirs) => actions::deliver(signal, information, &mut context),
        Some(Fault::Raised { signal, mut information }) => {
            actions::deliver(signal, &mut information, &mut context);
        }
    }
}

/// A signal that the program gets.
enum Fault {
    /// The one that came.
    Theirs,
    /// One that the emulated instruction raised.
    Raised { signal: c_int, information: siginfo_t },
}

/// Does what the trapped instruction says. What remains for the program, if anything.
fn answer(signal: c_int, information: &siginfo_t, context: &mut Context<'_>) -> Option<Fault> {
    let Some(process) = process() else { return Some(Fault::Theirs) };
    // SAFETY: read only where the kernel sets it, as in faults; elsewhere it is some number.
    let is_nowhere = unsafe { information.si_addr() }.is_null();
    let stands = context.address();
    let (cause, name, address) = match (signal, information.si_code) {
        // Sent by a process.
        (_, code) if code <= 0 => return Some(Fault::Theirs),
        (libc::SIGILL, _) => (Signal::IllegalInstruction, "SIGILL", stands),
        (libc::SIGSEGV, SI_KERNEL) if is_nowhere => (Signal::GeneralProtection, "SIGSEGV", stands),
        // Behind the one byte of `int3`.
        (libc::SIGTRAP, SI_KERNEL) => (Signal::Breakpoint, "SIGTRAP", stands.wrapping_sub(1)),
        _ => return Some(Fault::Theirs),
    };
    if cause == Signal::GeneralProtection && objects::stopped_at(address, context) {
        return None;
    }
    let mut memory = Own::default();
    let mut code = [0; LONGEST];
    let length = memory.read_code(address, &mut code);
    let code = code.get(..length).unwrap_or_default();
    let trap = classify(cause, code, Width::Bits64);
    let Registers { rsi, rdi, .. } = context.registers();
    let (operation, blocks, operands, fault) = match trap {
        None => return Some(Fault::Theirs),
        Some(Trap::Cpuid) => {
            if process.settings.trace.is_some() {
                stack::demand(context);
            }
            answer_cpuid(process, context);
            COUNTS.count_cpuid();
            ("cpuid", 0, None, None)
        }
        Some(Trap::PadLock(instruction)) => {
            stack::demand(context);
            let (blocks, outcome) = step(process, instruction, address, &mut memory, context);
            if outcome == Outcome::Undefined {
                context.set_address(stands);
                return Some(Fault::Theirs);
            }
            if cause == Signal::IllegalInstruction && code.first() == Some(&REP) {
                plant(address);
            }
            COUNTS.count(instruction.operation, blocks);
            let fault = fault_of(outcome, memory.refusal(), context);
            (instruction.operation.name(), blocks, Some([rsi, rdi]), fault)
        }
    };
    if let Some(path) = process.settings.trace {
        report::trace(path, name, address, operation, blocks, operands);
    }
    fault
}

fn answer_cpuid(process: &Process, context: &mut Context<'_>) {
    let mut registers = context.registers();
    let (leaf, subleaf) = (registers.rax as u32, registers.rcx as u32);
    let real = cpuid::ask(leaf, subleaf);
    let [rax, rbx, rcx, rdx] = process.cpu.cpuid(leaf, subleaf, real).map(u64::from);
    registers = Registers { rax, rbx, rcx, rdx, ..registers };
    context.set_registers(&registers);
    context.set_address(context.address() + CPUID.len() as u64);
}

/// Carries out an instruction as far as it comes: how many blocks it processed, and how it ended.
fn step(
    process: &Process,
    instruction: Instruction,
    address: u64,
    memory: &mut Own,
    context: &mut Context<'_>,
) -> (u64, Outcome) {
    let mut registers = context.registers();
    let mut blocks = 0;
    let (cpu, width) = (&process.cpu, Width::Bits64);
    let outcome = cpu.step(instruction, width, &mut registers, memory, &mut Kernel, &mut blocks);
    context.set_registers(&registers);
    // What is not done stands at the instruction, also if a breakpoint was what stopped it.
    let done = if outcome == Outcome::Done { instruction.length as u64 } else { 0 };
    context.set_address(address + done);
    (blocks, outcome)
}

/// What the program gets for an instruction that ended so.
fn fault_of(
    outcome: Outcome,
    refusal: Option<Refusal>,
    context: &mut Context<'_>,
) -> Option<Fault> {
    let general_protection = Refusal { signal: libc::SIGSEGV, code: SI_KERNEL };
    match (outcome, refusal) {
        (Outcome::PageFault(fault), Some(refusal)) if refusal != general_protection => {
            /// Bits of a page fault's error code: the page is there, it was to be written, by a program.
            const PRESENT: u64 = 1;
            const WRITE: u64 = 2;
            const USER: u64 = 4;
            let write = if fault.write { WRITE } else { 0 };
            let present = if refusal.code == SEGV_ACCERR { PRESENT } else { 0 };
            context.set_exception(PAGE_FAULT, USER | write | present, fault.address);
            Some(raised(refusal.signal, refusal.code, fault.address))
        }
        // An address that no memory can have (not canonical) raises #GP too.
        (Outcome::GeneralProtection | Outcome::PageFault(_), _) => {
            context.set_exception(GENERAL_PROTECTION, 0, 0);
            Some(raised(libc::SIGSEGV, SI_KERNEL, 0))
        }
        (Outcome::Done | Outcome::Interrupted | Outcome::Undefined, _) => None,
    }
}

/// A signal as the kernel makes it for an exception.
fn raised(signal: c_int, code: c_int, address: u64) -> Fault {
    /// The head of `siginfo_t` for faults, asm-generic/siginfo.h.
    #[repr(C)]
    struct Head {
        signal: c_int,
        error: c_int,
        code: c_int,
        address: u64,
    }
    // SAFETY: a structure of numbers.
    let mut information: siginfo_t = unsafe { mem::zeroed() };
    let head = Head { signal, error: 0, code, address };
    // SAFETY: `siginfo_t` begins with this, is larger, and aligned alike.
    unsafe { ptr::from_mut(&mut information).cast::<Head>().write(head) };
    Fault::Raised { signal, information }
}

/// Whether places are left as they are: planting failed once, and would fail again.
static CANNOT_PLANT: AtomicBool = AtomicBool::new(false);

/// Leaves all places as they are.
pub(crate) fn plant_nothing() {
    CANNOT_PLANT.store(true, Relaxed);
}

/// Writes `int3` over the REP of an instruction that trapped by #UD. In a virtual machine that
/// traps in a sixth of the time, because the hypervisor looks at each #UD first; elsewhere in the
/// same time.
///
/// Only in the code of objects, which nobody writes again as compilers at run time may do with
/// theirs.
fn plant(address: u64) {
    if !CANNOT_PLANT.load(Relaxed) && objects::containing(address).is_some() {
        let planted = Code::open().is_some_and(|code| code.write(address, &[INT3]));
        CANNOT_PLANT.store(!planted, Relaxed);
    }
}

/// xstore's bytes, from the kernel.
struct Kernel;

impl Random for Kernel {
    fn fill(&mut self, into: &mut [u8]) {
        let mut done = 0;
        while let Some(rest) = into.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let (bytes, length) = (rest.as_mut_ptr(), rest.len());
            // SAFETY: the kernel fills at most the slice.
            let count = unsafe { libc::syscall(libc::SYS_getrandom, bytes, length, 0) };
            // It fails only when a signal comes before the kernel has gathered its first entropy.
            done += usize::try_from(count).unwrap_or(0);
        }
    }
}

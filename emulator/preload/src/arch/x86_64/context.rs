//! The registers of the interrupted program, as the kernel hands them to a signal handler and takes
//! them back.

use libc::{c_int, ucontext_t};
use padlock_emulator::Registers;

/// An interrupted program.
#[derive(Debug)]
pub(crate) struct Context<'signal>(&'signal mut ucontext_t);

impl<'signal> Context<'signal> {
    pub(crate) const fn new(context: &'signal mut ucontext_t) -> Self {
        Self(context)
    }

    pub(crate) const fn as_ptr(&mut self) -> *mut ucontext_t {
        self.0
    }

    /// The alternate stack for signals: where it begins, and its size, zero if there is none.
    pub(crate) fn alternate_stack(&self) -> (u64, u64) {
        (self.0.uc_stack.ss_sp.addr() as u64, self.0.uc_stack.ss_size as u64)
    }

    fn register(&self, which: c_int) -> u64 {
        // The index is one of libc's own constants, all of which fit.
        self.0.uc_mcontext.gregs.get(which as usize).map_or(0, |value| value.cast_unsigned())
    }

    fn set_register(&mut self, which: c_int, value: u64) {
        if let Some(register) = self.0.uc_mcontext.gregs.get_mut(which as usize) {
            *register = value.cast_signed();
        }
    }

    /// Where the program stands.
    pub(crate) fn address(&self) -> u64 {
        self.register(libc::REG_RIP)
    }

    /// Lets the program go on elsewhere.
    pub(crate) fn set_address(&mut self, address: u64) {
        self.set_register(libc::REG_RIP, address);
    }

    pub(crate) fn stack(&self) -> u64 {
        self.register(libc::REG_RSP)
    }

    pub(crate) fn set_stack(&mut self, address: u64) {
        self.set_register(libc::REG_RSP, address);
    }

    pub(crate) fn registers(&self) -> Registers {
        Registers {
            rax: self.register(libc::REG_RAX),
            rbx: self.register(libc::REG_RBX),
            rcx: self.register(libc::REG_RCX),
            rdx: self.register(libc::REG_RDX),
            rsi: self.register(libc::REG_RSI),
            rdi: self.register(libc::REG_RDI),
        }
    }

    pub(crate) fn set_registers(&mut self, registers: &Registers) {
        self.set_register(libc::REG_RAX, registers.rax);
        self.set_register(libc::REG_RBX, registers.rbx);
        self.set_register(libc::REG_RCX, registers.rcx);
        self.set_register(libc::REG_RDX, registers.rdx);
        self.set_register(libc::REG_RSI, registers.rsi);
        self.set_register(libc::REG_RDI, registers.rdi);
    }

    /// What the CPU tells about an exception: its number, its error code, and the address of a page
    /// fault.
    pub(crate) fn set_exception(&mut self, number: u64, error: u64, address: u64) {
        self.set_register(libc::REG_TRAPNO, number);
        self.set_register(libc::REG_ERR, error);
        self.set_register(libc::REG_CR2, address);
    }

    /// Lets a signal through as soon as the handler returns.
    pub(crate) fn unblock(&mut self, signal: c_int) {
        // SAFETY: the set is the context's own.
        unsafe { libc::sigdelset(&raw mut self.0.uc_sigmask, signal) };
    }
}

//! How CPUID is brought to trap: by the kernel, or by rewriting it wherever code is mapped.

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use padlock_emulator::Width;
use padlock_runner::{REWRITTEN_CPUID, find_cpuid};

use super::filter;
use super::injection::{self, ARCH_PRCTL};
use super::mappings;
use super::thread::{Resume, Thread, width};
use crate::arch::x86_64::system::ARCH_SET_CPUID;

/// How CPUID traps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cpuid {
    /// The kernel makes it fault, until the next exec.
    Faults,
    /// It is rewritten in code that is mapped.
    Rewritten {
        /// Whether a filter stops the program where code is mapped; every system call is looked at otherwise.
        filtered: bool,
    },
}

impl Cpuid {
    /// How threads go on where nothing else is said.
    pub(crate) const fn resume(self) -> Resume {
        match self {
            Self::Rewritten { filtered: false } => Resume::ToSystemCall,
            _ => Resume::Freely,
        }
    }

    /// The signal that CPUID brings.
    pub(crate) const fn signal(self) -> &'static str {
        match self {
            Self::Faults => "SIGSEGV",
            Self::Rewritten { .. } => "SIGILL",
        }
    }

    /// A new program stands before its first instruction, still inside execve(2).
    pub(crate) fn after_exec(self, thread: Thread) -> io::Result<Resume> {
        match self {
            // Registers are ours only when execve has returned.
            Self::Faults => Ok(Resume::ToSystemCall),
            Self::Rewritten { .. } => {
                rewrite(thread, 0..u64::MAX)?;
                Ok(self.resume())
            }
        }
    }

    /// The thread stands before or behind a system call.
    pub(crate) fn at_system_call(self, thread: Thread) -> io::Result<()> {
        match self {
            // Only behind execve does it stop there; it has one thread then.
            Self::Faults => match injection::call(thread, ARCH_PRCTL, [ARCH_SET_CPUID, 0])? {
                0 => Ok(()),
                error => Err(io::Error::other(format!("arch_prctl in a program: {error}"))),
            },
            Self::Rewritten { .. } => match made_executable(thread)? {
                Some(addresses) => rewrite(thread, addresses),
                None => Ok(()),
            },
        }
    }
}

/// The memory that the system call which the thread stands behind may have made executable.
fn made_executable(thread: Thread) -> io::Result<Option<Range<u64>>> {
    let registers = thread.registers()?;
    let is_32_bit = width(&registers) == Width::Bits32;
    if !filter::knows(registers.orig_rax, is_32_bit) {
        return Ok(None);
    }
    let (result, address, length, protection) = if is_32_bit {
        let low = |register: u64| register & u64::from(u32::MAX);
        let result = i64::from((registers.rax as u32).cast_signed());
        (result, low(registers.rbx), low(registers.rcx), registers.rdx)
    } else {
        (registers.rax.cast_signed(), registers.rdi, registers.rsi, registers.rdx)
    };
    // Before a call the result is ENOSYS.
    if (-4095..0).contains(&result) || protection & libc::PROT_EXEC as u64 == 0 {
        return Ok(None);
    }
    // mmap returns where, mprotect returns 0 and was told where.
    let start = match (result, is_32_bit) {
        (0, _) => address,
        (_, true) => registers.rax & u64::from(u32::MAX),
        (_, false) => registers.rax,
    };
    Ok(Some(start..start.saturating_add(length)))
}

/// Rewrites every CPUID in the executable mappings of these addresses; an error if one resisted.
fn rewrite(thread: Thread, addresses: Range<u64>) -> io::Result<()> {
    let memory = thread.memory_file()?;
    let width = width(&thread.registers()?);
    let mut rewritten = Ok(());
    for mapping in mappings::of(thread)? {
        let start = mapping.addresses.start.max(addresses.start);
        let end = mapping.addresses.end.min(addresses.end);
        if start >= end || !mapping.executable || mapping.is_the_kernels() {
            continue;
        }
        let mut code = vec![0; (end - start) as usize];
        // Beyond the end of its file a mapping has no pages.
        let length = thread.read_code(start, &mut code);
        let mut places = Vec::new();
        find_cpuid(&code[..length], width, |at| places.push(start + at as u64));
        for place in places {
            // Not so memory that is shared with others.
            rewritten = rewritten.and(memory.write_all_at(&REWRITTEN_CPUID, place));
        }
    }
    rewritten
}

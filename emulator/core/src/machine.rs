//! What every instruction works with: registers at the width of addresses, checked memory, and the way
//! to come as far as memory and interrupts allow.

use crate::{Memory, Options, Outcome, Registers};

/// What an instruction has at hand while it runs.
pub(crate) struct Machine<'a> {
    pub(crate) options: &'a Options,
    /// Cut to the width of addresses.
    pub(crate) registers: Registers,
    pub(crate) memory: Space<'a>,
    blocks: &'a mut u64,
    before: Registers,
}

/// How far an operation came, and how that ended.
pub(crate) struct Progress {
    /// Units of work that were done.
    pub(crate) done: u64,
    pub(crate) ended: Result<(), Outcome>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        options: &'a Options,
        limit: u64,
        registers: Registers,
        memory: &'a mut dyn Memory,
        blocks: &'a mut u64,
    ) -> Self {
        let registers = cut(registers, limit);
        Self { options, registers, memory: Space { memory, limit }, blocks, before: registers }
    }

    /// All ones at the width of addresses.
    pub(crate) fn all_ones(&self) -> u64 {
        self.memory.limit
    }

    /// Hands the registers that changed back to the program. Like every 32-bit result on x86, one is
    /// extended by zeros.
    pub(crate) fn write_back(self, registers: &mut Registers) {
        let after = cut(self.registers, self.memory.limit);
        let old = self.before;
        let update = |register: &mut u64, old: u64, new: u64| {
            if old != new {
                *register = new;
            }
        };
        update(&mut registers.rax, old.rax, after.rax);
        update(&mut registers.rbx, old.rbx, after.rbx);
        update(&mut registers.rcx, old.rcx, after.rcx);
        update(&mut registers.rdx, old.rdx, after.rdx);
        update(&mut registers.rsi, old.rsi, after.rsi);
        update(&mut registers.rdi, old.rdi, after.rdi);
    }

    /// Does `total` units of work until a fault or an interrupt: up to `at_once` of them in one go.
    ///
    /// `work(memory, done, count)` must do all `count` units that follow the first `done` ones, or fail
    /// and change nothing. Where many fail together they are tried fewer at a time, so that all units
    /// in front of the one that faults are done, as on hardware.
    pub(crate) fn advance(
        &mut self,
        total: u64,
        at_once: usize,
        mut work: impl FnMut(&mut Space<'a>, u64, usize) -> Result<(), Outcome>,
    ) -> Progress {
        let allowed = self.options.interrupt_every.map_or(total, |every| total.min(every.get()));
        let mut done = 0;
        let mut most = at_once;
        let ended = loop {
            if done == allowed {
                break if done == total { Ok(()) } else { Err(Outcome::Interrupted) };
            }
            let count = usize::try_from(allowed - done).map_or(most, |left| left.min(most));
            match work(&mut self.memory, done, count) {
                Ok(()) => done += count as u64,
                Err(fault) if count == 1 => break Err(fault),
                Err(_) => most = count / 2,
            }
        };
        *self.blocks += done;
        Progress { done, ended }
    }
}

fn cut(registers: Registers, limit: u64) -> Registers {
    let Registers { rax, rbx, rcx, rdx, rsi, rdi } = registers;
    Registers {
        rax: rax & limit,
        rbx: rbx & limit,
        rcx: rcx & limit,
        rdx: rdx & limit,
        rsi: rsi & limit,
        rdi: rdi & limit,
    }
}

/// The address space: memory, and what is no address at all.
pub(crate) struct Space<'a> {
    memory: &'a mut dyn Memory,
    /// The highest address that registers can hold.
    limit: u64,
}

impl Space<'_> {
    /// Reads `into.len()` bytes. None can be read anywhere: also behind the end of memory.
    pub(crate) fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), Outcome> {
        if into.is_empty() {
            return Ok(());
        }
        let address = self.checked(address, into.len())?;
        self.memory.read(address, into).map_err(Outcome::PageFault)
    }

    /// Writes `bytes`, of which there is at least one.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Outcome> {
        let address = self.checked(address, bytes.len())?;
        self.memory.write(address, bytes).map_err(Outcome::PageFault)
    }

    /// The bytes at `address`, of a number that the type says.
    pub(crate) fn bytes<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Outcome> {
        let mut bytes = [0; N];
        self.read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// The 32-bit word at `address`.
    pub(crate) fn word(&mut self, address: u64) -> Result<u32, Outcome> {
        self.bytes(address).map(u32::from_le_bytes)
    }

    /// #GP(0) for what wraps around the top of memory or is not canonical (48 bits, as all these CPUs
    /// have).
    fn checked(&self, address: u64, length: usize) -> Result<u64, Outcome> {
        const HALF: u64 = 1 << 47;
        let first = address & self.limit;
        let last = first.checked_add(length as u64 - 1);
        match last.filter(|&last| last <= self.limit) {
            Some(last) if last < HALF || first >= HALF.wrapping_neg() => Ok(first),
            _ => Err(Outcome::GeneralProtection),
        }
    }
}

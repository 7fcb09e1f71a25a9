//! The CPU that is emulated: its options, and the step that carries out one instruction.

use core::num::NonZeroU64;

use crate::machine::Machine;
use crate::{Flaw, Instruction, Memory, Model, Operation, PageFault, Random, Registers, Width};
use crate::{ccs, montmul, xcrypt, xsha, xstore};

/// How the emulated CPU behaves where models and users differ.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The model.
    pub model: Model,
    /// CPUID hides AES-NI, PCLMULQDQ, SSSE3, SHA-NI, AVX and what is above, so that programs take PadLock.
    pub hide_aesni: bool,
    /// Faults exactly where the documents say so: alignment, reserved bits of the control word.
    pub strict: bool,
    /// CBC and CFB encryption also store the last block where the IV was.
    pub iv_writeback: bool,
    /// An interrupt arrives after so many blocks: the step ends early, registers show how far it came.
    pub interrupt_every: Option<NonZeroU64>,
    /// A unit that computes wrongly. Release builds do not heed it.
    pub wrong: Option<Flaw>,
}

impl Options {
    /// A faithful and lenient CPU of this model.
    pub const fn new(model: Model) -> Self {
        Self {
            model,
            hide_aesni: false,
            strict: false,
            iv_writeback: false,
            interrupt_every: None,
            wrong: None,
        }
    }
}

/// How a step ended. Registers always say how far the instruction came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Carried out; the program goes on behind the instruction.
    Done,
    /// Interrupted between two blocks; the same instruction goes on from the registers.
    Interrupted,
    /// #PF: SIGSEGV with this address.
    PageFault(PageFault),
    /// #GP(0): SIGSEGV without an address.
    GeneralProtection,
    /// #UD: SIGILL. This model has no such instruction.
    Undefined,
}

/// An emulated CPU.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    options: Options,
}

impl Cpu {
    /// A CPU of these options.
    pub const fn new(options: Options) -> Self {
        Self { options }
    }

    /// The options.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Carries out one instruction as far as it comes. `blocks` counts what was processed.
    pub fn step(
        &self,
        instruction: Instruction,
        width: Width,
        registers: &mut Registers,
        memory: &mut dyn Memory,
        random: &mut dyn Random,
        blocks: &mut u64,
    ) -> Outcome {
        let Instruction { operation, repeated, address_size, .. } = instruction;
        if !self.options.model.has(operation) {
            return Outcome::Undefined;
        }
        // The functions below are not inlined: their buffers would all be on the stack together.
        // 67h in 32-bit code is ignored (U3).
        let narrow = width == Width::Bits32 || address_size;
        let limit = if narrow { u64::from(u32::MAX) } else { u64::MAX };
        let mut machine = Machine::new(&self.options, limit, *registers, memory, blocks);
        let ended = match operation {
            Operation::Xstore => xstore::run(&mut machine, random, repeated),
            Operation::XcryptEcb
            | Operation::XcryptCbc
            | Operation::XcryptCtr
            | Operation::XcryptCfb
            | Operation::XcryptOfb => xcrypt::run(&mut machine, operation),
            Operation::Montmul => montmul::run(&mut machine),
            Operation::Xsha1 | Operation::Xsha256 | Operation::Xsha384 | Operation::Xsha512 => {
                xsha::run(&mut machine, operation)
            }
            Operation::Sm3 => ccs::hash(&mut machine),
            Operation::Sm4 => ccs::cipher(&mut machine),
        };
        machine.write_back(registers);
        match ended {
            Ok(()) => Outcome::Done,
            Err(outcome) => outcome,
        }
    }
}

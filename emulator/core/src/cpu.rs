//! The CPU that is emulated: its model, and the step that carries out one instruction.

use core::num::NonZeroU64;

use crate::{Instruction, Memory, PageFault, Random, Registers, Width};

/// A family of CPUs with PadLock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// VIA C3 Nehemiah, stepping 8: RNG and ACE.
    C3,
    /// VIA C7 Esther: ACE2, PHE (one-shot) and PMM as well.
    C7,
    /// VIA Nano: 64-bit, partial hashes.
    Nano,
    /// Zhaoxin KX: PHE2 and CCS (SM3, SM4) as well.
    Zhaoxin,
}

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

    /// What CPUID answers: EAX, EBX, ECX, EDX, where the real CPU says `real`.
    pub fn cpuid(&self, leaf: u32, subleaf: u32, real: [u32; 4]) -> [u32; 4] {
        let _ = (leaf, subleaf);
        real
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
        let _ = (instruction, width, registers, memory, random, blocks);
        Outcome::Undefined
    }
}

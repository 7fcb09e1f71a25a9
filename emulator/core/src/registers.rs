//! What an instruction works on: registers, memory, and a source of random bytes.

/// The operand width of the code that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A 32-bit program: upper halves of registers are ignored.
    Bits32,
    /// A 64-bit program.
    Bits64,
}

/// The registers that PadLock's instructions read and write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// IV pointer, status of xstore, progress of xsha.
    pub rax: u64,
    /// Key pointer.
    pub rbx: u64,
    /// Blocks or bytes left.
    pub rcx: u64,
    /// Control word pointer, quality factor of xstore.
    pub rdx: u64,
    /// Source.
    pub rsi: u64,
    /// Destination, or state.
    pub rdi: u64,
}

/// An access that memory refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageFault {
    /// The first byte that cannot be accessed.
    pub address: u64,
    /// Whether it was to be written.
    pub write: bool,
}

/// The memory of the program.
///
/// An access is all or nothing: one that fails has changed nothing.
pub trait Memory {
    /// Reads `into.len()` bytes.
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), PageFault>;
    /// Writes `bytes`.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), PageFault>;
}

/// Where xstore's bytes come from.
pub trait Random {
    /// Fills `into`.
    fn fill(&mut self, into: &mut [u8]);
}

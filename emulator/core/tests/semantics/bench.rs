//! A program to run instructions in: registers, and memory in regions with gaps between them.

use padlock_emulator::{
    Cpu, Instruction, Memory, Model, Operation, Options, Outcome, PageFault, Random, Registers,
    Width,
};

/// Where regions begin. Each has as much room as anyone needs, and a gap behind it.
const FIRST_REGION: u64 = 0x1_0000;
const APART: u64 = 0x10_0000;

#[derive(Clone)]
struct Region {
    start: u64,
    bytes: Vec<u8>,
    writable: bool,
}

impl Region {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

/// Memory where nothing but regions can be accessed.
#[derive(Clone, Default)]
pub(crate) struct Regions {
    regions: Vec<Region>,
    /// Accesses that were refused.
    pub(crate) refused: usize,
}

impl Regions {
    /// Puts bytes somewhere, so that the byte behind them cannot be accessed.
    pub(crate) fn place(&mut self, bytes: &[u8]) -> u64 {
        self.place_at_offset(bytes, 0)
    }

    /// The same at an address that is `offset` modulo 64.
    pub(crate) fn place_at_offset(&mut self, bytes: &[u8], offset: u64) -> u64 {
        let start = FIRST_REGION + APART * self.regions.len() as u64 + offset;
        self.place_at(start, bytes);
        start
    }

    pub(crate) fn place_at(&mut self, start: u64, bytes: &[u8]) {
        self.regions.push(Region { start, bytes: bytes.to_vec(), writable: true });
    }

    /// Lets nobody write to the region at `start` any more.
    pub(crate) fn protect(&mut self, start: u64) {
        self.region(start).expect("a region").writable = false;
    }

    /// Makes the region at `start` longer by `bytes`.
    pub(crate) fn extend(&mut self, start: u64, bytes: &[u8]) {
        let region = self.regions.iter_mut().find(|region| region.start == start);
        region.expect("a region").bytes.extend(bytes);
    }

    /// Makes the region at `start` end after `length` bytes; what is cut off.
    pub(crate) fn cut(&mut self, start: u64, length: usize) -> Vec<u8> {
        self.region(start).expect("a region").bytes.split_off(length)
    }

    /// The bytes at `start`.
    pub(crate) fn bytes(&mut self, start: u64, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.access(start, length, false).map(|there| bytes.copy_from_slice(there)).expect("bytes");
        bytes
    }

    fn region(&mut self, address: u64) -> Option<&mut Region> {
        self.regions.iter_mut().find(|region| (region.start..region.end()).contains(&address))
    }

    fn access(&mut self, address: u64, length: usize, write: bool) -> Result<&mut [u8], PageFault> {
        let allows = |region: &&mut Region| {
            (region.start..region.end()).contains(&address) && (region.writable || !write)
        };
        let Some(region) = self.regions.iter_mut().find(allows) else {
            self.refused += 1;
            return Err(PageFault { address, write });
        };
        let offset = (address - region.start) as usize;
        if region.bytes.len() - offset < length {
            self.refused += 1;
            return Err(PageFault { address: region.end(), write });
        }
        Ok(&mut region.bytes[offset..offset + length])
    }
}

impl Memory for Regions {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), PageFault> {
        into.copy_from_slice(self.access(address, into.len(), false)?);
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), PageFault> {
        self.access(address, bytes.len(), true)?.copy_from_slice(bytes);
        Ok(())
    }
}

/// Bytes that are not random at all.
pub(crate) struct Counting(pub(crate) u8);

impl Random for Counting {
    fn fill(&mut self, into: &mut [u8]) {
        for byte in into {
            self.0 = self.0.wrapping_add(1);
            *byte = self.0;
        }
    }
}

/// A program on an emulated CPU.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) options: Options,
    pub(crate) width: Width,
    pub(crate) registers: Registers,
    pub(crate) memory: Regions,
    pub(crate) blocks: u64,
}

impl Program {
    pub(crate) fn new(model: Model) -> Self {
        Self {
            options: Options::new(model),
            width: Width::Bits64,
            registers: Registers::default(),
            memory: Regions::default(),
            blocks: 0,
        }
    }

    /// One step of an instruction with REP, and with 67h if it needs that.
    pub(crate) fn step(&mut self, operation: Operation) -> Outcome {
        let address_size = operation == Operation::Montmul && self.width == Width::Bits64;
        self.step_as(Instruction { operation, repeated: true, address_size, length: 4 })
    }

    pub(crate) fn step_as(&mut self, instruction: Instruction) -> Outcome {
        Cpu::new(self.options).step(
            instruction,
            self.width,
            &mut self.registers,
            &mut self.memory,
            &mut Counting(0),
            &mut self.blocks,
        )
    }

    /// Steps until nothing interrupts any more; how often something did.
    pub(crate) fn finish(&mut self, operation: Operation) -> (Outcome, usize) {
        let mut interrupts = 0;
        loop {
            match self.step(operation) {
                Outcome::Interrupted => interrupts += 1,
                outcome => return (outcome, interrupts),
            }
        }
    }
}

/// All of something, or for Miri, to which everything takes long, only what it needs to have seen the code.
pub(crate) fn reduced<T>(
    all: impl IntoIterator<Item = T>,
    for_miri: impl Fn(&T) -> bool,
) -> Vec<T> {
    all.into_iter().filter(|case| !cfg!(miri) || for_miri(case)).collect()
}

/// Bytes that differ from their neighbours and from one another's blocks.
pub(crate) fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8 ^ (at / 251) as u8).collect()
}

/// Bytes written as hexadecimal digits.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).expect("a digit") as u8;
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

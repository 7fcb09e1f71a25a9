//! Any registers and any memory are worked on without a panic and without end, and nothing changes but
//! what the instruction may change; strict mode faults for what is documented, and for nothing else.

#![no_main]

use std::num::NonZeroU64;
use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use padlock_emulator::{
    Cpu, Instruction, Memory, Model, Operation, Options, Outcome, PageFault, Random, Registers,
    Width,
};

/// Where the memory is. Its second half cannot be written.
const START: u64 = 0x1_0000;

/// No instruction needs more accesses to so little memory: the longest montmul comes near.
const MOST_ACCESSES: usize = 300_000;

const MODELS: [Model; 4] = [Model::C3, Model::C7, Model::Nano, Model::Zhaoxin];

#[derive(Clone)]
struct Window {
    bytes: Vec<u8>,
    accesses: usize,
}

impl Window {
    fn access(&mut self, address: u64, length: usize, write: bool) -> Result<Range<usize>, PageFault> {
        assert_ne!(length, 0, "an access of nothing");
        self.accesses += 1;
        assert!(self.accesses < MOST_ACCESSES, "no end in sight");
        let end = if write { self.bytes.len() / 2 } else { self.bytes.len() };
        let offset = address.checked_sub(START).and_then(|offset| usize::try_from(offset).ok());
        match offset.filter(|&offset| offset < end) {
            Some(offset) if end - offset >= length => Ok(offset..offset + length),
            Some(_) => Err(PageFault { address: START + end as u64, write }),
            None => Err(PageFault { address, write }),
        }
    }
}

impl Memory for Window {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), PageFault> {
        let range = self.access(address, into.len(), false)?;
        into.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), PageFault> {
        let range = self.access(address, bytes.len(), true)?;
        self.bytes[range].copy_from_slice(bytes);
        Ok(())
    }
}

struct Constant;

impl Random for Constant {
    fn fill(&mut self, into: &mut [u8]) {
        into.fill(0xa5);
    }
}

/// A register: most of the time near the memory, sometimes anything.
fn register(bytes: [u8; 8]) -> u64 {
    let value = u64::from_le_bytes(bytes);
    match bytes[7] {
        0..0xa0 => START + (value & 0x3fff),
        0xa0..0xd0 => value & 0x3f,
        0xd0..0xe0 => u64::MAX - (value & 0x3f),
        _ => value,
    }
}

/// Whether xcrypt must raise #GP(0) in strict mode: docs/padlock.md, U9 and U13.
fn strict_faults(model: Model, operation: Operation, registers: &Registers, control: u128) -> bool {
    let misaligned = |address: u64| address % 16 != 0;
    let c3 = model == Model::C3;
    let reserved = control >> 12 != 0
        || control >> 6 & 1 != 0
        || c3 && control >> 4 & 3 != 0
        || control >> 10 & 3 == 3;
    let aligns = matches!(model, Model::Nano | Model::Zhaoxin) || control >> 5 & 1 != 0;
    let goes_on = registers.rax == registers.rdi.wrapping_sub(16);
    reserved
        || misaligned(registers.rdx)
        || misaligned(registers.rbx)
        || operation != Operation::XcryptEcb && !goes_on && misaligned(registers.rax)
        || !aligns && (misaligned(registers.rsi) || misaligned(registers.rdi))
}

fuzz_target!(|data: &[u8]| {
    let Some((header, bytes)) = data.split_at_checked(56) else { return };
    let (words, _) = header.as_chunks::<8>();
    let &[[model, operation, flags, every, ..], rax, rbx, rcx, rdx, rsi, rdi] = words else {
        return;
    };
    let model = MODELS[usize::from(model) % MODELS.len()];
    let operation = Operation::ALL[usize::from(operation) % Operation::ALL.len()];
    let options = Options {
        strict: flags & 1 != 0,
        iv_writeback: flags & 2 != 0,
        interrupt_every: NonZeroU64::new(every.into()),
        ..Options::new(model)
    };
    let width = if flags & 4 != 0 { Width::Bits32 } else { Width::Bits64 };
    let instruction = Instruction {
        operation,
        repeated: flags & 8 == 0,
        address_size: flags & 16 != 0,
        length: 4,
    };
    let [rax, rbx, rcx, rdx, rsi, rdi] = [rax, rbx, rcx, rdx, rsi, rdi].map(register);
    let before = Registers { rax, rbx, rcx, rdx, rsi, rdi };
    let mut memory = Window { bytes: bytes.to_vec(), accesses: 0 };
    let unchanged = memory.clone();
    let mut registers = before;
    let mut blocks = 0;
    let cpu = Cpu::new(options);
    let outcome =
        cpu.step(instruction, width, &mut registers, &mut memory, &mut Constant, &mut blocks);

    assert_eq!((registers.rbx, registers.rdx), (before.rbx, before.rdx));
    if let Some(every) = options.interrupt_every {
        assert!(blocks <= every.get());
    }
    if outcome == Outcome::Interrupted {
        assert_eq!(Some(blocks), options.interrupt_every.map(NonZeroU64::get));
    }
    if matches!(outcome, Outcome::GeneralProtection | Outcome::Undefined) && blocks == 0 {
        assert_eq!((registers, &memory.bytes), (before, &unchanged.bytes));
    }

    // Destination and state, vectors; montmul's numbers are elsewhere.
    let near = |address: u64, length: u64| {
        let offset = (address & u64::from(u32::MAX)).wrapping_sub(START);
        offset..offset.saturating_add(length)
    };
    let may_change = [
        near(before.rdi, 64.max(registers.rdi.wrapping_sub(before.rdi))),
        near(before.rax, 16),
        near(before.rdx, 16),
    ];
    if operation != Operation::Montmul {
        for (at, (old, new)) in unchanged.bytes.iter().zip(&memory.bytes).enumerate() {
            let allowed = may_change.iter().any(|range| range.contains(&(at as u64)));
            assert!(old == new || allowed, "byte {at} changed");
        }
    }

    let is_xcrypt = operation.name().starts_with("xcrypt");
    let close = |value: u64| (START..START + 0x4000).contains(&value);
    let all_close = [rax, rbx, rdx, rsi, rdi].into_iter().all(close) && rcx < 0x40;
    let control = Window::access(&mut unchanged.clone(), rdx, 16, false)
        .map(|range| u128::from_le_bytes(unchanged.bytes[range].try_into().expect("16 bytes")));
    if let Ok(control) = control
        && is_xcrypt
        && options.strict
        && all_close
        && rcx != 0
        && outcome != Outcome::Undefined
    {
        let expected = strict_faults(model, operation, &before, control);
        assert_eq!(outcome == Outcome::GeneralProtection, expected);
    }
});

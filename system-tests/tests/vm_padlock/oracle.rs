//! Instructions in a program, through our module, against the emulator that says what they do: registers, memory
//! and faults.

use std::fs;

use padlock_emulator::{
    Cpu, Memory, Model, Operation, Options, Outcome, PageFault, Random, Registers, Width, decode,
};
use wirespeed_conformance::data::{painted, same};

use crate::crypto::{PARAMETERS, counter, growth, has_partial_hashes};
use crate::instruction::{Harness, Site};

const XSTORE: &[u8] = &[0x0f, 0xa7, 0xc0];
const REP_XSTORE: &[u8] = &[0xf3, 0x0f, 0xa7, 0xc0];
const ECB: &[u8] = &[0xf3, 0x0f, 0xa7, 0xc8];
const CBC: &[u8] = &[0xf3, 0x0f, 0xa7, 0xd0];
const CTR: &[u8] = &[0xf3, 0x0f, 0xa7, 0xd8];
const CFB: &[u8] = &[0xf3, 0x0f, 0xa7, 0xe0];
const OFB: &[u8] = &[0xf3, 0x0f, 0xa7, 0xe8];
const XSHA1: &[u8] = &[0xf3, 0x0f, 0xa6, 0xc8];
const XSHA256: &[u8] = &[0xf3, 0x0f, 0xa6, 0xd0];
/// What changes nothing, or the width of addresses (67h).
const PREFIXES: &[&[u8]] = &[&[], &[], &[0x67], &[0x3e], &[0x26, 0x67], &[0x2e]];

const PAGES: usize = 4;
const ROUNDS: u64 = 40;

/// Every mode of AES with any control word.
pub(crate) fn xcrypt() -> Result<(), String> {
    let mut comparison = Comparison::new()?;
    let ((), traps) = growth("user_traps", || {
        for mode in [ECB, CBC, CTR, CFB, OFB] {
            for round in 0..ROUNDS {
                let mut draw = Draw::new(round);
                let registers = encryption(&mut draw, &mut comparison.harness);
                comparison.run(mode, registers, &mut draw)?;
            }
        }
        Ok(())
    })?;
    if traps < 5 * ROUNDS { Err(format!("only {traps} instructions")) } else { Ok(()) }
}

/// Blocks, whole messages, and messages of which a part is hashed.
pub(crate) fn xsha() -> Result<(), String> {
    let mut comparison = Comparison::new()?;
    for hash in [XSHA1, XSHA256] {
        for round in 0..ROUNDS {
            let mut draw = Draw::new(round);
            let registers = hashing(&mut draw, &comparison.harness);
            comparison.run(hash, registers, &mut draw)?;
        }
    }
    Ok(())
}

/// Once and repeated, with every quality factor.
pub(crate) fn xstore() -> Result<(), String> {
    let mut comparison = Comparison::new()?;
    for instruction in [XSTORE, REP_XSTORE] {
        for round in 0..ROUNDS {
            let mut draw = Draw::new(round);
            let registers = Registers {
                rcx: draw.below(600),
                rdx: draw.any(),
                rdi: comparison.harness.address() + 0x800 + draw.below(64),
                ..draw.registers()
            };
            comparison.run(instruction, registers, &mut draw)?;
        }
    }
    Ok(())
}

/// All of that again, interrupted after every block and after every three.
pub(crate) fn interrupted() -> Result<(), String> {
    let file = format!("{PARAMETERS}/interrupt_every");
    let set = |every: u64| {
        fs::write(&file, every.to_string()).map_err(|error| format!("{file}: {error}"))
    };
    let usual = counter("interrupt_every")?;
    for every in [1, 3] {
        set(every)?;
        let ran = xcrypt().and_then(|()| xsha()).and_then(|()| xstore());
        set(usual)?;
        ran.map_err(|error| format!("interrupted every {every}: {error}"))?;
    }
    Ok(())
}

/// Memory that is not there, at every operand: the fault, and how far the instruction came.
pub(crate) fn faults() -> Result<(), String> {
    let mut comparison = Comparison::new()?;
    let ((), faults) = growth("faults", || {
        for round in 0..ROUNDS {
            for instruction in [ECB, CBC, CTR, CFB, OFB, XSHA1, XSHA256, XSTORE, REP_XSTORE] {
                let mut draw = Draw::new(round);
                let mut registers = match instruction {
                    XSHA1 | XSHA256 => hashing(&mut draw, &comparison.harness),
                    _ => encryption(&mut draw, &mut comparison.harness),
                };
                let begin = comparison.harness.address();
                let end = begin + (PAGES * 4096) as u64;
                // Into what follows the harness or what precedes it, to nothing, to what is no address.
                let bad = match draw.below(5) {
                    0..=1 => end - draw.below(300),
                    2 => begin - draw.below(40),
                    3 => draw.below(16),
                    _ => 1 << (47 + draw.below(16)),
                };
                match draw.below(7) {
                    0..=1 => registers.rsi = bad,
                    2..=3 => registers.rdi = bad,
                    4 => registers.rdx = bad,
                    5 => registers.rbx = bad,
                    _ => registers.rax = bad,
                }
                comparison.run(instruction, registers, &mut draw)?;
            }
        }
        Ok(())
    })?;
    if faults < 4 * ROUNDS { Err(format!("only {faults} faults")) } else { Ok(()) }
}

/// What this CPU has not, and what is no instruction: SIGILL, as without the module.
pub(crate) fn absent() -> Result<(), String> {
    let mut comparison = Comparison::new()?;
    let absent: [(&str, &[u8]); 7] = [
        ("xsha384", &[0xf3, 0x0f, 0xa6, 0xd8]),
        ("xsha512", &[0xf3, 0x0f, 0xa6, 0xe0]),
        ("sm3", &[0xf3, 0x0f, 0xa6, 0xe8]),
        ("sm4", &[0xf3, 0x0f, 0xa7, 0xf0]),
        ("xcryptecb without REP", &ECB[1..]),
        ("xcryptecb with REPNE", &[0xf2, 0x0f, 0xa7, 0xc8]),
        ("xcryptecb with an operand-size prefix", &[0x66, 0xf3, 0x0f, 0xa7, 0xc8]),
    ];
    for (name, instruction) in absent {
        let registers = encryption(&mut Draw::new(1), &mut comparison.harness);
        // SAFETY: it would write to the harness, of which nobody keeps a part.
        let (after, outcome) = unsafe { comparison.site.execute(instruction, registers) };
        if (after, outcome) != (registers, Outcome::Undefined) {
            return Err(format!("{name}: {outcome:?}"));
        }
    }
    Ok(())
}

/// Operands of xcrypt, anywhere in the harness but apart, or in place.
fn encryption(draw: &mut Draw, harness: &mut Harness) -> Registers {
    let begin = harness.address();
    let control_at = draw.below(64);
    let size = draw.below(3);
    // Mostly what clients ask for, and now and then any rounds, and a size that is none.
    let word = match draw.below(4) {
        0 => draw.any() & 0xfff,
        _ => (10 + 2 * size) | (size << 10) | (draw.any() & 0x2a0),
    };
    let bytes = &mut harness.bytes()[control_at as usize..][..16];
    bytes.fill(0);
    bytes[..8].copy_from_slice(&word.to_le_bytes());
    let source = begin + 0x1000 + draw.below(64);
    let apart = begin + 0x2800 + draw.below(64);
    Registers {
        rax: begin + 0x600 + draw.below(64),
        rbx: begin + 0x100 + draw.below(64),
        rcx: draw.below(300),
        rdx: begin + control_at,
        rsi: source,
        rdi: if draw.below(4) == 0 { source } else { apart },
    }
}

/// Operands of xsha.
fn hashing(draw: &mut Draw, harness: &Harness) -> Registers {
    let length = draw.below(1500);
    let (rax, rcx) = match draw.below(6) {
        0 => (0, length),
        1 => (64 * draw.below(40), length),
        2 => (64 * draw.below(1 << 20), 0),
        3 => (0, 0),
        4 => (64 * 3, 64 * 3 + length),
        _ => (u64::MAX, draw.below(40)),
    };
    let begin = harness.address();
    let (rsi, rdi) = (begin + 0x1000 + draw.below(64), begin + 0x100 + draw.below(64));
    Registers { rax, rcx, rsi, rdi, ..draw.registers() }
}

/// Numbers that are the same in every run.
struct Draw(std::vec::IntoIter<u8>);

impl Draw {
    fn new(seed: u64) -> Self {
        Self(painted(seed, 4096).into_iter())
    }

    fn any(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.0.next().expect("enough numbers")))
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.any() % limit
    }

    fn registers(&mut self) -> Registers {
        let mut any = || self.any();
        Registers { rax: any(), rbx: any(), rcx: any(), rdx: any(), rsi: any(), rdi: any() }
    }
}

/// The same instruction here and in the emulator.
struct Comparison {
    cpu: Cpu,
    site: Site,
    harness: Harness,
}

impl Comparison {
    fn new() -> Result<Self, String> {
        let model = if has_partial_hashes()? { Model::Nano } else { Model::C7 };
        let mut harness = Harness::new(PAGES)?;
        let bytes = harness.bytes();
        bytes.copy_from_slice(&painted(7, bytes.len()));
        Ok(Self { cpu: Cpu::new(Options::new(model)), site: Site::new()?, harness })
    }

    /// Compares one, in one of its spellings.
    fn run(
        &mut self,
        instruction: &[u8],
        mut before: Registers,
        draw: &mut Draw,
    ) -> Result<(), String> {
        let prefix = PREFIXES[draw.below(PREFIXES.len() as u64) as usize];
        let spelled = [prefix, instruction].concat();
        if prefix.contains(&0x67) {
            // Upper halves do not count.
            for register in [&mut before.rax, &mut before.rsi, &mut before.rdi, &mut before.rdx] {
                *register ^= draw.any() << 32;
            }
        }
        let start = self.harness.address();
        let mut shadow = Shadow { start, bytes: self.harness.bytes().to_vec() };
        // SAFETY: it writes to the harness, of which nobody keeps a part, or to pages that fault.
        let (after, outcome) = unsafe { self.site.execute(&spelled, before) };
        let decoded = decode(&spelled, Width::Bits64).ok_or("the emulator does not know it")?;
        let (mut right, mut random) = (before, Zeros);
        let step =
            self.cpu.step(decoded, Width::Bits64, &mut right, &mut shadow, &mut random, &mut 0);
        let what = || format!("{spelled:02x?} with {before:x?}");
        if (after, outcome) != (right, step) {
            return Err(format!(
                "{}: {outcome:x?} {after:x?}, the emulator: {step:x?} {right:x?}",
                what()
            ));
        }
        if decoded.operation == Operation::Xstore {
            // What was stored is the one thing that differs.
            let place = |address: u64| (address as u32).wrapping_sub(start as u32) as usize;
            let stored = place(before.rdi)..place(after.rdi);
            if let Some(random) = self.harness.bytes().get(stored.clone()) {
                shadow.bytes[stored].copy_from_slice(random);
            }
        }
        same(what, &shadow.bytes, self.harness.bytes())
    }
}

/// The harness's memory as the emulator may use it.
struct Shadow {
    start: u64,
    bytes: Vec<u8>,
}

impl Shadow {
    fn place(&mut self, address: u64, length: usize, write: bool) -> Result<&mut [u8], PageFault> {
        let end = self.start + self.bytes.len() as u64;
        if !(self.start..end).contains(&address) {
            return Err(PageFault { address, write });
        }
        let from = (address - self.start) as usize;
        self.bytes.get_mut(from..from + length).ok_or(PageFault { address: end, write })
    }
}

impl Memory for Shadow {
    fn read(&mut self, address: u64, into: &mut [u8]) -> Result<(), PageFault> {
        into.copy_from_slice(self.place(address, into.len(), false)?);
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), PageFault> {
        self.place(address, bytes.len(), true)?.copy_from_slice(bytes);
        Ok(())
    }
}

/// No random bytes.
struct Zeros;

impl Random for Zeros {
    fn fill(&mut self, into: &mut [u8]) {
        into.fill(0);
    }
}

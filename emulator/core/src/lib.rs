//! PadLock's instructions as safe code: decoded from bytes, carried out over registers and a memory.
//!
//! This is the oracle. Runners ([`padlock-run`](../../runner), its preload library) only bring registers,
//! memory and faults; what an instruction does is said here and nowhere else. What the documents leave
//! open is marked with a number such as U5, under which `docs/padlock.md` says what is assumed and why.
//!
//! It runs in signal handlers: it allocates nothing and needs less than 4 KiB of stack.
#![no_std]
#![forbid(unsafe_code)]

mod ccs;
mod cipher;
mod cpu;
mod cpuid;
mod decode;
mod flaw;
mod hash;
mod machine;
mod model;
mod montmul;
mod registers;
mod xcrypt;
mod xsha;
mod xstore;

pub use cpu::{Cpu, Options, Outcome};
pub use decode::{Instruction, LONGEST, Operation, decode};
pub use flaw::Flaw;
pub use model::Model;
pub use registers::{Memory, PageFault, Random, Registers, Width};

//! PadLock's instructions as safe code: decoded from bytes, carried out over registers and a memory.
//!
//! This is the oracle. Runners ([`padlock-run`](../../runner), its preload library) only bring registers,
//! memory and faults; what an instruction does is said here and nowhere else.
#![no_std]
#![forbid(unsafe_code)]

mod cpu;
mod decode;
mod registers;

pub use cpu::{Cpu, Model, Options, Outcome};
pub use decode::{Instruction, Operation, decode};
pub use registers::{Memory, PageFault, Random, Registers, Width};

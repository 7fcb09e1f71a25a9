//! xstore: how much it stores, and what it says about it.

use core::num::NonZeroU64;

use padlock_emulator::{Flaw, Instruction, Model, Operation, Outcome};

use crate::bench::{Program, reduced};

fn xstore(repeated: bool) -> Instruction {
    Instruction { operation: Operation::Xstore, repeated, address_size: false, length: 3 }
}

fn program(model: Model, divisor: u64, room: usize) -> Program {
    let mut program = Program::new(model);
    program.registers.rdx = divisor;
    program.registers.rcx = 0x77;
    program.registers.rdi = program.memory.place(&vec![0xcc; room]);
    program
}

#[test]
fn divisors_say_how_many_bytes_are_valid() {
    for model in [Model::C3, Model::C7, Model::Nano, Model::Zhaoxin] {
        for (divisor, stored) in [
            (0, &[1, 2, 3, 4, 5, 6, 7, 8][..]),
            (1, &[1, 2, 3, 4]),
            (2, &[1, 2, 0, 0]),
            (3, &[1, 0, 0, 0]),
            // strongSwan's constants.
            (0x10, &[1, 2, 3, 4, 5, 6, 7, 8]),
            (0x11, &[1, 2, 3, 4]),
            (0xffff_fffc, &[1, 2, 3, 4, 5, 6, 7, 8]),
        ] {
            let mut program = program(model, divisor, stored.len());
            let before = program.registers;
            assert_eq!(program.step_as(xstore(false)), Outcome::Done);
            assert_eq!(program.memory.bytes(before.rdi, stored.len()), stored);
            let valid = 8 >> (divisor & 3);
            let after = program.registers;
            assert_eq!(after.rdi, before.rdi + valid);
            assert_eq!(after.rax, 0x140 + valid);
            assert_eq!((after.rcx, after.rdx, after.rsi), (before.rcx, before.rdx, before.rsi));
            assert_eq!(program.blocks, 1);
        }
    }
}

#[test]
fn repeated_stores_fill_any_buffer_exactly() {
    for length in reduced(0..600, |length| length % 100 == 30) {
        for divisor in 0..4 {
            let mut program = program(Model::Zhaoxin, divisor, length);
            let to = program.registers.rdi;
            program.registers.rcx = length as u64;
            assert_eq!(program.step_as(xstore(true)), Outcome::Done);
            assert_eq!((program.registers.rcx, program.registers.rdi), (0, to + length as u64));
            let expected: Vec<_> = (1..=length).map(|count| count as u8).collect();
            if length > 0 {
                assert_eq!(program.memory.bytes(to, length), expected);
            }
            assert_eq!(program.memory.refused, 0);
        }
    }
}

#[test]
fn repeated_stores_are_interrupted_and_fault_between_stores() {
    let mut interrupted = program(Model::Zhaoxin, 0, 100);
    let to = interrupted.registers.rdi;
    interrupted.registers.rcx = 100;
    interrupted.options.interrupt_every = NonZeroU64::new(5);
    assert_eq!(interrupted.step_as(xstore(true)), Outcome::Interrupted);
    assert_eq!((interrupted.registers.rcx, interrupted.registers.rdi), (60, to + 40));
    assert_eq!(interrupted.step_as(xstore(true)), Outcome::Interrupted);
    assert_eq!(interrupted.step_as(xstore(true)), Outcome::Done);

    let mut short = program(Model::Zhaoxin, 1, 42);
    short.registers.rcx = 100;
    let outcome = short.step_as(xstore(true));
    assert!(
        matches!(outcome, Outcome::PageFault(fault) if fault.write && fault.address == to + 42)
    );
    assert_eq!((short.registers.rcx, short.registers.rdi), (60, to + 40));
}

#[test]
fn a_store_that_faults_changes_nothing() {
    for repeated in [false, true] {
        let mut program = program(Model::C3, 0, 7);
        let before = program.registers;
        assert!(matches!(program.step_as(xstore(repeated)), Outcome::PageFault(_)));
        assert_eq!(program.registers, before);
        assert_eq!(program.blocks, 0);
    }
}

#[test]
fn a_broken_generator_repeats_itself() {
    let mut program = program(Model::Nano, 0, 8);
    program.options.wrong = Some(Flaw::Xstore);
    assert_eq!(program.step_as(xstore(false)), Outcome::Done);
    let bytes = program.memory.bytes(program.registers.rdi - 8, 8);
    assert_eq!(bytes == [bytes[0]; 8], cfg!(debug_assertions));
}

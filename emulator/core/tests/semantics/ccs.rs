//! SM3, and what SM3 and SM4 refuse. SM4's results are tested with xcrypt's.

use padlock_emulator::{Model, Operation, Outcome};
use sm3::{Digest, Sm3};

use crate::bench::{Program, hex, pattern, reduced};
use crate::call::{Call, Cipher};

/// GB/T 32905-2016, section 4.1: in memory big-endian, as zhaoxin-gmi-sm3.c has it.
const BEGIN: &str = "7380166f4914b2b9172442d7da8a0600a96f30bc163138aae38dee4db0fb0e4e";

pub(crate) fn prepare(data: &[u8]) -> Program {
    let mut program = Program::new(Model::Zhaoxin);
    program.registers.rbx = 0x20;
    program.registers.rdi = program.memory.place(&hex(BEGIN));
    program.registers.rsi = program.memory.place(data);
    program
}

fn message(data: &[u8]) -> Program {
    let mut program = prepare(data);
    program.registers.rcx = data.len() as u64;
    assert_eq!(program.step(Operation::Sm3), Outcome::Done);
    program
}

/// GB/T 32905-2016, appendix A.
#[test]
fn the_standard_of_sm3_is_met() {
    for (data, result) in [
        (b"abc".to_vec(), "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
        (b"abcd".repeat(16), "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732"),
    ] {
        let mut program = message(&data);
        assert_eq!(program.memory.bytes(program.registers.rdi, 32), hex(result));
    }
}

#[test]
fn blocks_and_messages_of_every_length_are_hashed() {
    for length in reduced(1..700, |length| *length == 120) {
        let data = pattern(length);
        let expected = Sm3::digest(&data).to_vec();
        let mut whole = message(&data);
        assert_eq!(whole.memory.bytes(whole.registers.rdi, 32), expected, "{length}");

        let blocks = length as u64 / 64;
        let mut parts = prepare(&data);
        (parts.registers.rax, parts.registers.rcx) = (u64::MAX, blocks);
        assert_eq!(parts.step(Operation::Sm3), Outcome::Done);
        assert_eq!(parts.registers.rcx, 0);
        (parts.registers.rax, parts.registers.rcx) = (64 * blocks, length as u64);
        assert_eq!(parts.step(Operation::Sm3), Outcome::Done);
        assert_eq!(parts.memory.bytes(parts.registers.rdi, 32), expected, "{length}");
    }
}

#[test]
fn nothing_is_hashed_for_a_count_of_0() {
    for rax in [0, u64::MAX] {
        let mut program = prepare(&[]);
        program.registers.rax = rax;
        let before = program.registers;
        assert_eq!(program.step(Operation::Sm3), Outcome::Done);
        assert_eq!(program.registers, before);
        assert_eq!(program.memory.bytes(before.rdi, 32), hex(BEGIN));
    }
}

#[test]
fn unknown_functions_and_modes_are_refused() {
    let mut program = prepare(&pattern(64));
    program.registers.rbx = 0x10;
    program.registers.rcx = 1;
    assert_eq!(program.step(Operation::Sm3), Outcome::GeneralProtection);
    for word in [0x20, 0x20 | 0b11 << 6, 0x42, 0x60 | 0x10] {
        let mut prepared =
            Call::new(Cipher::Sm4, Operation::XcryptEcb, false, 1).prepare(Model::Zhaoxin);
        prepared.program.registers.rax = word;
        assert_eq!(prepared.step(), Outcome::GeneralProtection, "{word:#x}");
    }
}

#[test]
fn only_zhaoxin_has_them() {
    for model in [Model::C3, Model::C7, Model::Nano] {
        for operation in [Operation::Sm3, Operation::Sm4] {
            assert_eq!(Program::new(model).step(operation), Outcome::Undefined);
        }
    }
}

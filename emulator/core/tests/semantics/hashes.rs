//! xsha: whole messages, their parts, and blocks.

use padlock_emulator::{Model, Operation, Outcome, Width};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha384, Sha512};

use crate::bench::{Program, hex, pattern, reduced};

/// The values with which hashes begin (FIPS 180-4, section 5.3), as programs have them in memory.
pub(crate) fn begin(operation: Operation) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let long_words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    match operation {
        Operation::Xsha1 => {
            words(&[0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0])
        }
        Operation::Xsha256 => words(&[
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19,
        ]),
        Operation::Xsha384 => long_words(&[
            0xcbbb_9d5d_c105_9ed8,
            0x629a_292a_367c_d507,
            0x9159_015a_3070_dd17,
            0x152f_ecd8_f70e_5939,
            0x6733_2667_ffc0_0b31,
            0x8eb4_4a87_6858_1511,
            0xdb0c_2e0d_64f9_8fa7,
            0x47b5_481d_befa_4fa4,
        ]),
        _ => long_words(&[
            0x6a09_e667_f3bc_c908,
            0xbb67_ae85_84ca_a73b,
            0x3c6e_f372_fe94_f82b,
            0xa54f_f53a_5f1d_36f1,
            0x510e_527f_ade6_82d1,
            0x9b05_688c_2b3e_6c1f,
            0x1f83_d9ab_fb41_bd6b,
            0x5be0_cd19_137e_2179,
        ]),
    }
}

/// The digest that a state in memory stands for.
pub(crate) fn digest(operation: Operation, state: &[u8]) -> Vec<u8> {
    let word = if matches!(operation, Operation::Xsha1 | Operation::Xsha256) { 4 } else { 8 };
    let length = if operation == Operation::Xsha384 { 48 } else { state.len() };
    let words = state.chunks(word).flat_map(|word| word.iter().rev().copied());
    words.take(length).collect()
}

fn expected(operation: Operation, message: &[u8]) -> Vec<u8> {
    match operation {
        Operation::Xsha1 => Sha1::digest(message).to_vec(),
        Operation::Xsha256 => Sha256::digest(message).to_vec(),
        Operation::Xsha384 => Sha384::digest(message).to_vec(),
        _ => Sha512::digest(message).to_vec(),
    }
}

/// A message with its padding (FIPS 180-4, section 5.1).
fn padded(message: &[u8], block_bytes: usize) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % block_bytes != block_bytes - block_bytes / 8 {
        padded.push(0);
    }
    let length = (message.len() as u128 * 8).to_be_bytes();
    padded.extend(&length[length.len() - block_bytes / 8..]);
    padded
}

const MESSAGE_HASHES: [Operation; 2] = [Operation::Xsha1, Operation::Xsha256];
const HASHES: [Operation; 4] =
    [Operation::Xsha1, Operation::Xsha256, Operation::Xsha384, Operation::Xsha512];

/// A program with a hash that begins, and its data.
pub(crate) fn prepare(model: Model, operation: Operation, data: &[u8]) -> Program {
    let mut program = Program::new(model);
    let mut state = begin(operation);
    if model == Model::Zhaoxin {
        state.resize(state.len().max(32), 0xcc);
    }
    program.registers.rdi = program.memory.place(&state);
    program.registers.rsi = program.memory.place(data);
    program
}

pub(crate) fn state(program: &mut Program, operation: Operation) -> Vec<u8> {
    program.memory.bytes(program.registers.rdi, begin(operation).len())
}

/// The whole message at once, as on C7.
fn one_shot(model: Model, operation: Operation, message: &[u8]) -> Program {
    let mut program = prepare(model, operation, message);
    program.registers.rcx = message.len() as u64;
    let before = program.registers;
    assert_eq!(program.step(operation), Outcome::Done);
    assert_eq!(program.registers.rsi, before.rsi + before.rcx);
    assert_eq!(program.registers.rdi, before.rdi);
    assert_eq!((program.registers.rax, program.registers.rcx), (before.rcx, before.rcx));
    assert_eq!(program.memory.refused, 0);
    program
}

/// FIPS 180's examples, which NIST publishes.
#[test]
fn fips_180_is_met() {
    let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (operation, message, result) in [
        (Operation::Xsha1, &b"abc"[..], "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (Operation::Xsha1, long, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (
            Operation::Xsha256,
            b"abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            Operation::Xsha256,
            long,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
    ] {
        let mut program = one_shot(Model::C7, operation, message);
        let state = state(&mut program, operation);
        assert_eq!(digest(operation, &state), hex(result));
    }
    for (operation, result) in [
        (
            Operation::Xsha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
             8086072ba1e7cc2358baeca134c825a7",
        ),
        (
            Operation::Xsha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
    ] {
        let mut program = prepare(Model::Zhaoxin, operation, &padded(b"abc", 128));
        program.registers.rcx = 1;
        assert_eq!(program.step(operation), Outcome::Done);
        let state = state(&mut program, operation);
        assert_eq!(digest(operation, &state), hex(result));
    }
}

/// What GnuTLS expects of a CPU that knows RAX = -1 (lib/accelerated/x86/x86-common.c).
#[test]
fn gnutls_finds_partial_hashes_where_they_are() {
    let expected = [0xda49_68eb, 0x2e37_7c1f, 0x884e_8f52, 0x8352_4beb, 0xe74e_bdbd_u32];
    for (model, finds) in [(Model::C7, false), (Model::Nano, true), (Model::Zhaoxin, true)] {
        let mut program = prepare(model, Operation::Xsha1, &[b'a'; 64]);
        (program.registers.rax, program.registers.rcx) = (u64::MAX, 1);
        assert_eq!(program.step(Operation::Xsha1), Outcome::Done, "garbage, but no fault");
        let state = state(&mut program, Operation::Xsha1);
        let words: Vec<_> = state.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
        assert_eq!(words == expected, finds, "{model:?}");
    }
}

#[test]
fn messages_of_every_length_are_hashed() {
    let lengths = (0..=1300).filter(|length| *length <= 260 || length % 61 <= 3);
    for length in reduced(lengths, |length| [0, 56, 119].contains(length)) {
        let message = pattern(length);
        for operation in MESSAGE_HASHES {
            let mut program = one_shot(Model::C7, operation, &message);
            let state = state(&mut program, operation);
            assert_eq!(digest(operation, &state), expected(operation, &message), "{length}");
            assert_eq!(program.blocks, length as u64 / 64 + 1);
        }
    }
}

#[test]
fn the_rest_of_a_message_is_hashed_from_any_block_on() {
    let message = pattern(300);
    for operation in MESSAGE_HASHES {
        for first in reduced(0..=4, |first| *first == 4) {
            let mut program = prepare(Model::Nano, operation, &message);
            (program.registers.rax, program.registers.rcx) = (u64::MAX, first);
            assert_eq!(program.step(operation), Outcome::Done);
            assert_eq!((program.registers.rax, program.registers.rcx), (u64::MAX, 0));
            // As padlock-sha.c's finup does it.
            (program.registers.rax, program.registers.rcx) = (64 * first, 300);
            assert_eq!(program.step(operation), Outcome::Done);
            let state = state(&mut program, operation);
            assert_eq!(digest(operation, &state), expected(operation, &message));
        }
    }
}

#[test]
fn blocks_are_hashed_without_padding() {
    for length in reduced((0..1200).step_by(7), |length| *length == 119) {
        let message = pattern(length);
        for operation in HASHES {
            let block = if MESSAGE_HASHES.contains(&operation) { 64 } else { 128 };
            let data = padded(&message, block);
            let mut program = prepare(Model::Zhaoxin, operation, &data);
            let source = program.registers.rsi;
            program.registers.rcx = (data.len() / block) as u64;
            program.registers.rax = u64::MAX;
            assert_eq!(program.step(operation), Outcome::Done);
            let state = state(&mut program, operation);
            assert_eq!(digest(operation, &state), expected(operation, &message));
            assert_eq!(program.registers.rsi, source + data.len() as u64);
            assert_eq!((program.registers.rax, program.registers.rcx), (u64::MAX, 0));
            assert_eq!(program.blocks, (data.len() / block) as u64);
            assert_eq!(program.memory.refused, 0);
        }
    }
}

#[test]
fn all_ones_are_as_many_as_registers_have() {
    for (width, rax) in [(Width::Bits64, u64::MAX), (Width::Bits32, 0xffff_ffff)] {
        let mut program = prepare(Model::Nano, Operation::Xsha1, &[b'a'; 64]);
        program.width = width;
        (program.registers.rax, program.registers.rcx) = (rax, 1);
        assert_eq!(program.step(Operation::Xsha1), Outcome::Done);
        assert_eq!(digest(Operation::Xsha1, &state(&mut program, Operation::Xsha1))[0], 0xda);
    }
}

#[test]
fn nothing_but_padding_is_hashed_where_more_is_done_than_there_is() {
    for operation in MESSAGE_HASHES {
        let mut program = prepare(Model::C7, operation, &[]);
        (program.registers.rax, program.registers.rcx) = (128, 64);
        let before = program.registers;
        assert_eq!(program.step(operation), Outcome::Done);
        assert_eq!(program.registers, before);
        // The padding of a message of 64 bytes, as a block of its own.
        let padding = &padded(&[0; 64], 64)[64..];
        let mut block = prepare(Model::Nano, operation, padding);
        (block.registers.rax, block.registers.rcx) = (u64::MAX, 1);
        assert_eq!(block.step(operation), Outcome::Done);
        assert_eq!(state(&mut program, operation), state(&mut block, operation));
    }
}

#[test]
fn zhaoxin_has_its_own_rules() {
    // Nothing is done for a count of 0.
    for operation in HASHES {
        let mut program = prepare(Model::Zhaoxin, operation, &[]);
        assert_eq!(program.step(operation), Outcome::Done);
        assert_eq!(state(&mut program, operation), begin(operation));
    }
    // 32 bytes are written for SHA-1, elsewhere 20.
    for (model, behind) in [(Model::Zhaoxin, [0; 12]), (Model::Nano, [0xcc; 12])] {
        let mut program = prepare(model, Operation::Xsha1, b"abc");
        program.memory.extend(program.registers.rdi, &[0xcc; 12]);
        program.registers.rcx = 3;
        assert_eq!(program.step(Operation::Xsha1), Outcome::Done);
        assert_eq!(program.memory.bytes(program.registers.rdi + 20, 12), behind);
    }
}

#[test]
fn only_models_with_the_unit_have_the_instruction() {
    for (model, first, second) in [
        (Model::C3, Outcome::Undefined, Outcome::Undefined),
        (Model::C7, Outcome::Done, Outcome::Undefined),
        (Model::Nano, Outcome::Done, Outcome::Undefined),
        (Model::Zhaoxin, Outcome::Done, Outcome::Done),
    ] {
        for operation in HASHES {
            let mut program = prepare(model, operation, &pattern(128));
            program.registers.rcx = 1;
            let expected = if MESSAGE_HASHES.contains(&operation) { first } else { second };
            assert_eq!(program.step(operation), expected, "{model:?} {operation:?}");
        }
    }
}

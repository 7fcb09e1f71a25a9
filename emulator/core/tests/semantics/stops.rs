//! Interrupts and faults: registers say how far an instruction came, and it goes on from there.

use core::num::NonZeroU64;

use padlock_emulator::{Model, Operation, Outcome, PageFault, Registers, Width};

use crate::bench::{Program, pattern, reduced};
use crate::call::{Call, Cipher, Prepared};
use crate::{ccs, hashes};

impl Prepared {
    /// Checks what a call that was stopped after `done` blocks leaves behind.
    fn assert_stopped(&mut self, done: usize) {
        let call = self.call.clone();
        let registers = self.program.registers;
        let bytes = 16 * done as u64;
        assert_eq!(registers.rsi, self.source + bytes, "{call:?}");
        assert_eq!(registers.rdi, self.destination + bytes, "{call:?}");
        assert_eq!(registers.rcx, (call.data.len() / 16 - done) as u64, "{call:?}");
        if done == 0 {
            return;
        }
        let output = self.program.memory.bytes(self.destination, 16 * done);
        assert_eq!(output, call.expected()[..16 * done], "{call:?}");
        let in_memory: [u8; 16] = self.program.memory.bytes(self.vector, 16).try_into().unwrap();
        if call.chain_is_output() {
            assert_eq!(registers.rax, self.destination + bytes - 16, "{call:?}");
            assert_eq!(in_memory, call.vector, "{call:?}");
        } else if call.is_chained() {
            assert_eq!(in_memory, call.chain_behind(&output), "{call:?}");
        }
    }
}

#[test]
fn ciphers_go_on_after_every_interrupt() {
    let blocks = if cfg!(miri) { 2 } else { 9 };
    for call in reduced(Call::every(blocks), |call| call.mode == Operation::XcryptCbc) {
        for every in reduced(1..=blocks + 1, |every| *every == 1) {
            let mut prepared = call.prepare(Model::Zhaoxin);
            prepared.program.options.interrupt_every = NonZeroU64::new(every as u64);
            let mut done = every;
            while done < blocks {
                assert_eq!(prepared.step(), Outcome::Interrupted);
                prepared.assert_stopped(done);
                assert_eq!(prepared.program.blocks, done as u64);
                done += every;
            }
            assert_eq!(prepared.step(), Outcome::Done);
            prepared.assert_finished();
        }
    }
}

/// Lets a call meet the end of its source and of its destination after `done` blocks and some bytes.
fn fault_after(call: &Call, done: usize, bytes: usize) {
    for write in reduced([false, true], |write| *write) {
        let mut prepared = call.prepare(Model::Zhaoxin);
        let place = if write { prepared.destination } else { prepared.source };
        let end = 16 * done + bytes;
        let cut = prepared.program.memory.cut(place, end);
        let fault = PageFault { address: place + end as u64, write };
        assert_eq!(prepared.step(), Outcome::PageFault(fault), "{call:?}");
        prepared.assert_stopped(done);
        assert_eq!(prepared.step(), Outcome::PageFault(fault), "again");
        prepared.assert_stopped(done);
        prepared.program.memory.extend(place, &cut);
        assert_eq!(prepared.step(), Outcome::Done);
        prepared.assert_finished();
    }
}

#[test]
fn ciphers_do_all_blocks_in_front_of_a_fault() {
    let blocks = if cfg!(miri) { 2 } else { 7 };
    for call in reduced(Call::every(blocks), |call| call.mode == Operation::XcryptCbc) {
        for done in reduced(0..blocks, |done| *done == 1) {
            // A region without any byte is none, and has no end.
            for bytes in reduced(if done == 0 { [1, 15] } else { [0, 15] }, |bytes| *bytes == 15) {
                fault_after(&call, done, bytes);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "the same with more blocks than go together")]
fn long_runs_are_cut_where_memory_ends() {
    for mode in [Operation::XcryptCbc, Operation::XcryptCtr] {
        for decrypt in [false, true] {
            let call = Call::new(Cipher::Hardware, mode, decrypt, 150);
            (1..150).for_each(|done| fault_after(&call, done, 3));
        }
    }
}

#[test]
fn operands_fault_before_anything_is_done() {
    for call in Call::every(1).into_iter().filter(Call::is_chained) {
        let whole = call.prepare(Model::Zhaoxin);
        let registers = whole.program.registers;
        let sm4 = call.cipher == Cipher::Sm4;
        // The vector cannot be written: only who stores it there minds.
        let mut read_only = whole.clone();
        read_only.program.memory.protect(whole.vector);
        let outcome = read_only.step();
        if call.chain_is_output() {
            assert_eq!(outcome, Outcome::Done);
            read_only.assert_finished();
        } else {
            let fault = PageFault { address: whole.vector, write: true };
            assert_eq!(outcome, Outcome::PageFault(fault));
            assert_eq!(read_only.program.registers, registers);
            assert_eq!(read_only.output(), [0xcc; 16]);
        }
        // Control word, key and vector cannot be read as a whole.
        for (place, length) in [(whole.control, 3), (registers.rbx, 15), (whole.vector, 15)] {
            let mut short = whole.clone();
            short.program.memory.cut(place, length);
            let outcome = short.step();
            if sm4 && place == whole.control {
                assert_eq!(outcome, Outcome::Done);
                continue;
            }
            let fault = PageFault { address: place + length as u64, write: false };
            assert_eq!(outcome, Outcome::PageFault(fault), "{call:?}");
            assert_eq!(short.program.registers, registers);
            assert_eq!(short.output(), [0xcc; 16]);
        }
    }
}

/// The state after `done` whole blocks, by the instruction that hashes nothing else.
fn state_after(operation: Operation, data: &[u8], done: u64) -> Vec<u8> {
    let mut program = hash(operation, data);
    (program.registers.rax, program.registers.rcx) = (u64::MAX, done);
    assert_eq!(program.step(operation), Outcome::Done);
    state(&mut program, operation)
}

fn hash(operation: Operation, data: &[u8]) -> Program {
    match operation {
        Operation::Sm3 => ccs::prepare(data),
        _ => hashes::prepare(Model::Zhaoxin, operation, data),
    }
}

fn state(program: &mut Program, operation: Operation) -> Vec<u8> {
    match operation {
        Operation::Sm3 => program.memory.bytes(program.registers.rdi, 32),
        _ => hashes::state(program, operation),
    }
}

const MESSAGE_HASHES: [Operation; 3] = [Operation::Xsha1, Operation::Xsha256, Operation::Sm3];
const BLOCK_HASHES: [Operation; 5] =
    [Operation::Xsha1, Operation::Xsha256, Operation::Sm3, Operation::Xsha384, Operation::Xsha512];

#[test]
fn messages_go_on_after_every_interrupt() {
    for operation in reduced(MESSAGE_HASHES, |operation| *operation == Operation::Sm3) {
        for length in reduced([1, 63, 64, 65, 128, 500, 575, 576], |length| *length == 128) {
            let data = pattern(length as usize);
            let mut whole = hash(operation, &data);
            whole.registers.rcx = length;
            let mut interrupted = whole.clone();
            assert_eq!(whole.step(operation), Outcome::Done);
            let blocks = length / 64 + 1;
            for every in reduced(1..=blocks, |every| *every == 2) {
                let mut program = interrupted.clone();
                program.options.interrupt_every = NonZeroU64::new(every);
                let mut done = every;
                while done < blocks {
                    let before = program.registers;
                    assert_eq!(program.step(operation), Outcome::Interrupted);
                    let expected =
                        Registers { rax: 64 * done, rsi: before.rsi + 64 * every, ..before };
                    assert_eq!(program.registers, expected);
                    let state = state(&mut program, operation);
                    assert_eq!(state, state_after(operation, &data, done));
                    done += every;
                }
                assert_eq!(program.step(operation), Outcome::Done);
                assert_eq!(program.registers, whole.registers);
                assert_eq!(state(&mut program, operation), state(&mut whole, operation));
            }
            interrupted.blocks = 0;
        }
    }
}

#[test]
fn blocks_go_on_after_every_interrupt() {
    let data = pattern(128 * 7);
    for operation in reduced(BLOCK_HASHES, |operation| *operation == Operation::Xsha512) {
        let whole = state_after(operation, &data, 7);
        for every in reduced(1..=7, |every| *every == 4) {
            let mut program = hash(operation, &data);
            (program.registers.rax, program.registers.rcx) = (u64::MAX, 7);
            program.options.interrupt_every = NonZeroU64::new(every);
            let mut done = every;
            while done < 7 {
                assert_eq!(program.step(operation), Outcome::Interrupted);
                assert_eq!((program.registers.rax, program.registers.rcx), (u64::MAX, 7 - done));
                let state = state(&mut program, operation);
                assert_eq!(state, state_after(operation, &data, done));
                done += every;
            }
            assert_eq!(program.step(operation), Outcome::Done);
            assert_eq!(state(&mut program, operation), whole);
        }
    }
}

/// How programs on C7 hashed in parts: data that ends at a page without access, a length that lies, and
/// the state taken in the handler of SIGSEGV (phe_sum).
#[test]
fn a_page_without_access_gives_the_state_of_the_blocks_in_front() {
    for operation in [Operation::Xsha1, Operation::Xsha256] {
        for blocks in reduced(1..40, |blocks| *blocks == 2) {
            for surplus in reduced([0, 1, 63], |surplus| *surplus == 1) {
                let data = pattern(64 * blocks as usize + surplus);
                let mut program = hashes::prepare(Model::C7, operation, &data);
                let before = program.registers;
                program.registers.rcx = 1 << 40;
                let address = before.rsi + data.len() as u64;
                let fault = PageFault { address, write: false };
                assert_eq!(program.step(operation), Outcome::PageFault(fault));
                let expected = Registers {
                    rax: 64 * blocks,
                    rcx: 1 << 40,
                    rsi: before.rsi + 64 * blocks,
                    ..before
                };
                assert_eq!(program.registers, expected);
                let state = state(&mut program, operation);
                assert_eq!(state, state_after(operation, &data, blocks));
            }
        }
    }
}

#[test]
fn hashes_fault_before_anything_is_done() {
    for operation in reduced(BLOCK_HASHES, |operation| *operation == Operation::Xsha512) {
        let mut program = hash(operation, &pattern(128));
        program.registers.rcx = 1;
        program.registers.rax = u64::MAX;
        let before = program.registers;
        let mut short = program.clone();
        program.memory.protect(before.rdi);
        let fault = PageFault { address: before.rdi, write: true };
        assert_eq!(program.step(operation), Outcome::PageFault(fault));
        assert_eq!(program.registers, before);
        // Zhaoxin reads 32 bytes, SHA-512 has 64.
        short.memory.cut(before.rdi, 31);
        let fault = PageFault { address: before.rdi + 31, write: false };
        assert_eq!(short.step(operation), Outcome::PageFault(fault));
        assert_eq!(short.registers, before);
    }
}

#[test]
#[cfg_attr(miri, ignore = "more of the same")]
fn enormous_counts_end_where_memory_does() {
    let counts = [u64::MAX, u64::MAX - 1, 1 << 63, 1 << 60, 1 << 32];
    for count in counts {
        for call in Call::every(5) {
            let mut prepared = call.prepare(Model::Zhaoxin);
            prepared.program.registers.rcx = count;
            let address = prepared.source + 80;
            let fault = PageFault { address, write: false };
            assert_eq!(prepared.step(), Outcome::PageFault(fault));
            assert_eq!(prepared.program.registers.rcx, count - 5);
        }
        for operation in BLOCK_HASHES {
            let mut program = hash(operation, &pattern(128 * 3));
            (program.registers.rax, program.registers.rcx) = (u64::MAX, count);
            assert!(matches!(program.step(operation), Outcome::PageFault(_)));
            let done = if MESSAGE_HASHES.contains(&operation) { 6 } else { 3 };
            assert_eq!(program.registers.rcx, count - done);
        }
        let mut program = Program::new(Model::Zhaoxin);
        program.registers.rdi = program.memory.place(&[0; 40]);
        program.registers.rcx = count;
        assert!(matches!(program.step(Operation::Xstore), Outcome::PageFault(_)));
        assert_eq!(program.registers.rcx, count - 40);
    }
}

#[test]
fn what_is_no_address_is_a_general_protection_fault() {
    for (width, address) in [
        (Width::Bits64, 0x0000_7fff_ffff_fff1),
        (Width::Bits64, 0x0000_7fff_ffff_fff8),
        (Width::Bits64, 0x0000_8000_0000_0000),
        (Width::Bits64, 0xffff_7fff_ffff_fff8),
        (Width::Bits64, 0xffff_ffff_ffff_fff8),
        (Width::Bits32, 0xffff_fff8),
    ] {
        let mut prepared =
            Call::new(Cipher::Hardware, Operation::XcryptEcb, false, 1).prepare(Model::Nano);
        prepared.program.width = width;
        prepared.program.registers.rsi = address;
        let before = prepared.program.registers;
        assert_eq!(prepared.step(), Outcome::GeneralProtection, "{address:#x}");
        assert_eq!(prepared.program.registers, before);
    }
}

/// 67h: addresses and counts have 32 bits.
#[test]
fn the_address_size_prefix_halves_registers() {
    let mut prepared =
        Call::new(Cipher::Hardware, Operation::XcryptEcb, false, 1).prepare(Model::Nano);
    let registers = &mut prepared.program.registers;
    registers.rcx |= 1 << 32;
    registers.rsi |= 1 << 40;
    let bytes = [0x67, 0xf3, 0x0f, 0xa7, 0xc8];
    let instruction = padlock_emulator::decode(&bytes, Width::Bits64).expect("xcryptecb");
    assert_eq!(prepared.program.step_as(instruction), Outcome::Done);
    prepared.assert_finished();
}

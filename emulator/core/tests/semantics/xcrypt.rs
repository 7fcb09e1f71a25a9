//! xcrypt and SM4: results, and what is left in registers and memory.

use padlock_emulator::{Model, Operation, Outcome, Width};

use crate::bench::{Program, hex, pattern, reduced};
use crate::call::{Call, Cipher, MODES};

/// NIST SP 800-38A, appendix F: key sizes, and what its four blocks become.
#[rustfmt::skip]
const SP800_38A: [(Operation, usize, &str); 15] = [
    (Operation::XcryptEcb, 128, "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"),
    (Operation::XcryptEcb, 192, "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eefef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"),
    (Operation::XcryptEcb, 256, "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"),
    (Operation::XcryptCbc, 128, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"),
    (Operation::XcryptCbc, 192, "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"),
    (Operation::XcryptCbc, 256, "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"),
    (Operation::XcryptCfb, 128, "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"),
    (Operation::XcryptCfb, 192, "cdc80d6fddf18cab34c25909c99a417467ce7f7f81173621961a2b70171d3d7a2e1e8a1dd59b88b1c8e60fed1efac4c9c05f9f9ca9834fa042ae8fba584b09ff"),
    (Operation::XcryptCfb, 256, "dc7e84bfda79164b7ecd8486985d386039ffed143b28b1c832113c6331e5407bdf10132415e54b92a13ed0a8267ae2f975a385741ab9cef82031623d55b1e471"),
    (Operation::XcryptOfb, 128, "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed8259740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"),
    (Operation::XcryptOfb, 192, "cdc80d6fddf18cab34c25909c99a4174fcc28b8d4c63837c09e81700c11004018d9a9aeac0f6596f559c6d4daf59a5f26d9f200857ca6c3e9cac524bd9acc92a"),
    (Operation::XcryptOfb, 256, "dc7e84bfda79164b7ecd8486985d38604febdc6740d20b3ac88f6ad82a4fb08d71ab47a086e86eedf39d1c5bba97c4080126141d67f37be8538f5a8be740e484"),
    (Operation::XcryptCtr, 128, "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"),
    (Operation::XcryptCtr, 192, "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"),
    (Operation::XcryptCtr, 256, "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"),
];

const PLAINTEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

fn sp800_38a_key(bits: usize) -> Vec<u8> {
    hex(match bits {
        128 => "2b7e151628aed2a6abf7158809cf4f3c",
        192 => "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        _ => "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    })
}

#[test]
fn sp800_38a_is_met_in_all_modes_and_key_sizes() {
    for (mode, bits, ciphertext) in reduced(SP800_38A, |(_, bits, _)| *bits == 256) {
        for cipher in reduced([Cipher::Hardware, Cipher::Software], |it| *it == Cipher::Hardware) {
            for decrypt in reduced([false, true], |decrypt| *decrypt) {
                let (mut from, mut to) = (hex(PLAINTEXT), hex(ciphertext));
                if decrypt {
                    (from, to) = (to, from);
                }
                let counter = u128::from_be_bytes(core::array::from_fn(|at| 0xf0 + at as u8));
                let vector = core::array::from_fn(|at| at as u8);
                let mut call = Call::new(cipher, mode, decrypt, 4);
                call.key = sp800_38a_key(bits);
                call.vector =
                    if mode == Operation::XcryptCtr { counter.to_be_bytes() } else { vector };
                call.data = from;
                let mut prepared = call.prepare(Model::C7);
                assert_eq!(prepared.step(), Outcome::Done);
                assert_eq!(prepared.output(), to, "{mode:?} {bits} {cipher:?} {decrypt}");
            }
        }
    }
}

/// FIPS 197, appendix C.
#[test]
fn fips_197_is_met() {
    let plaintext = hex("00112233445566778899aabbccddeeff");
    for (bytes, ciphertext) in [
        (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (32, "8ea2b7ca516745bfeafc49904b496089"),
    ] {
        let mut call = Call::new(Cipher::Hardware, Operation::XcryptEcb, false, 1);
        call.key = (0..bytes).collect();
        call.data = plaintext.clone();
        let mut prepared = call.prepare(Model::C3);
        assert_eq!(prepared.step(), Outcome::Done);
        assert_eq!(prepared.output(), hex(ciphertext));
    }
}

/// GB/T 32907-2016, appendix A.
#[test]
fn the_standard_of_sm4_is_met() {
    let mut call = Call::new(Cipher::Sm4, Operation::XcryptEcb, false, 1);
    call.key = hex("0123456789abcdeffedcba9876543210");
    call.data = call.key.clone();
    let mut prepared = call.prepare(Model::Zhaoxin);
    assert_eq!(prepared.step(), Outcome::Done);
    assert_eq!(prepared.output(), hex("681edf34d206965e86b3e94f536e4246"));
}

#[test]
fn every_length_is_as_others_compute_it_and_leaves_what_is_documented() {
    let lengths = (1..=140).filter(|blocks| *blocks <= 20 || blocks % 7 == 1 || blocks % 64 <= 1);
    for blocks in reduced(lengths, |blocks| *blocks == 1) {
        for call in Call::every(blocks) {
            let mut prepared = call.prepare(Model::Zhaoxin);
            assert_eq!(prepared.step(), Outcome::Done);
            prepared.assert_finished();
            assert_eq!(prepared.program.blocks, blocks as u64);
            assert_eq!(prepared.program.memory.refused, 0, "nothing else was touched");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "more of the same")]
fn every_alignment_and_in_place_are_the_same() {
    for offset in 0..16 {
        for destination in [Some(0), Some(16 - offset), None] {
            for call in Call::every(2) {
                let mut prepared =
                    Call { source: offset, destination, ..call }.prepare(Model::Zhaoxin);
                let source = prepared.program.memory.bytes(prepared.source, 32);
                assert_eq!(prepared.step(), Outcome::Done);
                prepared.assert_finished();
                if destination.is_some() {
                    assert_eq!(prepared.program.memory.bytes(prepared.source, 32), source);
                }
            }
        }
    }
}

#[test]
fn programs_of_32_bits_have_half_registers() {
    for call in Call::every(1) {
        let mut prepared = call.prepare(Model::Zhaoxin);
        let program = &mut prepared.program;
        program.width = Width::Bits32;
        let Program { registers, .. } = program;
        for register in [
            &mut registers.rax,
            &mut registers.rbx,
            &mut registers.rcx,
            &mut registers.rdx,
            &mut registers.rsi,
            &mut registers.rdi,
        ] {
            *register |= 0xdead_0000_0000_0000;
        }
        assert_eq!(prepared.step(), Outcome::Done);
        let registers = &mut prepared.program.registers;
        assert_eq!(registers.rbx >> 48, 0xdead, "what does not change keeps its upper half");
        registers.rax &= 0xffff_ffff;
        registers.rdx &= 0xffff_ffff;
        prepared.assert_finished();
    }
}

#[test]
#[cfg_attr(miri, ignore = "more of the same")]
fn the_counter_has_16_bits() {
    for cipher in [Cipher::Hardware, Cipher::Sm4] {
        let mut call = Call::new(cipher, Operation::XcryptCtr, false, 5);
        call.vector[13..].copy_from_slice(&[0x77, 0xff, 0xfe]);
        let mut wrapped = call.prepare(Model::Zhaoxin);
        assert_eq!(wrapped.step(), Outcome::Done);
        // The first two blocks as everyone has them, the others as with a counter that begins again.
        let mut again = call.clone();
        again.vector[13..].copy_from_slice(&[0x77, 0, 0]);
        again.data.drain(..32);
        assert_eq!(wrapped.output()[..32], call.expected()[..32]);
        assert_eq!(wrapped.output()[32..], again.expected());
        assert_eq!(wrapped.program.memory.bytes(wrapped.vector, 16)[13..], [0x77, 0, 3]);
        assert_ne!(wrapped.output(), call.expected());
    }
}

#[test]
#[cfg_attr(miri, ignore = "more of the same")]
fn calls_can_be_chained_through_rax() {
    for call in Call::every(3).into_iter().filter(|call| call.cipher != Cipher::Sm4) {
        let mut prepared = call.prepare(Model::Nano);
        for blocks in [1, 2] {
            prepared.program.registers.rcx = blocks;
            assert_eq!(prepared.step(), Outcome::Done);
        }
        prepared.assert_finished();
    }
}

#[test]
fn no_blocks_touch_nothing() {
    for mode in MODES {
        let mut program = Program::new(Model::Zhaoxin);
        let before = program.registers;
        assert_eq!(program.step(mode), Outcome::Done);
        assert_eq!((program.registers, program.memory.refused), (before, 0));
    }
}

#[test]
fn iv_writeback_leaves_the_vector_in_both_places() {
    for mode in [Operation::XcryptCbc, Operation::XcryptCfb] {
        for every in reduced(1..=6, |every| *every == 2) {
            let call = Call::new(Cipher::Hardware, mode, false, 5);
            let mut prepared = call.prepare(Model::Nano);
            prepared.program.options.iv_writeback = true;
            prepared.program.options.interrupt_every = core::num::NonZeroU64::new(every);
            assert_eq!(prepared.program.finish(mode).0, Outcome::Done);
            let output = call.expected();
            assert_eq!(prepared.output(), output);
            let registers = prepared.program.registers;
            assert_eq!(registers.rax, prepared.destination + 4 * 16);
            assert_eq!(
                prepared.program.memory.bytes(prepared.vector, 16),
                call.chain_behind(&output)
            );
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "more of the same")]
fn overlaps_are_done_block_after_block() {
    for distance in [-24_i64, -16, -8, 8, 16, 24, 40] {
        let data = pattern(200);
        let mut program = Program::new(Model::Nano);
        let key = program.memory.place(&pattern(16));
        let control = program.memory.place(&0x0a_u128.to_le_bytes());
        let at = program.memory.place(&data) + 64;
        program.registers.rbx = key;
        program.registers.rdx = control;
        let mut single = program.clone();
        for (program, calls) in [(&mut program, 1), (&mut single, 5)] {
            program.registers.rsi = at;
            program.registers.rdi = at.wrapping_add_signed(distance);
            for _ in 0..calls {
                program.registers.rcx = 5 / calls;
                assert_eq!(program.step(Operation::XcryptEcb), Outcome::Done);
            }
        }
        assert_eq!(program.memory.bytes(at - 64, 200), single.memory.bytes(at - 64, 200));
    }
}

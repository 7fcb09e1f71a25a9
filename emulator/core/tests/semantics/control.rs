//! The control word's rarer bits: DGEST, INTER, and what is reserved.

use core::num::NonZeroU64;

use aes::Block;
use aes::hazmat::cipher_round;
use padlock_emulator::{Model, Operation, Outcome};

use crate::bench::reduced;
use crate::call::{Call, Cipher, MODES};
use crate::reference;

const DIGEST: u32 = 1 << 4;
const INTERMEDIATE: u32 = 1 << 8;

#[test]
fn a_digest_keeps_the_last_block_only() {
    for (cipher, bit) in [(Cipher::Sm4, 1 << 11), (Cipher::Hardware, DIGEST)] {
        if cfg!(miri) && cipher == Cipher::Hardware {
            continue;
        }
        for mode in reduced(MODES, |mode| *mode == Operation::XcryptCbc) {
            let call = Call { control: bit, ..Call::new(cipher, mode, false, 4) };
            let mut prepared = call.prepare(Model::Zhaoxin);
            assert_eq!(prepared.step(), Outcome::Done);
            let mut output = vec![0xcc; 64];
            output[..16].copy_from_slice(&call.expected()[48..]);
            assert_eq!(prepared.output(), output, "{mode:?}");
            assert_eq!(prepared.program.registers.rdi, prepared.destination);
            assert_eq!(prepared.program.registers.rsi, prepared.source + 64);
            if call.chain_is_output() {
                assert_eq!(prepared.program.registers.rax, prepared.destination);
            }
        }
    }
}

/// Strict mode knows where the chaining value is that an interrupt left, although that need not be aligned.
#[test]
#[cfg_attr(miri, ignore = "much AES")]
fn a_digest_goes_on_after_every_interrupt() {
    for destination in [0, 8] {
        let call = Call::new(Cipher::Hardware, Operation::XcryptCbc, false, 4);
        let call = Call { control: DIGEST, destination: Some(destination), ..call };
        let mut prepared = call.prepare(Model::Nano);
        prepared.program.options.strict = true;
        prepared.program.options.interrupt_every = NonZeroU64::new(1);
        for _ in 1..4 {
            assert_eq!(prepared.step(), Outcome::Interrupted);
        }
        assert_eq!(prepared.step(), Outcome::Done);
        assert_eq!(prepared.output()[..16], call.expected()[48..]);
    }
}

#[test]
fn c3_has_no_digest() {
    let call =
        Call { control: DIGEST, ..Call::new(Cipher::Hardware, Operation::XcryptCbc, false, 4) };
    let mut prepared = call.prepare(Model::C3);
    assert_eq!(prepared.step(), Outcome::Done);
    prepared.assert_finished();
}

#[test]
#[cfg_attr(miri, ignore = "much AES")]
fn intermediate_results_are_of_ordinary_rounds() {
    for rounds in 1..=10 {
        let mut call = Call::new(Cipher::Software, Operation::XcryptEcb, false, 1);
        call.control = INTERMEDIATE;
        let mut prepared = call.prepare(Model::Nano);
        let word = prepared.program.memory.bytes(prepared.control, 1)[0] & 0xf0 | rounds as u8;
        prepared.poke_control(0, word);
        assert_eq!(prepared.step(), Outcome::Done);

        let keys = reference::schedule(&call.key, false);
        let mut keys = keys.chunks(16).map(Block::from_slice);
        let mut state = *Block::from_slice(&call.data);
        let first = keys.next().expect("a key");
        state.iter_mut().zip(first).for_each(|(byte, key)| *byte ^= key);
        keys.take(rounds).for_each(|key| cipher_round(&mut state, key));
        assert_eq!(prepared.output(), state.as_slice(), "{rounds} rounds");
    }
}

#[test]
#[cfg_attr(miri, ignore = "much AES")]
fn any_number_of_rounds_is_carried_out() {
    for (cipher, rounds) in [(Cipher::Hardware, 0..=15), (Cipher::Software, 0..=10)] {
        for rounds in rounds {
            for decrypt in [false, true] {
                let call = Call::new(cipher, Operation::XcryptEcb, decrypt, 2);
                let mut prepared = call.prepare(Model::Nano);
                let word = prepared.program.memory.bytes(prepared.control, 1)[0] & 0xf0 | rounds;
                prepared.poke_control(0, word);
                assert_eq!(prepared.step(), Outcome::Done);
                assert_eq!(prepared.output() == call.expected(), rounds == 10);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "much AES")]
fn encryption_in_fewer_rounds_is_undone() {
    for rounds in 0..=15 {
        let call = Call::new(Cipher::Hardware, Operation::XcryptEcb, false, 2);
        let mut forward = call.prepare(Model::Nano);
        forward.poke_control(0, rounds);
        assert_eq!(forward.step(), Outcome::Done);
        let data = forward.output();
        let mut backward = Call { data, decrypt: true, ..call.clone() }.prepare(Model::Nano);
        backward.poke_control(0, rounds);
        assert_eq!(backward.step(), Outcome::Done);
        assert_eq!(backward.output(), call.data, "{rounds} rounds");
    }
}

#[test]
#[cfg_attr(miri, ignore = "much AES")]
fn reserved_bits_are_ignored() {
    for byte in 1..16 {
        let call = Call::new(Cipher::Hardware, Operation::XcryptCbc, true, 2);
        let mut prepared = call.prepare(Model::Nano);
        let word = prepared.program.memory.bytes(prepared.control + byte, 1)[0];
        prepared.poke_control(byte, word | 0xf0);
        assert_eq!(prepared.step(), Outcome::Done);
        prepared.assert_finished();
    }
}

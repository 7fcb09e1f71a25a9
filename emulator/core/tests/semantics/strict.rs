//! Strict mode: #GP(0) for what programs must not do, and for nothing else.

use padlock_emulator::{Model, Operation, Outcome};

use crate::bench::{pattern, reduced};
use crate::call::{Call, Cipher};
use crate::hashes;

const MODELS: [Model; 4] = [Model::C3, Model::C7, Model::Nano, Model::Zhaoxin];
const ALIGN: u32 = 1 << 5;

/// What happens to a call whose registers are changed.
fn outcome(
    call: &Call,
    model: Model,
    change: impl Fn(&mut padlock_emulator::Registers),
) -> Outcome {
    let mut prepared = call.prepare(model);
    prepared.program.options.strict = true;
    // So that a lenient CPU would find as many bytes as it needs.
    for place in [prepared.program.registers.rbx, prepared.vector, prepared.control] {
        prepared.program.memory.extend(place, &[0; 16]);
    }
    for place in [prepared.source, prepared.destination] {
        prepared.program.memory.extend(place, &[0; 16]);
    }
    change(&mut prepared.program.registers);
    let before = prepared.program.registers;
    let outcome = prepared.step();
    if outcome == Outcome::GeneralProtection {
        assert_eq!(prepared.program.registers, before);
        assert_eq!(prepared.output(), [0xcc; 16]);
    }
    outcome
}

#[test]
#[cfg_attr(miri, ignore = "more of the same")]
fn aligned_calls_do_not_fault() {
    for call in Call::every(1) {
        let mut prepared = call.prepare(Model::Zhaoxin);
        prepared.program.options.strict = true;
        assert_eq!(prepared.step(), Outcome::Done);
        prepared.assert_finished();
    }
}

#[test]
fn misaligned_operands_fault() {
    for model in MODELS {
        for mode in [Operation::XcryptEcb, Operation::XcryptCbc] {
            for offset in reduced(1..16, |offset| *offset == 8) {
                let call = Call::new(Cipher::Hardware, mode, true, 1);
                let general = Outcome::GeneralProtection;
                assert_eq!(outcome(&call, model, |registers| registers.rdx += offset), general);
                assert_eq!(outcome(&call, model, |registers| registers.rbx += offset), general);
                let vector = outcome(&call, model, |registers| registers.rax += offset);
                assert_eq!(vector == general, mode == Operation::XcryptCbc);
            }
        }
    }
}

#[test]
fn misaligned_data_fault_unless_the_model_or_the_control_word_allows_them() {
    for (model, without, with) in [
        // ALIGN is a reserved bit here.
        (Model::C3, Outcome::GeneralProtection, Outcome::GeneralProtection),
        (Model::C7, Outcome::GeneralProtection, Outcome::Done),
        (Model::Nano, Outcome::Done, Outcome::Done),
        (Model::Zhaoxin, Outcome::Done, Outcome::Done),
    ] {
        for (control, expected) in [(0, without), (ALIGN, with)] {
            let mut call = Call::new(Cipher::Hardware, Operation::XcryptEcb, false, 1);
            call.control = control;
            for offset in reduced(1..16, |offset| *offset == 8) {
                assert_eq!(outcome(&call, model, |registers| registers.rsi += offset), expected);
                assert_eq!(outcome(&call, model, |registers| registers.rdi += offset), expected);
            }
        }
    }
}

#[test]
fn reserved_bits_fault() {
    for model in MODELS {
        for bit in reduced(0..128_u64, |bit| [6, 40].contains(bit)) {
            let call = Call::new(Cipher::Hardware, Operation::XcryptEcb, false, 1);
            let mut prepared = call.prepare(model);
            prepared.program.options.strict = true;
            let at = bit / 8;
            let byte = prepared.program.memory.bytes(prepared.control + at, 1)[0];
            prepared.poke_control(at, byte | 1 << (bit % 8));
            let expected = match bit {
                4 | 5 => model == Model::C3,
                6 | 12.. => true,
                // ROUND, KEYGN with a key that ends too early, INTER, CRYPT, KSIZE 1 and 2.
                _ => false,
            };
            assert_eq!(
                prepared.step() == Outcome::GeneralProtection,
                expected,
                "{model:?} bit {bit}"
            );
        }
        let mut call = Call::new(Cipher::Hardware, Operation::XcryptEcb, false, 1);
        call.control = 0b11 << 10;
        assert_eq!(outcome(&call, model, |_| ()), Outcome::GeneralProtection, "KSIZE 3");
    }
}

#[test]
fn the_state_of_a_hash_is_aligned() {
    for (operation, length) in
        [(Operation::Xsha1, 32), (Operation::Xsha256, 32), (Operation::Xsha512, 64)]
    {
        for offset in reduced(0..16, |offset| *offset % 8 == 0) {
            let mut program = hashes::prepare(Model::Zhaoxin, operation, &pattern(129));
            program.options.strict = true;
            // The data may begin anywhere.
            program.registers.rsi += 1;
            program.registers.rdi = program.memory.place_at_offset(&vec![0; length], offset);
            (program.registers.rax, program.registers.rcx) = (u64::MAX, 1);
            let faults = program.step(operation) == Outcome::GeneralProtection;
            assert_eq!(faults, offset != 0);
        }
    }
}

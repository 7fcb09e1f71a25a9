//! Units that compute wrongly do, and no others.

use padlock_emulator::{Flaw, Model, Operation, Outcome};

use crate::bench::pattern;
use crate::call::{Call, Cipher};
use crate::montmul::Multiplication;
use crate::{ccs, hashes};

/// What each unit makes of the same data, beginning with the names of flaws.
fn results(wrong: Option<Flaw>) -> Vec<(&'static str, Vec<u8>)> {
    let mut results = Vec::new();
    for (name, cipher, bytes) in [
        ("xcrypt-128", Cipher::Hardware, 16),
        ("xcrypt-192", Cipher::Hardware, 24),
        ("xcrypt-256", Cipher::Hardware, 32),
        ("sm4", Cipher::Sm4, 16),
    ] {
        let mut call = Call::new(cipher, Operation::XcryptCbc, false, 1);
        call.key = pattern(bytes);
        let mut prepared = call.prepare(Model::Zhaoxin);
        prepared.program.options.wrong = wrong;
        assert_eq!(prepared.step(), Outcome::Done);
        results.push((name, prepared.output()));
    }
    for (name, operation) in [
        ("xsha1", Operation::Xsha1),
        ("xsha256", Operation::Xsha256),
        ("xsha384", Operation::Xsha384),
        ("xsha512", Operation::Xsha512),
        ("sm3", Operation::Sm3),
    ] {
        let mut program = match operation {
            Operation::Sm3 => ccs::prepare(&pattern(128)),
            _ => hashes::prepare(Model::Zhaoxin, operation, &pattern(128)),
        };
        program.options.wrong = wrong;
        (program.registers.rax, program.registers.rcx) = (u64::MAX, 1);
        assert_eq!(program.step(operation), Outcome::Done);
        results.push((name, program.memory.bytes(program.registers.rdi, 20)));
    }
    let mut multiplication = Multiplication::prepare(Model::Zhaoxin, 256, 1);
    multiplication.program.options.wrong = wrong;
    assert_eq!(multiplication.program.step(Operation::Montmul), Outcome::Done);
    results.push(("montmul", multiplication.program.memory.bytes(multiplication.t, 36)));
    results
}

/// xstore has a test of its own: it is never the same.
#[test]
#[cfg_attr(miri, ignore = "more of the same")]
fn a_flaw_is_in_its_unit_alone() {
    let right = results(None);
    for (name, flaw) in Flaw::ALL {
        assert_eq!(Flaw::named(name), Some(flaw));
        for ((unit, right), (_, wrong)) in right.iter().zip(results(Some(flaw))) {
            let differs = *right != wrong;
            assert_eq!(differs, cfg!(debug_assertions) && *unit == name, "{name}: {unit}");
        }
    }
    assert_eq!(Flaw::named("xcrypt"), None);
}

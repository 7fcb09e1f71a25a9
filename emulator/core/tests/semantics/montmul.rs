//! montmul against arithmetic of big integers.

use core::num::NonZeroU64;

use num_bigint::BigUint;
use padlock_emulator::{Memory, Model, Operation, Outcome, Width};

use crate::bench::{Program, reduced};

/// A multiplication as OpenSSL's via-mont.pl prepares it.
pub(crate) struct Multiplication {
    pub(crate) program: Program,
    pub(crate) t: u64,
    a: BigUint,
    b: BigUint,
    m: BigUint,
    bits: usize,
}

impl Multiplication {
    /// Three numbers that depend on `seed`.
    pub(crate) fn prepare(model: Model, bits: usize, seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut number = || {
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as u8
            };
            (0..bits / 8).map(|_| next()).collect::<Vec<_>>()
        };
        let mut modulus = number();
        modulus[0] |= 1;
        *modulus.last_mut().expect("bytes") |= 0x80;
        let m = BigUint::from_bytes_le(&modulus);
        let (a, b) =
            (BigUint::from_bytes_le(&number()) % &m, BigUint::from_bytes_le(&number()) % &m);

        let mut program = Program::new(model);
        let width = bits / 8;
        let padded = |number: &BigUint| {
            let mut bytes = number.to_bytes_le();
            bytes.resize(width, 0);
            bytes
        };
        let lowest = u32::from_le_bytes(*modulus.first_chunk().expect("a word"));
        let memory = &mut program.memory;
        let t = memory.place(&vec![0; width + 4]);
        let pointers = [memory.place(&padded(&a)), memory.place(&padded(&b)), t];
        let pointers = [pointers[0], pointers[1], pointers[2], memory.place(&padded(&m))];
        let mut structure = inverse(lowest).wrapping_neg().to_le_bytes().to_vec();
        structure.extend(pointers.iter().flat_map(|pointer| (*pointer as u32).to_le_bytes()));
        program.registers.rsi = memory.place(&structure);
        program.registers.rcx = bits as u64;
        Self { program, t, a, b, m, bits }
    }

    /// What T must be, whatever it has in surplus of M.
    pub(crate) fn assert_finished(&mut self) {
        let words = self.bits / 32;
        let t = self.program.memory.bytes(self.t, 4 * words + 4);
        assert!(t[4 * words] <= 1 && t[4 * words + 1..] == [0; 3], "one bit of overflow");
        let t = BigUint::from_bytes_le(&t);
        let product = &self.a * &self.b;
        assert_eq!((&t << self.bits) % &self.m, product % &self.m);
        assert!(t < &self.m + &self.m, "once is enough to subtract");
        let registers = self.program.registers;
        assert_eq!((registers.rax, registers.rcx), (words as u64, self.bits as u64));
    }
}

/// The inverse of an odd number modulo 2^32, by Newton's iteration.
fn inverse(odd: u32) -> u32 {
    (0..5)
        .fold(odd, |inverse, _| inverse.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(inverse))))
}

#[test]
fn products_are_those_of_big_integers() {
    for bits in reduced([256, 384, 512, 1024, 1152, 2048, 4096], |bits| *bits == 256) {
        for seed in reduced(0..8, |seed| *seed == 0) {
            for width in [Width::Bits32, Width::Bits64] {
                let mut multiplication = Multiplication::prepare(Model::C7, bits, seed);
                multiplication.program.width = width;
                assert_eq!(multiplication.program.step(Operation::Montmul), Outcome::Done);
                multiplication.assert_finished();
                assert_eq!(multiplication.program.memory.refused, 0);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "a million multiplications")]
fn the_longest_numbers_are_multiplied() {
    let mut multiplication = Multiplication::prepare(Model::Zhaoxin, 32768, 1);
    assert_eq!(multiplication.program.step(Operation::Montmul), Outcome::Done);
    multiplication.assert_finished();
}

#[test]
fn sizes_are_checked() {
    for (bits, outcome) in [
        (0, Outcome::Done),
        (128, Outcome::GeneralProtection),
        (288, Outcome::GeneralProtection),
        (32896, Outcome::GeneralProtection),
    ] {
        let mut multiplication = Multiplication::prepare(Model::C7, 256, 3);
        multiplication.program.registers.rcx = bits;
        assert_eq!(multiplication.program.step(Operation::Montmul), outcome, "{bits}");
        assert_eq!(multiplication.program.memory.bytes(multiplication.t, 36), [0; 36]);
    }
}

#[test]
fn rows_are_counted_and_taken_up_again() {
    for every in reduced(1..=8, |every| *every == 3) {
        let mut multiplication = Multiplication::prepare(Model::C7, 256, every);
        multiplication.program.options.interrupt_every = NonZeroU64::new(every);
        for step in 1..8_u64.div_ceil(every) {
            assert_eq!(multiplication.program.step(Operation::Montmul), Outcome::Interrupted);
            assert_eq!(multiplication.program.registers.rax, step * every);
        }
        assert_eq!(multiplication.program.step(Operation::Montmul), Outcome::Done);
        multiplication.assert_finished();
    }
}

#[test]
fn what_t_holds_is_added_to() {
    let mut multiplication = Multiplication::prepare(Model::C7, 256, 5);
    let t = multiplication.t;
    multiplication.program.memory.write(t, &[1]).expect("T");
    assert_eq!(multiplication.program.step(Operation::Montmul), Outcome::Done);
    let sum = BigUint::from_bytes_le(&multiplication.program.memory.bytes(t, 36)) << 256;
    let product = &multiplication.a * &multiplication.b + 1_u32;
    assert_eq!(sum % &multiplication.m, product % &multiplication.m);
}

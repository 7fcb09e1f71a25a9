//! Modular products and powers against big integers in software.

use num_bigint::BigUint;
use wirespeed_cpu::{Features, Pmm, Token};
use wirespeed_padlock::modular::{Error, Modulus};

use crate::checks::longest;

/// Lengths of moduli in bits: short ones, the unit's steps, and beside them.
const LENGTHS: [usize; 9] = [2, 64, 255, 256, 257, 384, 1000, 1024, 2048];

/// Bytes that look random and are always the same.
fn number(bits: usize, seed: u64) -> BigUint {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let bytes: Vec<u8> = (0..bits.div_ceil(8))
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 24) as u8
        })
        .collect();
    BigUint::from_bytes_be(&bytes) % (BigUint::from(1_u8) << bits)
}

fn bytes(number: &BigUint, length: usize) -> Vec<u8> {
    let bytes = number.to_bytes_be();
    [vec![0; length - bytes.len()], bytes].concat()
}

fn compare(pmm: Pmm, modulus: &BigUint, length: usize, exponent_bits: usize, seed: u64) {
    let bits = modulus.bits() as usize;
    let mut unit = Modulus::new(pmm, &bytes(modulus, length)).expect("an odd modulus");
    let [a, b] = [seed, seed + 1].map(|seed| number(bits + 8, seed) % modulus);
    let exponent = number(exponent_bits, seed + 2);
    let (mut product, mut power) = (vec![0; length], vec![0; length]);
    let [left, right] = [&a, &b].map(|it| bytes(it, length));
    unit.multiply(&left, &right, &mut product).expect("a product");
    assert_eq!(BigUint::from_bytes_be(&product), &a * &b % modulus, "{bits} bits");
    unit.power(&left, &exponent.to_bytes_be(), &mut power).expect("a power");
    assert_eq!(BigUint::from_bytes_be(&power), a.modpow(&exponent, modulus), "{bits} bits");
}

/// Every length, the extremes of operands, and the longest modulus once.
pub(crate) fn check(features: Features) {
    let pmm = Pmm::probe(features).expect("PMM");
    let one = BigUint::from(1_u8);
    for (i, bits) in LENGTHS.into_iter().enumerate() {
        for round in 0..4 {
            let modulus = number(bits, (10 * i + round) as u64) | &one | (&one << (bits - 1));
            // A byte of zeros in front must not matter.
            let length = bits.div_ceil(8) + round;
            compare(pmm, &modulus, length, 64 * round, round as u64 + 1);
        }
        // All ones: every product needs the last subtraction or nearly.
        compare(pmm, &((&one << bits) - &one), bits.div_ceil(8), 40, 99);
    }
    if longest() >= 4096 {
        let largest = number(32768, 5) | &one | (&one << 32767_u32);
        compare(pmm, &largest, 4096, 9, 3);
    }

    let error = |modulus: &[u8]| Modulus::new(pmm, modulus).map(|_| ()).unwrap_err();
    assert!(matches!(error(&[0xff, 0]), Error::EvenModulus));
    assert!(matches!(error(&[1]), Error::EvenModulus));
    assert!(matches!(error(&[]), Error::EvenModulus));
    assert!(matches!(error(&[0xff; 4097]), Error::TooLong { bits: 32776 }));
    let mut unit = Modulus::new(pmm, &[0, 101]).expect("101");
    let mut result = [0; 2];
    assert!(matches!(unit.multiply(&[101], &[1], &mut result), Err(Error::NotReduced)));
    assert!(matches!(unit.power(&[2], &[3], &mut [0]), Err(Error::WrongLength { expected: 2 })));
    unit.power(&[2], &[], &mut result).expect("2^0");
    assert_eq!(result, [0, 1]);
}

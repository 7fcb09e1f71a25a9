//! SM4 in XTS by either standard, by their examples and against the default provider; the usual one is in every other test.

use libtest_mimic::Trial;
use wirespeed_cipher::modes::{Standard, Xts};
use wirespeed_cipher::{Algorithm, InOut};
use wirespeed_conformance::data::{painted, same, unhex};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_libcrypto::{Direction, Error, Param, Value};

use crate::trial;

/// GB/T 17964-2021's example, and what IEEE 1619's tweaks make of the same: keys, data unit, plaintext.
const KEYS: &str = "2b7e151628aed2a6abf7158809cf4f3c000102030405060708090a0b0c0d0e0f";
const UNIT: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
const PLAINTEXT: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17";
const CIPHERTEXTS: [(Standard, &str); 2] = [
    (
        Standard::Gb,
        "e9538251c71d7b80bbe4483fef497bd12c5c581bd6242fc51e08964fb4f60fdb\
         0ba42f63499279213d318d2c11f6886e903be7f93a1b3479",
    ),
    (
        Standard::Ieee,
        "e9538251c71d7b80bbe4483fef497bd1b3db1a3e60408c575d63ff7db39f8326\
         0869f9e2585fec9f0b863bf8fd784b8627d16c0db6d2cfc7",
    ),
];

fn algorithm() -> Algorithm {
    "SM4-XTS".parse().expect("an algorithm")
}

/// Of the kernels alone.
pub(crate) fn of_kernels(name: &str, kernels: &Kernels) -> Option<Trial> {
    let table = kernels.table(algorithm())?;
    Some(trial(format!("{name}::examples::SM4-XTS"), move || {
        use wirespeed_cipher::Direction::{Decrypt, Encrypt};
        for (standard, ciphertext) in CIPHERTEXTS {
            let (plaintext, ciphertext) = (unhex(PLAINTEXT), unhex(ciphertext));
            for (direction, from, to) in
                [(Encrypt, &plaintext, &ciphertext), (Decrypt, &ciphertext, &plaintext)]
            {
                let (mut xts, mut output) = (Xts::new(table), from.clone());
                xts.set_standard(standard);
                xts.set_key(&unhex(KEYS), direction);
                xts.start(&unhex(UNIT).try_into().expect("a block"));
                xts.unit(direction, InOut::in_place(&mut output)).expect("more than a block");
                same(|| format!("{standard:?} {direction}"), to, &output)?;
            }
        }
        Ok(())
    }))
}

pub(crate) fn trials(name: &str, measure: &Provider, ours: &Provider) -> Option<Trial> {
    if !(ours.cipher(algorithm()).is_ok() && measure.cipher(algorithm()).is_ok()) {
        return None;
    }
    let (measure, ours) = (measure.clone(), ours.clone());
    Some(trial(format!("{name}::standards::SM4-XTS"), move || standards(&measure, &ours)))
}

fn standards(measure: &Provider, ours: &Provider) -> Result<(), String> {
    let step = here::step(algorithm(), [1, 7]);
    for standard in Standard::ALL {
        for length in (16..=300).chain(1000..=1100).chain([4096, 16385]).step_by(step) {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let play = |provider| unit(provider, standard, direction, length);
                let [right, got] = [measure, ours].map(play);
                let told = |error: Error| error.to_string();
                let what = || format!("{standard:?} {direction:?}, {length}");
                same(what, &right.map_err(told)?, &got.map_err(told)?)?;
            }
        }
    }
    Ok(())
}

/// What becomes of a data unit.
fn unit(
    provider: &Provider,
    standard: Standard,
    direction: Direction,
    length: usize,
) -> Result<Vec<u8>, Error> {
    let mut work = provider.cipher(algorithm())?.context()?;
    let name = Param { key: c"xts_standard", value: Value::Utf8(standard.name()) };
    work.init(direction, Some(&painted(61, 32)), Some(&painted(62, 16)), &[name])?;
    let mut output = vec![0; length + 16];
    let written = work.update(&painted(63, length), &mut output)?;
    output.truncate(written);
    Ok(output)
}

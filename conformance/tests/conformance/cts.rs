//! Ciphertext stealing in every order, against the default provider; the default order is in every other test.

use libtest_mimic::Trial;
use wirespeed_cipher::modes::Stealing;
use wirespeed_cipher::{Algorithm, BlockKey, InOut, Mode};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::{painted, same, unhex};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_libcrypto::{Direction, Error, Kind, Param, Value};

use crate::trial;

/// RFC 3962, appendix B: plaintexts of as many bytes as their ciphertexts.
const KERBEROS: [&str; 6] = [
    "c6353568f2bf8cb4d8a580362da7ff7f97",
    "fc00783e0efdb2c1d445d4c8eff7ed2297687268d6ecccc0c07b25e25ecfe5",
    "39312523a78662d5be7fcbcc98ebf5a897687268d6ecccc0c07b25e25ecfe584",
    "97687268d6ecccc0c07b25e25ecfe584b3fffd940c16a18c1b5549d2f838029e39312523a78662d5be7fcbcc98ebf5",
    "97687268d6ecccc0c07b25e25ecfe5849dad8bbb96c4cdc03bc103e1a194bbd839312523a78662d5be7fcbcc98ebf5a8",
    "97687268d6ecccc0c07b25e25ecfe58439312523a78662d5be7fcbcc98ebf5a84807efe836ee89a526730dbc2f7bc8409dad8bbb96c4cdc03bc103e1a194bbd8",
];
const PLAINTEXT: &[u8; 64] = b"I would like the General Gau's Chicken, please, and wonton soup.";

/// Of the kernels alone.
pub(crate) fn of_kernels(name: &str, kernels: &Kernels) -> Option<Trial> {
    let table = kernels.table("AES-128-CBC-CTS".parse().expect("an algorithm"))?;
    Some(trial(format!("{name}::kerberos"), move || {
        use wirespeed_cipher::Direction::{Decrypt, Encrypt};
        for ciphertext in KERBEROS.map(unhex) {
            let plaintext = &PLAINTEXT[..ciphertext.len()];
            for (direction, from, to) in
                [(Encrypt, plaintext, &*ciphertext), (Decrypt, &*ciphertext, plaintext)]
            {
                let (mut key, mut output) = (BlockKey::empty(table), from.to_vec());
                key.set(b"chicken teriyaki", direction);
                let data = InOut::in_place(&mut output);
                Stealing::Cs3.crypt(&key, direction, &mut [0; 16], data);
                same(|| format!("{direction} of {} bytes", from.len()), to, &output)?;
            }
        }
        Ok(())
    }))
}

pub(crate) fn trials(name: &str, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    let algorithms = ours.algorithms().into_iter().filter(|it| it.mode() == Mode::Cts);
    let build = |algorithm: Algorithm| {
        let (measure, ours) = (measure.clone(), ours.clone());
        trial(format!("{name}::orders::{algorithm}"), move || orders(algorithm, &measure, &ours))
    };
    algorithms.map(build).collect()
}

fn orders(algorithm: Algorithm, measure: &Provider, ours: &Provider) -> Result<(), String> {
    let step = here::step(algorithm, [1, 7]);
    for order in Stealing::ALL {
        for length in (16..=200).chain(1000..=1040).step_by(step) {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let play = |provider| message(provider, algorithm, order, direction, length);
                let [right, got] = [measure, ours].map(play);
                let told = |error: Error| error.to_string();
                let what = || format!("{algorithm} {order:?} {direction:?}, {length}");
                same(what, &right.map_err(told)?, &got.map_err(told)?)?;
            }
        }
    }
    Ok(())
}

/// What comes of a message, the IV behind it, and the order that the context tells.
fn message(
    provider: &Provider,
    algorithm: Algorithm,
    order: Stealing,
    direction: Direction,
    length: usize,
) -> Result<Vec<u8>, Error> {
    let (key, iv) = (painted(81, algorithm.key_bytes()), painted(82, 16));
    let mut work = provider.cipher(algorithm)?.context()?;
    let params = [Param { key: c"cts_mode", value: Value::Utf8(order.name()) }];
    work.init(direction, Some(&key), Some(&iv), &params)?;
    let mut output = painted(length as u64, length);
    output.resize(length + 16, 0);
    let written = work.update_in_place(&mut output, length)?;
    output.truncate(written);
    let (mut last, mut told) = ([0; 16], [0; 8]);
    work.parameter(c"updated-iv", Kind::Octets, Some(&mut last))?;
    work.parameter(c"cts_mode", Kind::Utf8, Some(&mut told))?;
    Ok([&output[..], &last, &told].concat())
}

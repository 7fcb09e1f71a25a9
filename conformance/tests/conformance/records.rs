//! TLS 1.2 records as libssl hands them over, against the default provider: AEAD records with explicit
//! nonces, CBC records with their padding and MAC.

use std::ffi::c_void;

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Direction, Mode};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::painted;
use wirespeed_conformance::evp::{self, Provider};
use wirespeed_conformance::here;
use wirespeed_libcrypto::{Cipher, CipherContext, Error, Param, Value};

use crate::trial;

/// `EVP_CTRL_AEAD_TLS1_AAD` of openssl/evp.h.
const TLS1_AAD: i32 = 0x16;
/// `EVP_CTRL_AEAD_SET_IV_FIXED` of openssl/evp.h.
const SET_IV_FIXED: i32 = 0x12;

pub(crate) fn trials(name: &str, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    let mut trials = Vec::new();
    for algorithm in ours.algorithms() {
        let run: fn(Algorithm, &Cipher, &Cipher) -> Result<(), String> = match algorithm.mode() {
            Mode::Cbc => chained,
            Mode::Gcm | Mode::Ccm | Mode::Poly1305 => sealed,
            _ => continue,
        };
        let (measure, ours) = (measure.clone(), ours.clone());
        trials.push(trial(format!("{name}::records::{algorithm}"), move || {
            let ciphers = (measure.cipher(algorithm), ours.cipher(algorithm));
            let (Ok(measure), Ok(ours)) = ciphers else { return Err("cannot fetch".to_owned()) };
            run(algorithm, &measure, &ours)
        }));
    }
    trials
}

/// What a record turned into.
#[derive(Debug, PartialEq)]
struct Record {
    returned: Result<usize, ()>,
    bytes: Vec<u8>,
    mac: Option<Vec<u8>>,
}

/// CBC: `tls-version` and `tls-mac-size`; every length of a record, every padding byte at its end.
fn chained(algorithm: Algorithm, measure: &Cipher, ours: &Cipher) -> Result<(), String> {
    let step = here::step(algorithm, [7, 23]);
    for version in [0x0301_u32, 0x0302, 0x0303, 0xfeff, 0xfefd] {
        for mac in [0, 20, 32, 48] {
            for length in (0..=600).step_by(step) {
                let data = painted(length as u64, length);
                let seal = |cipher: &Cipher| {
                    chained_record(cipher, algorithm, Direction::Encrypt, version, mac, &data)
                };
                let what = || format!("{algorithm}, version {version:#x}, MAC {mac}, {length}");
                let right = compare(what, seal, measure, ours)?;
                // Opened as sealed, then with every last byte of padding, wrong ones too.
                if right.returned.is_err() || length > 80 {
                    continue;
                }
                for damage in (0..=255).step_by(step) {
                    let mut bytes = right.bytes.clone();
                    // Changes the last byte of the plaintext's last block, and nothing else there.
                    let Some(at) = bytes.len().checked_sub(17) else { continue };
                    bytes[at] ^= damage;
                    let open = |cipher: &Cipher| {
                        chained_record(cipher, algorithm, Direction::Decrypt, version, mac, &bytes)
                    };
                    let what = || format!("{}, opened, padding ^ {damage:#x}", what());
                    compare(what, open, measure, ours)?;
                }
            }
        }
    }
    Ok(())
}

fn chained_record(
    cipher: &Cipher,
    algorithm: Algorithm,
    direction: Direction,
    version: u32,
    mac: usize,
    data: &[u8],
) -> Result<Record, Error> {
    let mut work = cipher.context()?;
    let (key, iv) = (painted(51, algorithm.key_bytes()), painted(52, 16));
    work.init(evp::direction(direction), Some(&key), Some(&iv), &[])?;
    work.set(&[Param::uint(c"tls-version", version), Param::size(c"tls-mac-size", mac)])?;
    // Room for all the padding that a record may get.
    let mut bytes = data.to_vec();
    bytes.resize(data.len() + 272, 0);
    let at = bytes.as_mut_ptr();
    // SAFETY: `bytes` is a record of `data.len()` bytes with room for its padding, and ours alone.
    let returned = unsafe { work.update_raw(at.cast_const(), data.len(), at) }.map_err(|_| ());
    let mac = returned.is_ok() && direction == Direction::Decrypt && mac > 0;
    let mac = if mac { pointed_mac(&mut work) } else { None };
    bytes.truncate(returned.unwrap_or(0));
    Ok(Record { returned, bytes, mac })
}

fn pointed_mac(work: &mut CipherContext) -> Option<Vec<u8>> {
    work.pointed(c"tls-mac").ok().flatten()
}

fn compare(
    what: impl Fn() -> String,
    run: impl Fn(&Cipher) -> Result<Record, Error>,
    measure: &Cipher,
    ours: &Cipher,
) -> Result<Record, String> {
    match (run(measure), run(ours)) {
        (Ok(right), Ok(got)) => {
            let lengths = |record: &Record| record.mac.as_ref().map(Vec::len);
            // A MAC that a bad padding hides is another each time.
            let is_random = || run(measure).is_ok_and(|again| again.mac != right.mac);
            let same_mac = right.mac == got.mac || lengths(&right) == lengths(&got) && is_random();
            if right.returned != got.returned || right.bytes != got.bytes || !same_mac {
                return Err(format!("{}:\n  default: {right:?}\n  ours:    {got:?}", what()));
            }
            Ok(right)
        }
        (Err(right), Err(_)) => Err(format!("{}: neither works: {right}", what())),
        (Err(error), Ok(_)) => Err(format!("{}: works, unlike default: {error}", what())),
        (Ok(_), Err(error)) => Err(format!("{}: {error}", what())),
    }
}

/// Bytes of the IV that are fixed for all records, and bytes in front of each that are its own: RFC 5288 §3,
/// RFC 6655 §3, RFC 7905 §2.
fn nonces(algorithm: Algorithm) -> (usize, usize) {
    if algorithm.mode() == Mode::Poly1305 { (12, 0) } else { (4, 8) }
}

/// AEADs: fixed part of the IV, header of 13 bytes, then whole records through `EVP_Cipher` and through
/// update, sealed and opened, whole, damaged and too short.
fn sealed(algorithm: Algorithm, measure: &Cipher, ours: &Cipher) -> Result<(), String> {
    let step = here::step(algorithm, [7, 41]);
    for length in (0..=400).step_by(step).chain([1420, 16384]) {
        for one_shot in [true, false] {
            let what = || format!("{algorithm}, record of {length} bytes, one shot: {one_shot}");
            let payload = painted(length as u64, length);
            let seal = |cipher: &Cipher| -> Result<Vec<Sealed>, Error> {
                let mut work = record_context(cipher, algorithm, Direction::Encrypt)?;
                // Three in a row: the explicit nonce counts up.
                let (_, explicit) = nonces(algorithm);
                let seal = |n| sealed_record(&mut work, n, one_shot, explicit, &payload);
                Ok((0..3).map(seal).collect())
            };
            let right = seal(measure).map_err(|error| error.to_string())?;
            let got = seal(ours).map_err(|error| error.to_string())?;
            if algorithm.mode() != Mode::Gcm && right != got {
                return Err(format!("{}: other bytes", what()));
            }
            // GCM's own 8 bytes begin at a random value, unlike everything that follows from it.
            for (right, got) in right.iter().zip(&got) {
                if (right.pad, right.returned, right.bytes.len())
                    != (got.pad, got.returned, got.bytes.len())
                {
                    return Err(format!("{}:\n  {right:?}\n  {got:?}", what()));
                }
            }
            let explicit = |record: &Sealed| {
                record.bytes.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
            };
            let numbers: Vec<_> = got.iter().filter_map(explicit).collect();
            if algorithm.mode() == Mode::Gcm
                && numbers.windows(2).any(|pair| pair[1] != pair[0].wrapping_add(1))
            {
                return Err(format!("{}: explicit nonces {numbers:x?}", what()));
            }
            // Each opens the other's, and both judge damage alike.
            for (sequence, record) in (0..1).zip(&right).chain((0..).zip(&got)) {
                for damage in [None, Some(0), Some(8), Some(record.bytes.len().saturating_sub(1))] {
                    let mut bytes = record.bytes.clone();
                    if let Some(byte) = damage.and_then(|at| bytes.get_mut(at)) {
                        *byte ^= 0x10;
                    }
                    let open = |cipher: &Cipher| -> Result<Sealed, Error> {
                        let mut work = record_context(cipher, algorithm, Direction::Decrypt)?;
                        Ok(opened_record(&mut work, sequence, one_shot, &bytes))
                    };
                    let right = open(measure).map_err(|error| error.to_string())?;
                    let got = open(ours).map_err(|error| error.to_string())?;
                    if damage.is_none() && record.returned.is_ok() && right.returned.is_err() {
                        return Err(format!("{}: the host cannot open {record:?}", what()));
                    }
                    if right != got {
                        return Err(format!("{}, {damage:?}:\n  {right:?}\n  {got:?}", what()));
                    }
                }
            }
        }
    }
    Ok(())
}

/// What a record turned into, and how many bytes its header said it takes besides.
#[derive(Debug, PartialEq)]
struct Sealed {
    pad: i32,
    returned: Result<usize, ()>,
    bytes: Vec<u8>,
}

/// As libssl sets it up: key, then the fixed bytes of the IV.
fn record_context(
    cipher: &Cipher,
    algorithm: Algorithm,
    direction: Direction,
) -> Result<CipherContext, Error> {
    let mut work = cipher.context()?;
    if algorithm.mode() == Mode::Ccm {
        let tag = Param { key: c"tag", value: Value::NoOctets(16) };
        work.init(evp::direction(direction), None, None, &[Param::size(c"ivlen", 12), tag])?;
    }
    work.init(evp::direction(direction), Some(&painted(53, algorithm.key_bytes())), None, &[])?;
    let mut fixed = painted(54, nonces(algorithm).0);
    // SAFETY: as many bytes as the argument says; the control only reads them.
    unsafe { work.control_raw(SET_IV_FIXED, fixed.len() as i32, fixed.as_mut_ptr().cast()) };
    Ok(work)
}

/// The 13 bytes that TLS 1.2 adds to the hash: sequence number, type, version, length (RFC 5246, 6.2.3.3).
fn header(work: &mut CipherContext, sequence: u64, length: usize) -> i32 {
    let mut header = [0; 13];
    header[..8].copy_from_slice(&sequence.to_be_bytes());
    header[8..11].copy_from_slice(&[23, 3, 3]);
    header[11..].copy_from_slice(&(length as u16).to_be_bytes());
    // SAFETY: 13 bytes, as the argument says.
    unsafe { work.control_raw(TLS1_AAD, 13, header.as_mut_ptr().cast::<c_void>()) }
}

fn sealed_record(
    work: &mut CipherContext,
    sequence: u64,
    one_shot: bool,
    explicit: usize,
    payload: &[u8],
) -> Sealed {
    let pad = header(work, sequence, payload.len() + explicit);
    // Explicit nonce, payload, tag: in place.
    let bytes = [&[0; 8][..explicit], payload, &[0; 16]].concat();
    whole_record(work, one_shot, pad, bytes)
}

fn opened_record(work: &mut CipherContext, sequence: u64, one_shot: bool, record: &[u8]) -> Sealed {
    let pad = header(work, sequence, record.len());
    whole_record(work, one_shot, pad, record.to_vec())
}

fn whole_record(work: &mut CipherContext, one_shot: bool, pad: i32, mut bytes: Vec<u8>) -> Sealed {
    let (at, length) = (bytes.as_mut_ptr(), bytes.len());
    let returned = if one_shot {
        // SAFETY: a record in place, in memory of our own.
        let returned = unsafe { work.one_shot_raw(at.cast_const(), length as u32, at) };
        usize::try_from(returned).map_err(|_| ())
    } else {
        // SAFETY: as above.
        unsafe { work.update_raw(at.cast_const(), length, at) }.map_err(|_| ())
    };
    bytes.truncate(if returned.is_ok() { length } else { 0 });
    Sealed { pad, returned, bytes }
}

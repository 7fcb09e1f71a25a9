//! Source and destination that overlap in part, against the default provider.
//!
//! EVP_EncryptUpdate(3) forbids it, no cipher of the default provider checks it, and what happens was
//! found by trying OpenSSL 3.0 and 4.0. With the destination below the source every mode gives the right
//! bytes, at every distance. With the destination above it the bytes depend on how many blocks the code
//! that the CPU gets takes at once, so that the default provider's own versions differ. The rule tested:
//! never another return code, and below the source the right bytes.

use std::fmt::Write;

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Direction};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::painted;
use wirespeed_conformance::evp::{Provider, start};
use wirespeed_conformance::here;

use crate::differential::possible;
use crate::messages::Message;
use crate::trial;

/// Room on both sides of the data.
const ROOM: usize = 300;

pub(crate) fn trials(name: &str, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    let build = |algorithm: Algorithm| {
        let (measure, ours) = (measure.clone(), ours.clone());
        trial(format!("{name}::overlap::{algorithm}"), move || overlap(&measure, &ours, algorithm))
    };
    ours.algorithms().into_iter().map(build).collect()
}

fn overlap(measure: &Provider, ours: &Provider, algorithm: Algorithm) -> Result<(), String> {
    let step = here::step(algorithm, [7, 37]);
    let mut faults = String::new();
    for direction in Direction::BOTH {
        for length in [16, 48, 128, 192, 256, 500, 1024, 1040] {
            if !possible(algorithm.mode(), length) {
                continue;
            }
            let message = Message::new(algorithm, 91);
            let data = painted(92, length);
            let setup = message.setup(direction);
            let right = measure.right(&setup, &data)?.output;
            for to in (0..=2 * ROOM).step_by(step) {
                let run = |provider: &Provider| {
                    let mut memory = vec![0; length + 2 * ROOM + 16];
                    memory[ROOM..ROOM + length].copy_from_slice(&data);
                    let mut work = provider.cipher(algorithm).and_then(|it| it.context())?;
                    start(&mut work, &setup)?;
                    let at = memory.as_mut_ptr();
                    // SAFETY: both ranges lie within `memory`, which nobody else uses.
                    unsafe { work.update_raw(at.add(ROOM).cast_const(), length, at.add(to)) }
                        .map(|written| (written, memory[to..to + length] == right))
                };
                let (theirs, got) = (run(measure).map_err(|_| ()), run(ours).map_err(|_| ()));
                let codes = |it: &Result<(usize, bool), ()>| it.map(|(written, _)| written);
                // Some of OpenSSL's code for CPUs without AES-NI is wrong where ours is right.
                let is_right = |it: Result<(usize, bool), ()>| it.is_ok_and(|(_, right)| right);
                let wrong = to < ROOM && is_right(theirs) && !is_right(got);
                if codes(&theirs) != codes(&got) || wrong {
                    let shift = to as i64 - ROOM as i64;
                    let _ = writeln!(
                        faults,
                        "{algorithm} {direction}, {length} bytes moved by {shift}: {got:?}, not {theirs:?}"
                    );
                }
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

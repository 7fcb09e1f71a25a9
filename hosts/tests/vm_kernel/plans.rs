//! Plans for this guest that give the kernel what a test wants it to have.

use std::path::PathBuf;

use wirespeed_cipher::{Algorithm, Direction, Route, SIZE_CLASSES, Subject};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_libcrypto::Library;
use wirespeed_plan::{Fingerprint, Plan, Row};

/// A plan's file: from so many bytes on the kernel has these algorithms, below it another route of ours.
pub(crate) fn file(scratch: &Scratch, offloaded: &[(&str, usize)]) -> Result<PathBuf, String> {
    let library = Library::host().map_err(|error| error.to_string())?;
    let mut plan = Plan::new(Fingerprint::here(library.version()));
    for (name, from) in offloaded {
        let subject: Subject = name.parse().map_err(|error| format!("{error}"))?;
        match subject.cipher() {
            Some(algorithm) => rows(&mut plan, algorithm, *from),
            None => {
                for direction in Direction::BOTH {
                    plan.put_offload(subject, direction, *from);
                }
            }
        }
    }
    scratch.write("plan", plan.to_string())
}

fn rows(plan: &mut Plan, algorithm: Algorithm, from: usize) {
    for &direction in algorithm.directions() {
        for size in SIZE_CLASSES {
            let route = if size >= from { Route::Kernel } else { Route::AesNi };
            plan.put(Row { algorithm, direction, size, route, reason: None });
        }
    }
}

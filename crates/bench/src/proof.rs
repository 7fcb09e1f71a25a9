//! The proof against the host: every algorithm of a route gives the bytes that OpenSSL gives.

use std::fmt;
use std::sync::Arc;

use wirespeed_cipher::{Direction, Subject, Use};

use crate::candidate::{Absent, Candidate};
use crate::case::Case;
use crate::harness::Harness;
use crate::material::Material;

/// Why a candidate is not proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// It or the host's OpenSSL could not do the case.
    Failed(Case, Absent),
    /// Other bytes than the host's OpenSSL, or another tag.
    Bytes(Case),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(case, why) => write!(f, "{case}: {why}"),
            Self::Bytes(case) => write!(f, "{case}: other bytes than this OpenSSL gives"),
        }
    }
}

impl std::error::Error for Difference {}

/// Below, at and above the borders of vectors and unrolled loops.
const SIZES: [usize; 12] = [1, 16, 31, 64, 100, 128, 257, 512, 1023, 1420, 2049, 4101];

/// The longest message of a chain, which runs one block after the other, however many there are.
const LONGEST_CHAIN: usize = 1023;

/// Compares a candidate with the host's OpenSSL, message by message, in everything that both know; how
/// many were equal.
pub fn prove_against_host(harness: &Harness, candidate: Candidate) -> Result<usize, Difference> {
    let both = |subject: &Subject| {
        [candidate, Candidate::Host].iter().all(|it| harness.knows(*it, *subject))
    };
    Subject::ours()
        .filter(both)
        .map(|subject| prove_subject_against_host(harness, candidate, subject))
        .sum()
}

/// The same for one algorithm, which the host's OpenSSL must know too.
pub fn prove_subject_against_host(
    harness: &Harness,
    candidate: Candidate,
    subject: Subject,
) -> Result<usize, Difference> {
    let mut checks = 0;
    for &direction in subject.directions() {
        let is_chain = subject.cipher().is_some_and(|it| it.mode().is_chain(direction));
        let longest = if is_chain { LONGEST_CHAIN } else { usize::MAX };
        let sizes = SIZES.into_iter().filter(|size| *size <= longest);
        for case in sizes.filter_map(|size| Case::new(subject, direction, Use::Message, size).ok())
        {
            let are_equal = compare(harness, candidate, case);
            if !are_equal.map_err(|why| Difference::Failed(case, why))? {
                return Err(Difference::Bytes(case));
            }
            checks += 1;
        }
    }
    Ok(checks)
}

/// Whether a candidate gives the host's bytes; what is decrypted, the host has encrypted.
fn compare(harness: &Harness, candidate: Candidate, case: Case) -> Result<bool, Absent> {
    let run = |candidate, case, material: &Arc<Material>| {
        harness.runner_on(candidate, case, material.clone())?.result()
    };
    let plain = Arc::new(Material::plain(case));
    let material = match case.direction {
        Direction::Encrypt => plain,
        Direction::Decrypt => {
            let encrypt = Case { direction: Direction::Encrypt, ..case };
            Arc::new(Material::sealed(case, &run(Candidate::Host, encrypt, &plain)?))
        }
    };
    Ok(run(candidate, case, &material)? == run(Candidate::Host, case, &material)?)
}

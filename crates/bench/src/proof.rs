//! The proof against the host: every algorithm of a route gives the bytes that OpenSSL gives.

use std::fmt;

use wirespeed_cipher::{Direction, Subject, Use};

use crate::candidate::{Absent, Candidate};
use crate::case::Case;
use crate::harness::Harness;

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
    let directions =
        if subject.is_symmetric() { &[Direction::Encrypt] } else { &Direction::BOTH[..] };
    let mut checks = 0;
    for &direction in directions {
        let cases =
            SIZES.iter().filter_map(|&size| Case::new(subject, direction, Use::Message, size).ok());
        for case in cases {
            let result =
                |candidate| harness.runner(candidate, case).and_then(|mut runner| runner.result());
            let failed = |why| Difference::Failed(case, why);
            if result(candidate).map_err(failed)? != result(Candidate::Host).map_err(failed)? {
                return Err(Difference::Bytes(case));
            }
            checks += 1;
        }
    }
    Ok(checks)
}

//! From which size on the kernel is worth its system calls.

use wirespeed_bench::{Candidate, Measured};
use wirespeed_cipher::Route;
use wirespeed_measure::statistics::Estimate;
use wirespeed_results::schema::bench::BreakEven;

/// Each candidate that may sleep, against the best that runs in the process, in time and in CPU time: an
/// offload can lose the one and win the other.
pub(super) fn break_even(candidates: &[Candidate], measured: &[Measured]) -> Vec<BreakEven> {
    let inside: Vec<Candidate> =
        candidates.iter().copied().filter(|candidate| !candidate.may_sleep()).collect();
    let Some(first) = measured.first().filter(|_| !inside.is_empty()) else { return Vec::new() };
    let outside = candidates.iter().copied().filter(|candidate| candidate.may_sleep());
    outside
        .map(|candidate| BreakEven {
            algorithm: first.case.subject.name().to_owned(),
            direction: first.case.subject.direction(first.case.direction).to_owned(),
            usage: first.case.usage.name().to_owned(),
            route: candidate.route().map_or("", Route::name).to_owned(),
            name: candidate.title(),
            size: from(measured, candidate, &inside, Measured::ratio),
            cpu_size: from(measured, candidate, &inside, Measured::cpu_ratio),
        })
        .collect()
}

/// The smallest size at which, and at all above, a candidate beats every other for sure.
pub(super) fn from(
    measured: &[Measured],
    candidate: Candidate,
    others: &[Candidate],
    ratio: impl Fn(&Measured, Candidate, Candidate) -> Option<Estimate>,
) -> Option<usize> {
    let beats = |one: &&Measured| {
        others.iter().all(|other| ratio(one, *other, candidate).is_some_and(|it| it.low > 1.0))
    };
    measured.iter().rev().take_while(beats).last().map(|one| one.case.size)
}

//! From which size on the kernel is worth its system calls.

use wirespeed_bench::{BreakEven, Contender, Measured};
use wirespeed_cipher::Route;
use wirespeed_measure::statistics::Estimate;

/// Each contender that may sleep, against the best that runs in the process, in time and in CPU time: an
/// offload can lose the one and win the other.
pub(super) fn break_even(contenders: &[Contender], measured: &[Measured]) -> Vec<BreakEven> {
    let inside: Vec<Contender> =
        contenders.iter().copied().filter(|contender| !contender.may_sleep()).collect();
    let Some(first) = measured.first().filter(|_| !inside.is_empty()) else { return Vec::new() };
    let outside = contenders.iter().copied().filter(|contender| contender.may_sleep());
    outside
        .map(|contender| BreakEven {
            algorithm: first.case.subject.name(),
            direction: first.case.subject.direction(first.case.direction),
            usage: first.case.usage.name(),
            route: contender.route().map_or("", Route::name),
            name: contender.title(),
            size: from(measured, contender, &inside, Measured::ratio),
            cpu_size: from(measured, contender, &inside, Measured::cpu_ratio),
        })
        .collect()
}

/// The smallest size at which, and at all above, a contender beats every other for sure.
pub(super) fn from(
    measured: &[Measured],
    contender: Contender,
    others: &[Contender],
    ratio: impl Fn(&Measured, Contender, Contender) -> Option<Estimate>,
) -> Option<usize> {
    let beats = |one: &&Measured| {
        others.iter().all(|other| ratio(one, *other, contender).is_some_and(|it| it.low > 1.0))
    };
    measured.iter().rev().take_while(beats).last().map(|one| one.case.size)
}

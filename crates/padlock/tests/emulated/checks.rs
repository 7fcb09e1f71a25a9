//! All that can be checked with the units that are here.

use std::env;

use wirespeed_cpu::{Feature, Features};

use crate::{INSIDE, ciphers, hashes, numbers, randomness};

/// What a unit's check needs, and the check.
const CHECKS: [(Feature, fn(Features)); 7] = [
    (Feature::Rng, randomness::check),
    (Feature::Ace, ciphers::check_aes),
    (Feature::Ace2, ciphers::check_ace2),
    (Feature::Phe, hashes::check_phe),
    (Feature::Phe2, hashes::check_phe2),
    (Feature::Pmm, numbers::check),
    (Feature::Ccs, |features| {
        ciphers::check_sm4(features);
        hashes::check_sm3(features);
    }),
];

/// Bytes of the longest message or number: what is longer than 1500 is left out where the program is to be `short`.
pub(crate) fn longest() -> usize {
    if env::var(INSIDE).is_ok_and(|what| what == "short") { 1500 } else { usize::MAX }
}

/// Runs every check there is a unit for, and says which.
pub(crate) fn all() {
    let features = Features::detect();
    let mut checked = Vec::new();
    for (unit, check) in CHECKS {
        if features.has(unit) {
            check(features);
            checked.push(unit.name());
        }
    }
    println!("checked: {}", checked.join(" "));
}

/// Bytes that differ from place to place; no power of two fits the cycle.
pub(crate) fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i % 251) as u8 ^ (i >> 9) as u8).collect()
}

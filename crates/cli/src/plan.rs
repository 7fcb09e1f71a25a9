//! The plan as the program deals with it: where it lies, which one is in effect, and how it looks.

mod constant_time;
mod effect;
mod file;
mod others;
mod rows;
mod summary;

pub(crate) use constant_time::{code, cost, cost_in_words};
pub(crate) use effect::{Effect, Listed, UNNAMED};
pub(crate) use file::Destination;
pub(crate) use others::{Other, digests, offloads, others};
pub(crate) use rows::{planned, unmeasured};
pub(crate) use summary::{by_size, everywhere, gains, line, summary, title};

/// What a plan for this machine is made for.
pub(crate) fn fingerprint(host: &wirespeed_bench::Host) -> wirespeed_plan::Fingerprint {
    let version = host.harness.library().map_or("", |library| library.version());
    wirespeed_plan::Fingerprint::here(version)
}

//! Measuring honestly: clocks, samples, robust statistics, noise warnings, limits.
//!
//! A [`contest`] runs its contestants in slices, one after the other in rotating order, so that a
//! clock that drifts slows all of them alike and ratios stay true. [`limit`] adds what the execution
//! unit itself allows as one more contestant.

mod arch;
pub mod clock;
pub mod contest;
mod gate;
pub mod limit;
pub mod noise;
pub mod statistics;

pub use clock::{Clock, ThreadTime, WallTime, busy_ticks};
pub use contest::{Contestant, Effort, Samples, Slice};
pub use limit::Limit;

/// How many CPUs this process may use; one, where the system does not tell.
pub fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

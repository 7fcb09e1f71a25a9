//! The plan as the program deals with it: where it lies, which one is in effect, and how it looks.

mod effect;
mod file;
mod others;
mod rows;
mod summary;

pub(crate) use effect::{Effect, Listed};
pub(crate) use file::{Destination, SYSTEM, default_file};
pub(crate) use others::{Other, offloads, others};
pub(crate) use rows::{planned, unmeasured};
pub(crate) use summary::{by_size, everywhere, gains, line, summary, title};

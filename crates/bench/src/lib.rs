//! The contest: one algorithm, every way to run it, side by side in one run.
//!
//! A [`Case`] says what is done, a [`Contender`] who does it, an [`Arena`] brings contenders to life,
//! and [`Contest`] measures them in turns, together with the limit of the execution unit.
#![deny(unsafe_code)]

mod arena;
mod case;
mod contender;
mod contest;
mod digest;
mod direct;
mod document;
mod evp;
#[cfg(test)]
mod forged;
mod form;
mod lanes;
mod material;
mod offload;
mod proof;
mod sockets;
mod worker;

pub use arena::{Arena, Runner};
pub use case::Case;
pub use contender::{Absent, Contender, Door};
pub use contest::{Contest, Entry, Measured, Trouble};
pub use document::{BENCH_SCHEMA, BreakEven, Document, Quarantined, Row, Skipped};
pub use proof::{Difference, prove_against_host, prove_subject_against_host};
pub use worker::Message;

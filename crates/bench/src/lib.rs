//! The contest: one algorithm, every way to run it, side by side in one run.
//!
//! A [`Case`] says what is done, a [`Candidate`] who does it, a [`Harness`] brings candidates to life,
//! and [`Contest`] measures them in turns, together with the limit of the execution unit.
#![deny(unsafe_code)]

mod candidate;
mod case;
mod contest;
mod digest;
mod direct;
mod evp;
#[cfg(test)]
mod forged;
mod form;
mod harness;
mod host;
mod lanes;
mod material;
mod offload;
mod proof;
mod sockets;
mod worker;

pub use candidate::{Absent, ApiPath, Candidate};
pub use case::Case;
pub use contest::{Contest, Entry, Measured, Trouble};
pub use harness::{Harness, Runner};
pub use host::{Found, Host};
pub use proof::{Difference, prove_against_host, prove_subject_against_host};
pub use worker::Message;

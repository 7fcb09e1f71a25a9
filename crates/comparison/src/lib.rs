//! Ciphers of the past, **for comparison only**: they show what a disk would cost with them, and must never
//! protect anything.
//!
//! They implement the traits of the crate `cipher`, as those that other people keep do.
#![forbid(unsafe_code)]

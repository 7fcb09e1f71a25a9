//! The modes, each written once for every [`Unit`](crate::unit::Unit).
//!
//! Functions here are `inline(always)` so that they become part of the entry points in `x86` and
//! `table`, which carry the target features; on their own they have none.

pub(crate) mod chain;
pub(crate) mod ctr;
pub(crate) mod gcm;
pub(crate) mod ghash;
pub(crate) mod parallel;
pub(crate) mod xts;

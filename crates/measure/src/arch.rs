//! What the units of each architecture allow.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
use x86_64 as machine;

#[cfg(not(target_arch = "x86_64"))]
mod other;
#[cfg(not(target_arch = "x86_64"))]
use other as machine;

pub(crate) use machine::unit;

//! What the units of each architecture allow.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
use aarch64 as machine;
#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
use x86_64 as machine;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod other;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use other as machine;

#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod x86;
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
pub(crate) use x86::spend;

pub(crate) use machine::unit;

/// Where no instruction is known to take one cycle on every core.
#[cfg(not(any(target_arch = "x86_64", target_arch = "x86")))]
pub(crate) fn spend(_: u64) -> Option<u64> {
    None
}

//! The routes of each architecture, and those that are no family of vector units.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
use x86_64 as machine;

#[cfg(not(target_arch = "x86_64"))]
mod other;
#[cfg(not(target_arch = "x86_64"))]
use other as machine;

pub use machine::ROUTES;
pub(crate) use machine::padlock::{hash as padlock_hash, kernels as padlock_kernels};

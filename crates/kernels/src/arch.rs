//! The routes of each architecture, and those that are no family of vector units.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
mod other;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

#[cfg(target_arch = "aarch64")]
pub use aarch64::ROUTES;
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
pub use other::ROUTES;
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub(crate) use other::padlock::{hash as padlock_hash, kernels as padlock_kernels};
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub use x86::ROUTES;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) use x86::padlock::{hash as padlock_hash, kernels as padlock_kernels};

//! The intrinsics of x86 under one name, whether registers have 32 bits or 64.

#[cfg(target_arch = "x86")]
pub use std::arch::x86;
#[cfg(target_arch = "x86_64")]
pub use std::arch::x86_64 as x86;

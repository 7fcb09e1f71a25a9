//! Only x86 has PadLock.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use x86 as machine;

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
mod other;
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
use other as machine;

pub(crate) use machine::{here, points};

//! What libcrypto's code looks up in tables on one architecture alone.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) use x86::LOOK_UPS;

/// Of other machines no features are known, so nothing is said of AES and SM4 there.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub(crate) const LOOK_UPS: &[crate::look_ups::Entry] = &[];

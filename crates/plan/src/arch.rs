//! What libcrypto's code looks up in tables on one architecture alone.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::LOOK_UPS;

/// Of other machines no features are known, so nothing is said of AES and SM4 there.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const LOOK_UPS: &[crate::look_ups::Entry] = &[];

//! What libcrypto's code looks up in tables on one architecture alone.

#[cfg(any(test, target_arch = "aarch64"))]
pub(crate) mod aarch64;
#[cfg(any(test, target_arch = "arm"))]
pub(crate) mod arm;
#[cfg(any(
    test,
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "arm"
))]
mod bsaes;
#[cfg(any(test, target_arch = "riscv64"))]
pub(crate) mod riscv;
#[cfg(any(test, target_arch = "x86", target_arch = "x86_64"))]
pub(crate) mod x86;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::LOOK_UPS;
#[cfg(target_arch = "arm")]
pub(crate) use arm::LOOK_UPS;
#[cfg(target_arch = "riscv64")]
pub(crate) use riscv::LOOK_UPS;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) use x86::LOOK_UPS;

/// Of other machines nothing is known, so nothing is said of AES and SM4 there.
#[cfg(not(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "riscv64"
)))]
pub(crate) const LOOK_UPS: &[&[crate::look_ups::Entry]] = &[];

//! What only one architecture has, and what each answers in its own way.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(any(test, target_arch = "arm"))]
mod arm;
#[cfg(any(test, target_arch = "aarch64", target_arch = "arm"))]
pub(crate) mod armcap;
#[cfg(any(test, not(any(target_arch = "aarch64", target_arch = "arm", target_arch = "riscv64"))))]
pub(crate) mod ia32cap;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub mod padlock;
#[cfg(target_arch = "riscv64")]
mod riscv64;
#[cfg(any(test, target_arch = "riscv64"))]
pub(crate) mod riscvcap;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub mod x86;

#[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
pub(crate) use armcap as mask;
#[cfg(not(any(target_arch = "aarch64", target_arch = "arm", target_arch = "riscv64")))]
pub(crate) use ia32cap as mask;
#[cfg(target_arch = "riscv64")]
pub(crate) use riscvcap as mask;

#[cfg(any(
    test,
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "riscv64"
))]
use crate::Feature;
use crate::Features;

/// The environment variable that hides features from OpenSSL.
pub const MASK: &str = if cfg!(any(target_arch = "aarch64", target_arch = "arm")) {
    "OPENSSL_armcap"
} else if cfg!(target_arch = "riscv64") {
    "OPENSSL_riscvcap"
} else {
    "OPENSSL_ia32cap"
};

/// What this CPU and operating system offer.
pub(crate) fn features() -> Features {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return x86::features(&x86::ThisCpu);
    #[cfg(target_arch = "aarch64")]
    return aarch64::features();
    #[cfg(target_arch = "arm")]
    return arm::features();
    #[cfg(target_arch = "riscv64")]
    return riscv64::features();
    #[cfg(not(any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "arm",
        target_arch = "riscv64"
    )))]
    Features::NONE
}

/// Clears the vector registers in which a call may have left a key, where that is asked for: on 64-bit ARM.
#[inline(always)]
pub fn clear_vectors() {
    #[cfg(target_arch = "aarch64")]
    aarch64::vectors::clear();
}

/// Why this CPU cannot be asked for anything. Libraries in programs ask without looking, and end by SIGILL.
pub fn no_cpuid() -> Option<&'static str> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if !x86::knows_cpuid() {
        return Some("this CPU has no CPUID, or it is off, so nothing tells what it can do");
    }
    None
}

/// Whether this CPU's features can be asked for: on RISC-V Linux answers since 6.4, on MIPS and others nobody here asks.
pub fn tells_features() -> bool {
    #[cfg(target_arch = "riscv64")]
    return riscv64::extensions().is_some();
    #[cfg(not(target_arch = "riscv64"))]
    cfg!(any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "arm"
    ))
}

/// The maker, as the CPU itself says.
pub fn vendor() -> Option<String> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return Some(x86::vendor());
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    None
}

/// Family, model and stepping, as the CPU itself says.
pub fn signature() -> Option<[u32; 3]> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return x86::signature();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    None
}

/// The marketing name, as the CPU itself says.
pub fn brand() -> Option<String> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return x86::brand();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    None
}

/// What the hypervisor signs with, in a virtual machine.
pub fn hypervisor() -> Option<[u8; 12]> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return x86::hypervisor();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    None
}

/// Why there is no ACE, with the words of OpenSSL's engine: "GenuineIntel has no PadLock (no-RNG, no-ACE)".
pub fn no_padlock() -> String {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return padlock::none_here();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    String::from("only x86 has PadLock")
}

/// A number as in C, up to whatever is no digit.
#[cfg(any(test, not(target_arch = "riscv64")))]
fn number(text: &[u8]) -> u64 {
    let (base, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', digits @ ..] => (8, digits),
        digits => (10, digits),
    };
    let digits = digits.iter().map_while(|byte| char::from(*byte).to_digit(base));
    digits.fold(0, |number, digit| {
        number.wrapping_mul(u64::from(base)).wrapping_add(u64::from(digit))
    })
}

/// Only detection may add.
#[cfg(any(
    test,
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "arm",
    target_arch = "riscv64"
))]
impl Features {
    /// The set, with a feature if it is present.
    pub(crate) const fn with(self, feature: Feature, present: bool) -> Self {
        Self(self.0 | (present as u64) << feature as u64)
    }

    /// What is in either set.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

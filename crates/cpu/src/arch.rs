//! What only one architecture has, and what each answers in its own way.

#[cfg(target_arch = "x86_64")]
pub mod padlock;
#[cfg(target_arch = "x86_64")]
pub mod x86;

#[cfg(any(test, target_arch = "x86_64"))]
use crate::Feature;
use crate::Features;

/// What this CPU and operating system offer.
pub(crate) fn features() -> Features {
    #[cfg(target_arch = "x86_64")]
    return x86::features(&x86::ThisCpu);
    #[cfg(not(target_arch = "x86_64"))]
    Features::NONE
}

/// The maker, as the CPU itself says.
pub fn vendor() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    return Some(x86::vendor());
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The marketing name, as the CPU itself says.
pub fn brand() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    return x86::brand();
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// What the hypervisor signs with, in a virtual machine.
pub fn hypervisor() -> Option<[u8; 12]> {
    #[cfg(target_arch = "x86_64")]
    return x86::hypervisor();
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Why there is no ACE, with the words of OpenSSL's engine: "GenuineIntel has no PadLock (no-RNG, no-ACE)".
pub fn no_padlock() -> String {
    #[cfg(target_arch = "x86_64")]
    return padlock::none_here();
    #[cfg(not(target_arch = "x86_64"))]
    String::from("only x86 has PadLock")
}

/// Only detection may add.
#[cfg(any(test, target_arch = "x86_64"))]
impl Features {
    /// The set with a feature, if it is present.
    pub(crate) const fn with(self, feature: Feature, present: bool) -> Self {
        Self(self.0 | (present as u32) << feature as u8)
    }

    /// What is in either set.
    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

//! Who executes the guest's instructions.

use std::fs::{self, OpenOptions};

/// Who executes the guest's instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerator {
    /// This machine's own CPU.
    Kvm,
    /// QEMU, by translation.
    Tcg,
}

impl Accelerator {
    /// KVM where it works, otherwise translation.
    pub fn best() -> Self {
        if Self::Kvm.obstacle().is_none() { Self::Kvm } else { Self::Tcg }
    }

    /// Why it cannot be used here.
    pub fn obstacle(self) -> Option<&'static str> {
        // The device alone proves nothing: a KVM in software runs kernels made for it.
        let facts = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let virtualises = facts.split_whitespace().any(|flag| matches!(flag, "vmx" | "svm"));
        let usable = OpenOptions::new().read(true).write(true).open("/dev/kvm").is_ok();
        (self == Self::Kvm && !(virtualises && usable)).then_some("no KVM with vmx or svm here")
    }

    pub(crate) const fn option(self) -> &'static str {
        match self {
            Self::Kvm => "kvm",
            Self::Tcg => "tcg,thread=multi",
        }
    }

    /// The CPU that has everything it can do.
    pub(crate) const fn full_cpu(self) -> &'static str {
        match self {
            Self::Kvm => "host",
            Self::Tcg => "max",
        }
    }
}

//! Who executes the guest's instructions.

use std::fs::{self, OpenOptions};

use crate::Architecture;

/// Who executes the guest's instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerator {
    /// This machine's own CPU.
    Kvm,
    /// QEMU, by translation.
    Tcg,
}

impl Accelerator {
    /// KVM where it works for that architecture, otherwise translation.
    pub fn best(architecture: &Architecture) -> Self {
        let kvm = architecture.is_native() && Self::Kvm.obstacle().is_none();
        if kvm { Self::Kvm } else { Self::Tcg }
    }

    /// Why it cannot be used here.
    pub fn obstacle(self) -> Option<&'static str> {
        let facts = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let usable = || OpenOptions::new().read(true).write(true).open("/dev/kvm").is_ok();
        let works = self == Self::Tcg || (virtualises(&facts) && usable());
        (!works).then_some("no KVM with vmx or svm here")
    }

    pub(crate) const fn option(self) -> &'static str {
        match self {
            Self::Kvm => "kvm",
            Self::Tcg => "tcg,thread=multi",
        }
    }

    /// The CPU that has everything it can do.
    pub(crate) const fn full_cpu(self, architecture: &Architecture) -> &'static str {
        match self {
            Self::Kvm => "host",
            Self::Tcg => architecture.full_cpu,
        }
    }
}

/// Whether a CPU runs other kernels, from the flags in /proc/cpuinfo. The device /dev/kvm alone proves
/// nothing: a KVM in software runs only kernels that were made for it.
fn virtualises(facts: &str) -> bool {
    facts.split_whitespace().any(|flag| matches!(flag, "vmx" | "svm"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_cannot_run_other_kernels_is_translated() {
        assert!(virtualises("flags\t\t: fpu vme svm lahf_lm\nbugs\t\t: spectre_v1\n"));
        assert!(virtualises("flags\t\t: fpu vmx\n"));
        assert!(!virtualises("flags\t\t: fpu vme hypervisor svm_lock avmx\n"));
        assert!(!virtualises(""));
        assert_eq!(Accelerator::Tcg.obstacle(), None);
        for architecture in Architecture::ALL {
            let best = Accelerator::best(architecture);
            assert_eq!(best.obstacle(), None, "{best:?}");
            assert!(architecture.is_native() || best == Accelerator::Tcg);
        }
    }
}

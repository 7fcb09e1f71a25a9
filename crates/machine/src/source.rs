//! Where the facts come from.

use std::fs;
use std::path::Path;
use std::thread;

use wirespeed_cpu::Features;

/// A machine to describe: this one, or a test's.
pub trait Source {
    /// Below which its files lie.
    fn root(&self) -> &Path {
        Path::new("/")
    }
    /// A file's text by its path below the root folder, if it can be read.
    fn file(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.root().join(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
    /// The architecture that this program is for, by Rust's name.
    fn architecture(&self) -> &str {
        std::env::consts::ARCH
    }
    /// Logical CPUs that this process may use.
    fn cores(&self) -> usize;
    /// The CPU's features.
    fn features(&self) -> Features;
    /// Whether these are all that a route can ask for: files are not asked.
    fn tells_features(&self) -> bool {
        false
    }
    /// The maker, as the CPU itself says: none where it cannot be asked.
    fn vendor(&self) -> Option<String> {
        None
    }
    /// The marketing name, as the CPU itself says.
    fn brand(&self) -> Option<String> {
        None
    }
    /// The hypervisor's name, as the CPU itself says; none on a real machine.
    fn hypervisor(&self) -> Option<String> {
        None
    }
}

/// The machine that runs this program.
pub struct ThisMachine;

impl Source for ThisMachine {
    fn cores(&self) -> usize {
        thread::available_parallelism().map_or(1, usize::from)
    }

    fn features(&self) -> Features {
        Features::detect()
    }

    fn tells_features(&self) -> bool {
        wirespeed_cpu::tells_features()
    }

    fn vendor(&self) -> Option<String> {
        wirespeed_cpu::vendor()
    }

    fn brand(&self) -> Option<String> {
        wirespeed_cpu::brand()
    }

    fn hypervisor(&self) -> Option<String> {
        let signature = wirespeed_cpu::hypervisor()?;
        Some(known_hypervisor(&signature).unwrap_or("unnamed").to_owned())
    }
}

fn known_hypervisor(signature: &[u8]) -> Option<&'static str> {
    Some(match signature {
        b"KVMKVMKVM\0\0\0" => "KVM",
        b"Linux KVM Hv" => "KVM",
        b"Microsoft Hv" => "Hyper-V",
        b"VMwareVMware" => "VMware",
        b"XenVMMXenVMM" => "Xen",
        b"TCGTCGTCGTCG" => "QEMU",
        b"bhyve bhyve " => "bhyve",
        b"VBoxVBoxVBox" => "VirtualBox",
        _ => return None,
    })
}

/// Whether routes of ours have vectors there, for several blocks of AES at a time.
pub fn has_vectors(architecture: &str, features: Features) -> bool {
    architecture == "aarch64" || features.iter().any(|it| it.name() == "sse2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hypervisors_sign_with_twelve_bytes() {
        assert_eq!(known_hypervisor(b"KVMKVMKVM\0\0\0"), Some("KVM"));
        assert_eq!(known_hypervisor(b"GenuineIntel"), None);
    }
}

//! Where the facts come from.

use std::thread;

use wirespeed_cpu::Features;

/// A machine to describe: this one, or a test's.
pub trait Source {
    /// A file's text by its path below the root folder, if it can be read.
    fn file(&self, path: &str) -> Option<String>;
    /// Logical CPUs that this process may use.
    fn cores(&self) -> usize;
    /// The CPU's features.
    fn features(&self) -> Features;
    /// The hypervisor's name, asked only in a virtual machine.
    fn hypervisor(&self) -> Option<String>;
}

/// The machine that runs this program.
pub struct ThisMachine;

impl Source for ThisMachine {
    fn file(&self, path: &str) -> Option<String> {
        std::fs::read(format!("/{path}"))
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn cores(&self) -> usize {
        thread::available_parallelism().map_or(1, usize::from)
    }

    fn features(&self) -> Features {
        Features::detect()
    }

    #[cfg(target_arch = "x86_64")]
    fn hypervisor(&self) -> Option<String> {
        use wirespeed_cpu::x86::{Cpuid, ThisCpu};
        // Leaf 4000_0000h belongs to hypervisors by the convention of both vendors.
        let [_, b, c, d] = ThisCpu.leaf(0x4000_0000, 0);
        let signature: Vec<u8> = [b, c, d].iter().flat_map(|word| word.to_le_bytes()).collect();
        known_hypervisor(&signature).map(str::to_owned)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn hypervisor(&self) -> Option<String> {
        None
    }
}

#[cfg(any(test, target_arch = "x86_64"))]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hypervisors_sign_with_twelve_bytes() {
        assert_eq!(known_hypervisor(b"KVMKVMKVM\0\0\0"), Some("KVM"));
        assert_eq!(known_hypervisor(b"GenuineIntel"), None);
    }
}

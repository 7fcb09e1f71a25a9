//! Whether a hypervisor hides the instructions for AES.

use crate::cpuinfo::CpuInfo;
use crate::source::{Source, ThisMachine};

/// The instructions for AES that a guest has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenAes {
    /// The hypervisor's name.
    pub hypervisor: String,
    /// The CPU's name, as the guest sees it.
    pub brand: String,
    /// Whether the name is one that hypervisors made up, which tells nothing of the processor.
    pub is_made_up: bool,
    /// Whether AES is there, and only the carry-less multiplication of GCM is hidden: Proxmox's `x86-64-v2-AES`.
    pub is_multiplication: bool,
}

/// What this machine hides, if it does.
pub fn hidden_aes() -> Option<HiddenAes> {
    of(&ThisMachine)
}

fn of(source: &dyn Source) -> Option<HiddenAes> {
    let cpuinfo = CpuInfo::read(source);
    let is_multiplication = cpuinfo.has_flag("aes")?;
    if !cpuinfo.has_flag("hypervisor")? || is_multiplication && cpuinfo.has_flag("pclmulqdq")? {
        return None;
    }
    let number = |key| cpuinfo.first(key)?.parse().ok();
    let brand = cpuinfo.first("model name")?;
    let is_made_up = MADE_UP.iter().any(|name| brand.starts_with(name));
    let has_aes =
        has_aes(cpuinfo.first("vendor_id")?, number("cpu family")?, number("model")?, brand);
    // All processors with AES have it.
    (is_made_up || has_aes || is_multiplication).then(|| HiddenAes {
        hypervisor: source.hypervisor().unwrap_or_else(|| "the hypervisor".to_owned()),
        brand: brand.to_owned(),
        is_made_up,
        is_multiplication,
    })
}

/// Names of QEMU's (`-cpu qemu64`, `kvm64`, `kvm32`).
const MADE_UP: [&str; 3] =
    ["QEMU Virtual CPU", "Common KVM processor", "Common 32-bit KVM processor"];

/// Whether every processor of a kind has the instructions.
fn has_aes(vendor: &str, family: u32, model: u32, brand: &str) -> bool {
    match (vendor, family) {
        // Intel's without: Nehalem and before, the first Atoms, and the small ones up to Broadwell.
        ("GenuineIntel", 6) => {
            let is_small = ["Pentium", "Celeron", "Atom", "i3"].iter().any(|it| brand.contains(it));
            let is_late = model >= 0x4e && !matches!(model, 0x57 | 0x5a | 0x5d);
            let since_2010 = [
                0x25, 0x2c, 0x2f, // Westmere
                0x2a, 0x2d, // Sandy Bridge
                0x3a, 0x3e, // Ivy Bridge
                0x3c, 0x3f, 0x45, 0x46, // Haswell
                0x3d, 0x47, 0x4f, 0x56, // Broadwell
            ];
            is_late || since_2010.contains(&model) && !is_small
        }
        // After family 6 come 18 and 19 (Linux's intel-family.h); 15 is Pentium 4.
        ("GenuineIntel", 18..) => true,
        // AMD's with: Bulldozer, Jaguar, and all since Zen. Bobcat, 14h, has none.
        ("AuthenticAMD", 0x15..) | ("HygonGenuine", _) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cpu::Features;

    use super::*;

    struct Guest(String);

    impl Source for Guest {
        fn file(&self, path: &str) -> Option<String> {
            (path == "proc/cpuinfo").then(|| self.0.clone())
        }
        fn architecture(&self) -> &str {
            "x86_64"
        }
        fn cores(&self) -> usize {
            1
        }
        fn features(&self) -> Features {
            Features::NONE
        }
        fn hypervisor(&self) -> Option<String> {
            Some("KVM".to_owned())
        }
    }

    /// A guest with a CPU, and whether AES is hidden from it.
    fn hides(vendor: &str, family: u32, model: u32, brand: &str, flags: &str) -> bool {
        let text = format!(
            "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n\
             model name\t: {brand}\nflags\t\t: {flags}\n\nprocessor\t: 1\n"
        );
        of(&Guest(text)).is_some()
    }

    #[test]
    fn processors_that_have_aes_are_known() {
        let hidden = "sse2 ssse3 hypervisor";
        for (vendor, family, model, brand) in [
            ("GenuineIntel", 6, 0x2d, "Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz"),
            ("GenuineIntel", 6, 60, "Intel Core Processor (Haswell)"),
            ("GenuineIntel", 6, 0x6a, "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz"),
            ("GenuineIntel", 6, 0x9c, "Intel(R) Celeron(R) N5105 @ 2.00GHz"),
            ("GenuineIntel", 18, 1, "Intel(R) Core(TM) Ultra"),
            ("GenuineIntel", 19, 1, "Intel(R) Xeon(R)"),
            ("AuthenticAMD", 0x17, 0x31, "AMD EPYC 7302P 16-Core Processor"),
            ("GenuineIntel", 15, 6, "Common KVM processor"),
            ("AuthenticAMD", 15, 107, "QEMU Virtual CPU version 2.5+"),
        ] {
            assert!(hides(vendor, family, model, brand, hidden), "{brand}");
            let shown = "aes pclmulqdq sse2 hypervisor";
            assert!(!hides(vendor, family, model, brand, shown), "{brand} has it");
            assert!(
                hides(vendor, family, model, brand, "aes sse2 hypervisor"),
                "{brand} multiplies"
            );
            assert!(!hides(vendor, family, model, brand, "sse2"), "{brand} is no guest");
        }
        for (vendor, family, model, brand) in [
            ("GenuineIntel", 15, 4, "Intel(R) Xeon(TM) CPU 3.00GHz"),
            ("GenuineIntel", 6, 23, "Intel Core 2 Duo P9xxx (Penryn Class Core 2)"),
            ("GenuineIntel", 6, 0x1a, "Intel(R) Xeon(R) CPU X5570 @ 2.93GHz"),
            ("GenuineIntel", 6, 0x2a, "Intel(R) Pentium(R) CPU G630 @ 2.70GHz"),
            ("GenuineIntel", 6, 0x36, "Intel(R) Atom(TM) CPU N2600 @ 1.60GHz"),
            ("AuthenticAMD", 0x14, 2, "AMD G-T40E Processor"),
        ] {
            assert!(!hides(vendor, family, model, brand, hidden), "{brand}");
        }
    }
}

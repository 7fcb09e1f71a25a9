//! The machine in one description: CPU, kernel, distribution, governor and libcrypto.
//!
//! Everything comes in through [`Source`], so that other machines can be described in tests.
#![forbid(unsafe_code)]

mod arch;
mod cpuinfo;
mod folder;
mod hidden;
mod kind;
mod source;

use serde::{Deserialize, Deserializer, Serialize};

use cpuinfo::CpuInfo;
pub use folder::Folder;
pub use hidden::{HiddenAes, hidden_aes};
pub use source::{Source, ThisMachine, has_vectors};

/// What there is to know about a machine before anything is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Machine {
    /// The CPU.
    #[serde(deserialize_with = "null_is_unknown")]
    pub cpu: Cpu,
    /// What the firmware calls the board or the instance, such as `"Raspberry Pi 4 Model B Rev 1.4"`; null on x86, whose CPUs
    /// tell enough.
    pub model: Option<String>,
    /// The kernel's release, such as `"6.1.0-18-amd64"`.
    pub kernel: Option<String>,
    /// The distribution's own name, such as `"Debian GNU/Linux 12 (bookworm)"`.
    pub distribution: Option<String>,
    /// How the kernel chooses the clock frequency, null where it does not.
    pub governor: Option<String>,
    /// The host's own OpenSSL, null without one.
    pub libcrypto: Option<Libcrypto>,
}

/// The CPU as it names itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Cpu {
    /// Who made it: `"GenuineIntel"` and the like.
    pub vendor: Option<String>,
    /// Its marketing name; on ARM the names of its cores, such as `"4x Cortex-A55 + 4x Cortex-A76"`; on RISC-V what device trees
    /// call them, such as `"sifive,u74-mc"`.
    pub brand: Option<String>,
    /// The kinds of cores, as many of each as are online, where the kernel tells them apart: on ARM and RISC-V. There may be
    /// several (big.LITTLE), and programs run now on one, now on the other.
    pub kinds: Vec<Kind>,
    /// Logical CPUs that the program may use; null only in others' figures.
    pub cores: Option<usize>,
    /// Features that a route can ask for, as /proc/cpuinfo names them.
    pub features: Vec<String>,
    /// Family, model and stepping, such as `"6/143/8"`; on ARM part, variant and revision; on RISC-V mvendorid, marchid and
    /// mimpid.
    pub stepping: Option<String>,
    /// The microcode's revision.
    pub microcode: Option<String>,
    /// The hypervisor in a virtual machine, else null.
    pub hypervisor: Option<String>,
}

/// Cores that are alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Kind {
    /// What they are called: `"Cortex-A72"`.
    pub name: String,
    /// How many there are.
    pub cores: usize,
}

/// The host's own OpenSSL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Libcrypto {
    /// Where it lies.
    pub path: Option<String>,
    /// Its version text, such as `"OpenSSL 3.0.19 27 Jan 2026"`.
    pub version: Option<String>,
}

/// An article's figures may say nothing of the CPU.
fn null_is_unknown<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cpu, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl Machine {
    /// Logical CPUs that the program may use; one where nobody says.
    pub fn cores(&self) -> usize {
        self.cpu.cores.unwrap_or(1)
    }

    /// The version text of its OpenSSL.
    pub fn openssl(&self) -> Option<&str> {
        self.libcrypto.as_ref()?.version.as_deref()
    }

    /// What there is to say of RISC-V's extensions for ciphers and hash functions; nothing on other machines.
    pub fn extensions(&self, source: &dyn Source) -> Option<String> {
        arch::riscv::extensions(source, &self.cpu)
    }

    /// Describes the machine behind `source`.
    pub fn describe(source: &dyn Source, libcrypto: Option<Libcrypto>) -> Self {
        Self {
            cpu: Cpu::describe(source),
            model: model(source, &CpuInfo::read(source)),
            kernel: line(source, "proc/sys/kernel/osrelease"),
            distribution: distribution(source),
            governor: line(source, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            libcrypto,
        }
    }
}

impl Cpu {
    fn describe(source: &dyn Source) -> Self {
        let cpuinfo = CpuInfo::read(source);
        let fact = |key| cpuinfo.first(key).map(str::to_owned);
        let kinds = arch::kinds(&cpuinfo);
        let listed = arch::riscv::features(&cpuinfo).filter(|_| !source.tells_features());
        // Without /proc the CPU is asked; with it, an emulated one may say otherwise.
        let hypervisor = match cpuinfo.has_flag("hypervisor") {
            Some(false) => None,
            Some(true) => Some(source.hypervisor().unwrap_or_else(|| "unnamed".to_owned())),
            None => source.hypervisor(),
        };
        Self {
            vendor: fact("vendor_id")
                .or_else(|| arch::vendor(&cpuinfo))
                .or_else(|| source.vendor()),
            // Some kernels for ARM write "ARMv8 Processor rev 3 (v8l)" there.
            brand: named(&kinds)
                .or_else(|| fact("model name"))
                .or_else(|| fact("cpu model"))
                .or_else(|| source.brand()),
            kinds,
            cores: Some(source.cores()),
            features: listed.unwrap_or_else(|| {
                source.features().iter().map(|it| it.name().to_owned()).collect()
            }),
            stepping: stepping(&cpuinfo),
            microcode: fact("microcode"),
            hypervisor,
        }
    }
}

/// The numbers that tell steppings apart.
fn stepping(cpuinfo: &CpuInfo) -> Option<String> {
    const X86: [&str; 3] = ["cpu family", "model", "stepping"];
    const ARM: [&str; 3] = ["CPU part", "CPU variant", "CPU revision"];
    const RISCV: [&str; 3] = ["mvendorid", "marchid", "mimpid"];
    let all = |keys: [&str; 3]| {
        let numbers: Option<Vec<&str>> = keys.iter().map(|key| cpuinfo.first(key)).collect();
        numbers.map(|numbers| numbers.join("/"))
    };
    all(X86).or_else(|| all(ARM)).or_else(|| all(RISCV))
}

/// "Cortex-A72", or "4x Cortex-A55 + 4x Cortex-A76".
fn named(kinds: &[Kind]) -> Option<String> {
    match kinds {
        [] => None,
        [only] => Some(only.name.clone()),
        several => {
            let counted = several.iter().map(|kind| format!("{}x {}", kind.cores, kind.name));
            Some(counted.collect::<Vec<_>>().join(" + "))
        }
    }
}

/// The board's name in the device tree, else the machine's in the firmware's tables, else what /proc/cpuinfo says of it. CPUs
/// of x86 tell what they are, and have no need of any.
fn model(source: &dyn Source, cpuinfo: &CpuInfo) -> Option<String> {
    if !matches!(source.architecture(), "aarch64" | "arm" | "riscv64" | "mips") {
        return None;
    }
    // A string in C (devicetree specification, 2.2.4).
    let tree = line(source, "proc/device-tree/model");
    let tree = tree.map(|text| text.trim_end_matches('\0').to_owned());
    let firmware = || {
        let facts = ["sys_vendor", "product_name"];
        let facts = facts.map(|name| line(source, &format!("sys/class/dmi/id/{name}")));
        match facts {
            [Some(vendor), Some(product)] if !product.starts_with(&vendor) => {
                Some(format!("{vendor} {product}"))
            }
            [vendor, product] => product.or(vendor),
        }
    };
    let described = || {
        let said = ["machine", "system type", "Hardware"].map(|key| cpuinfo.board(key));
        let said = said.into_iter().flatten().find(|text| *text != "Unknown");
        said.map(str::to_owned)
    };
    tree.filter(|text| !text.is_empty()).or_else(firmware).or_else(described)
}

fn line(source: &dyn Source, path: &str) -> Option<String> {
    source.file(path).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// By os-release(5), the first of its two places.
fn distribution(source: &dyn Source) -> Option<String> {
    let text = source.file("etc/os-release").or_else(|| source.file("usr/lib/os-release"))?;
    pretty_name(&text)
}

/// A system's name by its os-release(5), where it has one.
pub fn pretty_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use wirespeed_cpu::Features;

    use super::*;

    struct Fake(&'static [(&'static str, &'static str)]);

    impl Source for Fake {
        fn file(&self, path: &str) -> Option<String> {
            self.0.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
        }
        fn architecture(&self) -> &str {
            "x86_64"
        }
        fn cores(&self) -> usize {
            2
        }
        fn features(&self) -> Features {
            Features::NONE
        }
        fn vendor(&self) -> Option<String> {
            Some("GenuineIntel".to_owned())
        }
        fn brand(&self) -> Option<String> {
            Some("a CPU".to_owned())
        }
        fn hypervisor(&self) -> Option<String> {
            Some("KVM".to_owned())
        }
    }

    const CPUINFO: &str = "processor\t: 0\nvendor_id\t: CentaurHauls\ncpu family\t: 6\nmodel\t: 15\nstepping\t: 2\nmodel name\t: VIA Nano U3100\n\
        microcode\t: 0x2b\nflags\t\t: fpu hypervisor rng\n\nprocessor\t: 1\nmodel name\t: other\n";

    #[test]
    fn a_machine_from_its_files() {
        let source = Fake(&[
            ("proc/cpuinfo", CPUINFO),
            ("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n"),
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
        ]);
        let machine = Machine::describe(&source, None);
        assert_eq!(machine.cpu.vendor.as_deref(), Some("CentaurHauls"));
        assert_eq!(machine.cpu.brand.as_deref(), Some("VIA Nano U3100"));
        assert_eq!(machine.cpu.microcode.as_deref(), Some("0x2b"));
        assert_eq!(machine.cpu.hypervisor.as_deref(), Some("KVM"));
        assert_eq!(machine.cpu.stepping.as_deref(), Some("6/15/2"));
        assert_eq!(machine.kernel.as_deref(), Some("6.1.0-18-amd64"));
        assert_eq!(machine.distribution.as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(machine.governor.as_deref(), Some("powersave"));
        let json = serde_json::to_value(&machine).expect("serialisable");
        assert_eq!(json["cpu"]["cores"], 2);
        assert!(json["libcrypto"].is_null());
    }

    #[test]
    fn without_files_the_cpu_itself_is_asked() {
        let machine = Machine::describe(&Fake(&[]), None);
        assert_eq!(machine.cpu.vendor.as_deref(), Some("GenuineIntel"));
        assert_eq!(machine.cpu.brand.as_deref(), Some("a CPU"));
        assert_eq!(machine.cpu.hypervisor.as_deref(), Some("KVM"));
        assert_eq!(machine.kernel, None);
    }

    #[test]
    fn this_machine_has_a_kernel_and_a_core() {
        let machine = Machine::describe(&ThisMachine, None);
        assert!(machine.cpu.cores >= Some(1));
        assert!(machine.kernel.is_some());
    }

    /// A machine of ARM's: its cores as Linux tells of them (arch/arm64/kernel/cpuinfo.c), and files that name it.
    struct Board {
        cores: &'static [(usize, &'static str, &'static str)],
        last: &'static str,
        files: &'static [(&'static str, &'static str)],
    }

    impl Source for Board {
        fn file(&self, path: &str) -> Option<String> {
            if path != "proc/cpuinfo" {
                return Fake(self.files).file(path);
            }
            let kinds = self.cores.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.0));
            let block = |(number, (_, maker, part)): (usize, &(usize, &str, &str))| {
                format!(
                    "processor\t: {number}\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd evtstrm crc32 cpuid\n\
                     CPU implementer\t: {maker}\nCPU architecture: 8\nCPU variant\t: 0x0\n\
                     CPU part\t: {part}\nCPU revision\t: 3\n\n"
                )
            };
            Some(kinds.enumerate().map(block).collect::<String>() + self.last)
        }
        fn architecture(&self) -> &str {
            "aarch64"
        }
        fn cores(&self) -> usize {
            self.cores.iter().map(|kind| kind.0).sum()
        }
        fn features(&self) -> Features {
            Features::NONE
        }
    }

    const PI_4: Board = Board {
        cores: &[(4, "0x41", "0xd08")],
        last: "Hardware\t: BCM2835\nRevision\t: c03114\nModel\t\t: Raspberry Pi 4 Model B Rev 1.4\n",
        files: &[("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")],
    };
    const PI_5: Board = Board {
        cores: &[(4, "0x41", "0xd0b")],
        last: "Revision\t: d04170\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n",
        files: &[("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")],
    };
    const GRAVITON_2: Board = Board {
        cores: &[(2, "0x41", "0xd0c")],
        last: "",
        files: &[
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"),
            ("sys/class/dmi/id/product_name", "m6g.large\n"),
        ],
    };
    const GRAVITON_3: Board = Board {
        cores: &[(2, "0x41", "0xd40")],
        last: "",
        files: &[
            ("sys/class/dmi/id/sys_vendor", "Amazon EC2\n"),
            ("sys/class/dmi/id/product_name", "c7g.large\n"),
        ],
    };
    const ALTRA: Board = Board {
        cores: &[(80, "0x41", "0xd0c")],
        last: "",
        files: &[
            ("sys/class/dmi/id/sys_vendor", "QEMU\n"),
            ("sys/class/dmi/id/product_name", "QEMU Virtual Machine\n"),
        ],
    };
    const RK3588: Board = Board {
        cores: &[(4, "0x41", "0xd05"), (4, "0x41", "0xd0b")],
        last: "Serial\t\t: 0\n",
        files: &[("proc/device-tree/model", "Radxa ROCK 5B\0")],
    };
    const M1: Board = Board {
        cores: &[(4, "0x61", "0x022"), (4, "0x61", "0x023")],
        last: "",
        files: &[("proc/device-tree/model", "Apple MacBook Air (M1, 2020)\0")],
    };

    #[test]
    fn machines_of_arm_have_names() {
        for (board, vendor, brand, model) in [
            (PI_4, "ARM", "Cortex-A72", "Raspberry Pi 4 Model B Rev 1.4"),
            (PI_5, "ARM", "Cortex-A76", "Raspberry Pi 5 Model B Rev 1.0"),
            (GRAVITON_2, "ARM", "Neoverse-N1", "Amazon EC2 m6g.large"),
            (GRAVITON_3, "ARM", "Neoverse-V1", "Amazon EC2 c7g.large"),
            (ALTRA, "ARM", "Neoverse-N1", "QEMU Virtual Machine"),
            (RK3588, "ARM", "4x Cortex-A55 + 4x Cortex-A76", "Radxa ROCK 5B"),
            (M1, "Apple", "4x Icestorm-M1 + 4x Firestorm-M1", "Apple MacBook Air (M1, 2020)"),
        ] {
            let machine = Machine::describe(&board, None);
            assert_eq!(machine.cpu.vendor.as_deref(), Some(vendor), "{model}");
            assert_eq!(machine.cpu.brand.as_deref(), Some(brand), "{model}");
            assert_eq!(machine.model.as_deref(), Some(model));
            let cores: usize = machine.cpu.kinds.iter().map(|kind| kind.cores).sum();
            assert_eq!(machine.cpu.cores, Some(cores));
            assert_eq!((machine.cpu.microcode, machine.cpu.hypervisor), (None, None));
        }
    }

    /// QEMU's user mode hands the processor's own file through.
    #[test]
    fn a_file_of_another_architecture_tells_nothing() {
        let machine = Machine::describe(
            &Board { cores: &[], last: CPUINFO, files: &[("proc/device-tree/model", "\0")] },
            None,
        );
        assert_eq!(machine.cpu, Cpu { cores: Some(0), ..Cpu::default() });
        assert_eq!(machine.model, None);
    }
}

//! The machine in one description: CPU, kernel, distribution, governor and libcrypto.
//!
//! Everything comes in through [`Source`], so that other machines can be described in tests.
#![forbid(unsafe_code)]

mod hidden;
mod source;

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, Serialize};

pub use hidden::{HiddenAes, hidden_aes};
pub use source::{Source, ThisMachine};

/// What there is to know about a machine before anything is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Machine {
    /// The CPU.
    #[serde(deserialize_with = "null_is_unknown")]
    pub cpu: Cpu,
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
    /// Its marketing name.
    pub brand: Option<String>,
    /// Logical CPUs that the program may use; null only in others' figures.
    pub cores: Option<usize>,
    /// Features that a route can ask for, as /proc/cpuinfo names them.
    pub features: Vec<String>,
    /// The microcode's revision.
    pub microcode: Option<String>,
    /// The hypervisor in a virtual machine, else null.
    pub hypervisor: Option<String>,
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

    /// Describes the machine behind `source`.
    pub fn describe(source: &dyn Source, libcrypto: Option<Libcrypto>) -> Self {
        Self {
            cpu: Cpu::describe(source),
            kernel: line(source, "proc/sys/kernel/osrelease"),
            distribution: distribution(source),
            governor: line(source, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            libcrypto,
        }
    }
}

impl Cpu {
    fn describe(source: &dyn Source) -> Self {
        let text = source.file("proc/cpuinfo").unwrap_or_default();
        // The first processor's block; the others repeat it.
        let first = text.split("\n\n").next().unwrap_or_default();
        let facts: HashMap<&str, &str> = first
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(key, value)| (key.trim(), value.trim()))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        let fact = |key| facts.get(key).map(|value| (*value).to_owned());
        let flags = fact("flags");
        let is_guest = |flags: String| flags.split(' ').any(|flag| flag == "hypervisor");
        // Without /proc the CPU is asked; with it, an emulated one may say otherwise.
        let hypervisor = match flags.map(is_guest) {
            Some(false) => None,
            Some(true) => Some(source.hypervisor().unwrap_or_else(|| "unnamed".to_owned())),
            None => source.hypervisor(),
        };
        Self {
            vendor: fact("vendor_id").or_else(|| source.vendor()),
            brand: fact("model name").or_else(|| source.brand()),
            cores: Some(source.cores()),
            features: source.features().iter().map(|it| it.name().to_owned()).collect(),
            microcode: fact("microcode"),
            hypervisor,
        }
    }
}

fn line(source: &dyn Source, path: &str) -> Option<String> {
    source.file(path).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// os-release(5): the first of two places, values perhaps in quotes.
fn distribution(source: &dyn Source) -> Option<String> {
    let text = source.file("etc/os-release").or_else(|| source.file("usr/lib/os-release"))?;
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
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

    const CPUINFO: &str = "processor\t: 0\nvendor_id\t: CentaurHauls\nmodel name\t: VIA Nano U3100\n\
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
}

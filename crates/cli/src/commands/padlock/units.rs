//! The units, in the words of the article and of /proc/cpuinfo.

use serde::Serialize;

use crate::output::table::{Side, Table};

/// What CPUID says about a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Absent,
    /// It is there, but the firmware or the system left it off.
    Present,
    Enabled,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Present => "present, not enabled",
            Self::Enabled => "enabled",
        }
    }
}

/// A unit of PadLock.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Unit {
    /// As /proc/cpuinfo spells it.
    pub(super) unit: &'static str,
    pub(super) state: State,
}

/// Every unit.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Units(Vec<Unit>);

impl Units {
    /// Whether a unit can be used.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|unit| unit.unit == name && unit.state == State::Enabled)
    }

    /// The names of those that can be used.
    pub(super) fn enabled(&self) -> Vec<&'static str> {
        let enabled = self.0.iter().filter(|unit| unit.state == State::Enabled);
        enabled.map(|unit| unit.unit).collect()
    }

    /// "RNG, ACE" or "no-RNG, no-ACE": the article's words, which are those of OpenSSL's engine.
    pub(super) fn summary(&self) -> String {
        let word = |name: &str| match self.has(name) {
            true => name.to_uppercase(),
            false => format!("no-{}", name.to_uppercase()),
        };
        ["rng", "ace"].map(word).join(", ")
    }

    pub(super) fn table(&self) -> String {
        let mut table = Table::new(&[Side::Left, Side::Left, Side::Left]);
        for unit in &self.0 {
            let work = purpose(unit.unit).to_owned();
            table.row(vec![unit.unit.to_owned(), unit.state.word().to_owned(), work]);
        }
        table.render()
    }
}

/// What a unit is for.
fn purpose(unit: &str) -> &'static str {
    match unit {
        "rng" => "random numbers: xstore",
        "rng2" => "random numbers, the second generator",
        "ace" => "AES in ECB, CBC, CFB, OFB: xcrypt",
        "ace2" => "AES in CTR, data at any address",
        "phe" => "SHA-1 and SHA-256: xsha",
        "phe2" => "SHA-384 and SHA-512",
        "pmm" => "Montgomery products: montmul",
        "ccs" => "SM3 and SM4",
        _ => "",
    }
}

/// A CPU of VIA's or Zhaoxin's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// What it calls its maker.
    pub(super) vendor: &'static str,
    /// What people call it.
    pub(super) name: &'static str,
    /// Family, model, stepping.
    pub(super) signature: [u32; 3],
}

impl Known {
    /// Whether Zhaoxin made it for certain: its first CPUs say the same as VIA's last ones.
    pub(super) fn is_zhaoxin(self) -> bool {
        self.signature[0] >= 7 || self.vendor != "CentaurHauls"
    }
}

/// This CPU, if VIA or Zhaoxin made it, and its units; none are here on any other.
#[cfg(target_arch = "x86_64")]
pub(super) fn here() -> (Option<Known>, Units) {
    use wirespeed_cpu::x86::ThisCpu;
    described(&ThisCpu)
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn here() -> (Option<Known>, Units) {
    (None, Units(Vec::new()))
}

#[cfg(target_arch = "x86_64")]
fn described(cpu: &dyn wirespeed_cpu::x86::Cpuid) -> (Option<Known>, Units) {
    use wirespeed_cpu::padlock::{PadLock, State as Said, Vendor};
    let padlock = PadLock::of(cpu);
    let state = |unit| match padlock.map_or(Said::Absent, |padlock| padlock.state(unit)) {
        Said::Absent => State::Absent,
        Said::Disabled => State::Present,
        Said::Enabled => State::Enabled,
    };
    let units = PadLock::UNITS.map(|unit| Unit { unit: unit.name(), state: state(unit) });
    let known = padlock.map(|it| Known {
        vendor: match it.vendor {
            Vendor::Centaur => "CentaurHauls",
            Vendor::Shanghai => "  Shanghai  ",
        },
        name: it.name(),
        signature: [it.family, it.model, it.stepping],
    });
    (known, Units(units.to_vec()))
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use wirespeed_cpu::x86::{Cpuid, Leaf};

    use super::*;

    /// A CPU with this vendor, signature and leaf C000_0001h.
    pub(crate) struct Described(pub(crate) [u8; 12], pub(crate) u32, pub(crate) u32);

    impl Cpuid for Described {
        fn leaf(&self, leaf: u32, _: u32) -> Leaf {
            let word = |i: usize| u32::from_le_bytes(self.0[i..i + 4].try_into().expect("4 bytes"));
            match leaf {
                0 => [1, word(0), word(8), word(4)],
                1 => [self.1, 0, 0, 0],
                0xc000_0000 => [0xc000_0001, 0, 0, 0],
                0xc000_0001 => [0, 0, 0, self.2],
                _ => [0; 4],
            }
        }

        fn xcr0(&self) -> u64 {
            0
        }
    }

    #[test]
    fn the_articles_words() {
        for (vendor, signature, bits, expected) in [
            // A C3 of stepping 8, the article's CPU.
            (b"CentaurHauls", 0x698, 0xcc, "RNG, ACE"),
            (b"CentaurHauls", 0x698, 0x0c, "RNG, no-ACE"),
            (b"CentaurHauls", 0x6a9, 0x3fcc, "RNG, ACE"),
            (b"  Shanghai  ", 0x3_07b5, 0x0600_3ffc, "RNG, ACE"),
            (b"GenuineIntel", 0x698, 0x3fcc, "no-RNG, no-ACE"),
        ] {
            let (known, units) = described(&Described(*vendor, signature, bits));
            assert_eq!(units.summary(), expected);
            assert_eq!(known.is_some(), vendor != b"GenuineIntel");
            assert_eq!(known.is_some_and(Known::is_zhaoxin), vendor == b"  Shanghai  ");
        }
    }

    #[test]
    fn every_unit_has_its_line_and_its_purpose() {
        // ACE is there, but off.
        let (known, units) = described(&Described(*b"CentaurHauls", 0x6f2, 0x3f4c));
        let name = "VIA Nano or Zhaoxin ZX-C";
        let expected = Known { vendor: "CentaurHauls", name, signature: [6, 15, 2] };
        assert_eq!(known, Some(expected));
        assert!(!expected.is_zhaoxin());
        let table = units.table();
        assert!(
            table.starts_with("rng   enabled               random numbers: xstore\n"),
            "{table}"
        );
        assert!(table.contains("\nace   present, not enabled  AES"), "{table}");
        assert!(table.contains("\nccs   absent                SM3"), "{table}");
        assert_eq!(table.lines().count(), 8);
        assert!(units.0.iter().all(|unit| !purpose(unit.unit).is_empty()));
    }
}

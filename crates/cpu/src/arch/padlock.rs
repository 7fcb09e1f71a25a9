//! PadLock as CPUID tells of it: which units a VIA or Zhaoxin CPU has, and which of them are enabled.
//!
//! Leaf C000_0001h has two bits for each unit, "present" and "enabled" (Linux
//! `arch/x86/include/asm/cpufeatures.h`, word 5; OpenSSL `engines/asm/e_padlock-x86.pl`,
//! `padlock_capability`). Intel's CPUs answer an unknown leaf with data of another one, so nothing is
//! asked before the vendor is known.

use super::x86::{Cpuid, Leaf};
use crate::feature::{Feature, Features};

/// The names that PadLock's makers give themselves in leaf 0: EBX, EDX, ECX.
const VENDORS: [(Vendor, [u8; 12]); 2] =
    [(Vendor::Centaur, *b"CentaurHauls"), (Vendor::Shanghai, *b"  Shanghai  ")];

/// The units, each with its "present" bit in leaf C000_0001h's EDX; "enabled" is the bit above.
const UNITS: [(Feature, u32); 8] = [
    (Feature::Rng, 2),
    (Feature::Rng2, 22),
    (Feature::Ace, 6),
    (Feature::Ace2, 8),
    (Feature::Phe, 10),
    (Feature::Phe2, 25),
    (Feature::Pmm, 12),
    (Feature::Ccs, 4),
];

/// Who made the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// "CentaurHauls": VIA, and the earlier Zhaoxin CPUs.
    Centaur,
    /// "  Shanghai  ": Zhaoxin.
    Shanghai,
}

/// What CPUID says about one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// This CPU has no such unit.
    Absent,
    /// There is one, but the firmware or the operating system left it off.
    Disabled,
    /// It can be used.
    Enabled,
}

/// A CPU whose maker builds PadLock, with or without units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PadLock {
    /// Who made it.
    pub vendor: Vendor,
    /// The family, as Linux counts it.
    pub family: u32,
    /// The model, as Linux counts it.
    pub model: u32,
    /// The stepping.
    pub stepping: u32,
    /// Leaf C000_0001h's EDX; zero where there is no such leaf.
    units: u32,
}

impl PadLock {
    /// Every unit, in the order of reports.
    pub const UNITS: [Feature; 8] = {
        let mut features = [Feature::Rng; 8];
        let mut i = 0;
        while i < features.len() {
            features[i] = UNITS[i].0;
            i += 1;
        }
        features
    };

    /// What `cpu` says, if VIA or Zhaoxin made it.
    pub fn of(cpu: &dyn Cpuid) -> Option<Self> {
        let [_, ebx, ecx, edx] = cpu.leaf(0, 0);
        let name = [ebx, edx, ecx].map(u32::to_le_bytes);
        let (vendor, _) = VENDORS.into_iter().find(|(_, known)| name.as_flattened() == known)?;
        let highest = cpu.leaf(0xc000_0000, 0)[0];
        let units = if highest >= 0xc000_0001 { cpu.leaf(0xc000_0001, 0)[3] } else { 0 };
        let [family, model, stepping] = signature(cpu.leaf(1, 0));
        Some(Self { vendor, family, model, stepping, units })
    }

    /// What there is to know about `unit`; a feature that is not PadLock's is absent.
    pub fn state(self, unit: Feature) -> State {
        let Some((_, bit)) = UNITS.into_iter().find(|(known, _)| *known == unit) else {
            return State::Absent;
        };
        // On a C3 this pair means LongHaul and FEMMS.
        if unit == Feature::Ccs && !self.is_64_bit() {
            return State::Absent;
        }
        match self.units >> bit & 3 {
            0b11 => State::Enabled,
            0 => State::Absent,
            _ => State::Disabled,
        }
    }

    /// Whether this is a Nano or later: 64-bit code, SHA-1 and SHA-256 block by block.
    pub const fn is_64_bit(self) -> bool {
        self.family > 6 || self.family == 6 && self.model >= 15
    }

    /// What people call this CPU.
    pub const fn name(self) -> &'static str {
        match (self.family, self.model, self.vendor) {
            (6, 9, _) => "VIA C3 (Nehemiah)",
            (6, 10 | 13, _) => "VIA C7 (Esther)",
            (6, 15, Vendor::Centaur) => "VIA Nano or Zhaoxin ZX-C",
            (6, 15 | 25, _) => "Zhaoxin ZX-C",
            (7, 0x1b, _) => "Zhaoxin KX-5000",
            (7, 0x3b.., _) => "Zhaoxin KX-6000 or later",
            (_, _, Vendor::Centaur) => "VIA",
            (_, _, Vendor::Shanghai) => "Zhaoxin",
        }
    }

    /// The units that can be used, as features.
    pub(crate) fn features(self) -> Features {
        Self::UNITS
            .into_iter()
            .fold(Features::NONE, |set, unit| set.with(unit, self.state(unit) == State::Enabled))
    }
}

/// See [`no_padlock`](crate::no_padlock).
pub(crate) fn none_here() -> String {
    if let Some(why) = crate::no_cpuid() {
        return why.to_owned();
    }
    let vendor = crate::x86::vendor();
    match Features::detect().has(Feature::Rng) {
        true => format!("{vendor}'s PadLock has no AES here (RNG, no-ACE)"),
        false => format!("{vendor} has no PadLock (no-RNG, no-ACE)"),
    }
}

/// Family, model and stepping from leaf 1's EAX (Linux `arch/x86/lib/cpu.c`).
pub(super) const fn signature([eax, ..]: Leaf) -> [u32; 3] {
    let (family, model) = (eax >> 8 & 0xf, eax >> 4 & 0xf);
    let family = if family == 0xf { family + (eax >> 20 & 0xff) } else { family };
    let model = if family >= 6 { model | (eax >> 16 & 0xf) << 4 } else { model };
    [family, model, eax & 0xf]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::{Ace, Ace2, Ccs, Phe, Phe2, Pmm, Rng, Token};

    struct Described {
        vendor: &'static [u8; 12],
        signature: u32,
        highest: u32,
        units: u32,
    }

    impl Cpuid for Described {
        fn leaf(&self, leaf: u32, _: u32) -> Leaf {
            let word = |i: usize| {
                u32::from_le_bytes(self.vendor[4 * i..4 * i + 4].try_into().expect("4 bytes"))
            };
            match leaf {
                0 => [1, word(0), word(2), word(1)],
                1 => [self.signature, 0, 0, 0],
                0xc000_0000 => [self.highest, 0, 0, 0],
                0xc000_0001 => [0, 0, 0, self.units],
                _ => [0; 4],
            }
        }

        fn xcr0(&self) -> u64 {
            unreachable!("without OSXSAVE")
        }
    }

    const C3: Described = Described {
        vendor: b"CentaurHauls",
        signature: 0x698,
        highest: 0xc000_0001,
        // RNG and ACE, LongHaul and FEMMS.
        units: 0xcc | 0x30,
    };
    const NANO: Described = Described { signature: 0x6f2, units: 0x3fcc, ..C3 };
    const KX_6000: Described = Described {
        vendor: b"  Shanghai  ",
        signature: 0x3_07b5,
        units: 0x3fcc | 0x0600_0000 | 0x30,
        ..C3
    };

    fn padlock(cpu: &Described) -> PadLock {
        PadLock::of(cpu).expect("made by VIA or Zhaoxin")
    }

    #[test]
    fn models_are_named() {
        let nano = padlock(&NANO);
        assert_eq!((nano.family, nano.model, nano.stepping), (6, 15, 2));
        assert_eq!(nano.name(), "VIA Nano or Zhaoxin ZX-C");
        let kx = padlock(&KX_6000);
        assert_eq!((kx.family, kx.model, kx.stepping), (7, 0x3b, 5));
        assert_eq!((kx.vendor, kx.name()), (Vendor::Shanghai, "Zhaoxin KX-6000 or later"));
        assert_eq!(padlock(&C3).name(), "VIA C3 (Nehemiah)");
        assert_eq!(padlock(&Described { signature: 0x6a9, ..C3 }).name(), "VIA C7 (Esther)");
    }

    #[test]
    fn a_unit_needs_both_its_bits() {
        let features = |cpu| crate::x86::features(cpu).to_string();
        assert_eq!(features(&C3), "rng ace", "no CCS: those bits mean something else");
        assert_eq!(features(&NANO), "rng ace ace2 phe pmm");
        assert_eq!(features(&KX_6000), "rng ace ace2 phe phe2 pmm ccs");
        let off = Described { units: 0x3fcc & !0x80, ..NANO };
        assert_eq!(padlock(&off).state(Feature::Ace), State::Disabled);
        assert_eq!(padlock(&off).state(Feature::Phe2), State::Absent);
        assert_eq!(padlock(&off).state(Feature::Phe), State::Enabled);
        assert_eq!(padlock(&off).state(Feature::Aes), State::Absent, "not PadLock's");
        assert_eq!(features(&off), "rng ace2 phe pmm");
    }

    #[test]
    fn other_makers_and_missing_leaves_mean_nothing() {
        // Intel answers an unknown leaf with the highest basic one.
        let intel = Described { vendor: b"GenuineIntel", ..NANO };
        assert_eq!(PadLock::of(&intel), None);
        assert_eq!(crate::x86::features(&intel), Features::NONE);
        let early = Described { highest: 0xc000_0000, ..C3 };
        assert_eq!(padlock(&early).features(), Features::NONE);
    }

    #[test]
    fn tokens_need_their_unit() {
        let features = padlock(&KX_6000).features();
        assert!(Rng::probe(features).is_ok() && Ace::probe(features).is_ok());
        assert!(Phe::probe(features).is_ok() && Pmm::probe(features).is_ok());
        let c3 = padlock(&C3).features();
        assert_eq!(Ace2::probe(c3).unwrap_err(), Feature::Ace2);
        assert_eq!(Phe2::probe(c3).unwrap_err(), Feature::Phe2);
        assert_eq!(Ccs::probe(c3).unwrap_err(), Feature::Ccs);
        let denied = features.without(Feature::Ace);
        assert_eq!(Ace2::probe(denied).unwrap_err(), Feature::Ace, "ACE2 extends ACE");
    }
}

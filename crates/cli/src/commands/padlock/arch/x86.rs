//! What CPUID and the instructions themselves say.

use wirespeed_cpu::Features;
use wirespeed_cpu::padlock::{PadLock, State as Said, Vendor};
use wirespeed_cpu::x86::{Cpuid, ThisCpu};
use wirespeed_padlock::confirm;
use wirespeed_results::schema::padlock::{Point, State, Unit};

use crate::commands::padlock::units::Known;
use crate::fault::Fault;

/// This CPU, if VIA or Zhaoxin made it, and its units; none are here on any other.
pub(crate) fn here() -> (Option<Known>, Vec<Unit>) {
    described(&ThisCpu)
}

fn described(cpu: &dyn Cpuid) -> (Option<Known>, Vec<Unit>) {
    let padlock = PadLock::of(cpu);
    let state = |unit| match padlock.map_or(Said::Absent, |padlock| padlock.state(unit)) {
        Said::Absent => State::Absent,
        Said::Disabled => State::Present,
        Said::Enabled => State::Enabled,
    };
    let units =
        PadLock::UNITS.map(|unit| Unit { unit: unit.name().to_owned(), state: state(unit) });
    let known = padlock.map(|it| Known {
        vendor: match it.vendor {
            Vendor::Centaur => "CentaurHauls",
            Vendor::Shanghai => "  Shanghai  ",
        },
        name: it.name(),
        signature: [it.family, it.model, it.stepping],
    });
    (known, units.to_vec())
}

/// What only hardware can confirm, point by point.
pub(crate) fn points(features: Features) -> Result<Vec<Point>, Fault> {
    let points = confirm::confirm(features)
        .map_err(|error| Fault::usage(format!("cannot look in processes of their own: {error}")))?;
    let point = |point: confirm::Point| Point {
        id: point.id.to_owned(),
        subject: point.subject.to_owned(),
        answer: point.answer.to_string(),
        seen: point.seen,
    };
    Ok(points.into_iter().map(point).collect())
}

#[cfg(test)]
mod tests {
    use wirespeed_cpu::x86::Leaf;

    use super::*;
    use crate::commands::padlock::units;

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
            assert_eq!(units::summary(&units), expected);
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
        let table = units::table(&units);
        assert!(
            table.starts_with("rng   enabled               random numbers: xstore\n"),
            "{table}"
        );
        assert!(table.contains("\nace   present, not enabled  AES"), "{table}");
        assert!(table.contains("\nccs   absent                SM3"), "{table}");
        assert_eq!(table.lines().count(), 8);
        assert!(units.iter().all(|unit| !units::purpose(&unit.unit).is_empty()));
    }
}

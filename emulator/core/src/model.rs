//! The CPUs, and which instructions each one has.

use crate::Operation;

/// A family of CPUs with PadLock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// VIA C3 Nehemiah, stepping 8: RNG and ACE.
    C3,
    /// VIA C7 Esther: ACE2, PHE (one-shot) and PMM as well.
    C7,
    /// VIA Nano: 64-bit, partial hashes.
    Nano,
    /// Zhaoxin KX: PHE2 and CCS (SM3, SM4) as well.
    Zhaoxin,
}

/// A unit of PadLock: the lower of its two bits in EDX of CPUID leaf C000_0001h. The lower one says
/// present, the upper one enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Unit {
    Rng = 2,
    Ccs = 4,
    Ace = 6,
    Ace2 = 8,
    Phe = 10,
    Pmm = 12,
    Phe2 = 25,
}

impl Model {
    const fn units(self) -> &'static [Unit] {
        use Unit::{Ace, Ace2, Ccs, Phe, Phe2, Pmm, Rng};
        match self {
            Self::C3 => &[Rng, Ace],
            Self::C7 | Self::Nano => &[Rng, Ace, Ace2, Phe, Pmm],
            Self::Zhaoxin => &[Rng, Ccs, Ace, Ace2, Phe, Pmm, Phe2],
        }
    }

    /// EDX of CPUID leaf C000_0001h: all units are enabled.
    pub(crate) fn unit_bits(self) -> u32 {
        self.units().iter().fold(0, |bits, &unit| bits | 0b11 << unit as u32)
    }

    /// Whether the instruction is there; it is #UD otherwise.
    pub(crate) fn has(self, operation: Operation) -> bool {
        let unit = match operation {
            Operation::Xstore => Unit::Rng,
            Operation::XcryptEcb
            | Operation::XcryptCbc
            | Operation::XcryptCfb
            | Operation::XcryptOfb => Unit::Ace,
            Operation::XcryptCtr => Unit::Ace2,
            Operation::Montmul => Unit::Pmm,
            Operation::Xsha1 | Operation::Xsha256 => Unit::Phe,
            Operation::Xsha384 | Operation::Xsha512 => Unit::Phe2,
            Operation::Sm3 | Operation::Sm4 => Unit::Ccs,
        };
        self.units().contains(&unit)
    }

    /// Whether the control word's DGEST, ALIGN and CIPHR are there.
    pub(crate) fn has_ace2(self) -> bool {
        self.units().contains(&Unit::Ace2)
    }

    /// Whether data may be unaligned without ALIGN (e_padlock-x86.pl on Nano).
    pub(crate) const fn aligns_by_itself(self) -> bool {
        matches!(self, Self::Nano | Self::Zhaoxin)
    }

    /// Whether xsha1 and xsha256 know RAX = -1: whole blocks, no padding.
    pub(crate) const fn has_partial_hashes(self) -> bool {
        matches!(self, Self::Nano | Self::Zhaoxin)
    }
}

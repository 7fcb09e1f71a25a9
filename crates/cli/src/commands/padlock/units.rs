//! The units, in the words of the article and of /proc/cpuinfo.

use serde::Serialize;

use crate::output::table::{Side, Table};

/// What CPUID says about a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only x86 has any of them")]
pub(crate) enum State {
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
pub(crate) struct Unit {
    /// As /proc/cpuinfo spells it.
    pub(crate) unit: &'static str,
    pub(crate) state: State,
}

/// Every unit.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Units(pub(crate) Vec<Unit>);

impl Units {
    /// Whether a unit can be used.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|unit| unit.unit == name && unit.state == State::Enabled)
    }

    /// The names of those that can be used.
    pub(crate) fn enabled(&self) -> Vec<&'static str> {
        let enabled = self.0.iter().filter(|unit| unit.state == State::Enabled);
        enabled.map(|unit| unit.unit).collect()
    }

    /// "RNG, ACE" or "no-RNG, no-ACE": the article's words, which are those of OpenSSL's engine.
    pub(crate) fn summary(&self) -> String {
        let word = |name: &str| match self.has(name) {
            true => name.to_uppercase(),
            false => format!("no-{}", name.to_uppercase()),
        };
        ["rng", "ace"].map(word).join(", ")
    }

    pub(crate) fn table(&self) -> String {
        let mut table = Table::new(&[Side::Left, Side::Left, Side::Left]);
        for unit in &self.0 {
            let work = purpose(unit.unit).to_owned();
            table.row(vec![unit.unit.to_owned(), unit.state.word().to_owned(), work]);
        }
        table.render()
    }
}

/// What a unit is for.
pub(crate) fn purpose(unit: &str) -> &'static str {
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
pub(crate) struct Known {
    /// What it calls its maker.
    pub(crate) vendor: &'static str,
    /// What people call it.
    pub(crate) name: &'static str,
    /// Family, model, stepping.
    pub(crate) signature: [u32; 3],
}

impl Known {
    /// Whether Zhaoxin made it for certain: its first CPUs say the same as VIA's last ones.
    pub(crate) fn is_zhaoxin(self) -> bool {
        self.signature[0] >= 7 || self.vendor != "CentaurHauls"
    }
}

//! The units, in the words of the article and of /proc/cpuinfo.

use wirespeed_results::schema::padlock::{State, Unit};

use crate::output::table::{Side, Table};

const fn word(state: State) -> &'static str {
    match state {
        State::Absent => "absent",
        State::Present => "present, not enabled",
        State::Enabled => "enabled",
    }
}

/// Whether a unit can be used.
pub(crate) fn has(units: &[Unit], name: &str) -> bool {
    units.iter().any(|unit| unit.unit == name && unit.state == State::Enabled)
}

/// The names of those that can be used.
pub(crate) fn enabled(units: &[Unit]) -> Vec<&str> {
    let enabled = units.iter().filter(|unit| unit.state == State::Enabled);
    enabled.map(|unit| unit.unit.as_str()).collect()
}

/// "RNG, ACE" or "no-RNG, no-ACE": the article's words, which are those of OpenSSL's engine.
pub(crate) fn summary(units: &[Unit]) -> String {
    let word = |name: &str| match has(units, name) {
        true => name.to_uppercase(),
        false => format!("no-{}", name.to_uppercase()),
    };
    ["rng", "ace"].map(word).join(", ")
}

pub(crate) fn table(units: &[Unit]) -> String {
    let mut table = Table::new(&[Side::Left, Side::Left, Side::Left]);
    for unit in units {
        let work = purpose(&unit.unit).to_owned();
        table.row(vec![unit.unit.clone(), word(unit.state).to_owned(), work]);
    }
    table.render()
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

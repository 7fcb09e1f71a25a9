//! `cargo xtask bench hosts`: whole programs with and without our module.

use serde::{Deserialize, Serialize};

use super::Document;

// Files of old have their fields in the order of the alphabet, the schema too.

/// Written by `cargo xtask bench hosts --json FILE`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchHosts {
    /// How often each program worked.
    pub rounds: usize,
    /// The results, one for each program at its work.
    pub rows: Vec<Row>,
    /// `"wirespeed.bench-hosts/1"`.
    pub schema: String,
}

impl Document for BenchHosts {
    const SCHEMA: &'static str = "wirespeed.bench-hosts/1";
}

/// One program at its work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// The gain that is promised.
    pub at_least: f64,
    /// The gain if ciphers and hashes took no time at all, by samples of the stock program; none where none could be taken.
    pub bound: Option<f64>,
    /// Bytes that our routes ran, by the module's counters.
    pub bytes_by_our_routes: u64,
    /// The gain of the stock program against itself: how far to trust `gain`, which its distance from 1 tells.
    pub control: Gain,
    /// The gain as `wirespeed doctor --why-slow` tells it beforehand, by the same samples as `bound`.
    #[serde(default)]
    pub foretold: Option<f64>,
    /// How many times as much the stock program takes, round by round.
    pub gain: Gain,
    /// User and system time for one unit with our module: the median.
    pub ours_cpu_seconds: f64,
    /// The same with the default provider.
    pub stock_cpu_seconds: f64,
    /// The program and its work.
    pub title: String,
    /// What the work is counted in: `"MiB"` or `"request"`.
    pub unit: String,
    /// `"met"`, `"within noise"` or `"MISSED"`.
    pub verdict: String,
}

/// A ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gain {
    /// The upper end of a 95 % confidence interval.
    pub high: f64,
    /// The lower end.
    pub low: f64,
    /// The median.
    pub median: f64,
}

//! `wirespeed stats`: what programs did through the module.

use serde::{Deserialize, Serialize};

use super::Document;

/// What `wirespeed stats --json FILE` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stats {
    /// `"wirespeed.stats/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// The file of the counters, or the folder with one for each user.
    pub place: String,
    /// Seconds since counting began; null where nothing was counted yet.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// Processes that loaded Wirespeed's module.
    pub loads: u64,
    /// Routes that gave wrong bytes.
    pub quarantined: Vec<String>,
    /// What was counted.
    pub rows: Vec<Counted>,
}

impl Document for Stats {
    const SCHEMA: &'static str = "wirespeed.stats/1";
}

/// One line of the counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counted {
    /// OpenSSL's name.
    pub algorithm: String,
    /// `"enc"` or `"dec"`, as it was called.
    pub direction: String,
    /// The route that served, `libcrypto` where it was left to the host's OpenSSL.
    pub route: String,
    /// Data calls.
    pub calls: u64,
    /// Bytes in them.
    pub bytes: u64,
}

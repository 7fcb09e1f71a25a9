//! `wirespeed` without a command: the machine, its routes and their proofs, one table.

use serde::{Deserialize, Serialize};

use super::{Document, Libcrypto, Machine, bench};

/// What `wirespeed --json FILE` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survey {
    /// `"wirespeed.survey/1"`.
    pub schema: String,
    /// The program's version.
    pub version: Option<String>,
    /// The machine.
    pub machine: Option<Machine>,
    /// Every route, here or not.
    #[serde(default)]
    pub routes: Vec<RouteState>,
    /// The table: the host's OpenSSL against the best of the other routes.
    #[serde(default)]
    pub gains: Vec<Gain>,
    /// The results, one for each case and candidate.
    #[serde(default)]
    pub rows: Vec<bench::Row>,
    /// The other OpenSSLs that `--openssl` named, in their order; empty without.
    #[serde(default)]
    pub openssl: Vec<Libcrypto>,
    /// What disturbed the measurement, each a sentence of advice; empty on a quiet machine.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// How many times as fast as the best here AES-256-CTR would be with instructions for AES that begin one round in each
    /// cycle; null where no hypervisor hides them.
    pub hidden_aes_would_gain: Option<f64>,
}

impl Document for Survey {
    const SCHEMA: &'static str = "wirespeed.survey/1";
}

/// A route: absent, quarantined or proved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RouteState {
    /// Its name.
    pub route: String,
    /// Whether it is here.
    pub present: bool,
    /// Why it is absent, else null.
    pub reason: Option<String>,
    /// The proof that it passed, null if absent or quarantined.
    pub proof: Option<Proof>,
    /// Why its proof failed, else null.
    pub quarantined: Option<String>,
    /// Whether it is here and openssl.cnf does not turn it on: `kernel`, which the survey neither proves nor measures.
    #[serde(default)]
    pub off: bool,
}

/// How much a route was tested before it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Proof {
    /// Known answers and comparisons with the portable route; 0 for `libcrypto`, the reference.
    pub checks: usize,
    /// Messages that came out as the host's OpenSSL makes them.
    pub against_host: usize,
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gain {
    /// OpenSSL's name.
    pub algorithm: String,
    /// `"enc"` or `"dec"`.
    pub direction: String,
    /// `"message"`.
    #[serde(rename = "use")]
    pub usage: String,
    /// Bytes in one call.
    pub size: usize,
    /// The host's OpenSSL, null without one.
    pub libcrypto_bytes_per_second: Option<f64>,
    /// The fastest of the other routes.
    pub best_route: String,
    /// Its rate.
    pub best_bytes_per_second: f64,
    /// How many times as fast, slice against slice; null without a libcrypto.
    pub gain: Option<f64>,
    /// A 95 % confidence interval of the gain, lower and upper end.
    pub gain_interval: Option<[f64; 2]>,
    /// Whether the gain is no clear one, so that the host's OpenSSL keeps the algorithm.
    pub openssl_stays: bool,
    /// The share of the unit's limit that whoever serves reaches.
    pub limit_share: Option<f64>,
}

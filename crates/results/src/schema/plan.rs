//! `wirespeed routes` and `wirespeed tune`: what serves what.

use serde::{Deserialize, Serialize};

use super::{Document, Machine};

/// What `wirespeed routes --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Routes {
    /// `"wirespeed.routes/1"`.
    pub schema: String,
    /// The program's version.
    #[serde(default)]
    pub version: String,
    /// The machine.
    #[serde(default)]
    pub machine: Machine,
    /// The kind of the machine: a plan of one fits all with the same.
    #[serde(default)]
    pub kind: String,
    /// The kind in words.
    #[serde(default)]
    pub kind_in_words: String,
    /// Every route, here or not.
    pub routes: Vec<Presence>,
    /// Features of the CPU that the environment variable `OPENSSL_ia32cap` hides from OpenSSL, and so from our routes.
    pub hidden_features: Vec<String>,
    /// `"plan"`; `"ladder"`: the default priority, for there is no plan to use; `"list"`: openssl.cnf lists routes, and
    /// the first serves.
    pub chosen_by: String,
    /// File and line of that list, null without one.
    pub listed_at: Option<String>,
    /// The plan that was found, null without one.
    pub plan: Option<PlanState>,
    /// File and line that turn the kernel's route on, null if it is off.
    pub kernel_on_at: Option<String>,
    /// The same of the route to /dev/crypto.
    #[serde(default)]
    pub devcrypto_on_at: Option<String>,
    /// What the choice of constant time costs, null if the plan in use was chosen by speed alone.
    #[serde(default)]
    pub constant_time: Option<ConstantTime>,
    /// What serves what.
    pub algorithms: Vec<Served>,
    /// Hash functions that a route serves by the plan in use; this OpenSSL has the others.
    #[serde(default)]
    pub digests: Vec<Digest>,
    /// What goes to the kernel and has no rows: hash functions, and ciphers that Wirespeed has no kernels for.
    pub offloads: Vec<Offloaded>,
}

impl Document for Routes {
    const SCHEMA: &'static str = "wirespeed.routes/1";
}

/// Whether a route is here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Presence {
    /// Its name.
    pub route: String,
    /// Whether it is here.
    pub present: bool,
    /// Why it is absent, else null.
    pub reason: Option<String>,
    /// Whether it is here and not turned on: `kernel`, unless openssl.cnf says `kernel = on`; `devcrypto` likewise.
    pub off: bool,
}

/// The plan that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanState {
    /// Where it lies.
    pub file: String,
    /// File and line that name it in openssl.cnf, null for the usual place.
    pub named_at: Option<String>,
    /// Why it is not used, null if it is or if routes are listed.
    pub ignored: Option<String>,
}

/// What serves an algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Served {
    /// OpenSSL's name.
    pub algorithm: String,
    /// Whether Wirespeed offers it; if not, OpenSSL serves it as if Wirespeed were not there.
    pub claimed: bool,
    /// The kernel's driver that was measured, the only one that serves where a row says `kernel` or `devcrypto`;
    /// null without such rows.
    pub driver: Option<String>,
    /// The plan's rows, one for each direction and size class; without a plan, what the default priority or the list
    /// gives.
    pub rows: Vec<Row>,
}

/// One row of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// `"enc"` or `"dec"`; counter modes have only `"enc"`.
    pub direction: String,
    /// The size class in bytes; calls up to the next class follow it, and ECB and CBC were measured on whole blocks.
    pub size: usize,
    /// The route that serves; `"libcrypto"`: the call is handed on to the host's default provider.
    pub route: String,
    /// The use that the times are of: the one in which the route gains most, or for `"libcrypto"` the one in which the
    /// best of ours falls behind most; null, like the times, where nothing was measured.
    #[serde(rename = "use")]
    pub usage: Option<String>,
    /// One call by that route through EVP.
    pub ns: Option<f64>,
    /// Half the width of the 95 % confidence interval of that.
    pub spread_ns: Option<f64>,
    /// The best of the other routes.
    pub second: Option<String>,
    /// One call by it.
    pub second_ns: Option<f64>,
    /// Half the width of its interval.
    pub second_spread_ns: Option<f64>,
    /// One call by the host's OpenSSL without us.
    pub libcrypto_ns: Option<f64>,
    /// Half the width of its interval.
    pub libcrypto_spread_ns: Option<f64>,
    /// `libcrypto_ns` over `ns`.
    pub gain: Option<f64>,
    /// Whether the route serves only because `libcrypto`'s code looks up in tables: speed alone had left the row to it.
    /// Then `use` is the one in which that costs most.
    #[serde(default)]
    pub constant_time: bool,
}

/// What a plan costs in which nothing is left to the host's OpenSSL where its code looks up in tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConstantTime {
    /// Rows that speed alone had left to the host's OpenSSL.
    pub cells: usize,
    /// All rows of the plan.
    pub of: usize,
    /// Those of them in which the route is slower than the host's OpenSSL.
    pub slower: usize,
    /// The median `gain` of those, null without such rows.
    pub median_gain: Option<f64>,
    /// The least `gain` of those, null without such rows.
    pub least_gain: Option<f64>,
}

/// From how many bytes on the kernel serves something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Offloaded {
    /// OpenSSL's name.
    pub algorithm: String,
    /// `"enc"` or `"dec"`; `"hash"` for hash functions.
    pub direction: String,
    /// From which size on it goes to the kernel.
    pub size: usize,
    /// By which way: `"kernel"` or `"devcrypto"`.
    #[serde(default = "usual_way")]
    pub route: String,
    /// The kernel's driver that was measured.
    pub driver: Option<String>,
}

/// What was the only way once.
fn usual_way() -> String {
    "kernel".to_owned()
}

/// What `wirespeed tune --json FILE` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tune {
    /// `"wirespeed.tune/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// The machine.
    pub machine: Machine,
    /// The file that was written.
    pub plan: String,
    /// Routes left out because they gave wrong bytes.
    pub quarantined: Vec<Quarantined>,
    /// What the choice of constant time costs, null without it.
    #[serde(default)]
    pub constant_time: Option<ConstantTime>,
    /// What was chosen.
    pub algorithms: Vec<Served>,
    /// The hash functions that a route takes from OpenSSL.
    pub digests: Vec<Digest>,
    /// What goes to the kernel and has no rows; empty without `--kernel`.
    pub offloads: Vec<Offloaded>,
    /// Rows that stay with libcrypto although another route looked faster, for want of quiet.
    pub undecided: usize,
    /// What disturbed the measurement, each a sentence of advice; empty on a quiet machine.
    pub warnings: Vec<String>,
}

impl Document for Tune {
    const SCHEMA: &'static str = "wirespeed.tune/1";
}

/// A route that is left out of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quarantined {
    /// Its name.
    pub route: String,
    /// What is wrong.
    pub reason: String,
}

/// A hash function that a route takes from OpenSSL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Digest {
    /// Its name.
    pub digest: String,
    /// The route.
    pub route: String,
}

//! `wirespeed bench`: single algorithms, every candidate in every case.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Document, HOST, Libcrypto, Machine, VERSION};
use crate::csv::{Column, Format};

/// What `wirespeed bench --json FILE` writes. With `--csv FILE` a first line names the fields of `rows[]`, and a line for
/// each row has them in that order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bench {
    /// `"wirespeed.bench/1"`.
    pub schema: String,
    /// The program's version.
    pub version: Option<String>,
    /// Whose figures these are, null for the program's own; the files in examples/ have one.
    pub source: Option<String>,
    /// The machine.
    pub machine: Option<Machine>,
    /// The clock of `median_ns`: `"thread-cpu"`, or `"wall"` with more than one thread, and wherever `kernel` takes
    /// part, which may sleep while a device works; `"user-cpu"` only in figures that `openssl speed` printed.
    pub clock: Option<String>,
    /// Whether the run was broken off; `rows` has what was measured until then.
    #[serde(default)]
    pub interrupted: bool,
    /// The results, one for each case and candidate.
    pub rows: Vec<Row>,
    /// The other OpenSSLs that `--openssl` named, in their order; empty without.
    #[serde(default)]
    pub openssl: Vec<Libcrypto>,
    /// For each candidate in the kernel, from which size on it beats everybody in the process.
    #[serde(default)]
    pub break_even: Vec<BreakEven>,
    /// What was left out.
    #[serde(default)]
    pub skipped: Vec<Skipped>,
    /// What in the kernel gives wrong results and was not measured; the exit status is then 1.
    #[serde(default)]
    pub quarantined: Vec<Quarantined>,
    /// What disturbed the measurement, each a sentence of advice; empty on a quiet machine.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Document for Bench {
    const SCHEMA: &'static str = "wirespeed.bench/1";
}

impl Bench {
    /// This program's, with nothing measured yet.
    pub fn begin(machine: &Machine) -> Self {
        Self {
            schema: Self::SCHEMA.to_owned(),
            version: Some(VERSION.to_owned()),
            machine: Some(machine.clone()),
            ..Self::default()
        }
    }
}

/// One candidate's result in one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// OpenSSL's name.
    pub algorithm: String,
    /// `"enc"` or `"dec"`, `"hash"` for hash functions; counter modes have only `"enc"`.
    pub direction: String,
    /// `"message"`: a new IV for each call, the key kept; `"stream"`: one long message; `"rekey"`: a new key for each
    /// call.
    #[serde(rename = "use")]
    pub usage: String,
    /// Bytes in one call; ECB and CBC take whole blocks, so 1420 becomes 1408.
    pub size: usize,
    /// As `wirespeed routes` names it. `libcrypto` is the host's own OpenSSL; `kernel` and `devcrypto` are Linux's crypto API.
    pub route: String,
    /// `"evp"`: through OpenSSL's EVP interface, as programs call it; `"direct"`: the kernels, or the kernel's socket,
    /// alone, or as `openssl speed` had it without `-evp` until 3.0.
    #[serde(rename = "door")]
    pub api_path: String,
    /// Threads at once.
    pub threads: usize,
    /// The rate at the median, of all threads together.
    pub bytes_per_second: f64,
    /// The median time of one call (with threads: of one call of any of them).
    pub median_ns: Option<f64>,
    /// The median absolute deviation from that median.
    pub mad_ns: Option<f64>,
    /// Slices measured.
    pub runs: Option<usize>,
    /// The mean CPU time of one call, by the thread's own clock; in the kernel too, but without what threads of the
    /// kernel's do for it.
    pub cpu_ns: Option<f64>,
    /// The rate as a share of what the execution unit allows, measured in turns with the row; for `libcrypto` the best
    /// unit of the machine; null for `portable`.
    pub limit_share: Option<f64>,
    /// The kernel's driver where one was asked for by name, else null.
    pub driver: Option<String>,
    /// Requests in flight at once: 1, but for `kernel` with `--lanes`.
    pub lanes: Option<usize>,
    /// System calls for one call of `kernel`, without those that open a socket; null with a new key for each call, and
    /// for other routes.
    pub system_calls: Option<f64>,
    /// Seconds of CPU time for 2^30 bytes: `cpu_ns` over `size`.
    pub cpu_s_per_gib: Option<f64>,
    /// Instructions that the host's OpenSSL was denied (`OPENSSL_ia32cap`, `OPENSSL_armcap`, with `--set gateway`), else
    /// null; such rows are measured after the others.
    pub without: Option<String>,
    /// With `--openssl` the other OpenSSL that ran, such as `"3.5.7"`, with a number behind it where several files are of
    /// one release; null for the host's own. Such rows are measured after the others, each OpenSSL in a process of its
    /// own.
    pub openssl: Option<String>,
}

impl Row {
    /// How a CSV file writes the fields.
    pub const COLUMNS: &[Column] = &[
        Column("algorithm", Format::Plain),
        Column("direction", Format::Plain),
        Column("use", Format::Plain),
        Column("size", Format::Plain),
        Column("route", Format::Plain),
        Column("door", Format::Plain),
        Column("threads", Format::Plain),
        Column("bytes_per_second", Format::Decimals(0)),
        Column("median_ns", Format::Decimals(2)),
        Column("mad_ns", Format::Decimals(2)),
        Column("runs", Format::Plain),
        Column("cpu_ns", Format::Decimals(2)),
        Column("limit_share", Format::Decimals(4)),
        // The kernel's names of drivers hold commas where templates have two parts: "ccm_base(ctr,…)".
        Column("driver", Format::Quoted),
        Column("lanes", Format::Plain),
        Column("system_calls", Format::Decimals(4)),
        Column("cpu_s_per_gib", Format::Decimals(4)),
        Column("without", Format::Quoted),
        Column("openssl", Format::Quoted),
    ];

    /// Whether it is a speed of the machine for its work. Another OpenSSL is none, nor one without instructions, nor many
    /// requests at once.
    pub fn is_of_machine(&self) -> bool {
        self.without.is_none() && self.openssl.is_none() && self.lanes.is_none_or(|it| it == 1)
    }

    /// Whether the host's OpenSSL did it.
    pub fn is_host(&self) -> bool {
        self.route == HOST
    }

    /// What was done: the algorithm, the direction, the use and the size.
    pub fn work(&self) -> (&str, &str, &str, usize) {
        (&self.algorithm, &self.direction, &self.usage, self.size)
    }
}

/// From which size on a candidate in the kernel beats everybody in the process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BreakEven {
    /// OpenSSL's name.
    pub algorithm: String,
    /// `"enc"` or `"dec"`; `"hash"` for hash functions.
    pub direction: String,
    /// `"message"`, `"stream"` or `"rekey"`.
    #[serde(rename = "use")]
    pub usage: String,
    /// `"kernel"`.
    pub route: String,
    /// The word above its column: the route, the driver, or the route and the requests in flight.
    pub name: String,
    /// The smallest size at which, and at all above, it takes less time; null for never.
    pub size: Option<usize>,
    /// The same for CPU time.
    pub cpu_size: Option<usize>,
}

/// A case or a candidate that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skipped {
    /// OpenSSL's name.
    pub algorithm: String,
    /// The use, null where the reason holds for all.
    #[serde(rename = "use")]
    pub usage: Option<String>,
    /// The route, null where the reason holds for all.
    pub route: Option<String>,
    /// Why.
    pub reason: String,
}

/// A candidate in the kernel that gives wrong results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Quarantined {
    /// OpenSSL's name.
    pub algorithm: String,
    /// The driver, or the route that chose one.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Quarantined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}", self.name, self.algorithm)
    }
}

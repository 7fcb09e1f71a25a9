//! The results as data: `wirespeed.bench/1`, described in docs/json.md.

use std::fmt;

use serde::Serialize;
use wirespeed_machine::Machine;

/// The name and version of the schema; the version changes when a field changes its meaning.
pub const BENCH_SCHEMA: &str = "wirespeed.bench/1";

/// One candidate's result in one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// OpenSSL's name.
    pub algorithm: &'static str,
    /// "enc" or "dec"; "hash" for hash functions.
    pub direction: &'static str,
    /// "message", "stream" or "rekey".
    #[serde(rename = "use")]
    pub usage: &'static str,
    /// Bytes in one call.
    pub size: usize,
    /// The route.
    pub route: &'static str,
    /// "evp" or "direct".
    #[serde(rename = "door")]
    pub api_path: &'static str,
    /// Threads at once.
    pub threads: usize,
    /// The rate at the median; of all threads together.
    pub bytes_per_second: f64,
    /// The median time of one call, by the document's clock.
    pub median_ns: f64,
    /// The median absolute deviation of it.
    pub mad_ns: f64,
    /// Slices measured.
    pub runs: usize,
    /// The mean CPU time of one call.
    pub cpu_ns: f64,
    /// The rate as a share of the execution unit's limit.
    pub limit_share: Option<f64>,
    /// The kernel's driver, where one was asked for by name.
    pub driver: Option<&'static str>,
    /// Requests in flight at once.
    pub lanes: usize,
    /// System calls for one call, where it is a socket of the kernel's.
    pub system_calls: Option<f64>,
    /// Seconds of CPU time for 2^30 bytes.
    pub cpu_s_per_gib: f64,
    /// Instructions that the host's OpenSSL was denied.
    pub without: Option<&'static str>,
}

impl Row {
    /// The fields in order, as the first line of a CSV file.
    pub const CSV_HEADER: &str = "algorithm,direction,use,size,route,door,threads,bytes_per_second,\
        median_ns,mad_ns,runs,cpu_ns,limit_share,driver,lanes,system_calls,cpu_s_per_gib,without";

    /// The values in the same order; only a driver or instructions may hold a comma, and stand in quotes.
    pub fn to_csv(&self) -> String {
        let number = |value: Option<f64>| value.map_or(String::new(), |it| format!("{it:.4}"));
        let (share, calls) = (number(self.limit_share), number(self.system_calls));
        // The kernel's names of drivers hold commas where templates have two parts: "ccm_base(ctr,…)".
        let quoted = |text: Option<&str>| text.map_or(String::new(), |it| format!("\"{it}\""));
        let (driver, without) = (quoted(self.driver), quoted(self.without));
        format!(
            "{},{},{},{},{},{},{},{:.0},{:.2},{:.2},{},{:.2},{share},{driver},{},{calls},{:.4},{without}",
            self.algorithm,
            self.direction,
            self.usage,
            self.size,
            self.route,
            self.api_path,
            self.threads,
            self.bytes_per_second,
            self.median_ns,
            self.mad_ns,
            self.runs,
            self.cpu_ns,
            self.lanes,
            self.cpu_s_per_gib,
        )
    }
}

/// A case or a candidate that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Skipped {
    /// OpenSSL's name.
    pub algorithm: &'static str,
    /// "message", "stream" or "rekey"; null where the reason holds for all.
    #[serde(rename = "use")]
    pub usage: Option<&'static str>,
    /// The route; null where the reason holds for all.
    pub route: Option<&'static str>,
    /// Why.
    pub reason: String,
}

/// From which size on a candidate in the kernel beats everybody in the process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BreakEven {
    /// OpenSSL's name.
    pub algorithm: &'static str,
    /// "enc" or "dec"; "hash" for hash functions.
    pub direction: &'static str,
    /// "message", "stream" or "rekey".
    #[serde(rename = "use")]
    pub usage: &'static str,
    /// "kernel".
    pub route: &'static str,
    /// The word above its column: the route, the driver, or the route and the requests in flight.
    pub name: String,
    /// The smallest size at which, and at all above, it takes less time; null for never.
    pub size: Option<usize>,
    /// The same for CPU time.
    pub cpu_size: Option<usize>,
}

/// A candidate in the kernel that gives wrong results, and was not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Quarantined {
    /// OpenSSL's name.
    pub algorithm: &'static str,
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

/// Everything that `wirespeed bench` found.
#[derive(Clone, Debug, Serialize)]
pub struct Document {
    /// [`BENCH_SCHEMA`].
    pub schema: &'static str,
    /// The program's version.
    pub version: &'static str,
    /// Whose figures these are; null for our own.
    pub source: Option<&'static str>,
    /// The machine.
    pub machine: Machine,
    /// "thread-cpu", or "wall" with more than one thread or with a route that may sleep.
    pub clock: &'static str,
    /// The results.
    pub rows: Vec<Row>,
    /// The break-evens of candidates in the kernel.
    pub break_even: Vec<BreakEven>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// What was left out because it is wrong.
    pub quarantined: Vec<Quarantined>,
    /// What disturbed the measurement, as advice.
    pub warnings: Vec<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            algorithm: "AES-128-GCM",
            direction: "enc",
            usage: "message",
            size: 1420,
            route: "vaes512",
            api_path: "evp",
            threads: 1,
            bytes_per_second: 9.94e9,
            median_ns: 142.9,
            mad_ns: 0.5,
            runs: 50,
            cpu_ns: 143.2,
            limit_share: Some(0.45),
            driver: None,
            lanes: 1,
            system_calls: None,
            cpu_s_per_gib: 0.11,
            without: None,
        }
    }

    #[test]
    fn csv_has_as_many_values_as_names() {
        let names = Row::CSV_HEADER.split(',').count();
        assert_eq!(row().to_csv().split(',').count(), names);
        assert_eq!(Row { limit_share: None, ..row() }.to_csv().split(',').count(), names);
        let json = serde_json::to_value(row()).expect("serialisable");
        for name in Row::CSV_HEADER.split(',') {
            assert!(json.get(name).is_some(), "{name}");
        }
    }
}

//! A line of the results, as JSON has it.

use serde::{Deserialize, Serialize};

/// One test of one cipher, or why there is none. docs/json.md says what the fields mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// `memory`, `file` or `dm-crypt`.
    pub store: String,
    /// cryptsetup's spelling; `none` for no encryption.
    pub cipher: String,
    /// `best` or `generic`.
    pub variant: String,
    /// Bits of the key, both halves with XTS.
    pub key_bits: u32,
    /// Bytes in a sector.
    pub sector_bytes: Option<usize>,
    /// Workers, or with dm-crypt requests in flight.
    pub threads: Option<usize>,
    /// dm-crypt's options.
    pub options: Vec<String>,
    /// Who computed in this process.
    pub route: Option<String>,
    /// The kernel's driver.
    pub driver: Option<String>,
    /// Why there is nothing; all below is null then.
    pub absent: Option<String>,
    /// What came out wrong; the candidate is in quarantine then, and nothing of it below.
    pub wrong: Option<String>,
    /// `w`, `r`, `w2` or `r2`.
    pub test: Option<String>,
    /// The machine's load after the test.
    pub load: Option<f64>,
    /// Nanoseconds from the first byte to the last.
    pub elapsed_ns: Option<u64>,
    /// CPU time: of our workers, or with dm-crypt of the whole machine.
    pub cpu_ns: Option<u64>,
    /// That as a share of one CPU for the time elapsed.
    pub cpu_percent: Option<f64>,
    /// Seconds of that time for 2^30 bytes.
    pub cpu_s_per_gib: Option<f64>,
    /// Bytes processed.
    pub bytes: Option<u64>,
    /// The rate.
    pub bytes_per_second: Option<f64>,
    /// The rate as a multiple of that without encryption.
    pub factor: Option<f64>,
    /// With the last test: bytes that were compared, all equal.
    pub compared_bytes: Option<u64>,
}

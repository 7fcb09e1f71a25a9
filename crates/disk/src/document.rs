//! A line of the results, as JSON has it.

use serde::{Deserialize, Serialize};

/// One test of one cipher, or why there is none. docs/json.md says what the fields mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub store: String,
    pub cipher: String,
    pub variant: String,
    pub key_bits: u32,
    pub sector_bytes: Option<usize>,
    pub threads: Option<usize>,
    pub options: Vec<String>,
    pub route: Option<String>,
    pub driver: Option<String>,
    pub absent: Option<String>,
    pub test: Option<String>,
    pub load: Option<f64>,
    pub elapsed_ns: Option<u64>,
    pub cpu_ns: Option<u64>,
    pub cpu_percent: Option<f64>,
    pub cpu_s_per_gib: Option<f64>,
    pub bytes: Option<u64>,
    pub bytes_per_second: Option<f64>,
    pub factor: Option<f64>,
    pub compared_bytes: Option<u64>,
}

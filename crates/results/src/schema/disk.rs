//! `wirespeed disk`: encrypted disks.

use serde::{Deserialize, Serialize};

use super::{Document, Machine};

/// What `wirespeed disk --json FILE` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disk {
    /// `"wirespeed.disk/1"`.
    pub schema: String,
    /// The program's version.
    pub version: Option<String>,
    /// Whose figures these are, null for the program's own; examples/dm-crypt-2007.json has one.
    pub source: Option<String>,
    /// The machine.
    pub machine: Option<Machine>,
    /// What was asked for.
    pub settings: Option<Settings>,
    /// Whether the run was broken off: by Ctrl-C, or by an error that standard error tells; `rows` has what was
    /// measured until then.
    #[serde(default)]
    pub interrupted: bool,
    /// The results, one for each test of each cipher, in the order of the tests.
    pub rows: Vec<Row>,
    /// The second table of `--dm-crypt`: rows as above, of one cipher with sectors of both sizes and every choice of
    /// options; empty without.
    #[serde(default)]
    pub options: Vec<Row>,
    /// What `--compare-cryptsetup` found, in the order of the ciphers; empty without.
    #[serde(default)]
    pub cryptsetup: Vec<Compared>,
    /// What the figures say, sentences.
    #[serde(default)]
    pub advice: Vec<String>,
    /// What must not be trusted of what was measured, sentences.
    #[serde(default)]
    pub cautions: Vec<String>,
    /// What disturbed the measurement, each a sentence of advice; empty on a quiet machine.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Document for Disk {
    const SCHEMA: &'static str = "wirespeed.disk/1";
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settings {
    /// Bytes for each test.
    pub bytes: Option<u64>,
    /// Workers, or with dm-crypt requests in flight.
    pub threads: Option<usize>,
    /// Bytes in a sector: 512 or 4096.
    pub sector_bytes: Option<usize>,
    /// Where the temporary file was, null with dm-crypt.
    pub directory: Option<String>,
    /// What lies below dm-crypt: the path of a device or file, or `"a disk in memory"` and perhaps the driver that was
    /// asked for; null without.
    pub device: Option<String>,
}

/// One test of one cipher, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Where the sectors lay: `"memory"`, `"file"` or `"dm-crypt"`.
    pub store: String,
    /// cryptsetup's spelling; `"none"` for no encryption, with which all are compared.
    pub cipher: String,
    /// `"best"`: the fastest implementation, in the kernel that of the highest priority; `"generic"`: plain code that
    /// needs no instructions of the CPU's.
    pub variant: String,
    /// Bits of the key, both halves with XTS; 0 for `"none"`.
    pub key_bits: u32,
    /// Bytes in a sector.
    pub sector_bytes: Option<usize>,
    /// Workers, or with dm-crypt requests in flight.
    pub threads: Option<usize>,
    /// dm-crypt's options: `"no_read_workqueue"`, `"no_write_workqueue"`.
    pub options: Vec<String>,
    /// Who computed in this process: a route, or the crate that serves; null for `"none"` and with dm-crypt.
    pub route: Option<String>,
    /// The kernel's driver that computed, with dm-crypt and as far as the kernel tells.
    pub driver: Option<String>,
    /// Why there is no such cipher here; null if there is one, and what stands below is null otherwise.
    pub absent: Option<String>,
    /// What came out wrong (the exit status is then 1), else null; the cipher has no other row then.
    pub wrong: Option<String>,
    /// `"w"`, `"r"`, `"w2"`, `"r2"`: first write, first read, second write, second read.
    pub test: Option<String>,
    /// The machine's load after the test (/proc/loadavg, over one minute).
    pub load: Option<f64>,
    /// From the first byte to the last, which for a write is when the storage has it.
    pub elapsed_ns: Option<u64>,
    /// CPU time: of this program's workers, or with dm-crypt of the whole machine, for its work is done by threads of
    /// the kernel's.
    pub cpu_ns: Option<u64>,
    /// That time as a share of one CPU over `elapsed_ns`, in per cent.
    pub cpu_percent: Option<f64>,
    /// Seconds of it for 2^30 bytes.
    pub cpu_s_per_gib: Option<f64>,
    /// Bytes processed.
    pub bytes: Option<u64>,
    /// The rate.
    pub bytes_per_second: Option<f64>,
    /// The rate over that of `"none"` in the same test on the same store.
    pub factor: Option<f64>,
    /// With a cipher's last test: bytes read back and found to be what was written (memory is written over and over, so
    /// there it is what it holds); with dm-crypt those of the proof as well.
    pub compared_bytes: Option<u64>,
}

/// One cipher by this program and by `cryptsetup benchmark`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// cryptsetup's spelling.
    pub cipher: String,
    /// Bits of the key.
    pub key_bits: u32,
    /// Ours in memory, the second write.
    pub write_bytes_per_second: Option<f64>,
    /// Ours in memory, the second read.
    pub read_bytes_per_second: Option<f64>,
    /// `cryptsetup benchmark`'s figure, null if it gave none.
    pub encryption_bytes_per_second: Option<f64>,
    /// The same for decryption.
    pub decryption_bytes_per_second: Option<f64>,
    /// Why it gave none, in its words, else null.
    pub reason: Option<String>,
}

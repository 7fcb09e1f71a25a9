//! The fields that are read of each kind of file; docs/json.md says what they mean.

use serde::Deserialize;

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Machine {
    /// The CPU.
    pub cpu: Option<Cpu>,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The distribution's own name.
    pub distribution: Option<String>,
    /// How the kernel chooses the clock frequency.
    pub governor: Option<String>,
    /// The host's OpenSSL.
    pub libcrypto: Option<Libcrypto>,
}

/// The CPU.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Cpu {
    /// Its marketing name.
    pub brand: Option<String>,
    /// Logical CPUs.
    pub cores: Option<usize>,
    /// The hypervisor in a virtual machine.
    pub hypervisor: Option<String>,
}

/// The host's OpenSSL.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Libcrypto {
    /// Its version text.
    pub version: Option<String>,
}

/// `wirespeed.bench/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct Bench {
    /// "thread-cpu" or "wall".
    pub clock: Option<String>,
    /// The results.
    pub rows: Vec<Rate>,
}

/// One candidate's result in one case.
#[derive(Clone, Debug, Deserialize)]
pub struct Rate {
    /// OpenSSL's name.
    pub algorithm: String,
    /// "enc", "dec" or "hash".
    pub direction: String,
    /// "message", "stream" or "rekey".
    #[serde(rename = "use")]
    pub usage: String,
    /// Bytes in one call.
    pub size: usize,
    /// The route.
    pub route: String,
    /// "evp" or "direct".
    #[serde(rename = "door")]
    pub api_path: String,
    /// Threads at once.
    pub threads: usize,
    /// The rate of all threads together.
    pub bytes_per_second: f64,
    /// The median time of one call.
    pub median_ns: Option<f64>,
    /// The median absolute deviation of that.
    pub mad_ns: Option<f64>,
    /// The rate as a share of the unit's limit.
    pub limit_share: Option<f64>,
    /// The kernel's driver, where one was asked for.
    pub driver: Option<String>,
    /// Requests in flight.
    pub lanes: Option<usize>,
    /// What was taken away from this OpenSSL, if anything.
    pub without: Option<String>,
}

/// `wirespeed.survey/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct Survey {
    /// Every route, here or not.
    #[serde(default)]
    pub routes: Vec<RouteState>,
    /// The results.
    #[serde(default)]
    pub rows: Vec<Rate>,
}

/// A route: absent, quarantined or proved.
#[derive(Clone, Debug, Deserialize)]
pub struct RouteState {
    /// Its name.
    pub route: String,
    /// Whether it is here.
    pub present: bool,
    /// Why it is absent.
    pub reason: Option<String>,
    /// The proof that it passed.
    pub proof: Option<Proof>,
    /// Why its proof failed.
    pub quarantined: Option<String>,
    /// Whether it is here and not turned on.
    #[serde(default)]
    pub off: bool,
}

/// How much a route was tested.
#[derive(Clone, Debug, Deserialize)]
pub struct Proof {
    /// Known answers and comparisons.
    pub checks: Option<u64>,
    /// Messages that came out as the host's OpenSSL makes them.
    pub against_host: Option<u64>,
}

/// `wirespeed.disk/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct Disk {
    /// What was asked for.
    pub settings: Option<Settings>,
    /// The results.
    pub rows: Vec<Sectors>,
    /// Rows of dm-crypt's options.
    #[serde(default)]
    pub options: Vec<Sectors>,
    /// What the figures say.
    #[serde(default)]
    pub advice: Vec<String>,
    /// What must not be trusted.
    #[serde(default)]
    pub cautions: Vec<String>,
}

/// What `wirespeed disk` was asked for.
#[derive(Clone, Debug, Deserialize)]
pub struct Settings {
    /// Bytes for each test.
    pub bytes: Option<u64>,
    /// Workers, or requests in flight.
    pub threads: Option<usize>,
    /// Bytes in a sector.
    pub sector_bytes: Option<usize>,
    /// Where the file was.
    pub directory: Option<String>,
    /// What lay below dm-crypt.
    pub device: Option<String>,
}

/// One test of one cipher for disks, or why there is none.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Sectors {
    /// "memory", "file" or "dm-crypt".
    pub store: String,
    /// cryptsetup's spelling; "none" for no encryption.
    pub cipher: String,
    /// "best" or "generic".
    pub variant: String,
    /// Bits of the key, both halves with XTS.
    pub key_bits: u32,
    /// Bytes in a sector.
    pub sector_bytes: Option<usize>,
    /// Workers, or requests in flight.
    pub threads: Option<usize>,
    /// dm-crypt's options.
    pub options: Vec<String>,
    /// Who computed in the process.
    pub route: Option<String>,
    /// The kernel's driver.
    pub driver: Option<String>,
    /// Why there is nothing.
    pub absent: Option<String>,
    /// What came out wrong.
    pub wrong: Option<String>,
    /// "w", "r", "w2" or "r2".
    pub test: Option<String>,
    /// The machine's load after the test.
    pub load: Option<f64>,
    /// From the first byte to the last.
    pub elapsed_ns: Option<u64>,
    /// CPU time as a share of one CPU.
    pub cpu_percent: Option<f64>,
    /// Seconds of that time for 2^30 bytes.
    pub cpu_s_per_gib: Option<f64>,
    /// Bytes processed.
    pub bytes: Option<u64>,
    /// The rate.
    pub bytes_per_second: Option<f64>,
    /// The rate as a multiple of that without encryption.
    pub factor: Option<f64>,
}

/// `wirespeed.vpn/1`.
#[derive(Clone, Debug, Deserialize)]
pub struct Vpn {
    /// The results, packet by packet.
    #[serde(default)]
    pub rows: Vec<Packets>,
    /// Which links they fill.
    #[serde(default)]
    pub links: Vec<Link>,
    /// Tunnels of real programs and of the kernel.
    #[serde(default)]
    pub real: Vec<Tunnel>,
    /// What the estimate leaves out.
    #[serde(default)]
    pub leaves_out: Vec<String>,
    /// What the figures say, sentences.
    #[serde(default)]
    pub verdict: Vec<String>,
}

/// Packets of one size by one suite.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Packets {
    /// "ESP AES-128-GCM".
    pub suite: String,
    /// "enc" or "dec".
    pub direction: String,
    /// "1420" or "imix".
    pub packet: String,
    /// Threads at once.
    pub threads: Option<usize>,
    /// Packets in flight.
    pub in_flight: Option<usize>,
    /// The route.
    pub route: Option<String>,
    /// Why there is nothing.
    pub absent: Option<String>,
    /// Packets in a second.
    pub packets_per_second: Option<f64>,
    /// Bytes in a second.
    pub bytes_per_second: Option<f64>,
    /// The median time of one packet.
    pub median_ns: Option<f64>,
    /// Nine of ten take no longer.
    pub p90_ns: Option<f64>,
    /// 99 of a hundred take no longer.
    pub p99_ns: Option<f64>,
    /// The share of the unit's limit.
    pub limit_share: Option<f64>,
}

/// What a suite fills.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Link {
    /// "ESP AES-128-GCM".
    pub suite: String,
    /// "1420" or "imix".
    pub packet: String,
    /// The route.
    pub route: Option<String>,
    /// Packets in flight.
    pub in_flight: Option<usize>,
    /// One way, by one core, the slower of both ends.
    pub bits_per_second_per_core: Option<f64>,
    /// The links that one core fills.
    pub fills: Vec<String>,
    /// What larger ones need.
    pub cores_needed: Vec<CoresNeeded>,
    /// The share of all CPUs that is left when the best link that fits is full.
    pub cpu_left: Option<f64>,
}

/// The cores that a link needs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct CoresNeeded {
    /// "10 Gbit/s".
    pub link: String,
    /// Null if this machine has not so many.
    pub cores: Option<f64>,
}

/// A tunnel of a real program or of the kernel.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Tunnel {
    /// "openvpn", "xfrm" or "libipsec".
    pub carrier: String,
    /// The suite.
    pub suite: String,
    /// "default", "wirespeed" or "kernel".
    pub provider: Option<String>,
    /// Why there is nothing.
    pub absent: Option<String>,
    /// Through the tunnel.
    pub bits_per_second: Option<f64>,
    /// Without a tunnel.
    pub plain_bits_per_second: Option<f64>,
    /// CPU time of the whole machine for 2^30 bytes.
    pub cpu_s_per_gib: Option<f64>,
}

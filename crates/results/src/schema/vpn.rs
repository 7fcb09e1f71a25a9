//! `wirespeed vpn`: the packets of a VPN gateway.

use serde::{Deserialize, Serialize};

use super::{Document, Machine, tunnel};

/// What `wirespeed vpn --json FILE` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Vpn {
    /// `"wirespeed.vpn/1"`.
    pub schema: String,
    /// The program's version.
    pub version: Option<String>,
    /// Whose figures these are, null for the program's own.
    pub source: Option<String>,
    /// The machine.
    pub machine: Option<Machine>,
    /// What was asked for.
    pub settings: Option<Settings>,
    /// Whether the run was broken off; `rows` has what was measured until then.
    #[serde(default)]
    pub interrupted: bool,
    /// What disturbed the measurement, each a sentence of advice; empty on a quiet machine.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The results, one for each case and candidate.
    #[serde(default)]
    pub rows: Vec<Row>,
    /// What a tunnel fills, one for each suite, kind of packet and route of which both ends were measured.
    #[serde(default)]
    pub links: Vec<Link>,
    /// Tunnels that were set up, with `--real`: one row for each carrier, suite and provider; then `rows` and `links`
    /// are empty.
    #[serde(default)]
    pub real: Vec<tunnel::Row>,
    /// What the estimate leaves out.
    #[serde(default)]
    pub leaves_out: Vec<String>,
    /// What the figures say, sentences.
    #[serde(default)]
    pub verdict: Vec<String>,
}

impl Document for Vpn {
    const SCHEMA: &'static str = "wirespeed.vpn/1";
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settings {
    /// Seconds for each figure.
    pub seconds: f64,
    /// How many threads at once, in turn: one, and all.
    pub threads: Vec<usize>,
    /// Whether many packets at once were measured besides.
    pub batch: bool,
}

/// One candidate's result in one case, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Row {
    /// The suite: `"WireGuard"`, or `"ESP"` with OpenSSL's name of the cipher and, for CBC, of the MAC.
    pub suite: String,
    /// `"enc"`: the sender, who encrypts, then authenticates; `"dec"`: the receiver, who verifies, then decrypts.
    pub direction: String,
    /// Bytes of each packet inside the tunnel, or `"imix"`: of twelve packets seven of 40, four of 576 and one of 1500
    /// bytes.
    pub packet: String,
    /// The same as a number; of the mix the mean.
    pub packet_bytes: f64,
    /// Threads at once, each with contexts, keys and packets of its own.
    #[serde(default = "one")]
    pub threads: usize,
    /// Packets that each thread takes at once: 1, or 32 with `--batch`.
    #[serde(default = "one")]
    pub in_flight: usize,
    /// Who computes: `"libcrypto"`, the host's own OpenSSL; our route through EVP; for CBC the cipher's and the MAC's,
    /// as in `"vaes512+sha-ni"`, with `libcrypto` for a part that is the host's; `"none"` for nobody.
    pub route: String,
    /// Why there are no figures, which are null then; else null.
    pub absent: Option<String>,
    /// The rate at the median, of all threads together: of CPU time with one thread, of elapsed time with several.
    pub packets_per_second: Option<f64>,
    /// The same in bytes of the packets inside the tunnel.
    pub bytes_per_second: Option<f64>,
    /// Elapsed time from a packet's being there to its being done, each timed by itself: the median; with several in
    /// flight, that of all of them.
    pub median_ns: Option<f64>,
    /// What nine of ten packets do not exceed.
    pub p90_ns: Option<f64>,
    /// What 99 of a hundred do not exceed.
    pub p99_ns: Option<f64>,
    /// The mean CPU time of one packet.
    pub cpu_ns: Option<f64>,
}

/// What a suite's packets fill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Link {
    /// The suite.
    pub suite: String,
    /// Bytes of each packet inside the tunnel, or `"imix"`.
    pub packet: String,
    /// What such a packet takes of an Ethernet: sealed, in an IPv4 packet, with preamble, header, check sequence and
    /// gap; of the mix the mean.
    pub wire_bytes: f64,
    /// Who computes.
    pub route: String,
    /// Packets at once.
    #[serde(default = "one")]
    pub in_flight: usize,
    /// One way, by the slower of sender and receiver, with one core.
    pub packets_per_second_per_core: f64,
    /// The same in bits of the packets inside the tunnel.
    pub bits_per_second_per_core: f64,
    /// The links that one core fills: a link is full when `wire_bytes` take all of it.
    pub fills: Vec<String>,
    /// For each link.
    pub cores_needed: Vec<CoresNeeded>,
    /// When the largest link that can be filled is full, the share of all CPUs that is left at the slower end; null if
    /// none can.
    pub cpu_left: Option<f64>,
}

/// How many cores fill a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoresNeeded {
    /// `"100 Mbit/s"`, `"1 Gbit/s"`, `"2.5 Gbit/s"`, `"10 Gbit/s"`, `"25 Gbit/s"`, `"100 Gbit/s"`.
    pub link: String,
    /// The cores that fill it, null for more than were measured.
    pub cores: Option<usize>,
}

/// What older files did not say was one.
const fn one() -> usize {
    1
}

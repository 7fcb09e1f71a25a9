//! The results as data: parts of `wirespeed.vpn/1`, described in docs/json.md.

use serde::Serialize;

use crate::measure::Case;

/// One candidate's result in one case, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// The suite's name.
    pub suite: &'static str,
    /// "enc" for the sender, "dec" for the receiver.
    pub direction: &'static str,
    /// Bytes of a packet inside the tunnel, or "imix".
    pub packet: String,
    /// The same as a number; of a mix the mean.
    pub packet_bytes: f64,
    /// Threads at once.
    pub threads: usize,
    /// Packets that are sealed or opened at once by each.
    pub in_flight: usize,
    /// The routes: the cipher's, and the MAC's where that is another.
    pub route: String,
    /// Why there are no figures.
    pub absent: Option<String>,
    /// At the median, of all threads together.
    pub packets_per_second: Option<f64>,
    /// The same in bytes of the packets inside the tunnel.
    pub bytes_per_second: Option<f64>,
    /// The time from a packet's being there to its being done, elapsed: the median. With several in flight all
    /// are done at the same time.
    pub median_ns: Option<f64>,
    /// What nine of ten packets do not exceed.
    pub p90_ns: Option<f64>,
    /// What 99 of a hundred do not exceed.
    pub p99_ns: Option<f64>,
    /// The mean CPU time of one packet.
    pub cpu_ns: Option<f64>,
}

impl Row {
    /// A row without figures.
    pub(crate) fn of(case: &Case, in_flight: usize, route: &str) -> Self {
        Self {
            suite: case.suite.name,
            direction: case.direction.name(),
            packet: case.sizes.to_string(),
            packet_bytes: case.sizes.mean(|bytes| bytes),
            threads: case.threads,
            in_flight,
            route: route.to_owned(),
            ..Self::default()
        }
    }
}

/// What a suite's packets fill.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// The suite's name.
    pub suite: &'static str,
    /// Bytes of a packet inside the tunnel, or "imix".
    pub packet: String,
    /// What a packet takes of an Ethernet, in bytes; of a mix the mean.
    pub wire_bytes: f64,
    /// The routes.
    pub route: String,
    /// Packets at once.
    pub in_flight: usize,
    /// One way, by the slower of both ends, with one core.
    pub packets_per_second_per_core: f64,
    /// The same in bits of the packets inside the tunnel.
    pub bits_per_second_per_core: f64,
    /// The links that one core fills.
    pub fills: Vec<&'static str>,
    /// The cores that each link takes.
    pub cores_needed: Vec<Cores>,
    /// With the largest link that can be filled filled, the share of all CPUs that is left; null if none can.
    pub cpu_left: Option<f64>,
}

/// How many cores fill a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cores {
    /// The link.
    pub link: &'static str,
    /// The cores; null for more than were measured.
    pub cores: Option<usize>,
}

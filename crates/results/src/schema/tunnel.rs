//! Tunnels that were set up: `real` in what `wirespeed vpn` writes.

use serde::{Deserialize, Serialize};

/// One tunnel with one suite by one provider, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Row {
    /// `"xfrm"`: the kernel's own ESP; `"openvpn"`: OpenVPN over UDP; `"libipsec"`: strongSwan with ESP in user space.
    pub carrier: String,
    /// OpenSSL's name of the cipher and, for CBC, of the MAC.
    pub suite: String,
    /// Whose ciphers: `"default"`, OpenSSL's own whatever this machine is configured for; `"wirespeed"`, ours beside
    /// it; `"kernel"`.
    pub provider: String,
    /// Why there are no figures, such as a program that is not installed, or routes of ours that did not run; they are
    /// null then.
    pub absent: Option<String>,
    /// What iperf3 received over one TCP connection, the median of five rounds.
    pub bits_per_second: Option<f64>,
    /// The same in the same rounds without a tunnel.
    pub plain_bits_per_second: Option<f64>,
    /// CPU time for 2^30 bytes of traffic: of the tunnel's processes at both ends, for `"xfrm"` of the whole machine;
    /// the median.
    pub cpu_s_per_gib: Option<f64>,
    /// The highest rate of the rounds less the lowest, as a share of the median.
    pub spread: Option<f64>,
    /// Our routes that ran the suite's cipher, by the module's counters; empty unless the provider is `"wirespeed"`.
    pub routes: Vec<String>,
}

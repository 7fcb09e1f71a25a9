//! The results as data: `real` in `wirespeed.vpn/1`, described in docs/json.md.

use serde::{Deserialize, Serialize};

use crate::carrier::Carrier;

/// Whose ciphers run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// OpenSSL's own, whatever this machine is configured for.
    Default,
    /// Ours beside it.
    Wirespeed,
    /// Linux's.
    Kernel,
}

impl Provider {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Wirespeed => "wirespeed",
            Self::Kernel => "kernel",
        }
    }
}

/// One tunnel with one suite by one provider, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What the tunnel is made of.
    pub carrier: Carrier,
    /// The suite's name.
    pub suite: String,
    /// Whose ciphers.
    pub provider: Provider,
    /// Why there are no figures; none otherwise.
    pub absent: Option<String>,
    /// What iperf3 received, the median of all rounds.
    pub bits_per_second: Option<f64>,
    /// The same over the cable without a tunnel, in the same rounds.
    pub plain_bits_per_second: Option<f64>,
    /// CPU time for 2^30 bytes of traffic: of the tunnel's processes at both ends, or of the whole machine for the
    /// kernel's ESP; the median of all rounds.
    pub cpu_s_per_gib: Option<f64>,
    /// How far the rounds lie apart: the largest rate less the smallest, as a share of the median.
    pub spread: Option<f64>,
    /// Which of our routes ran, by the module's counters.
    pub routes: Vec<String>,
}

impl Row {
    /// A tunnel that could not be measured.
    pub(crate) fn absent(carrier: Carrier, suite: &str, provider: Provider, why: String) -> Self {
        Self {
            carrier,
            suite: suite.to_owned(),
            provider,
            absent: Some(why),
            bits_per_second: None,
            plain_bits_per_second: None,
            cpu_s_per_gib: None,
            spread: None,
            routes: Vec::new(),
        }
    }
}

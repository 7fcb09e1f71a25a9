//! What the process in the namespaces is told, and what it tells: a line of JSON each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wirespeed_results::schema::tunnel::Row;
use wirespeed_vpn::Suite;

use crate::carrier::Carrier;

/// What to measure.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// Tunnels, one after another.
    pub cases: Vec<Case>,
    /// Seconds of traffic in each measurement: iperf3 takes whole ones.
    pub seconds: u32,
    /// Measurements of each; figures are medians of them.
    pub rounds: usize,
    /// Our module, or why there is none.
    pub module: Result<Module, String>,
}

/// One tunnel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What it is made of.
    pub carrier: Carrier,
    /// The suite's keyword.
    pub suite: String,
}

impl Case {
    /// The tunnels that everybody asks about, carrier by carrier.
    pub fn usual() -> Vec<Self> {
        let of =
            |carrier: Carrier| carrier.usual().iter().map(move |suite| Self::new(carrier, suite));
        Carrier::ALL.into_iter().flat_map(of).collect()
    }

    /// Every tunnel that can be made with one of these suites, carrier by carrier.
    pub fn of(suites: &[Suite]) -> Vec<Self> {
        let of = |carrier: Carrier| {
            let with = suites.iter().filter(move |suite| carrier.can_have(suite));
            with.map(move |suite| Self::new(carrier, suite.keyword))
        };
        Carrier::ALL.into_iter().flat_map(of).collect()
    }

    fn new(carrier: Carrier, keyword: &str) -> Self {
        Self { carrier, suite: keyword.to_owned() }
    }
}

/// Our module as a program is to have it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Module {
    /// Where it lies.
    pub file: PathBuf,
    /// The plan that it is to follow, if this machine has one.
    pub plan: Option<PathBuf>,
}

/// How far it is.
#[derive(Debug, Serialize, Deserialize)]
pub enum Event {
    /// What is measured now.
    At(String),
    /// A measurement more of a tunnel is done.
    Measured,
    /// What came of it.
    Row(Row),
    /// All is done.
    Done,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_tunnel_can_be_made() {
        let all = Case::of(&Suite::ALL);
        for case in Case::usual() {
            assert!(all.contains(&case), "{case:?}");
        }
    }

    #[test]
    fn nobody_but_the_kernel_and_strongswan_has_ccm_and_none_has_wireguard() {
        let suite = |keyword: &str| keyword.parse::<Suite>().expect("a suite");
        let carriers = |keyword| {
            Case::of(&[suite(keyword)]).iter().map(|case| case.carrier).collect::<Vec<_>>()
        };
        assert_eq!(carriers("aes128gcm16"), Carrier::ALL);
        assert_eq!(carriers("aes128ccm16"), [Carrier::Xfrm, Carrier::Libipsec]);
        assert_eq!(carriers("wireguard"), []);
    }
}

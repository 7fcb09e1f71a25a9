//! What the process in the namespaces is told, and what it tells: a line of JSON each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::carrier::Carrier;
use crate::document::Row;
use crate::suite::Suite;

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
    /// The tunnels of some suites, carrier by carrier.
    pub fn of(suites: &[Suite]) -> Vec<Self> {
        let of = |carrier: Carrier| {
            let with = suites.iter().filter(move |it| it.carriers.contains(&carrier));
            with.map(move |it| Self { carrier, suite: it.keyword.to_owned() })
        };
        Carrier::ALL.into_iter().flat_map(of).collect()
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

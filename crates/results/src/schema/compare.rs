//! `wirespeed compare`: machines side by side.

use serde::{Deserialize, Serialize};

use super::Document;

/// What `wirespeed compare --json FILE` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compare {
    /// `"wirespeed.compare/1"`.
    pub schema: String,
    /// The program's version.
    pub version: String,
    /// The machines, in the files' order; files of different kinds that describe the same machine are one.
    pub machines: Vec<Described>,
    /// Machines side by side; null with `--best-for`.
    pub comparison: Option<Comparison>,
    /// With `--best-for` all machines, each by the best that it can do; else null.
    pub best_for: Option<Best>,
    /// What must be known before the figures are believed, sentences.
    pub warnings: Vec<String>,
}

impl Document for Compare {
    const SCHEMA: &'static str = "wirespeed.compare/1";
}

/// A machine in the legend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Described {
    /// The head of its column.
    pub letter: String,
    /// The files' name, or what their names begin with.
    pub label: String,
    /// The machine in a line.
    pub description: Option<String>,
    /// Whose figures they are, null for the program's own.
    pub source: Option<String>,
}

/// Machines side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// What two or more of them did.
    pub rows: Vec<Line>,
    /// For each machine how many pieces of work it did alone, of which there are no rows.
    pub alone: Vec<usize>,
    /// What it means, for each use for which two machines did the same work.
    pub verdicts: Vec<Verdict>,
}

/// A part of the table: lines with the same unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// Single algorithms.
    Algorithms,
    /// Encrypted disks.
    Disks,
    /// Packets of a VPN.
    Packets,
    /// Tunnels of real programs.
    Tunnels,
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// `"algorithms"`, `"disks"`, `"packets"` (of `wirespeed vpn`) or `"tunnels"`.
    pub section: Section,
    /// How it was done: the mode of use, door and threads; for disks where the sectors lay.
    pub group: String,
    /// The work.
    pub name: String,
    /// For each machine its best, null where it did not do that.
    pub figures: Vec<Option<Figure>>,
    /// The place in `machines` of the one that is ahead by more than 3 % and the noise; null where none is, or where
    /// the figures cannot be compared.
    pub winner: Option<usize>,
    /// The best as a multiple of the next.
    pub lead: Option<f64>,
    /// Which machines did it in another mode, and in which, else null.
    pub incomparable: Option<String>,
}

/// A machine's best at one piece of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figure {
    /// The rate; of packets and tunnels too.
    pub bytes_per_second: f64,
    /// As a multiple of the first machine's, null where that has none.
    pub ratio: Option<f64>,
    /// The route, driver or provider that served.
    pub by: String,
    /// For disks: as a multiple of the same without encryption, else null.
    pub factor: Option<f64>,
    /// The median absolute deviation as a share of the median, 0 where it is not known.
    pub noise: f64,
}

/// Which machine carries a use, in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// `"vpn"`, `"disk"` or `"tls"`.
    #[serde(rename = "use")]
    pub purpose: String,
    /// The words.
    pub sentence: String,
    /// The machines, for each family of suites by the work that most of them did; the fastest first.
    pub ranking: Vec<Place>,
}

/// Machines in an order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Best {
    /// `"vpn"`, `"disk"` or `"tls"`.
    #[serde(rename = "use")]
    pub purpose: String,
    /// The machines, the best first.
    pub ranking: Vec<Place>,
    /// Labels of machines of which nothing is known for the use.
    pub unknown: Vec<String>,
}

/// A machine's place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Place {
    /// As in `machines`.
    pub letter: String,
    /// As in `machines`.
    pub label: String,
    /// What was done.
    pub work: String,
    /// How fast, by one core; disks by as many as worked.
    pub bytes_per_second: f64,
    /// The routes that served.
    pub by: String,
    /// The command that measured it; `"bench"`: an estimate from single algorithms.
    pub from: String,
    /// For VPN the widest link that one core fills, null for none and for other uses.
    pub fills: Option<String>,
}

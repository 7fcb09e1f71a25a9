//! Machines side by side: one line for each piece of work that two of them did, who wins it, and what it means.

use serde::Serialize;

use crate::computer::{Computer, letter};
use crate::merit::Purpose;

mod cautions;
mod lines;
mod verdict;

pub use verdict::{Place, Verdict, rank};

/// Machines side by side: `wirespeed.compare/1`.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The machines, in the files' order.
    pub machines: Vec<Described>,
    /// What two or more of them did.
    pub rows: Vec<Line>,
    /// How many pieces of work each did alone.
    pub alone: Vec<usize>,
    /// What it means, use by use.
    pub verdicts: Vec<Verdict>,
    /// What must be known before the figures are believed.
    pub warnings: Vec<String>,
}

/// A machine in the legend.
#[derive(Clone, Debug, Serialize)]
pub struct Described {
    /// The head of its column.
    pub letter: String,
    /// What the files are called.
    pub label: String,
    /// The machine in a line.
    pub description: Option<String>,
    /// Whose figures they are, if not measured by this program.
    pub source: Option<String>,
}

/// A part of the table: lines with the same unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The part of the table.
    pub section: Section,
    /// What all lines beside it have in common: "message, through EVP, 1 thread".
    pub group: String,
    /// The work.
    pub name: String,
    /// Each machine's figure.
    pub figures: Vec<Option<Figure>>,
    /// The machine that is clearly ahead; null where none is, or where they cannot be compared.
    pub winner: Option<usize>,
    /// How many times as fast as the next it is; the best against the next where nobody wins.
    pub lead: Option<f64>,
    /// Why the figures cannot be compared, else null.
    pub incomparable: Option<String>,
}

/// A machine's best at one piece of work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Bytes in a second; of tunnels and packets too.
    pub bytes_per_second: f64,
    /// As a multiple of the first machine's.
    pub ratio: Option<f64>,
    /// The route, driver or provider that served.
    pub by: String,
    /// For disks: as a multiple of the same without encryption.
    pub factor: Option<f64>,
    /// How far the median is to be trusted, as a share of it; 0 where it is not known.
    pub noise: f64,
}

/// A lead below this is none: two runs on one machine differ as much.
const CLEAR: f64 = 1.03;

impl Section {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Algorithms, Self::Disks, Self::Packets, Self::Tunnels];

    /// Its heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Algorithms => "Ciphers and hash functions",
            Self::Disks => "Encrypted disks",
            Self::Packets => "VPN packets",
            Self::Tunnels => "Tunnels",
        }
    }

    /// Its unit, and how many bytes in a second that is.
    pub const fn unit(self) -> (&'static str, f64) {
        match self {
            Self::Algorithms | Self::Disks => ("MB/s", 1e6),
            Self::Packets | Self::Tunnels => ("Mbit/s", 1e6 / 8.0),
        }
    }
}

/// Puts machines side by side.
pub fn compare(machines: &[Computer<'_>]) -> Comparison {
    let all = lines::of(machines);
    let is_alone = |line: &&Line| line.figures.iter().flatten().count() == 1;
    let alone = |place: usize| {
        all.iter().filter(is_alone).filter(|line| line.figures[place].is_some()).count()
    };
    let rows: Vec<Line> = all.iter().filter(|line| !is_alone(line)).cloned().collect();
    Comparison {
        machines: machines.iter().enumerate().map(described).collect(),
        alone: (0..machines.len()).map(alone).collect(),
        verdicts: Purpose::ALL.into_iter().filter_map(|it| verdict::of(machines, it)).collect(),
        warnings: cautions::of(machines, &rows),
        rows,
    }
}

/// A machine in the legend.
pub fn described((place, computer): (usize, &Computer<'_>)) -> Described {
    Described {
        letter: letter(place),
        label: computer.label.clone(),
        description: computer.description(),
        source: computer.source().map(ToOwned::to_owned),
    }
}

impl Line {
    /// Finds the winner, and gives the ratios to the first machine that has a figure.
    fn judge(mut self) -> Self {
        let first = self.figures[0].as_ref().map(|figure| figure.bytes_per_second);
        for figure in self.figures.iter_mut().flatten() {
            figure.ratio = first.map(|first| figure.bytes_per_second / first);
        }
        let mut order: Vec<(usize, &Figure)> = self
            .figures
            .iter()
            .enumerate()
            .filter_map(|(place, figure)| Some((place, figure.as_ref()?)))
            .collect();
        order.sort_by(|a, b| b.1.bytes_per_second.total_cmp(&a.1.bytes_per_second));
        let [(place, best), (_, next), ..] = order.as_slice() else { return self };
        let lead = best.bytes_per_second / next.bytes_per_second;
        // A median is off by a few of its deviations at most.
        let clear = CLEAR + 3.0 * (best.noise + next.noise);
        let winner = (lead > clear && self.incomparable.is_none()).then_some(*place);
        (self.winner, self.lead) = (winner, Some(lead));
        self
    }
}

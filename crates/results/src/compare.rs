//! Machines side by side: one line for each piece of work that two of them did, who wins it, and what it means.

use crate::computer::{Computer, letter};
use crate::merit::Purpose;
use crate::schema::compare::{Comparison, Described, Figure, Line, Section};

mod cautions;
mod lines;
mod verdict;

pub use verdict::rank;

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

/// Puts machines side by side; and what must be known before the figures are believed.
pub fn compare(machines: &[Computer<'_>]) -> (Comparison, Vec<String>) {
    let all = lines::of(machines);
    let is_alone = |line: &&Line| line.figures.iter().flatten().count() == 1;
    let alone = |place: usize| {
        all.iter().filter(is_alone).filter(|line| line.figures[place].is_some()).count()
    };
    let rows: Vec<Line> = all.iter().filter(|line| !is_alone(line)).cloned().collect();
    let warnings = cautions::of(machines, &rows);
    let alone = (0..machines.len()).map(alone).collect();
    let verdicts = Purpose::ALL.into_iter().filter_map(|it| verdict::of(machines, it)).collect();
    (Comparison { rows, alone, verdicts }, warnings)
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

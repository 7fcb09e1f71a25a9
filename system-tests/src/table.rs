//! The table, as text and as JSON.

use std::fmt;

use wirespeed_measure::statistics::Estimate;
use wirespeed_results::schema::Document;
use wirespeed_results::schema::bench_hosts::{self, BenchHosts};

use crate::contest::Effort;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Data, told in gibibytes.
    Mebibytes,
    /// Requests.
    Requests,
}

impl Unit {
    /// From seconds for one unit to what a person reads.
    fn shown(self, seconds: f64) -> (f64, &'static str) {
        match self {
            Self::Mebibytes => (seconds * 1024.0, "s/GiB"),
            Self::Requests => (seconds * 1e6, "us/request"),
        }
    }
}

/// One line.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) title: &'static str,
    pub(crate) unit: Unit,
    pub(crate) at_least: f64,
    /// The gain as `wirespeed doctor --why-slow` tells it beforehand; none where it could not.
    pub(crate) foretold: Option<f64>,
    /// The gain if ciphers cost nothing; none where that could not be seen.
    pub(crate) bound: Option<f64>,
    /// CPU seconds for one unit, without us and with us.
    pub(crate) stock: f64,
    pub(crate) ours: f64,
    /// How many times as much stock takes as we do, and as stock itself.
    pub(crate) ratio: Estimate,
    pub(crate) control: Estimate,
    /// Bytes that our routes ran.
    pub(crate) served: u64,
}

/// What became of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Kept.
    Met,
    /// Below, but the promised value lies within the noise.
    Unclear,
    /// Not kept.
    Missed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Met => "met",
            Self::Unclear => "within noise",
            Self::Missed => "MISSED",
        })
    }
}

impl Row {
    /// In words, for somebody who decides whether to install the module.
    pub(crate) fn worth(&self) -> &'static str {
        match self.ratio.median {
            gain if gain >= 1.2 => "worth it",
            gain if gain >= 1.05 => "little",
            _ => "none",
        }
    }

    /// By how many percent of the stock program's time more was foretold to be left than was left.
    pub(crate) fn points(&self) -> Option<f64> {
        let left = |gain: f64| 100.0 / gain;
        self.foretold.map(|foretold| left(foretold) - left(self.ratio.median))
    }

    pub(crate) fn verdict(&self) -> Verdict {
        // The control should be 1; what it is off by is how far this machine can be trusted now.
        let doubt = (self.ratio.high - self.ratio.median).max((self.control.median - 1.0).abs());
        match self.ratio.median {
            value if value >= self.at_least => Verdict::Met,
            value if value + doubt >= self.at_least => Verdict::Unclear,
            _ => Verdict::Missed,
        }
    }
}

pub(crate) const HEAD: &str = "\
CPU time of whole programs, stock Debian against the same with our module; medians of interleaved rounds
                                              stock       ours       gain         foretold   control      bound            at least
";

/// One line as text.
pub(crate) fn line(row: &Row) -> String {
    let (stock, unit) = row.unit.shown(row.stock);
    let (ours, _) = row.unit.shown(row.ours);
    let half = |estimate: &Estimate| (estimate.high - estimate.low) / 2.0;
    format!(
        "{:<41} {stock:>9.3} {ours:>9.3} {unit:<10} {:.2}x ±{:.2} {:>10}  {:.2}x ±{:.2} {:>6}  {:<8}  {:.2}x  {}",
        row.title,
        row.ratio.median,
        half(&row.ratio),
        row.points()
            .zip(row.foretold)
            .map_or("-".to_owned(), |(points, foretold)| format!("{foretold:.2}x {points:+.0}")),
        row.control.median,
        half(&row.control),
        row.bound.map_or("-".to_owned(), |bound| format!("{bound:.2}x")),
        row.worth(),
        row.at_least,
        row.verdict(),
    )
}

/// All lines as JSON.
pub(crate) fn json(rows: &[Row], effort: Effort) -> serde_json::Result<String> {
    let estimate =
        |it: &Estimate| bench_hosts::Gain { high: it.high, low: it.low, median: it.median };
    let row = |row: &Row| bench_hosts::Row {
        at_least: row.at_least,
        bound: row.bound,
        bytes_by_our_routes: row.served,
        control: estimate(&row.control),
        foretold: row.foretold,
        gain: estimate(&row.ratio),
        ours_cpu_seconds: row.ours,
        stock_cpu_seconds: row.stock,
        title: row.title.to_owned(),
        unit: match row.unit {
            Unit::Mebibytes => "MiB",
            Unit::Requests => "request",
        }
        .to_owned(),
        verdict: row.verdict().to_string(),
    };
    let table = BenchHosts {
        rounds: effort.rounds,
        rows: rows.iter().map(row).collect(),
        schema: BenchHosts::SCHEMA.to_owned(),
    };
    Ok(format!("{}\n", serde_json::to_string_pretty(&table)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(gain: [f64; 3], control: f64) -> Row {
        let estimate = |[low, median, high]: [f64; 3]| Estimate { median, mad: 0.0, low, high };
        Row {
            title: "",
            unit: Unit::Requests,
            at_least: 1.15,
            foretold: Some(1.25),
            bound: Some(1.3),
            stock: 1.0,
            ours: 1.0,
            ratio: estimate(gain),
            control: estimate([control; 3]),
            served: 1,
        }
    }

    #[test]
    fn what_was_foretold_is_compared_in_points_of_the_time_that_is_left() {
        let points = row([1.0, 1.0 / 0.77, 1.5], 1.0).points().expect("it was foretold");
        assert!((points - 3.0).abs() < 1e-9, "{points}");
    }

    #[test]
    fn a_promise_is_missed_only_beyond_the_noise() {
        assert_eq!(row([1.0, 1.2, 1.3], 1.0).verdict(), Verdict::Met);
        assert_eq!(row([1.0, 1.1, 1.2], 1.0).verdict(), Verdict::Unclear);
        assert_eq!(row([1.05, 1.1, 1.12], 0.9).verdict(), Verdict::Unclear);
        assert_eq!(row([1.05, 1.1, 1.12], 1.01).verdict(), Verdict::Missed);
    }
}

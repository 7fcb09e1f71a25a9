//! One line for each promise, and the verdict.

use std::fmt;
use std::process::ExitCode;

use wirespeed_measure::statistics::Estimate;

use crate::requirements::NO_MORE;

/// What became of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// As fast as hoped for.
    Reached,
    /// As fast as required.
    Met,
    /// Slower than required.
    Missed,
}

impl Verdict {
    /// The verdict on a measured value.
    pub(crate) fn of(value: f64, at_least: f64, reach_for: f64) -> Self {
        if value >= reach_for {
            Self::Reached
        } else if value >= at_least {
            Self::Met
        } else {
            Self::Missed
        }
    }

    /// The verdict on a cost.
    pub(crate) fn of_cost(value: f64, at_most: f64) -> Self {
        if value <= at_most { Self::Met } else { Self::Missed }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Reached => "reached",
            Self::Met => "met",
            Self::Missed => "MISSED",
        })
    }
}

/// The verdicts so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    reached: usize,
    met: usize,
    missed: usize,
    failed: usize,
}

impl Report {
    /// Counts a verdict.
    pub(crate) const fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Reached => self.reached += 1,
            Verdict::Met => self.met += 1,
            Verdict::Missed => self.missed += 1,
        }
    }

    /// Prints and counts a ratio, which is to be at least the first of two and hoped to be the second.
    pub(crate) fn ratio(
        &mut self,
        title: &str,
        ratio: &Estimate,
        (at_least, reach_for): (f64, f64),
        note: &str,
    ) {
        let verdict = Verdict::of(ratio.median, at_least, reach_for);
        self.count(verdict);
        let hope = match reach_for {
            NO_MORE => String::new(),
            _ => format!("reach for {reach_for:>5.2}x"),
        };
        println!(
            "{title:<46} {:>6.2}x ±{:<5.2} at least {at_least:>5.2}x   {hope:16}   {note}{verdict}",
            ratio.median,
            (ratio.high - ratio.low) / 2.0,
        );
    }

    /// Prints a line that could not be measured; as bad as a missed one.
    pub(crate) fn fail(&mut self, title: &str, why: impl fmt::Display) {
        println!("{title:<36} FAILED: {why}");
        self.failed += 1;
    }

    /// The sum, and the exit status: 1 if anything required was missed.
    pub(crate) fn conclude(self) -> ExitCode {
        let Self { reached, met, missed, failed } = self;
        println!("\n{reached} reached, {met} met, {missed} MISSED, {failed} failed");
        if reached + met + missed + failed == 0 {
            println!("nothing was measured: the filter lets no line through");
            return ExitCode::from(2);
        }
        if missed + failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        assert_eq!(Verdict::of(2.7, 2.2, 2.6), Verdict::Reached);
        assert_eq!(Verdict::of(2.2, 2.2, 2.6), Verdict::Met);
        assert_eq!(Verdict::of(2.1, 2.2, 2.6), Verdict::Missed);
        assert_eq!(Verdict::of_cost(3.0, 3.0), Verdict::Met);
        assert_eq!(Verdict::of_cost(3.1, 3.0), Verdict::Missed);
    }
}

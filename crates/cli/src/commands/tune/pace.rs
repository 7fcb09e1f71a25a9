//! The time of a long measurement, shared out among cases so that it ends when it should.

use wirespeed_measure::{Clock, Effort};

/// Shares out what is left of the time at every case.
pub(super) struct Pace<'a> {
    /// Nanoseconds in a slice.
    slice: u64,
    clock: &'a dyn Clock,
    deadline: u64,
    cases_left: usize,
    /// Nanoseconds that were planned so far, and those that passed.
    planned: u64,
    passed: u64,
}

impl<'a> Pace<'a> {
    /// Long against the clock's own cost, short against disturbances.
    const SLICE: u64 = 300_000;
    /// Where there is no time at all, and nobody believes the figures.
    const HURRIED: u64 = 20_000;
    /// Fewer rounds leave the interval of the median too wide to decide anything.
    const FEWEST: usize = 11;
    /// More rounds tell nothing more.
    const MOST: usize = 300;

    /// So many seconds from now for so many cases.
    pub(super) fn new(clock: &'a dyn Clock, seconds: u64, cases: usize) -> Self {
        let deadline = clock.now() + seconds * 1_000_000_000;
        let slice = if seconds == 0 { Self::HURRIED } else { Self::SLICE };
        Self { slice, clock, deadline, cases_left: cases, planned: 0, passed: 0 }
    }

    /// A first look, to see who is worth measuring.
    pub(super) const fn look(&self) -> Effort {
        Effort { slice: self.slice / 3, rounds: 7 }
    }

    /// How long to measure the next case with so many contestants. Where a busy machine stretched the
    /// cases before, less is planned, so that the last cases get as much as the first.
    pub(super) fn measure(&self, contestants: usize) -> Effort {
        let left = self.deadline.saturating_sub(self.clock.now());
        let share = left / self.cases_left.max(1) as u64;
        let stretch =
            if self.planned == 0 { 1.5 } else { self.passed as f64 / self.planned as f64 };
        let each = share as f64 / contestants.max(1) as f64 / stretch.max(1.0);
        let rounds = (each / self.slice as f64) as usize;
        Effort { slice: self.slice, rounds: rounds.clamp(Self::FEWEST, Self::MOST) }
    }

    /// A case is done: what it was planned to take, and when it began.
    pub(super) fn done(&mut self, effort: Effort, contestants: usize, began: u64) {
        self.cases_left = self.cases_left.saturating_sub(1);
        self.planned += effort.slice * (effort.rounds * contestants) as u64;
        self.passed += self.clock.now().saturating_sub(began);
    }

    /// A case needs no time.
    pub(super) fn skip(&mut self) {
        self.cases_left = self.cases_left.saturating_sub(1);
    }

    /// Now, by the clock of the pace.
    pub(super) fn now(&self) -> u64 {
        self.clock.now()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[derive(Default)]
    struct Fake(Cell<u64>);

    impl Clock for Fake {
        fn now(&self) -> u64 {
            self.0.get()
        }
    }

    /// Runs all cases on a machine where everything takes `stretch` times as long as planned.
    fn run(seconds: u64, stretch: f64) -> (f64, Vec<usize>) {
        let clock = Fake::default();
        let mut pace = Pace::new(&clock, seconds, 900);
        let mut rounds = Vec::new();
        for _ in 0..900 {
            let (effort, began) = (pace.measure(4), clock.now());
            rounds.push(effort.rounds);
            let planned = effort.slice * effort.rounds as u64 * 4;
            clock.0.set(began + (planned as f64 * stretch) as u64);
            pace.done(effort, 4, began);
        }
        (clock.now() as f64 / 1e9, rounds)
    }

    #[test]
    fn the_time_is_kept_and_shared_evenly_even_on_a_busy_machine() {
        for stretch in [1.0, 1.7, 2.5] {
            let (took, rounds) = run(130, stretch);
            assert!((took - 130.0).abs() < 10.0, "{stretch}: {took} s");
            let (first, last) = (rounds[100] as f64, rounds[899] as f64);
            assert!((first / last - 1.0).abs() < 0.3, "{stretch}: {first} and {last} rounds");
        }
    }

    #[test]
    fn without_time_the_fewest_rounds_remain() {
        assert!(run(0, 1.0).1.iter().all(|rounds| *rounds == Pace::FEWEST));
    }
}

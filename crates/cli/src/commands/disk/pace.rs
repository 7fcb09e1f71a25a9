//! How far a run has come, in guesses of time: a slow cipher's part is longer than a fast one's.

use wirespeed_disk::{Candidate, Cipher, Specification, Variant};

/// The parts of a run, and where in them it is.
#[derive(Default)]
pub(super) struct Pace {
    /// How long each part is expected to take, in whatever unit.
    lengths: Vec<u64>,
    /// The first part of the table of options.
    options: usize,
    /// The part at hand.
    at: usize,
    /// Steps begun in this one.
    begun: u64,
    /// Bytes of the step at hand, and those done.
    bytes: u64,
    done: u64,
}

/// Slices of the bar for a unit of length.
const SLICES: u64 = 1000;

/// The four tests and the check; and with the options, two tests and the check.
const STEPS: u64 = 5;
const STEPS_OF_OPTIONS: u64 = 3;

/// What moving the bytes takes, whatever the cipher, as a length.
const MOVING: u64 = 2;

impl Pace {
    /// All candidates, in so many places.
    pub(super) fn of(candidates: &[Candidate], places: usize) -> Self {
        let once = [1].into_iter().chain(
            candidates
                .iter()
                .filter(|it| it.specification != Specification::Plain)
                .map(|it| MOVING + slowness(*it)),
        );
        let lengths: Vec<u64> = once.collect();
        let lengths = lengths.repeat(places);
        Self { options: lengths.len(), lengths, ..Self::default() }
    }

    /// The table of options besides, with so many parts.
    pub(super) fn with_options(mut self, parts: usize) -> Self {
        self.lengths.extend([MOVING].repeat(parts));
        self
    }

    /// Slices in all.
    pub(super) fn slices(&self) -> u64 {
        self.lengths.iter().sum::<u64>() * SLICES
    }

    /// A step of so many bytes begins.
    pub(super) fn begin(&mut self, bytes: u64) {
        self.begun += 1;
        self.bytes = bytes;
        self.done = 0;
    }

    /// So many bytes more.
    pub(super) fn advance(&mut self, bytes: u64) {
        self.done += bytes;
    }

    /// The part is over, or never was.
    pub(super) fn next(&mut self) {
        self.at += 1;
        (self.begun, self.bytes, self.done) = (0, 0, 0);
    }

    /// Slices so far.
    pub(super) fn reached(&self) -> u64 {
        let Some(length) = self.lengths.get(self.at) else { return self.slices() };
        let before: u64 = self.lengths[..self.at].iter().sum();
        let steps = self.steps();
        let step = length * SLICES / steps;
        let within = (self.done * step).checked_div(self.bytes).unwrap_or(0).min(step);
        let full = self.begun.saturating_sub(1).min(steps - 1) * step;
        before * SLICES + full + within
    }

    const fn steps(&self) -> u64 {
        if self.at < self.options { STEPS } else { STEPS_OF_OPTIONS }
    }
}

/// How much longer a cipher takes than those that CPUs have instructions for: a guess for the bar alone.
const fn slowness(candidate: Candidate) -> u64 {
    match (candidate.specification, candidate.variant) {
        (Specification::Plain, _) => 0,
        (_, Variant::Generic) => 60,
        (Specification::Encrypted(Cipher::Aes | Cipher::Aegis128, ..), _) => 1,
        (Specification::Encrypted(..), _) => 15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_only_moves_forward_and_comes_to_its_end() {
        let candidates = Candidate::all();
        let mut pace = Pace::of(&candidates, 2).with_options(9);
        let mut last = 0;
        let mut look = |pace: &Pace| {
            assert!((last..=pace.slices()).contains(&pace.reached()), "{}", pace.reached());
            last = pace.reached();
        };
        for part in 0..pace.lengths.len() {
            // Some are absent.
            if part % 7 != 3 {
                for _ in 0..pace.steps() {
                    pace.begin(3 << 20);
                    look(&pace);
                    for _ in 0..3 {
                        pace.advance(1 << 20);
                        look(&pace);
                    }
                }
            }
            pace.next();
            look(&pace);
        }
        assert_eq!(last, pace.slices());
    }
}

//! Whether a source of randomness still behaves: the health tests of NIST SP 800-90B, section 4.
//!
//! Two tests look at every sample (section 4.4): the *repetition count test* finds a source that is
//! stuck, the *adaptive proportion test* one that has lost most of its entropy. Before anything is
//! used, both run over the first samples (section 4.3, the start-up test). A source that failed once
//! stays failed.
//!
//! Here is only arithmetic: samples come from the caller, whatever it reads them from.

use std::fmt;

/// Samples of the start-up test; section 4.3 asks for 1024 at least.
pub const START_UP: u64 = 1024;

/// Samples that the adaptive proportion test looks at together: section 4.4.2 wants 512 for samples
/// of more than one bit.
pub const WINDOW: u32 = 512;

/// What is said of a source, and is held against it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// Min-entropy of a sample, in bits: the likeliest byte comes with a probability of 2^-H.
    pub min_entropy: f64,
    /// A source as good as claimed fails a test with a probability of 2^-n; section 4.4 recommends 20
    /// to 40.
    pub false_alarm_exponent: i32,
}

impl Claim {
    /// What is said of xstore's bytes: half of what eight bits can hold, as nobody outside VIA has
    /// measured every CPU; and one false alarm in 2^30.
    pub const XSTORE: Self = Self { min_entropy: 4.0, false_alarm_exponent: 30 };
}

/// How often a value may come before that is a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutoffs {
    /// This many equal samples in a row fail.
    pub repetition: u32,
    /// So does a window that holds its first sample this many times.
    pub proportion: u32,
}

impl Cutoffs {
    /// The cut-offs that follow from a claim.
    pub fn of(claim: Claim) -> Self {
        let alpha = 2_f64.powi(-claim.false_alarm_exponent);
        Self {
            // Section 4.4.1: C = 1 + ceil(-log2(alpha) / H).
            repetition: 1
                + (f64::from(claim.false_alarm_exponent) / claim.min_entropy).ceil() as u32,
            // Section 4.4.2: C = 1 + critbinom(W, 2^-H, 1 - alpha).
            proportion: 1 + critical_binomial(WINDOW, (-claim.min_entropy).exp2(), alpha),
        }
    }
}

/// The smallest k for which more than k successes in `trials` are less likely than `alpha`.
fn critical_binomial(trials: u32, probability: f64, alpha: f64) -> u32 {
    let odds = (probability / (1.0 - probability)).ln();
    // The logarithm of the probability of k successes, from that of k - 1: none underflows on the way.
    let mut term = f64::from(trials) * (-probability).ln_1p();
    let mut terms = vec![term];
    for k in 1..=trials {
        term += odds + (f64::from(trials - k + 1) / f64::from(k)).ln();
        terms.push(term);
    }
    let mut tail = 0.0;
    // The largest k comes first.
    let reaches = terms.iter().rposition(|term| {
        tail += term.exp();
        tail > alpha
    });
    reaches.map_or(0, |k| k as u32)
}

/// A test that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The repetition count test: the source is stuck.
    Repetition {
        /// The sample that came again and again.
        value: u8,
        /// How often in a row.
        times: u32,
    },
    /// The adaptive proportion test: one value comes far too often.
    Proportion {
        /// The value.
        value: u8,
        /// How often in one window.
        times: u32,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repetition { value, times } => {
                write!(f, "repetition count test: {times} times {value:#04x} in a row")
            }
            Self::Proportion { value, times } => write!(
                f,
                "adaptive proportion test: {value:#04x} came {times} times in {WINDOW} samples or less"
            ),
        }
    }
}

impl std::error::Error for Failure {}

/// Both tests, and how far they came.
#[derive(Clone, Debug)]
pub struct Health {
    cutoffs: Cutoffs,
    samples: u64,
    /// The last sample, and how often it came in a row.
    run: (u8, u32),
    longest_run: u32,
    /// The first sample of the window, and how often it came there.
    counted: (u8, u32),
    /// Samples of the window that are still to come.
    window_left: u32,
    highest_count: u32,
    failure: Option<Failure>,
}

impl Health {
    /// A source that has yet to show anything.
    pub fn new(claim: Claim) -> Self {
        Self {
            cutoffs: Cutoffs::of(claim),
            samples: 0,
            run: (0, 0),
            longest_run: 0,
            counted: (0, 0),
            window_left: 0,
            highest_count: 0,
            failure: None,
        }
    }

    /// Tests one sample more. Nothing that came since the last success may be used after a failure.
    pub fn test(&mut self, sample: u8) -> Result<(), Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.samples += 1;
        let result = self.repetition(sample).and(self.proportion(sample));
        self.failure = result.err();
        result
    }

    /// Section 4.4.1.
    fn repetition(&mut self, sample: u8) -> Result<(), Failure> {
        self.run = match self.run {
            (value, times) if value == sample => (value, times + 1),
            _ => (sample, 1),
        };
        let (value, times) = self.run;
        self.longest_run = self.longest_run.max(times);
        if times >= self.cutoffs.repetition {
            return Err(Failure::Repetition { value, times });
        }
        Ok(())
    }

    /// Section 4.4.2.
    fn proportion(&mut self, sample: u8) -> Result<(), Failure> {
        if self.window_left == 0 {
            self.counted = (sample, 0);
            self.window_left = WINDOW;
        }
        self.window_left -= 1;
        let (value, times) = &mut self.counted;
        *times += u32::from(sample == *value);
        self.highest_count = self.highest_count.max(*times);
        if *times >= self.cutoffs.proportion {
            return Err(Failure::Proportion { value: *value, times: *times });
        }
        Ok(())
    }

    /// Whether the start-up test is passed, so that samples from now on may be used.
    pub const fn has_started(&self) -> bool {
        self.samples >= START_UP && self.failure.is_none()
    }

    /// What the tests compare with.
    pub const fn cutoffs(&self) -> Cutoffs {
        self.cutoffs
    }

    /// Samples tested.
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    /// The most equal samples in a row so far.
    pub const fn longest_run(&self) -> u32 {
        self.longest_run
    }

    /// The most that any window held of its first sample so far.
    pub const fn highest_count(&self) -> u32 {
        self.highest_count
    }

    /// The test that failed, if one did.
    pub const fn failure(&self) -> Option<Failure> {
        self.failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(min_entropy: f64, false_alarm_exponent: i32) -> Claim {
        Claim { min_entropy, false_alarm_exponent }
    }

    /// A generator that is good enough to look random (Marsaglia, "Xorshift RNGs", 2003).
    fn bytes(mut state: u32) -> impl Iterator<Item = u8> {
        std::iter::repeat_with(move || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 12) as u8
        })
    }

    /// Cut-offs that others publish: the jitter entropy of Linux (`crypto/jitterentropy.c`,
    /// `jent_apt_cutoff_lookup`), Go's `crypto/internal/entropy`, and Nordic's nRF54LS05B data sheet.
    #[test]
    fn cutoffs_are_those_that_others_computed() {
        let linux = [claim(1.0, 30), claim(0.5, 30)].map(|claim| Cutoffs::of(claim).proportion);
        assert_eq!(linux, [325, 422]);
        assert_eq!(Cutoffs::of(claim(0.5, 20)), Cutoffs { repetition: 41, proportion: 410 });
        assert_eq!(Cutoffs::of(claim(8.0, 20)).proportion, 13);
        assert_eq!(Cutoffs::of(Claim::XSTORE), Cutoffs { repetition: 9, proportion: 71 });
    }

    #[test]
    fn a_good_source_starts_after_enough_samples_and_goes_on() {
        let mut health = Health::new(Claim::XSTORE);
        for (i, byte) in (1..).zip(bytes(1).take(200_000)) {
            health.test(byte).expect("a good source");
            assert_eq!(health.has_started(), i >= START_UP, "{i}");
        }
        assert_eq!(health.samples(), 200_000);
        assert!((2..9).contains(&health.longest_run()), "{health:?}");
        assert!((2..71).contains(&health.highest_count()), "{health:?}");
    }

    #[test]
    fn a_stuck_source_fails_at_the_cutoff_and_stays_failed() {
        let mut health = Health::new(Claim::XSTORE);
        for byte in bytes(2).take(2000) {
            health.test(byte).expect("a good source");
        }
        let stuck = Failure::Repetition { value: 0xa5, times: 9 };
        let failed = (0..20).find_map(|i| Some((i, health.test(0xa5).err()?)));
        // The sample before may have been the same by chance, but was not.
        assert_eq!(failed, Some((8, stuck)));
        assert!(!health.has_started());
        assert_eq!(health.test(1), Err(stuck), "it may not come back by itself");
        assert_eq!(health.samples(), 2009, "and nothing more is counted");
        assert_eq!(stuck.to_string(), "repetition count test: 9 times 0xa5 in a row");
    }

    /// Every other sample is the same one: no two in a row are equal.
    #[test]
    fn a_biased_source_fails_the_proportion_test() {
        let mut health = Health::new(Claim::XSTORE);
        let biased = bytes(3).map(|byte| byte | 1).flat_map(|byte| [0x42, byte]);
        let failed = (1..).zip(biased).find_map(|(i, byte)| Some((i, health.test(byte).err()?)));
        assert_eq!(failed, Some((141, Failure::Proportion { value: 0x42, times: 71 })));
        assert!(!health.has_started(), "that was within the start-up test");
    }

    /// A bias that the claim allows is none: a sixteenth of all samples may be the same.
    #[test]
    fn the_claim_sets_what_is_too_much() {
        let biased = || bytes(4).map(|byte| if byte < 12 { 7 } else { byte });
        let mut health = Health::new(Claim::XSTORE);
        assert!(biased().take(100_000).all(|byte| health.test(byte).is_ok()), "{health:?}");
        let mut strict = Health::new(claim(8.0, 20));
        assert!(!biased().take(100_000).all(|byte| strict.test(byte).is_ok()), "{strict:?}");
    }

    #[test]
    fn windows_do_not_overlap() {
        let mut health = Health::new(Claim::XSTORE);
        // 70 of a value at the end of one window and 70 at the beginning of the next are no failure.
        let run = |health: &mut Health, value: u8, other: u8, times: u32| {
            for _ in 0..times {
                health.test(value).and_then(|()| health.test(other)).expect("below the cut-off");
            }
        };
        let mut fill = bytes(5).map(|byte| byte | 0x80);
        health.test(1).expect("the first");
        for _ in 0..WINDOW - 139 {
            health.test(fill.next().expect("endless")).expect("good");
        }
        run(&mut health, 1, 0x81, 69);
        assert_eq!(health.samples(), u64::from(WINDOW));
        run(&mut health, 1, 0x82, 70);
        assert_eq!(health.highest_count(), 70);
    }
}

//! All that is measured for one plan: calls by processor time, then Linux's crypto by elapsed time.

use wirespeed_bench::{Case, Host};
use wirespeed_cipher::{Algorithm, Route};
use wirespeed_measure::{WallTime, noise::Noise};
use wirespeed_plan::{LibcryptoCode, Plan};
use wirespeed_results::schema::plan::Quarantined;

use super::UNCHANGED;
use super::measuring::Measuring;
use super::offloading::Offloading;
use super::pace::Pace;
use super::verdict::{Undecided, undecided};
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::Progress;

/// Seconds of measuring, besides the proofs.
const SECONDS: u64 = 240;
const QUICK_SECONDS: u64 = 30;
/// The same for the kernel.
const KERNEL_SECONDS: u64 = 60;
const QUICK_KERNEL_SECONDS: u64 = 15;

/// What takes part, and what was measured of it.
pub(super) struct Trials<'a> {
    measuring: Measuring<'a>,
    /// If it is wanted.
    offloading: Option<Offloading<'a>>,
    /// For the first and for the second.
    seconds: (u64, u64),
}

impl<'a> Trials<'a> {
    /// Of the routes that were proved; see [`Measuring::new`] for `code`.
    pub(super) fn new(
        host: &'a Host,
        proved: &[Route],
        quick: bool,
        code: Option<LibcryptoCode>,
        kernel: bool,
    ) -> Self {
        let seconds = match quick {
            true => (QUICK_SECONDS, QUICK_KERNEL_SECONDS),
            false => (SECONDS, KERNEL_SECONDS),
        };
        Self {
            measuring: Measuring::new(&host.harness, proved, quick, code),
            offloading: kernel.then(|| Offloading::new(host)),
            seconds,
        }
    }

    /// How many algorithms of Linux's crypto were proved, by route.
    pub(super) fn offloads(&self) -> impl Iterator<Item = (Route, usize)> {
        self.offloading.iter().flat_map(Offloading::counts)
    }

    /// Measures everything.
    pub(super) fn run(&mut self, interruption: &Interruption) -> Result<(), Fault> {
        let cases = self.measuring.cases();
        let outside = self.offloading.as_ref().map(Offloading::cases).unwrap_or_default();
        let progress = Progress::new((cases.len() + outside.len()) as u64);
        let begin = |case: &Case| {
            progress.at(case.to_string());
            interruption.check(UNCHANGED)
        };
        let mut pace = Pace::new(&WallTime, seconds_allowed(self.seconds.0), cases.len());
        for (case, class) in cases {
            begin(&case)?;
            self.measuring.measure(case, class, &mut pace)?;
            progress.tick();
        }
        let mut pace = Pace::new(&WallTime, seconds_allowed(self.seconds.1), outside.len());
        for (case, class) in outside {
            begin(&case)?;
            if let Some(offloading) = &mut self.offloading {
                let cipher = case.subject.cipher();
                let is_alone = cipher.is_some_and(|it| !self.measuring.is_of_interest(it));
                offloading.measure(case, class, is_alone, &mut pace)?;
            }
            progress.tick();
        }
        progress.done();
        Ok(())
    }

    /// What gave wrong bytes or broke down meanwhile.
    pub(super) fn quarantined(&self) -> impl Iterator<Item = &Quarantined> {
        let outside = self.offloading.iter().flat_map(|it| &it.quarantined);
        outside.chain(&self.measuring.quarantined)
    }

    /// Puts the fastest into the plan; what `standing` has is kept where nothing is clearly better.
    pub(super) fn judge(&mut self, plan: &mut Plan, standing: Option<&Plan>) {
        for &algorithm in Algorithm::ALL {
            if let Some(offloading) = &self.offloading {
                self.measuring.take(algorithm, offloading.trials(algorithm.into()));
            }
            for row in self.measuring.judge(algorithm, standing) {
                plan.put(row);
            }
        }
        for (digest, route) in self.measuring.judge_digests() {
            plan.put_digest(digest, route);
        }
        if let Some(offloading) = &self.offloading {
            offloading.complete(plan, standing);
        }
    }

    /// What was too close to tell.
    pub(super) fn undecided(&self, plan: &Plan) -> Undecided {
        undecided(plan, &self.measuring)
    }

    /// What to say of what disturbed it.
    pub(super) fn disturbances(&self) -> Vec<String> {
        self.measuring.disturbances().into_iter().map(Noise::advice).map(str::to_owned).collect()
    }
}

/// The time for measuring; in tests of debug builds none, so that every figure is as short as can be.
fn seconds_allowed(seconds: u64) -> u64 {
    #[cfg(debug_assertions)]
    if std::env::var_os("WIRESPEED_HURRY").is_some() {
        return 0;
    }
    seconds
}

//! Linux's crypto beside whoever serves in the process, by elapsed time.

use std::collections::{HashMap, HashSet};

use wirespeed_af_alg::{Transform, drivers};
use wirespeed_bench::{Candidate, Case, Contest, Harness, Host, Measured, Trouble};
use wirespeed_cipher::{Direction, Route, SIZE_CLASSES, Subject, Use};
use wirespeed_measure::Effort;
use wirespeed_plan::{Plan, Trial, judge_offload};
use wirespeed_results::schema::plan::Quarantined;

use super::measuring::{HOPELESS, trial};
use super::pace::Pace;
use crate::fault::Fault;

/// Our provider on the kernel's route: what programs would get.
const KERNEL: Candidate = Candidate::Provider(Route::Kernel);

/// Below this share of the host's speed smaller sizes need not be tried: what a system call costs does
/// not shrink with its data.
const LOST: f64 = 0.5;

/// What was measured of the kernel so far.
pub(super) struct Offloading<'a> {
    harness: &'a Harness,
    /// What the kernel has, our provider hands to it, and came out right.
    subjects: Vec<Subject>,
    trials: HashMap<Subject, Vec<Trial>>,
    lost: HashSet<(Subject, Direction)>,
    pub(super) quarantined: Vec<Quarantined>,
}

impl<'a> Offloading<'a> {
    /// Proves everything that the kernel may serve.
    pub(super) fn new(host: &'a Host) -> Self {
        let (mut subjects, mut quarantined) = (Vec::new(), Vec::new());
        let known = |subject: &Subject| {
            [KERNEL, Candidate::Host].iter().all(|it| host.harness.knows(*it, *subject))
        };
        for subject in Subject::all().filter(known) {
            match host.prove_in_kernel(KERNEL, subject) {
                Ok(_) => subjects.push(subject),
                Err(reason) => quarantined.push(wrong(subject, &reason)),
            }
        }
        let (harness, trials, lost) = (&host.harness, HashMap::new(), HashSet::new());
        Self { harness, subjects, trials, lost, quarantined }
    }

    /// How many algorithms the kernel may serve.
    pub(super) fn count(&self) -> usize {
        self.subjects.len()
    }

    /// Every case with its size class, the largest first. A stream of a cipher is not among them: with the
    /// IV on our side it is for the kernel what messages under one key are.
    pub(super) fn cases(&self) -> Vec<(Case, usize)> {
        let mut cases = Vec::new();
        for &subject in &self.subjects {
            for &direction in directions(subject) {
                for size in SIZE_CLASSES.into_iter().rev() {
                    let differs = |usage: &Use| *usage != Use::Stream || subject.is_hash();
                    for usage in Use::ALL.into_iter().filter(differs) {
                        let case = Case::new(subject, direction, usage, size);
                        cases.extend(case.map(|case| (case, size)));
                    }
                }
            }
        }
        cases
    }

    /// Measures a case, unless larger messages have shown that it is lost. Where nobody in the process
    /// was measured, the smaller ones get at least a look, for an algorithm is judged whole.
    pub(super) fn measure(
        &mut self,
        case: Case,
        class: usize,
        is_alone: bool,
        pace: &mut Pace<'_>,
    ) -> Result<(), Fault> {
        let key = (case.subject, case.direction);
        let is_lost = self.lost.contains(&key) && (!is_alone || case.usage != Use::Message);
        if is_lost || !self.subjects.contains(&case.subject) {
            pace.skip();
            return Ok(());
        }
        let began = pace.now();
        let candidates = self.candidates(case);
        let Some(look) = self.contest(case, &candidates, pace.look())? else { return Ok(()) };
        let gain = look.ratio(Candidate::Host, KERNEL).map_or(0.0, |gain| gain.high);
        if gain < LOST && case.usage == Use::Message {
            self.lost.insert(key);
        }
        let effort = pace.measure(candidates.len());
        let measured =
            if gain < HOPELESS { Some(look) } else { self.contest(case, &candidates, effort)? };
        pace.done(effort, candidates.len(), began);
        let of = |one: &Measured| -> Vec<Trial> {
            candidates.iter().filter_map(|it| trial(one, *it, class)).collect()
        };
        self.trials.entry(case.subject).or_default().extend(measured.iter().flat_map(of));
        Ok(())
    }

    /// The host's OpenSSL, for a hash function the route of this CPU's, and the kernel.
    fn candidates(&self, case: Case) -> Vec<Candidate> {
        let fast = Route::PRIORITY.into_iter().map(Candidate::Provider);
        let hashes = |it: &Candidate| {
            matches!(case.subject, Subject::Digest(_)) && self.harness.knows(*it, case.subject)
        };
        [Candidate::Host].into_iter().chain(fast.into_iter().find(hashes)).chain([KERNEL]).collect()
    }

    /// Holds a contest; nothing if the kernel gave other bytes than the host, and is out.
    fn contest(
        &mut self,
        case: Case,
        candidates: &[Candidate],
        effort: Effort,
    ) -> Result<Option<Measured>, Fault> {
        let contest =
            Contest { harness: self.harness, effort, threads: 1, limits: false, elapsed: true };
        match contest.measure(case, candidates, &|| ()) {
            Ok(measured) => Ok(Some(measured)),
            Err(Trouble::Wrong(_, KERNEL)) => {
                self.subjects.retain(|subject| *subject != case.subject);
                self.trials.remove(&case.subject);
                let reason = format!("{case}: other bytes than this OpenSSL gives");
                self.quarantined.push(wrong(case.subject, &reason));
                Ok(None)
            }
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// What was measured of the kernel for a cipher that has rows.
    pub(super) fn trials(&self, subject: Subject) -> &[Trial] {
        self.trials.get(&subject).map_or(&[], Vec::as_slice)
    }

    /// Writes into the plan from which size on the kernel serves what has no rows; and the drivers that
    /// were measured, of everything that it serves.
    pub(super) fn complete(&self, plan: &mut Plan, standing: Option<&Plan>) {
        let without_rows = self.subjects.iter().filter(|subject| subject.cipher().is_none());
        for &subject in without_rows {
            for &direction in directions(subject) {
                let incumbent = standing.and_then(|plan| plan.offload(subject, direction));
                if let Some(bytes) = judge_offload(direction, self.trials(subject), incumbent) {
                    plan.put_offload(subject, direction, bytes);
                }
            }
        }
        let drivers = drivers::of_proc().unwrap_or_default();
        for &subject in &self.subjects {
            if let Some(driver) = serving(&drivers, subject).filter(|_| is_given(plan, subject)) {
                plan.put_driver(subject, driver);
            }
        }
    }
}

fn wrong(subject: Subject, reason: &str) -> Quarantined {
    Quarantined { route: Route::Kernel.name().to_owned(), reason: format!("{subject}: {reason}") }
}

fn directions(subject: Subject) -> &'static [Direction] {
    if subject.is_symmetric() { &[Direction::Encrypt] } else { &Direction::BOTH }
}

/// Whether the plan gives the kernel anything of a subject.
fn is_given(plan: &Plan, subject: Subject) -> bool {
    let in_rows = |row: &wirespeed_plan::Row| {
        Subject::from(row.algorithm) == subject && row.route == Route::Kernel
    };
    let offloaded = directions(subject).iter().any(|it| plan.offload(subject, *it).is_some());
    offloaded || plan.rows().any(in_rows)
}

/// The driver behind the generic name, if a socket can have it by its own, too.
fn serving(drivers: &[drivers::Driver], subject: Subject) -> Option<&str> {
    let transform = Transform::named(subject.name())?;
    let mut serving = drivers.iter().filter(|it| it.serves && it.algorithm == transform.kernel);
    let can_be_asked =
        |driver: &&str| wirespeed_af_alg::presence_of(transform, Some(driver)).is_ok();
    serving.next().map(|driver| driver.driver.as_str()).filter(can_be_asked)
}

#[cfg(test)]
mod tests {
    use wirespeed_bench::Absent;
    use wirespeed_cpu::Features;
    use wirespeed_measure::WallTime;
    use wirespeed_plan::{Fingerprint, Ratio, Time};

    use super::*;

    fn subject(name: &str) -> Subject {
        name.parse().expect("known")
    }

    /// On a machine where nothing can be measured.
    fn offloading<'a>(harness: &'a Harness, names: &[&str]) -> Offloading<'a> {
        let subjects = names.iter().map(|name| subject(name)).collect();
        let (trials, lost, quarantined) = (HashMap::new(), HashSet::new(), Vec::new());
        Offloading { harness, subjects, trials, lost, quarantined }
    }

    fn nowhere() -> Harness {
        Harness::new(Err(Absent("no libcrypto".to_owned())), Features::NONE)
    }

    #[test]
    fn the_largest_comes_first_and_ciphers_have_no_streams_of_their_own() {
        let harness = nowhere();
        let cases = offloading(&harness, &["DES-EDE3-CBC", "SHA1"]).cases();
        assert_eq!(cases.len(), 2 * 2 * SIZE_CLASSES.len() + 2 * SIZE_CLASSES.len());
        assert_eq!(cases[0].1, 65536);
        let streams = cases.iter().filter(|(case, _)| case.usage == Use::Stream);
        assert!(streams.clone().count() > 0 && streams.clone().all(|it| it.0.subject.is_hash()));
    }

    #[test]
    fn what_is_lost_is_measured_no_more() {
        let harness = nowhere();
        let mut offloading = offloading(&harness, &["SHA1"]);
        let (case, class) = offloading.cases()[0];
        let mut pace = Pace::new(&WallTime, 0, 1);
        assert!(offloading.measure(case, class, false, &mut pace).is_err(), "nobody is here");
        offloading.lost.insert((case.subject, case.direction));
        assert!(offloading.measure(case, class, false, &mut pace).is_ok());
        assert!(offloading.measure(case, class, true, &mut pace).is_err(), "judged whole");
    }

    #[test]
    fn the_plan_gets_break_evens_of_what_has_no_rows() {
        let harness = nowhere();
        let mut offloading = offloading(&harness, &["SHA1", "MD5"]);
        let trial = |size: usize| {
            let gain = size as f64 / 4096.0;
            Trial {
                direction: Direction::Encrypt,
                usage: Use::Message,
                size,
                route: Route::Kernel,
                gain: Ratio { low: gain, median: gain, high: gain },
                time: Time::new(1.0, 0.1),
                host: Time::new(1.0, 0.1),
            }
        };
        offloading.trials.insert(subject("SHA1"), SIZE_CLASSES.map(trial).to_vec());
        let mut plan = Plan::new(Fingerprint::here("3.0.18"));
        offloading.complete(&mut plan, None);
        assert_eq!(plan.offload(subject("SHA1"), Direction::Encrypt), Some(8192));
        assert_eq!(plan.offload(subject("MD5"), Direction::Encrypt), None);
        assert!(is_given(&plan, subject("SHA1")) && !is_given(&plan, subject("MD5")));
        // An equal gain is none; but what stood there need not go.
        let mut again = Plan::new(Fingerprint::here("3.0.18"));
        offloading.trials.get_mut(&subject("SHA1")).expect("there").iter_mut().for_each(|trial| {
            if trial.size == 4096 {
                trial.gain.median = 1.01;
            }
        });
        plan.put_offload(subject("SHA1"), Direction::Encrypt, 4096);
        offloading.complete(&mut again, Some(&plan));
        assert_eq!(again.offload(subject("SHA1"), Direction::Encrypt), Some(4096));
    }
}

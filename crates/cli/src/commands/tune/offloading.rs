//! Linux's crypto beside whoever serves in the process, by elapsed time.

use std::collections::{HashMap, HashSet};

use wirespeed_af_alg::{Transform, devcrypto, drivers};
use wirespeed_bench::{Candidate, Case, Contest, Harness, Host, Measured, Trouble};
use wirespeed_cipher::{Direction, Route, SIZE_CLASSES, Subject, Use};
use wirespeed_measure::Effort;
use wirespeed_plan::{Offload, Plan, Trial, is_driver, judge_offload};
use wirespeed_results::schema::plan::Quarantined;

use super::measuring::{HOPELESS, trial};
use super::pace::Pace;
use crate::fault::Fault;

/// Below this share of the host's speed smaller sizes need not be tried: what a system call costs does
/// not shrink with its data.
const LOST: f64 = 0.5;

/// What was measured of the kernel so far.
pub(super) struct Offloading<'a> {
    harness: &'a Harness,
    /// What the kernel has by a way, our provider hands to it, and came out right.
    subjects: Vec<(Subject, Route)>,
    trials: HashMap<Subject, Vec<Trial>>,
    lost: HashSet<(Subject, Route, Direction)>,
    pub(super) quarantined: Vec<Quarantined>,
}

impl<'a> Offloading<'a> {
    /// Proves everything that the kernel may serve.
    pub(super) fn new(host: &'a Host) -> Self {
        let (mut subjects, mut quarantined) = (Vec::new(), Vec::new());
        let here = |route: &Route| host.find(*route).presence.is_ok();
        for route in Route::OFFLOADS.into_iter().filter(here) {
            let way = Candidate::Provider(route);
            let known = |subject: &Subject| {
                [way, Candidate::Host].iter().all(|it| host.harness.knows(*it, *subject))
            };
            for subject in Subject::all().filter(known) {
                match host.prove_in_kernel(way, subject) {
                    Ok(_) => subjects.push((subject, route)),
                    Err(reason) => quarantined.push(wrong(subject, route, &reason)),
                }
            }
        }
        let (harness, trials, lost) = (&host.harness, HashMap::new(), HashSet::new());
        Self { harness, subjects, trials, lost, quarantined }
    }

    /// How many algorithms the kernel may serve, by each way that is here.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Route, usize)> {
        let count = |route| self.subjects.iter().filter(|(_, it)| *it == route).count();
        Route::OFFLOADS.into_iter().map(move |it| (it, count(it))).filter(|(_, count)| *count > 0)
    }

    /// The ways of an algorithm.
    fn ways(&self, subject: Subject) -> impl Iterator<Item = Route> {
        self.subjects.iter().filter(move |(it, _)| *it == subject).map(|(_, route)| *route)
    }

    /// Every algorithm, whatever its ways.
    fn algorithms(&self) -> impl Iterator<Item = Subject> {
        Subject::all().filter(|subject| self.ways(*subject).next().is_some())
    }

    /// Every case with its size class, the largest first. A stream of a cipher is not among them: with the
    /// IV on our side it is for the kernel what messages under one key are.
    pub(super) fn cases(&self) -> Vec<(Case, usize)> {
        let mut cases = Vec::new();
        for subject in self.algorithms() {
            for &direction in subject.directions() {
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
        let is_lost = |route: &Route| {
            self.lost.contains(&(case.subject, *route, case.direction))
                && (!is_alone || case.usage != Use::Message)
        };
        let ways: Vec<Route> = self.ways(case.subject).filter(|it| !is_lost(it)).collect();
        if ways.is_empty() {
            pace.skip();
            return Ok(());
        }
        let began = pace.now();
        let candidates = self.candidates(case, &ways);
        let Some(look) = self.contest(case, &candidates, pace.look())? else { return Ok(()) };
        let gain = |route| {
            let gain = look.ratio(Candidate::Host, Candidate::Provider(route));
            gain.map_or(0.0, |gain| gain.high)
        };
        for &route in &ways {
            if gain(route) < LOST && case.usage == Use::Message {
                self.lost.insert((case.subject, route, case.direction));
            }
        }
        let best = ways.iter().map(|route| gain(*route)).fold(0.0, f64::max);
        let effort = pace.measure(candidates.len());
        let measured =
            if best < HOPELESS { Some(look) } else { self.contest(case, &candidates, effort)? };
        pace.done(effort, candidates.len(), began);
        let of = |one: &Measured| -> Vec<Trial> {
            candidates.iter().filter_map(|it| trial(one, *it, class)).collect()
        };
        self.trials.entry(case.subject).or_default().extend(measured.iter().flat_map(of));
        Ok(())
    }

    /// The host's OpenSSL, for a hash function the route of this CPU's, and the ways to the kernel.
    fn candidates(&self, case: Case, ways: &[Route]) -> Vec<Candidate> {
        let fast = Route::PRIORITY.into_iter().map(Candidate::Provider);
        let hashes = |it: &Candidate| {
            matches!(case.subject, Subject::Digest(_)) && self.harness.knows(*it, case.subject)
        };
        let ways = ways.iter().copied().map(Candidate::Provider);
        [Candidate::Host].into_iter().chain(fast.into_iter().find(hashes)).chain(ways).collect()
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
            Err(Trouble::Wrong(_, Candidate::Provider(route))) if route.is_offload() => {
                self.subjects.retain(|it| *it != (case.subject, route));
                let trials = self.trials.entry(case.subject).or_default();
                trials.retain(|trial| trial.route != route);
                let reason = format!("{case}: other bytes than this OpenSSL gives");
                self.quarantined.push(wrong(case.subject, route, &reason));
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
        for subject in self.algorithms().filter(|subject| subject.cipher().is_none()) {
            for &direction in subject.directions() {
                let incumbent = standing.and_then(|plan| plan.offload(subject, direction));
                let judged = |route| {
                    let incumbent = incumbent.filter(|it| it.route == route).map(|it| it.bytes);
                    let bytes = judge_offload(route, direction, self.trials(subject), incumbent)?;
                    Some(Offload { subject, direction, bytes, route })
                };
                if let Some(offload) = self.ways(subject).find_map(judged) {
                    plan.put_offload(offload);
                }
            }
        }
        let drivers = drivers::of_proc().unwrap_or_default();
        for &(subject, route) in &self.subjects {
            let serving = || serving(&drivers, subject, route);
            if let Some(driver) = is_given(plan, subject, route).then(serving).flatten() {
                plan.put_driver(subject, route, &driver);
            }
        }
    }
}

fn wrong(subject: Subject, route: Route, reason: &str) -> Quarantined {
    Quarantined { route: route.name().to_owned(), reason: format!("{subject}: {reason}") }
}

/// Whether the plan gives the kernel anything of a subject that way.
fn is_given(plan: &Plan, subject: Subject, route: Route) -> bool {
    let in_rows =
        |row: &wirespeed_plan::Row| Subject::from(row.algorithm) == subject && row.route == route;
    let goes = |it: &Direction| plan.offload(subject, *it).is_some_and(|it| it.route == route);
    let offloaded = subject.directions().iter().any(goes);
    offloaded || plan.rows().any(in_rows)
}

/// The driver behind the generic name: of /dev/crypto's session, or if a socket can have it by its own, too.
fn serving(drivers: &[drivers::Driver], subject: Subject, route: Route) -> Option<String> {
    let transform = Transform::named(subject.name())?;
    if route == Route::DevCrypto {
        let driver = devcrypto::driver(transform).ok()?;
        return Some(driver.name).filter(|name| is_driver(name));
    }
    let mut serving = drivers.iter().filter(|it| it.serves && it.algorithm == transform.kernel);
    let can_be_asked =
        |driver: &&str| wirespeed_af_alg::presence_of(transform, Some(driver)).is_ok();
    let name = serving.next().map(|driver| driver.driver.as_str()).filter(can_be_asked)?;
    Some(name.to_owned())
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
        let subjects = names.iter().map(|name| (subject(name), Route::Kernel)).collect();
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
        offloading.lost.insert((case.subject, Route::Kernel, case.direction));
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
        let from =
            |plan: &Plan, name| plan.offload(subject(name), Direction::Encrypt).map(|it| it.bytes);
        assert_eq!(from(&plan, "SHA1"), Some(8192));
        assert_eq!(from(&plan, "MD5"), None);
        let kernel = Route::Kernel;
        assert!(is_given(&plan, subject("SHA1"), kernel));
        assert!(!is_given(&plan, subject("SHA1"), Route::DevCrypto));
        assert!(!is_given(&plan, subject("MD5"), kernel));
        // An equal gain is none; but what stood there need not go.
        let mut again = Plan::new(Fingerprint::here("3.0.18"));
        offloading.trials.get_mut(&subject("SHA1")).expect("there").iter_mut().for_each(|trial| {
            if trial.size == 4096 {
                trial.gain.median = 1.01;
            }
        });
        let (direction, route) = (Direction::Encrypt, kernel);
        plan.put_offload(Offload { subject: subject("SHA1"), direction, bytes: 4096, route });
        offloading.complete(&mut again, Some(&plan));
        assert_eq!(from(&again, "SHA1"), Some(4096));
    }
}

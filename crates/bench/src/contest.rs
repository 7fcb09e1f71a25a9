//! Measuring a case: candidates and limits in turns, on one thread or on many.

use std::fmt;
use std::sync::Arc;

use wirespeed_cipher::Route;
use wirespeed_measure::statistics::{self, Estimate};
use wirespeed_measure::{
    Clock, Contestant, Effort, Limit, Samples, ThreadTime, WallTime, contest, noise,
};
use wirespeed_results::schema::bench::Row;

use crate::candidate::{Absent, Candidate};
use crate::case::Case;
use crate::harness::{Harness, Runner};

/// How to measure.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// Where candidates come from.
    pub harness: &'a Harness,
    /// How long.
    pub effort: Effort,
    /// Threads at once, each with candidates of its own.
    pub threads: usize,
    /// Whether the limits of the units take turns too.
    pub limits: bool,
    /// Whether elapsed time decides even on one thread, as it must where somebody may sleep: a device
    /// that works while its caller sleeps costs hardly any CPU time, however long it takes.
    /// (`openssl speed` has -elapsed for that.)
    pub elapsed: bool,
}

impl<'a> Contest<'a> {
    /// On one thread, by CPU time, without the limits of the units.
    pub const fn plain(harness: &'a Harness, effort: Effort) -> Self {
        Self { harness, effort, threads: 1, limits: false, elapsed: false }
    }
}

/// What keeps a contest from being held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A candidate is not there.
    Absent(Candidate, Absent),
    /// Candidates disagree about the bytes: no speed makes up for that.
    Wrong(Case, Candidate),
    /// So many threads may not run at once.
    Threads(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(candidate, why) => write!(f, "{candidate} is absent: {why}"),
            Self::Wrong(case, candidate) => write!(f, "{case}: {candidate} gives other bytes"),
            Self::Threads(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Trouble {}

/// A measured case.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What was done.
    pub case: Case,
    /// Who did it, in the order asked for.
    pub entries: Vec<Entry>,
    /// What disturbed it.
    pub noise: Vec<noise::Noise>,
    threads: usize,
}

/// One candidate's times.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Who.
    pub candidate: Candidate,
    /// The times of one call.
    pub estimate: Estimate,
    /// The rate as a share of the unit's limit, slice against slice.
    pub limit_share: Option<Estimate>,
    /// System calls for one call, where it is a socket of the kernel's.
    pub system_calls: Option<f64>,
    samples: Samples,
}

/// What takes turns: a candidate or a limit.
type Turn = Box<dyn Contestant + Send>;

/// Who takes turns.
struct Turns {
    /// The routes whose limits do.
    limits: Vec<Route>,
    /// System calls for one call, candidate by candidate.
    calls: Vec<Option<f64>>,
    /// For each thread the candidates, then the limits.
    lists: Vec<Vec<Turn>>,
}

impl Contest<'_> {
    /// Measures `case` for all `candidates`; `tick` is called once for each slice.
    pub fn measure(
        &self,
        case: Case,
        candidates: &[Candidate],
        tick: &dyn Fn(),
    ) -> Result<Measured, Trouble> {
        let Turns { limits, calls, lists } = self.turns(case, candidates)?;
        let clock: &(dyn Clock + Sync) =
            if self.by_elapsed_time() { &WallTime } else { &ThreadTime };
        let (cpu, wall) = (ThreadTime.now(), WallTime.now());
        let per_thread = contest::side_by_side(lists, tick, |mut turns, gate, tick| {
            let ring = contest::Ring { clock, cpu: &ThreadTime, gate, tick };
            let samples = contest::run(&ring, self.effort, &mut turns);
            let failed = |(place, turn): (usize, &Turn)| Some((place, turn.failure()?.to_owned()));
            (samples, turns.iter().enumerate().find_map(failed))
        });
        let refused = |error: contest::TooManyThreads| Trouble::Threads(error.to_string());
        let (per_thread, failed): (Vec<_>, Vec<_>) =
            per_thread.map_err(refused)?.into_iter().unzip();
        if let Some((place, why)) = failed.into_iter().flatten().next() {
            return Err(Trouble::Absent(candidates[place], Absent(why)));
        }
        let busy = noise::Noise::in_share(ThreadTime.now() - cpu, WallTime.now() - wall);
        let busy = busy.filter(|_| !self.by_elapsed_time());
        Ok(self.judge(case, candidates, (&limits, &calls), &per_thread, busy))
    }

    /// Whether elapsed time decides: with several threads, each of which may wait for the others, too.
    pub const fn by_elapsed_time(&self) -> bool {
        self.elapsed || self.threads > 1
    }

    /// How often `measure` ticks.
    pub fn ticks(&self, case: Case, candidates: &[Candidate]) -> u64 {
        let limits = self.limit_routes(case, candidates).len();
        ((candidates.len() + limits) * self.effort.rounds) as u64
    }

    /// The units whose limits the candidates are held to: each route to its own, the host's OpenSSL
    /// and the provider's default priority to the best of this machine.
    fn limit_routes(&self, case: Case, candidates: &[Candidate]) -> Vec<Route> {
        if !self.limits {
            return Vec::new();
        }
        let mut routes: Vec<Route> =
            candidates.iter().filter_map(|candidate| self.limit_route(*candidate)).collect();
        routes.sort_unstable();
        routes.dedup();
        routes.retain(|route| self.limit(case, *route).is_some());
        routes
    }

    fn limit_route(&self, candidate: Candidate) -> Option<Route> {
        match candidate {
            Candidate::Host | Candidate::Priority | Candidate::Configured => {
                Limit::best_route(self.harness.features())
            }
            Candidate::Provider(route) | Candidate::Kernels(route) => Some(route),
            Candidate::Driver(_) | Candidate::Lanes(_) => None,
        }
    }

    fn limit(&self, case: Case, route: Route) -> Option<Limit> {
        Limit::new(case.subject.cipher()?, case.direction, route, self.harness.features())
    }

    /// For each thread the candidates, then the limits; all candidates agree on the result.
    fn turns(&self, case: Case, candidates: &[Candidate]) -> Result<Turns, Trouble> {
        let limits = self.limit_routes(case, candidates);
        let material = self.harness.material(case);
        let absent = |why| Trouble::Absent(Candidate::Host, why);
        let material = Arc::new(material.map_err(absent)?);
        let mut expected = None;
        let mut runner = |candidate: Candidate| -> Result<Runner, Trouble> {
            let absent = |why| Trouble::Absent(candidate, why);
            let mut runner =
                self.harness.runner_on(candidate, case, material.clone()).map_err(absent)?;
            let result = runner.result().map_err(absent)?;
            if expected.get_or_insert_with(|| result.clone()) != &result {
                return Err(Trouble::Wrong(case, candidate));
            }
            Ok(runner)
        };
        if let Some(reference) = reference(candidates).filter(|it| *it != candidates[0]) {
            runner(reference)?;
        }
        let (mut lists, mut calls) = (Vec::new(), Vec::new());
        for thread in 0..self.threads.max(1) {
            let mut turns: Vec<Turn> = Vec::new();
            for candidate in candidates {
                turns.push(Box::new(runner(*candidate)?));
                if thread == 0 {
                    calls.push(self.harness.system_calls(*candidate, case, &material));
                }
            }
            for route in &limits {
                turns.extend(self.limit(case, *route).map(|limit| Box::new(limit) as Turn));
            }
            lists.push(turns);
        }
        Ok(Turns { limits, calls, lists })
    }

    fn judge(
        &self,
        case: Case,
        candidates: &[Candidate],
        (limits, calls): (&[Route], &[Option<f64>]),
        per_thread: &[Vec<Samples>],
        busy: Option<noise::Noise>,
    ) -> Measured {
        let turn = |place: usize| {
            let threads: Vec<Samples> =
                per_thread.iter().map(|samples| samples[place].clone()).collect();
            contest::together(&threads, wirespeed_measure::cpus())
        };
        let share = |candidate: Candidate, samples: &Samples| {
            let route = self.limit_route(candidate)?;
            let place = candidates.len() + limits.iter().position(|limit| *limit == route)?;
            statistics::paired_ratio(&turn(place).nanos_per_byte(), &samples.nanos_per_byte())
        };
        let mut noise: Vec<noise::Noise> = busy.into_iter().collect();
        let mut entries = Vec::new();
        for (place, candidate) in candidates.iter().enumerate() {
            let samples = turn(place);
            noise.extend(noise::Noise::in_times(&samples.nanos()));
            entries.push(Entry {
                candidate: *candidate,
                estimate: Estimate::of(&samples.nanos()).expect("an effort has rounds"),
                limit_share: share(*candidate, &samples),
                system_calls: calls[place],
                samples,
            });
        }
        noise.sort_unstable();
        noise.dedup();
        Measured { case, entries, noise, threads: per_thread.len() }
    }
}

/// Whose bytes are taken for right: the host's, else plain code's.
fn reference(candidates: &[Candidate]) -> Option<Candidate> {
    let plain = |it: &&Candidate| it.route() == Some(Route::Portable);
    let host = candidates.iter().find(|it| **it == Candidate::Host);
    host.or_else(|| candidates.iter().find(plain)).copied()
}

impl Measured {
    /// How many times as fast as `baseline` the `candidate` is.
    pub fn ratio(&self, baseline: Candidate, candidate: Candidate) -> Option<Estimate> {
        let times = |who| Some(self.entry(who)?.samples.nanos());
        statistics::paired_ratio(&times(baseline)?, &times(candidate)?)
    }

    /// How many times as little CPU time as `baseline` the `candidate` takes.
    pub fn cpu_ratio(&self, baseline: Candidate, candidate: Candidate) -> Option<Estimate> {
        let times = |who| Some(self.entry(who)?.samples.cpu_nanos());
        statistics::paired_ratio(&times(baseline)?, &times(candidate)?)
    }

    /// One candidate's entry.
    pub fn entry(&self, candidate: Candidate) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.candidate == candidate)
    }

    /// The entries as rows of a table.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.entries.iter().map(|entry| Row {
            algorithm: self.case.subject.name().to_owned(),
            direction: self.case.subject.direction(self.case.direction).to_owned(),
            usage: self.case.usage.name().to_owned(),
            size: self.case.size,
            route: entry.candidate.route().map_or("ladder", Route::name).to_owned(),
            api_path: entry.candidate.api_path().name().to_owned(),
            threads: self.threads,
            bytes_per_second: entry.bytes_per_second(),
            median_ns: Some(entry.estimate.median),
            mad_ns: Some(entry.estimate.mad),
            runs: Some(entry.samples.slices.len()),
            cpu_ns: Some(entry.samples.mean_cpu_nanos()),
            limit_share: entry.limit_share.map(|share| share.median),
            driver: match entry.candidate {
                Candidate::Driver(driver) => Some(driver.to_owned()),
                _ => None,
            },
            lanes: Some(match entry.candidate {
                Candidate::Lanes(lanes) => lanes,
                _ => 1,
            }),
            system_calls: entry.system_calls,
            cpu_s_per_gib: Some(entry.cpu_seconds_per_gibibyte()),
            without: None,
            openssl: None,
        })
    }
}

impl Entry {
    /// The rate.
    pub fn bytes_per_second(&self) -> f64 {
        self.samples.bytes as f64 * 1e9 / self.estimate.median.max(1e-3)
    }

    /// CPU time of the calling thread for 2^30 bytes: in the kernel too, but not what other threads of
    /// the kernel's do for it.
    pub fn cpu_seconds_per_gibibyte(&self) -> f64 {
        let calls = (1_u64 << 30) as f64 / self.samples.bytes.max(1) as f64;
        self.samples.mean_cpu_nanos() * 1e-9 * calls
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::{Direction, Use};
    use wirespeed_cpu::Features;

    use super::*;
    use wirespeed_cipher::Subject;

    const SHORT: Effort = Effort { slice: 20_000, rounds: 7 };

    fn case(name: &str, usage: Use) -> Case {
        let subject: Subject = name.parse().expect("known");
        Case::new(subject, Direction::Decrypt, usage, 320).expect("a case")
    }

    fn nowhere() -> Harness {
        Harness::new(Err(Absent("no libcrypto".to_owned())), Features::detect())
    }

    #[test]
    fn kernels_need_no_libcrypto() {
        let harness = nowhere();
        let contest =
            Contest { harness: &harness, effort: SHORT, threads: 1, limits: true, elapsed: false };
        let portable = Candidate::Kernels(Route::Portable);
        for name in ["AES-128-GCM", "AES-256-XTS", "AES-192-CBC", "AES-128-CFB", "AES-128-ECB"] {
            for usage in Use::ALL.into_iter().filter(|u| *u != Use::Stream) {
                let measured =
                    contest.measure(case(name, usage), &[portable], &|| ()).expect("measured");
                let row = measured.rows().next().expect("one row");
                let who = (row.route.as_str(), row.api_path.as_str(), row.runs);
                assert_eq!(who, ("portable", "direct", Some(7)));
                assert!(row.bytes_per_second > 0.0 && row.cpu_ns > Some(0.0));
                assert_eq!(row.limit_share, None);
            }
        }
        let trouble =
            contest.measure(case("AES-128-GCM", Use::Message), &[Candidate::Host], &|| ());
        assert!(trouble.expect_err("no host").to_string().contains("no libcrypto"));
    }

    #[test]
    fn the_host_and_the_kernels_agree_and_are_compared() {
        let library = wirespeed_libcrypto::Library::host().expect("these tests need libcrypto");
        let harness = Harness::new(Ok(library), Features::detect());
        let contest =
            Contest { harness: &harness, effort: SHORT, threads: 2, limits: true, elapsed: false };
        let candidates = [Candidate::Host, Candidate::Kernels(Route::Portable)];
        for name in ["AES-128-GCM", "AES-256-XTS", "AES-192-CBC", "AES-128-CFB", "AES-256-OFB"] {
            let measured =
                contest.measure(case(name, Use::Rekey), &candidates, &|| ()).expect("measured");
            let ratio = measured.ratio(candidates[1], candidates[0]).expect("both ran");
            assert!(ratio.median > 0.0 && ratio.low <= ratio.high);
            assert!(measured.rows().all(|row| row.threads == 2));
        }
    }

    /// What we have no kernels for runs through EVP alone, in every use and both directions.
    #[test]
    fn algorithms_of_others_run_through_evp() {
        let library = wirespeed_libcrypto::Library::host().expect("these tests need libcrypto");
        let harness = Harness::new(Ok(library), Features::detect());
        let contest =
            Contest { harness: &harness, effort: SHORT, threads: 1, limits: true, elapsed: false };
        for delegated in wirespeed_cipher::Delegated::all() {
            let mut rates = 0;
            for (usage, direction) in Use::ALL.into_iter().flat_map(|usage| {
                Direction::BOTH.into_iter().map(move |direction| (usage, direction))
            }) {
                let Ok(case) = Case::new(delegated, direction, usage, 1420) else { continue };
                match contest.measure(case, &[Candidate::Host], &|| ()) {
                    Ok(measured) => {
                        rates += measured.rows().filter(|row| row.bytes_per_second > 0.0).count();
                    }
                    // A host without the legacy provider says so.
                    Err(why) => assert!(delegated.is_legacy(), "{why}"),
                }
            }
            assert!(rates >= 2 || delegated.is_legacy(), "{delegated}: {rates}");
            let direct = harness.runner(Candidate::Kernels(Route::Portable), some_case(delegated));
            assert!(direct.is_err(), "{delegated}");
        }
    }

    fn some_case(delegated: wirespeed_cipher::Delegated) -> Case {
        Case::new(delegated, Direction::Encrypt, Use::Message, 64).expect("a case")
    }

    #[test]
    fn ticks_are_as_many_as_foretold() {
        let harness = nowhere();
        let contest =
            Contest { harness: &harness, effort: SHORT, threads: 1, limits: true, elapsed: false };
        let candidates = [Candidate::Kernels(Route::Portable)];
        let ticks = std::cell::Cell::new(0);
        let case = case("AES-128-OFB", Use::Stream);
        contest.measure(case, &candidates, &|| ticks.set(ticks.get() + 1)).expect("measured");
        assert_eq!(ticks.get(), contest.ticks(case, &candidates));
    }
}

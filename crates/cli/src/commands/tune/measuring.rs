//! Every case by every candidate: first a look at all of them, then longer at those in the running.

use std::collections::HashMap;

use wirespeed_bench::{Candidate, Case, Contest, Harness, Measured, Trouble};
use wirespeed_cipher::{Algorithm, Digest, Direction, Route, SIZE_CLASSES, Subject, Use};
use wirespeed_measure::Effort;
use wirespeed_measure::noise::Noise;
use wirespeed_measure::statistics::Estimate;
use wirespeed_plan::{
    LibcryptoCode, Plan, Ratio, Row, Time, Trial, judge, judge_constant_time, judge_digest,
};
use wirespeed_results::schema::plan::Quarantined;

use super::pace::Pace;
use crate::fault::Fault;

/// What was measured so far.
pub(super) struct Measuring<'a> {
    harness: &'a Harness,
    /// Whether the smallest key stands for the others of its cipher: they are more rounds of the same.
    smallest_keys: bool,
    /// The code that gets no cell where it looks up in tables, if that is asked for.
    code: Option<LibcryptoCode>,
    /// All routes that take part; the host's OpenSSL always does.
    candidates: Vec<Candidate>,
    /// By algorithm, in the order of [`Algorithm::ALL`].
    trials: Vec<Vec<Trial>>,
    /// Of hash functions, for each case the gain by a route.
    hashes: Vec<(Digest, Route, (Use, Ratio))>,
    /// Whether `portable` is worth a place beside faster routes.
    portable: HashMap<(Algorithm, Direction), bool>,
    /// Routes that gave other bytes than OpenSSL while they were measured.
    pub(super) quarantined: Vec<Quarantined>,
    /// What disturbed each case.
    noise: Vec<Noise>,
}

/// The provider handing calls on to the host's default provider.
const DETOUR: Candidate = Candidate::Provider(Route::Libcrypto);

/// A route is out of the running below this share of the best route's speed.
pub(super) const HOPELESS: f64 = 0.9;
/// `portable` is out for good below this share of the host's speed.
const HOPELESS_PORTABLE: f64 = 0.8;
/// The detour is of interest unless a route of ours is faster than the host by more than this.
const CLEARLY_OURS: f64 = 1.1;
/// More than this share of cases must be disturbed before it is worth a word.
const DISTURBED: f64 = 0.2;

impl<'a> Measuring<'a> {
    /// Measures those routes that were proved, perhaps with the smallest keys alone.
    pub(super) fn new(
        harness: &'a Harness,
        proved: &[Route],
        smallest_keys: bool,
        code: Option<LibcryptoCode>,
    ) -> Self {
        Self {
            harness,
            smallest_keys,
            code,
            candidates: proved.iter().map(|route| Candidate::Provider(*route)).collect(),
            trials: vec![Vec::new(); Algorithm::ALL.len()],
            hashes: Vec::new(),
            portable: HashMap::new(),
            quarantined: Vec::new(),
            noise: Vec::new(),
        }
    }

    /// Every case with the size class that it stands for.
    pub(super) fn cases(&self) -> Vec<(Case, usize)> {
        let mut cases = Vec::new();
        for digest in Digest::ALL.into_iter().filter(|it| self.hashing_route(*it).is_some()) {
            for usage in [Use::Message, Use::Stream] {
                let case = |size| Case::new(digest, Direction::Encrypt, usage, size);
                cases.extend(
                    SIZE_CLASSES.iter().filter_map(|size| Some((case(*size).ok()?, *size))),
                );
            }
        }
        let measured = |it: &&Algorithm| self.stand_in(**it) == **it && self.is_of_interest(**it);
        for &algorithm in Algorithm::ALL.iter().filter(measured) {
            for &direction in algorithm.directions() {
                for usage in Use::ALL {
                    for size in SIZE_CLASSES {
                        let case = Case::new(algorithm, direction, usage, size);
                        cases.extend(case.map(|case| (case, size)));
                    }
                }
            }
        }
        cases
    }

    /// The algorithm whose figures are this one's.
    const fn stand_in(&self, algorithm: Algorithm) -> Algorithm {
        if self.smallest_keys { algorithm.with_smallest_key() } else { algorithm }
    }

    /// Whether a route might do better than the host's OpenSSL: any that is made for this CPU, or all
    /// that there is, also where the host's is not to serve.
    pub(super) fn is_of_interest(&self, algorithm: Algorithm) -> bool {
        if is_left_out(algorithm) {
            return false;
        }
        if self.code.is_some_and(|code| code.looks_up_anywhere(algorithm)) {
            let mut own = self.candidates.iter().filter(|it| **it != DETOUR);
            return own.any(|it| self.harness.knows(*it, algorithm.into()));
        }
        let all_slow = self.candidates.iter().all(|it| is_slow(*it));
        let mut matter = self.candidates.iter().filter(|it| all_slow || !is_slow(**it));
        matter.any(|it| self.harness.knows(*it, algorithm.into()))
    }

    /// The route that might hash better than the host's OpenSSL: one that is made for this CPU.
    fn hashing_route(&self, digest: Digest) -> Option<Route> {
        let mut fast = self.candidates.iter().filter(|it| !is_slow(**it));
        fast.find(|it| self.harness.knows(**it, digest.into()))?.route()
    }

    /// Measures a hash function.
    fn hash(&mut self, digest: Digest, case: Case, pace: &mut Pace<'_>) -> Result<(), Fault> {
        let Some(route) = self.hashing_route(digest) else { return Ok(()) };
        let began = pace.now();
        let pair = [Candidate::Host, Candidate::Provider(route)];
        let effort = pace.measure(pair.len());
        let measured = self.contest(case, &pair, effort)?;
        pace.done(effort, pair.len(), began);
        let gain = measured.ratio(pair[0], pair[1]);
        self.hashes.extend(gain.map(|it| (digest, route, (case.usage, ratio(it)))));
        Ok(())
    }

    /// The hash functions that a route takes from the host's OpenSSL.
    pub(super) fn judge_digests(&self) -> impl Iterator<Item = (Digest, Route)> {
        Digest::ALL.into_iter().filter_map(|digest| {
            let route = self.hashing_route(digest)?;
            let of = self.hashes.iter().filter(|it| (it.0, it.1) == (digest, route));
            let gains: Vec<_> = of.map(|it| it.2).collect();
            judge_digest(&gains).then_some((digest, route))
        })
    }

    /// Measures a case.
    pub(super) fn measure(
        &mut self,
        case: Case,
        class: usize,
        pace: &mut Pace<'_>,
    ) -> Result<(), Fault> {
        if let Subject::Digest(digest) = case.subject {
            return self.hash(digest, case, pace);
        }
        let began = pace.now();
        let all = self.candidates_for(case)?;
        let look = self.contest(case, &all, pace.look())?;
        let chosen = in_the_running(&look);
        let effort = pace.measure(chosen.len());
        let measured = self.contest(case, &chosen, effort)?;
        pace.done(effort, chosen.len(), began);
        self.noise.extend(&measured.noise);
        let trials = all.iter().filter_map(|candidate| {
            let from = if chosen.contains(candidate) { &measured } else { &look };
            trial(from, *candidate, class)
        });
        self.trials[cipher(case).index()].extend(trials);
        Ok(())
    }

    /// Holds a contest. A route that gives other bytes than the host's OpenSSL, although it was
    /// proved, is quarantined, and the contest goes on without it.
    fn contest(
        &mut self,
        case: Case,
        candidates: &[Candidate],
        effort: Effort,
    ) -> Result<Measured, Fault> {
        let contest = Contest::plain(self.harness, effort);
        let mut candidates = candidates.to_vec();
        loop {
            match contest.measure(case, &candidates, &|| ()) {
                Ok(measured) => return Ok(measured),
                Err(Trouble::Wrong(_, wrong)) if wrong != Candidate::Host => {
                    candidates.retain(|candidate| *candidate != wrong);
                    self.candidates.retain(|candidate| *candidate != wrong);
                    self.quarantined.push(Quarantined {
                        route: wrong.route().map_or("", Route::name).to_owned(),
                        reason: format!("{case}: other bytes than this OpenSSL gives"),
                    });
                }
                Err(trouble) => return Err(trouble.into()),
            }
        }
    }

    /// The host's OpenSSL, and who knows the algorithm. Where faster routes are, `portable` gets one
    /// short look, and stays out if that is hopeless.
    fn candidates_for(&mut self, case: Case) -> Result<Vec<Candidate>, Fault> {
        let portable = Candidate::Provider(Route::Portable);
        let knows = |it: &&Candidate| self.harness.knows(**it, case.subject);
        let any_fast = !self.candidates.iter().filter(knows).all(|candidate| is_slow(*candidate));
        let mut wanted = vec![Candidate::Host];
        for candidate in self.candidates.clone() {
            let excluded = !self.harness.competes(candidate, case.subject)
                || candidate == portable && any_fast && !self.is_portable_worthwhile(case)?;
            if !excluded && self.harness.runner(candidate, case).is_ok() {
                wanted.push(candidate);
            }
        }
        Ok(wanted)
    }

    fn is_portable_worthwhile(&mut self, case: Case) -> Result<bool, Fault> {
        let key = (cipher(case), case.direction);
        if let Some(known) = self.portable.get(&key) {
            return Ok(*known);
        }
        let usual = Case::new(case.subject, case.direction, Use::Message, 1024);
        let portable = Candidate::Provider(Route::Portable);
        let effort = Effort { slice: 50_000, rounds: 7 };
        let look = self.contest(usual.unwrap_or(case), &[Candidate::Host, portable], effort)?;
        let gain = look.ratio(Candidate::Host, portable);
        let worthwhile = gain.is_some_and(|gain| gain.median > HOPELESS_PORTABLE);
        self.portable.insert(key, worthwhile);
        Ok(worthwhile)
    }

    /// Takes what was measured of another route in the same cases.
    pub(super) fn take(&mut self, algorithm: Algorithm, trials: &[Trial]) {
        self.trials[algorithm.index()].extend_from_slice(trials);
    }

    /// What was measured of an algorithm by routes that are not quarantined.
    pub(super) fn trials(&self, algorithm: Algorithm) -> Vec<Trial> {
        let good = |trial: &&Trial| {
            self.quarantined.iter().all(|quarantined| quarantined.route != trial.route.name())
        };
        let stand_in = self.stand_in(algorithm);
        let own = &self.trials[algorithm.index()];
        // The kernel is measured with every key.
        let others = self.trials[stand_in.index()].iter().filter(|_| stand_in != algorithm);
        let others = others.filter(|trial| !trial.route.is_offload());
        own.iter().chain(others).filter(good).copied().collect()
    }

    /// The rows of an algorithm.
    pub(super) fn judge(&self, algorithm: Algorithm, standing: Option<&Plan>) -> Vec<Row> {
        let trials = self.trials(algorithm);
        match self.code {
            Some(code) => judge_constant_time(algorithm, &trials, standing, code),
            None => judge(algorithm, &trials, standing),
        }
    }

    /// What disturbed much of the measuring.
    pub(super) fn disturbances(&self) -> Vec<Noise> {
        let cases = self.cases().len() as f64;
        let often = |noise: &Noise| {
            let count = self.noise.iter().filter(|other| *other == noise).count();
            count as f64 > DISTURBED * cases
        };
        let mut found: Vec<Noise> = self.noise.iter().copied().filter(often).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The cipher of a case that is not of a hash function.
fn cipher(case: Case) -> Algorithm {
    case.subject.cipher().expect("hash functions go another way")
}

/// An estimate as the judgement takes it.
const fn ratio(estimate: Estimate) -> Ratio {
    Ratio { low: estimate.low, median: estimate.median, high: estimate.high }
}

/// Whether a candidate is one that any CPU can run.
fn is_slow(candidate: Candidate) -> bool {
    [Candidate::Provider(Route::Portable), DETOUR].contains(&candidate)
}

/// The host, the routes near the best of ours, and the detour where ours do not clearly win.
fn in_the_running(look: &Measured) -> Vec<Candidate> {
    let gain = |candidate: Candidate| look.ratio(Candidate::Host, candidate);
    let others = || look.entries.iter().map(|entry| entry.candidate);
    let own = || others().filter(|one| ![Candidate::Host, DETOUR].contains(one));
    let best = own().filter_map(|one| Some(gain(one)?.median)).fold(0.0, f64::max);
    let near = |candidate: &Candidate| match *candidate {
        Candidate::Host => true,
        DETOUR => best < CLEARLY_OURS,
        own => gain(own).is_some_and(|gain| gain.high >= HOPELESS * best),
    };
    others().filter(near).collect()
}

/// One candidate's figures for the judgement; none for the host, which is in all of them.
pub(super) fn trial(measured: &Measured, candidate: Candidate, class: usize) -> Option<Trial> {
    let Candidate::Provider(route) = candidate else { return None };
    let ratio = measured.ratio(Candidate::Host, candidate)?;
    let time = |candidate| {
        let estimate = measured.entry(candidate)?.estimate;
        Some(Time::new(estimate.median, (estimate.high - estimate.low) / 2.0))
    };
    Some(Trial {
        direction: measured.case.direction,
        usage: measured.case.usage,
        size: class,
        route,
        gain: self::ratio(ratio),
        time: time(candidate)?,
        host: time(Candidate::Host)?,
    })
}

/// Whether a test of a debug build wants no more than a plan of one mode of each kind.
fn is_left_out(algorithm: Algorithm) -> bool {
    const FEW: [&str; 4] = ["AES-128-CTR", "AES-128-CBC", "AES-128-GCM", "CAMELLIA-128-CBC"];
    cfg!(debug_assertions)
        && std::env::var_os("WIRESPEED_HURRY").is_some_and(|it| it == "few")
        && !FEW.contains(&algorithm.name())
}

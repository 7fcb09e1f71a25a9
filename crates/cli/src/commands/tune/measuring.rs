//! Every case by every contender: first a look at all of them, then longer at those in the running.

use std::collections::HashMap;

use wirespeed_bench::{Arena, Case, Contender, Contest, Measured, Trouble};
use wirespeed_cipher::{Algorithm, Digest, Direction, Route, SIZE_CLASSES, Subject, Use};
use wirespeed_measure::Effort;
use wirespeed_measure::noise::Noise;
use wirespeed_measure::statistics::Estimate;
use wirespeed_plan::{Plan, Ratio, Row, Time, Trial, judge, judge_digest};

use super::Quarantined;
use super::pace::Pace;
use crate::fault::Fault;

/// What was measured so far.
pub(super) struct Measuring<'a> {
    arena: &'a Arena,
    /// Whether the smallest key stands for the others of its cipher: they are more rounds of the same.
    smallest_keys: bool,
    /// All routes that take part; the host's OpenSSL always does.
    contenders: Vec<Contender>,
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
const DETOUR: Contender = Contender::Provider(Route::Libcrypto);

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
    pub(super) fn new(arena: &'a Arena, proved: &[Route], smallest_keys: bool) -> Self {
        Self {
            arena,
            smallest_keys,
            contenders: proved.iter().map(|route| Contender::Provider(*route)).collect(),
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
    /// that there is.
    pub(super) fn is_of_interest(&self, algorithm: Algorithm) -> bool {
        let mut fast = self.contenders.iter().filter(|it| !is_slow(**it)).peekable();
        fast.peek().is_none() || fast.any(|it| self.arena.knows(*it, algorithm.into()))
    }

    /// The route that might hash better than the host's OpenSSL: one that is made for this CPU.
    fn hashing_route(&self, digest: Digest) -> Option<Route> {
        let mut fast = self.contenders.iter().filter(|it| !is_slow(**it));
        fast.find(|it| self.arena.knows(**it, digest.into()))?.route()
    }

    /// Measures a hash function.
    fn hash(&mut self, digest: Digest, case: Case, pace: &mut Pace<'_>) -> Result<(), Fault> {
        let Some(route) = self.hashing_route(digest) else { return Ok(()) };
        let began = pace.now();
        let pair = [Contender::Host, Contender::Provider(route)];
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
        let all = self.contenders_for(case)?;
        let look = self.contest(case, &all, pace.look())?;
        let chosen = in_the_running(&look);
        let effort = pace.measure(chosen.len());
        let measured = self.contest(case, &chosen, effort)?;
        pace.done(effort, chosen.len(), began);
        self.noise.extend(&measured.noise);
        let trials = all.iter().filter_map(|contender| {
            let from = if chosen.contains(contender) { &measured } else { &look };
            trial(from, *contender, class)
        });
        self.trials[cipher(case).index()].extend(trials);
        Ok(())
    }

    /// Holds a contest. A route that gives other bytes than the host's OpenSSL, although it was
    /// proved, is quarantined, and the contest goes on without it.
    fn contest(
        &mut self,
        case: Case,
        contenders: &[Contender],
        effort: Effort,
    ) -> Result<Measured, Fault> {
        let contest =
            Contest { arena: self.arena, effort, threads: 1, limits: false, elapsed: false };
        let mut contenders = contenders.to_vec();
        loop {
            match contest.measure(case, &contenders, &|| ()) {
                Ok(measured) => return Ok(measured),
                Err(Trouble::Wrong(_, wrong)) if wrong != Contender::Host => {
                    contenders.retain(|contender| *contender != wrong);
                    self.contenders.retain(|contender| *contender != wrong);
                    self.quarantined.push(Quarantined {
                        route: wrong.route().map_or("", Route::name),
                        reason: format!("{case}: other bytes than this OpenSSL gives"),
                    });
                }
                Err(trouble) => return Err(trouble.into()),
            }
        }
    }

    /// The host's OpenSSL, and who knows the algorithm. Where faster routes are, `portable` gets one
    /// short look, and stays out if that is hopeless.
    fn contenders_for(&mut self, case: Case) -> Result<Vec<Contender>, Fault> {
        let portable = Contender::Provider(Route::Portable);
        let any_fast = !self.contenders.iter().all(|contender| is_slow(*contender));
        let mut wanted = vec![Contender::Host];
        for contender in self.contenders.clone() {
            let excluded =
                contender == portable && any_fast && !self.is_portable_worthwhile(case)?;
            if !excluded && self.arena.runner(contender, case).is_ok() {
                wanted.push(contender);
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
        let portable = Contender::Provider(Route::Portable);
        let effort = Effort { slice: 50_000, rounds: 7 };
        let look = self.contest(usual.unwrap_or(case), &[Contender::Host, portable], effort)?;
        let gain = look.ratio(Contender::Host, portable);
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
        let others = others.filter(|trial| trial.route != Route::Kernel);
        own.iter().chain(others).filter(good).copied().collect()
    }

    /// The rows of an algorithm.
    pub(super) fn judge(&self, algorithm: Algorithm, standing: Option<&Plan>) -> Vec<Row> {
        judge(algorithm, &self.trials(algorithm), standing)
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

/// Whether a contender is one that any CPU can run.
fn is_slow(contender: Contender) -> bool {
    [Contender::Provider(Route::Portable), DETOUR].contains(&contender)
}

/// The host, the routes near the best of ours, and the detour where ours do not clearly win.
fn in_the_running(look: &Measured) -> Vec<Contender> {
    let gain = |contender: Contender| look.ratio(Contender::Host, contender);
    let others = || look.entries.iter().map(|entry| entry.contender);
    let own = || others().filter(|one| ![Contender::Host, DETOUR].contains(one));
    let best = own().filter_map(|one| Some(gain(one)?.median)).fold(0.0, f64::max);
    let near = |contender: &Contender| match *contender {
        Contender::Host => true,
        DETOUR => best < CLEARLY_OURS,
        own => gain(own).is_some_and(|gain| gain.high >= HOPELESS * best),
    };
    others().filter(near).collect()
}

/// One contender's figures for the judgement; none for the host, which is in all of them.
pub(super) fn trial(measured: &Measured, contender: Contender, class: usize) -> Option<Trial> {
    let Contender::Provider(route) = contender else { return None };
    let ratio = measured.ratio(Contender::Host, contender)?;
    let time = |contender| {
        let estimate = measured.entry(contender)?.estimate;
        Some(Time::new(estimate.median, (estimate.high - estimate.low) / 2.0))
    };
    Some(Trial {
        direction: measured.case.direction,
        usage: measured.case.usage,
        size: class,
        route,
        gain: self::ratio(ratio),
        time: time(contender)?,
        host: time(Contender::Host)?,
    })
}

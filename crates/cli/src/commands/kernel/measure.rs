//! What each driver of an algorithm is worth: all of them in turns, through AF_ALG.

use wirespeed_af_alg::drivers::{self, Driver};
use wirespeed_af_alg::{Error, Kind, Transform, presence_of};
use wirespeed_cipher::Direction;
use wirespeed_measure::contest::{self, Effort, Ring};
use wirespeed_measure::statistics::{Estimate, paired_ratio};
use wirespeed_measure::{Contestant, WallTime};

use super::speed::Runner;
use crate::output::Progress;

/// What a record of IPsec and one of TLS take, about.
pub(super) const SIZES: [usize; 2] = [1024, 16384];

/// What is measured unless something is asked for: what disks, VPNs and TLS use.
const USUAL: [&str; 7] =
    ["AES-128-ECB", "AES-128-CBC", "AES-128-CTR", "AES-128-XTS", "AES-128-GCM", "SHA1", "SHA2-256"];

/// One kind of work: a direction and a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) direction: Direction,
    pub(super) size: usize,
}

/// One driver of an algorithm.
pub(super) struct Entry {
    pub(super) driver: Driver,
    /// Nanoseconds of a call, slice by slice, for each [`Work`] of the group; or why there are none.
    pub(super) nanos: Result<Vec<Vec<f64>>, String>,
}

/// An algorithm and everything that does it.
pub(super) struct Group {
    pub(super) transform: &'static Transform,
    pub(super) works: Vec<Work>,
    /// In the order of their priorities, the one that serves first.
    pub(super) entries: Vec<Entry>,
    /// Why there are none.
    pub(super) absent: Option<String>,
}

impl Entry {
    /// How fast it is.
    pub(super) fn bytes_per_second(&self, work: usize, size: usize) -> Option<f64> {
        let nanos = Estimate::of(self.nanos.as_ref().ok()?.get(work)?)?.median;
        (nanos > 0.0).then(|| size as f64 / nanos * 1e9)
    }

    /// How many times as fast as another it is.
    pub(super) fn against(&self, other: &Self, work: usize) -> Option<Estimate> {
        paired_ratio(other.nanos.as_ref().ok()?.get(work)?, self.nanos.as_ref().ok()?.get(work)?)
    }
}

/// The usual algorithms.
pub(super) fn usual() -> Vec<&'static Transform> {
    USUAL.into_iter().filter_map(Transform::named).collect()
}

/// Measures every driver of these algorithms, after having brought them up.
pub(super) fn measure(transforms: &[&'static Transform]) -> Vec<Group> {
    // All before the first list: what one algorithm loads may serve another.
    let absent: Vec<Option<String>> = transforms.iter().map(|it| bring_up(it)).collect();
    let known = drivers::of_proc().unwrap_or_default();
    let groups: Vec<Group> = transforms
        .iter()
        .zip(absent)
        .map(|(transform, absent)| Group::of(transform, &known, absent))
        .collect();
    let slices: usize = groups.iter().map(Group::slices).sum();
    let progress = Progress::new(slices as u64);
    let measured = groups.into_iter().map(|group| group.measured(&progress)).collect();
    progress.done();
    measured
}

/// Asks the kernel for an algorithm, which loads and makes what it has, and then for what else could
/// serve; why it has none.
fn bring_up(transform: &'static Transform) -> Option<String> {
    if let Err(absent) = presence_of(transform, None) {
        return Some(absent.0);
    }
    let known = drivers::of_proc().unwrap_or_default();
    for alternative in alternatives(transform, &known) {
        // What the kernel does not make so is not there.
        let _ = presence_of(transform, Some(&alternative));
    }
    None
}

impl Group {
    const EFFORT: Effort = Effort { slice: 400_000, rounds: 15 };

    fn of(transform: &'static Transform, known: &[Driver], absent: Option<String>) -> Self {
        let directions: &[Direction] = match transform.kind {
            Kind::Hash { .. } => &[Direction::Encrypt],
            Kind::Cipher { .. } | Kind::Aead { .. } => &Direction::BOTH,
        };
        let works = directions
            .iter()
            .flat_map(|direction| SIZES.map(|size| Work { direction: *direction, size }))
            .collect();
        let mut found: Vec<&Driver> =
            known.iter().filter(|driver| does(driver, transform)).collect();
        found.sort_by_key(|driver| (!driver.serves, -i64::from(driver.priority)));
        let entries = found.into_iter().map(|driver| {
            let nanos = match driver.self_test_passed {
                true => Ok(Vec::new()),
                false => Err("its self-test has not passed".to_owned()),
            };
            Entry { driver: driver.clone(), nanos }
        });
        Self { transform, works, entries: entries.collect(), absent }
    }

    fn slices(&self) -> usize {
        self.entries.len() * self.works.len() * Self::EFFORT.rounds
    }

    fn measured(mut self, progress: &Progress) -> Self {
        progress.at(self.transform.name.to_owned());
        for work in self.works.clone() {
            self.measure(work, progress);
        }
        self
    }

    /// All drivers that have not failed yet, in turns.
    fn measure(&mut self, work: Work, progress: &Progress) {
        let mut runners: Vec<Box<Runner>> = Vec::new();
        for entry in &mut self.entries {
            if entry.nanos.is_err() {
                continue;
            }
            match open(self.transform, &entry.driver, work) {
                Ok(runner) => runners.push(Box::new(runner)),
                Err(why) => entry.nanos = Err(why),
            }
        }
        // A device's time is nobody's CPU time: the wall's clock calibrates, too.
        let ring =
            Ring { clock: &WallTime, cpu: &WallTime, gate: &|| (), tick: &|| progress.tick() };
        let samples = contest::run(&ring, Self::EFFORT, &mut runners);
        let measured = self.entries.iter_mut().filter(|entry| entry.nanos.is_ok());
        for ((entry, runner), samples) in measured.zip(runners).zip(samples) {
            match (runner.failure(), &mut entry.nanos) {
                (Some(failure), nanos) => *nanos = Err(failure.to_owned()),
                (None, Ok(nanos)) => nanos.push(samples.nanos()),
                (None, Err(_)) => {}
            }
        }
    }
}

/// A socket for a driver that is listed, or why there is none.
fn open(transform: &'static Transform, driver: &Driver, work: Work) -> Result<Runner, String> {
    let open = |name| Runner::open(transform, name, work.direction, work.size);
    let opened = match open(Some(driver.driver.as_str())) {
        // With af_alg_restrict = 1 algorithms can be had, but no driver by its name. A device that serves
        // is no device that a program gets (Linux 7.2).
        Err(Error::Absent(_)) if driver.serves && !driver.asynchronous => open(None),
        opened => opened,
    };
    opened.map_err(|error| match error {
        Error::Absent(_) if driver.asynchronous => {
            "AF_ALG does not give it to programs: from Linux 7.2 on it leaves devices out"
                .to_owned()
        }
        Error::Absent(_) => {
            "AF_ALG does not give it to programs by its name (af_alg_restrict)".to_owned()
        }
        error => error.to_string(),
    })
}

/// Whether a driver does an algorithm, for sockets.
fn does(driver: &Driver, transform: &Transform) -> bool {
    let kinds: &[&str] = match transform.kind {
        Kind::Cipher { .. } => &["skcipher", "lskcipher"],
        Kind::Aead { .. } => &["aead"],
        Kind::Hash { .. } => &["shash", "ahash"],
    };
    !driver.internal && driver.algorithm == transform.kernel && kinds.contains(&&*driver.kind)
}

/// What the kernel would make if nothing better were there: "cbc(aes-generic)" beside "cbc-aes-padlock".
///
/// Only what comes after the driver that serves: asking for a name is not to change who serves.
fn alternatives(transform: &Transform, known: &[Driver]) -> Vec<String> {
    let Some((template, inner)) = transform.kernel.split_once('(') else { return Vec::new() };
    let Some(inner) = inner.strip_suffix(')').filter(|inner| !inner.contains(['(', ','])) else {
        return Vec::new();
    };
    let serving = known.iter().find(|driver| driver.serves && does(driver, transform));
    let most = serving.map_or(i32::MIN, |driver| driver.priority);
    let parts = known.iter().filter(|part| {
        part.algorithm == inner && !part.internal && part.self_test_passed && part.priority < most
    });
    let mut names: Vec<String> = parts.map(|part| format!("{template}({})", part.driver)).collect();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const NANO: &str = include_str!("../../../../af-alg/src/drivers/samples/nano-6.1");

    #[test]
    fn the_usual_algorithms_are_there() {
        assert_eq!(usual().len(), USUAL.len());
    }

    #[test]
    fn what_else_could_serve_is_asked_for_but_nothing_that_would() {
        let known = drivers::parse(NANO);
        let named = |name| Transform::named(name).expect("an algorithm");
        let found = alternatives(named("AES-128-CBC"), &known);
        assert!(found.contains(&"cbc(aes-generic)".to_owned()), "{found:?}");
        assert_eq!(alternatives(named("SHA1"), &known), [""; 0]);
        assert_eq!(alternatives(named("AES-128-GCM"), &known), [""; 0]);
        let serving = known.iter().find(|it| it.driver == "cbc-aes-padlock").expect("a driver");
        for name in found {
            let part = name.strip_prefix("cbc(").and_then(|name| name.strip_suffix(')'));
            let part = known.iter().find(|it| Some(&*it.driver) == part).expect("a driver");
            assert!(part.priority < serving.priority, "{name}");
        }
        let mut alone = known.clone();
        alone.retain(|driver| driver.algorithm != "cbc(aes)");
        assert_eq!(alternatives(named("AES-128-CBC"), &alone), [""; 0], "nothing to compare with");
    }
}

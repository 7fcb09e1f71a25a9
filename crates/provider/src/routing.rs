//! The routes of one loaded provider: which were proved, which serves what, which gave wrong bytes.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wirespeed_cipher::{Algorithm, BlockKernels, Compression, Direction, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_plan::Plan;

use crate::boundary::counters::Counters;
use crate::boundary::host_library::HostLibrary;
use crate::ladder::Proven;
use crate::rows::Rows;

/// What is to choose the routes.
pub(crate) enum By<'a> {
    /// The best of the ladder for everything.
    Ladder,
    /// These and no others, all of which must be there; the first serves everything.
    List(&'a [Route]),
    /// What was measured on this machine.
    Plan(&'a Plan),
}

/// What serves in one provider. Its contexts share it; a quarantine changes it under them.
pub(crate) struct Routing {
    /// Our own routes that may serve, the best first.
    natives: Vec<Proven>,
    /// For each algorithm, in the order of [`Algorithm::ALL`].
    rows: Vec<Rows>,
    /// For each compression function, in the order of [`Compression::ALL`].
    hashes: [Option<&'static HashKernels>; Compression::ALL.len()],
    /// libcrypto's own default provider, where calls may go to it.
    host: Option<Arc<HostLibrary>>,
    quarantined: AtomicU64,
    /// Every how many calls, of all contexts together, one is computed twice.
    verify: Option<NonZeroU32>,
    /// Calls until now, as far as verification wants to know.
    calls: AtomicU64,
    counters: Option<Counters>,
}

/// What watches the calls.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) verify: Option<NonZeroU32>,
    pub(crate) counters: Option<Counters>,
}

impl Routing {
    /// Proves the routes that `by` wants, and says what serves what; the error says why nothing can.
    ///
    /// `reach` gets at libcrypto's route, which nobody pays for who does not use it.
    pub(crate) fn new(
        by: &By<'_>,
        features: Features,
        watch: Watch,
        reach: impl Fn() -> Result<Arc<HostLibrary>, String>,
    ) -> Result<Self, String> {
        let mut stand = Stand { features, natives: Vec::new(), quarantined: 0 };
        let mut host = None;
        let rows = match by {
            By::Ladder => {
                stand.climb()?;
                stand.uniform()
            }
            By::List(routes) => {
                for route in *routes {
                    if *route == Route::Libcrypto {
                        host = Some(reach().map_err(|why| format!("libcrypto is absent: {why}"))?);
                    } else {
                        stand.add(*route)?;
                    }
                }
                if routes.first() == Some(&Route::Libcrypto) {
                    // What libcrypto's route leaves to us, the ends of streams, needs kernels too.
                    stand.climb().or_else(|_| stand.add(Route::Portable))?;
                    vec![Rows::BLIND; Algorithm::ALL.len()]
                } else {
                    stand.uniform()
                }
            }
            By::Plan(plan) => {
                let used = used(plan);
                let named = |route: &Route| used & route.bit() != 0;
                for route in Route::LADDER.into_iter().chain([Route::Portable]).filter(named) {
                    // One that has gone is replaced by the best that is there.
                    let _ = stand.add(route);
                }
                stand.climb().or_else(|_| stand.add(Route::Portable))?;
                if named(&Route::Libcrypto) {
                    host = reach().ok();
                }
                stand.planned(plan, host.is_some())
            }
        };
        let chosen = |proven: &&Proven| match by {
            By::List(routes) => routes.contains(&proven.route()),
            By::Ladder | By::Plan(_) => proven.route() != Route::Portable,
        };
        let hashes = Compression::ALL
            .map(|it| stand.natives.iter().filter(chosen).find_map(|proven| proven.hash(it)));
        if watch.verify.is_some() {
            // Whoever is found wrong gets a successor; a route that is not there is none.
            Route::LADDER.into_iter().for_each(|route| drop(stand.add(route)));
            // And the reference must itself be right.
            stand.add(Route::Portable)?;
        }
        Ok(Self {
            natives: stand.natives,
            rows,
            hashes,
            host,
            quarantined: AtomicU64::new(stand.quarantined),
            verify: watch.verify,
            calls: AtomicU64::new(0),
            counters: watch.counters,
        })
    }

    /// These kernels, proved or not, for every call; or a host for every call, with these to spare.
    #[cfg(test)]
    pub(crate) fn forged(
        kernels: &[&'static BlockKernels],
        host: Option<Arc<HostLibrary>>,
        watch: Watch,
    ) -> Self {
        let native = Proven::forged(kernels);
        let row = |algorithm: &Algorithm| match &host {
            Some(_) => Rows::BLIND,
            None => Rows::uniform(native.kernels(*algorithm)),
        };
        Self {
            rows: Algorithm::ALL.iter().map(row).collect(),
            hashes: [None; Compression::ALL.len()],
            natives: vec![native],
            host,
            quarantined: AtomicU64::new(0),
            verify: watch.verify,
            calls: AtomicU64::new(0),
            counters: watch.counters,
        }
    }

    /// The rows that contexts of `algorithm` look at first.
    pub(crate) fn visible_rows(&self, algorithm: usize) -> Rows {
        if self.is_watched() { Rows::BLIND } else { self.rows[algorithm] }
    }

    /// The kernels that serve a call of ours; none if it is libcrypto's.
    pub(crate) fn kernels(
        &self,
        algorithm: usize,
        direction: Direction,
        bytes: usize,
    ) -> Option<&'static BlockKernels> {
        self.in_service(algorithm, self.rows[algorithm].kernels(direction, bytes))
    }

    /// An entry, or its successor if it is quarantined.
    fn in_service(
        &self,
        algorithm: usize,
        entry: Option<&'static BlockKernels>,
    ) -> Option<&'static BlockKernels> {
        let route = entry.map_or(Route::Libcrypto, |kernels| kernels.route);
        match self.quarantined() & route.bit() {
            0 => entry,
            _ => Some(self.own(Algorithm::ALL[algorithm])),
        }
    }

    /// The best kernels of our own that are not quarantined.
    pub(crate) fn own(&self, algorithm: Algorithm) -> &'static BlockKernels {
        let quarantined = self.quarantined();
        let mut good = self.natives.iter().filter(|it| quarantined & it.route().bit() == 0);
        let best = good.find_map(|proven| proven.kernels(algorithm));
        best.unwrap_or_else(|| reference(algorithm))
    }

    /// libcrypto's own default provider, if `algorithm` may go to it.
    pub(crate) fn host(&self, algorithm: usize) -> Option<&Arc<HostLibrary>> {
        let goes = self.rows[algorithm].entries().any(|entry| entry.is_none());
        self.host.as_ref().filter(|_| goes)
    }

    /// The kernels for a compression function, where a route was chosen that has it.
    pub(crate) fn hash(&self, compression: Compression) -> Option<&'static HashKernels> {
        self.hashes[compression as usize]
    }

    /// Whether anything of what was chosen can run `algorithm`.
    pub(crate) fn serves(&self, algorithm: Algorithm) -> bool {
        let kernels = |row: &Rows| row.entries().any(|entry| entry.is_some());
        let index = algorithm.index();
        kernels(&self.rows[index]) || self.host(index).is_some()
    }

    /// Whether calls are counted or computed twice.
    pub(crate) fn is_watched(&self) -> bool {
        self.verify.is_some() || self.counters.is_some()
    }

    /// Whether some calls are computed twice.
    pub(crate) const fn verifies(&self) -> bool {
        self.verify.is_some()
    }

    /// Whether this call, the next of all, is computed twice.
    pub(crate) fn verifies_this_call(&self) -> bool {
        let nth = |every: NonZeroU32| {
            self.calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(every.get().into())
        };
        self.verify.is_some_and(nth)
    }

    /// Counts a data call, if anybody wants to know.
    #[inline]
    pub(crate) fn count(&self, algorithm: usize, direction: Direction, route: Route, bytes: usize) {
        if let Some(counters) = &self.counters {
            counters.count(algorithm, direction, route, bytes);
        }
    }

    /// Takes a route out of service that gave wrong bytes or failed.
    #[cold]
    pub(crate) fn quarantine(&self, route: Route) {
        self.quarantined.fetch_or(route.bit(), Ordering::Relaxed);
        if let Some(counters) = &self.counters {
            counters.quarantine(route);
        }
    }

    /// The quarantined routes, one bit each.
    pub(crate) fn quarantined(&self) -> u64 {
        self.quarantined.load(Ordering::Relaxed)
    }

    /// The routes that serve, in the order of [`Route::ALL`].
    pub(crate) fn serving(&self) -> Vec<Route> {
        let mut seen = 0;
        for (algorithm, rows) in self.rows.iter().enumerate() {
            for entry in rows.entries() {
                let kernels = self.in_service(algorithm, entry);
                seen |= kernels.map_or(Route::Libcrypto, |kernels| kernels.route).bit();
            }
        }
        Route::of_bits(seen).collect()
    }
}

/// The kernels that settle an argument: plain integer arithmetic, which no CPU can lack.
pub(crate) fn reference(algorithm: Algorithm) -> &'static BlockKernels {
    wirespeed_native::kernels(Route::Portable, algorithm.cipher(), Features::NONE)
        .expect("portable is everywhere")
}

/// The routes that a plan names, one bit each.
fn used(plan: &Plan) -> u64 {
    let cells = Algorithm::ALL.iter().flat_map(|algorithm| {
        Direction::BOTH.into_iter().filter_map(|direction| plan.routes(*algorithm, direction))
    });
    cells.flatten().fold(0, |all, route| all | route.bit())
}

/// The routes while they are being put together.
struct Stand {
    features: Features,
    natives: Vec<Proven>,
    quarantined: u64,
}

impl Stand {
    /// Adds a route that is there and passes its self-test; the error says why not. A wrong one is
    /// remembered.
    fn add(&mut self, route: Route) -> Result<(), String> {
        if self.natives.iter().any(|proven| proven.route() == route) {
            return Ok(());
        }
        let found = Proven::find(route, self.features);
        match found.map_err(|why| format!("{route} is absent: {why}"))? {
            Some(proven) => self.natives.push(proven),
            None => {
                self.quarantined |= route.bit();
                return Err(format!("{route} is quarantined: it failed its self-test"));
            }
        }
        Ok(())
    }

    /// Adds the best of the ladder, unless there is a route already, and PadLock, which has what the
    /// vector units lack: SM4 and hash functions. The error says why there is none.
    fn climb(&mut self) -> Result<(), String> {
        let mut reasons = Vec::new();
        for route in Route::LADDER {
            if self.natives.is_empty() || route == Route::PadLock {
                reasons.extend(self.add(route).err());
            }
        }
        if self.natives.is_empty() { Err(reasons.join("; ")) } else { Ok(()) }
    }

    /// The first route that has an algorithm serves it.
    fn uniform(&self) -> Vec<Rows> {
        Algorithm::ALL.iter().map(|algorithm| Rows::uniform(self.best(*algorithm))).collect()
    }

    /// The kernels of the first route that has an algorithm.
    fn best(&self, algorithm: Algorithm) -> Option<&'static BlockKernels> {
        self.natives.iter().find_map(|proven| proven.kernels(algorithm))
    }

    /// Each cell as the plan says; where its route is not to be had, the best that is.
    fn planned(&self, plan: &Plan, host: bool) -> Vec<Rows> {
        let kernels = |algorithm: Algorithm, route: Route| {
            let proven = self.natives.iter().find(|proven| proven.route() == route);
            let kernels = proven.and_then(|proven| proven.kernels(algorithm));
            kernels.or_else(|| self.best(algorithm)).filter(|_| route != Route::Libcrypto || !host)
        };
        let rows = |algorithm: &Algorithm| {
            let mut rows = Rows::BLIND;
            for direction in Direction::BOTH {
                let cells = plan.routes(*algorithm, direction);
                for (octave, route) in cells.into_iter().flatten().enumerate() {
                    rows.set(direction, octave, kernels(*algorithm, route));
                }
            }
            rows
        };
        Algorithm::ALL.iter().map(rows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routing(by: &By<'_>, features: Features) -> Result<Routing, String> {
        Routing::new(by, features, Watch::default(), || Err("not in this test".to_owned()))
    }

    #[test]
    fn without_aes_instructions_nothing_is_chosen_and_every_rung_says_why() {
        let reasons = routing(&By::Ladder, Features::NONE).err();
        let reasons = reasons.expect("portable is never chosen by itself");
        for route in Route::LADDER {
            assert!(reasons.contains(&format!("{route} is absent")), "{reasons}");
        }
    }

    #[test]
    fn portable_is_there_for_whoever_asks() {
        let routing = routing(&By::List(&[Route::Portable]), Features::NONE).unwrap();
        assert_eq!(routing.serving(), [Route::Portable]);
        for algorithm in Algorithm::ALL {
            assert_eq!(routing.own(*algorithm).cipher, algorithm.cipher());
        }
    }

    #[test]
    fn every_route_of_a_list_must_be_there() {
        let by = By::List(&[Route::Portable, Route::Libcrypto]);
        assert_eq!(
            routing(&by, Features::NONE).err().unwrap(),
            "libcrypto is absent: not in this test"
        );
        let by = By::List(&[Route::Portable, Route::Vaes512]);
        assert!(routing(&by, Features::NONE).err().unwrap().starts_with("vaes512 is absent: "));
    }

    #[test]
    fn a_quarantined_route_serves_nothing_any_more() {
        let routing = routing(&By::List(&[Route::Portable]), Features::NONE).unwrap();
        routing.quarantine(Route::Portable);
        assert_eq!(routing.quarantined(), Route::Portable.bit());
        // Nothing else is left, so the reference goes on.
        assert_eq!(routing.serving(), [Route::Portable]);
    }

    #[test]
    fn every_nth_call_of_all_is_verified() {
        let watch = Watch { verify: NonZeroU32::new(3), counters: None };
        let by = By::List(&[Route::Portable]);
        let routing = Routing::new(&by, Features::NONE, watch, || Err(String::new())).unwrap();
        let turns = [(); 7].map(|()| routing.verifies_this_call());
        assert_eq!(turns, [true, false, false, true, false, false, true]);
    }
}

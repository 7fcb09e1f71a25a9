//! The routes of one loaded provider: which passed their self-test, which serves what, which gave wrong bytes.

pub(crate) mod assembly;
pub(crate) mod choice;
pub(crate) mod monitor;
pub(crate) mod native;
pub(crate) mod table;
pub(crate) mod way;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wirespeed_af_alg::Interface;
use wirespeed_cipher::{Algorithm, Compression, Direction, HashKernels, Route, Subject};
#[cfg(test)]
use wirespeed_cipher::{BlockKernels, StreamKernels};
use wirespeed_cpu::Features;
use wirespeed_fork::Word;
use wirespeed_plan::{LibcryptoCode, Plan, SIZE_BUCKETS};
use wirespeed_stats::Counters;

use crate::boundary::host_library::HostLibrary;
use crate::offload::call::Offloaded;
use crate::offload::{AllOffloaded, Offload};
use crate::routing::assembly::{Assembly, Served, failed};
use crate::routing::native::{Kernels, Native};
use crate::routing::table::RouteTable;

/// What is to choose the routes.
pub(crate) enum By<'a> {
    /// The best of the default priority for everything.
    Priority {
        /// The code of the host's that is to serve nothing where it looks up in tables.
        constant_time: Option<LibcryptoCode>,
    },
    /// These and no others, all of which must be there; the first serves everything.
    List(&'a [Route]),
    /// What was measured on this machine.
    Plan(&'a Plan),
}

/// Whether the host's legacy provider is wanted, too.
type Legacy = bool;

/// Who runs a call.
#[derive(Clone, Copy)]
pub(crate) enum ServedBy {
    /// Kernels of our own.
    Own(Route),
    /// The host's default provider.
    Host,
    /// Linux's crypto API.
    Offload(Interface),
}

/// What serves in one provider. Its contexts share it; a quarantine changes it under them.
pub(crate) struct Routing {
    /// Our own routes that may serve, the best first.
    natives: Vec<Native>,
    /// For each [`Algorithm::family`], the routes whose kernels for it have passed their self-test, one bit each.
    passed: [Word; Algorithm::FAMILIES],
    /// For each algorithm, in the order of [`Algorithm::ALL`].
    tables: Vec<RouteTable<Route>>,
    /// For each compression function, in the order of [`Compression::ALL`].
    hashes: [Option<&'static HashKernels>; Compression::ALL.len()],
    /// libcrypto's own default provider, where calls may go to it.
    host: Option<Arc<HostLibrary>>,
    /// Whether all is for the kernel's sake: the host serves what the kernel cannot, and nothing else.
    for_kernel: bool,
    offloaded: AllOffloaded,
    quarantined: Word,
    /// Every how many calls, of all contexts together, one is computed twice.
    verify: Option<NonZeroU32>,
    /// Calls until now, as far as verification wants to know.
    calls: AtomicUsize,
    counters: Option<Arc<Counters>>,
}

/// Which calls are computed twice, and what counts them.
#[derive(Default)]
pub(crate) struct Monitoring {
    pub(crate) verify: Option<NonZeroU32>,
    pub(crate) counters: Option<Arc<Counters>>,
}

impl AsRef<Self> for Routing {
    #[inline]
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Routing {
    /// Finds the routes that `by` wants, and says what serves what; the error says why nothing can.
    ///
    /// `reach` gets at libcrypto's route, which nobody pays for who does not use it.
    pub(crate) fn new(
        by: &By<'_>,
        features: Features,
        offloads: &[Offload],
        monitoring: Monitoring,
        reach: impl Fn(Legacy) -> Result<Arc<HostLibrary>, String>,
    ) -> Result<Self, String> {
        let mut assembly = Assembly { features, natives: Vec::new(), quarantined: 0 };
        let Served { tables, host, offloaded } = match by {
            By::Priority { constant_time: None } => {
                assembly.climb()?;
                Served::by_us(assembly.without_measurement(|_| false))
            }
            By::Priority { constant_time: Some(code) } => {
                let climbed = assembly.climb();
                assembly.add(Route::Portable).or(climbed)?;
                Served::by_us(assembly.without_measurement(|it| code.looks_up_anywhere(it)))
            }
            By::List(routes) => assembly.by_list(routes, offloads, reach)?,
            By::Plan(plan) => assembly.by_plan(plan, offloads, reach)?,
        };
        let chosen = |native: &&Native| match by {
            By::List(routes) => routes.contains(&native.route()),
            By::Priority { .. } | By::Plan(_) => native.route() != Route::Portable,
        };
        let measured = !matches!(by, By::Priority { .. });
        let hashes = Compression::ALL.map(|it| {
            let here =
                || assembly.natives.iter().filter(chosen).filter_map(|native| native.hash(it));
            let sure = here().find(|kernels| !measured && kernels.suits_every_call());
            sure.or_else(|| here().next())
        });
        if monitoring.verify.is_some() {
            // Whoever is found wrong gets a successor; a route that is not there is none.
            Route::PRIORITY.into_iter().for_each(|route| drop(assembly.add(route)));
            assembly.add(Route::Portable)?;
        }
        let routing = Self {
            natives: assembly.natives,
            passed: Default::default(),
            tables,
            hashes,
            host,
            for_kernel: matches!(by, By::List([first, ..]) if first.is_offload()),
            offloaded,
            quarantined: Word::new(assembly.quarantined),
            verify: monitoring.verify,
            calls: AtomicUsize::new(0),
            counters: monitoring.counters,
        };
        // Where nothing else may ever serve, or be compared with, it must be right from the beginning.
        let must_be_right = match by {
            By::List(routes) => routes,
            _ if routing.verifies() => &[Route::Portable][..],
            By::Priority { .. } | By::Plan(_) => &[],
        };
        if !must_be_right.is_empty() {
            Algorithm::ALL.iter().for_each(|algorithm| routing.self_test(*algorithm));
        }
        match must_be_right.iter().find(|route| routing.is_quarantined(**route)) {
            Some(route) => Err(failed(*route)),
            None => Ok(routing),
        }
    }

    /// These kernels for every call; or a host for every call, with these to spare. They count as self-tested, right or
    /// not.
    #[cfg(test)]
    pub(crate) fn forged(
        kernels: &[&'static BlockKernels],
        stream: Option<&'static StreamKernels>,
        host: Option<Arc<HostLibrary>>,
        monitoring: Monitoring,
    ) -> Self {
        let native = Native::forged(kernels, stream);
        let row = |algorithm: &Algorithm| match &host {
            Some(_) => RouteTable::BLIND,
            None => RouteTable::uniform(native.has(*algorithm).then_some(native.route())),
        };
        Self {
            tables: Algorithm::ALL.iter().map(row).collect(),
            hashes: [None; Compression::ALL.len()],
            natives: vec![native],
            passed: [const { Word::new(u64::MAX) }; Algorithm::FAMILIES],
            host,
            for_kernel: false,
            offloaded: Vec::new(),
            quarantined: Word::new(0),
            verify: monitoring.verify,
            calls: AtomicUsize::new(0),
            counters: monitoring.counters,
        }
    }

    /// The same, with all self-tests still to be made.
    #[cfg(test)]
    pub(crate) fn untested(self) -> Self {
        Self { passed: Default::default(), ..self }
    }

    /// The rows that contexts of `algorithm` look at first.
    pub(crate) fn visible_table<K: Kernels>(&self, algorithm: Algorithm) -> RouteTable<&'static K> {
        if self.verifies() {
            return RouteTable::BLIND;
        }
        self.tables[algorithm.index()].map(|route| match self.is_quarantined(route) {
            false => self.kernels(route, algorithm),
            true => self.kernels(self.own(algorithm), algorithm),
        })
    }

    /// Tests, before there is a context, the kernels that contexts of `algorithm` may call: those of all ciphers together
    /// would be most of the time that loading takes.
    pub(crate) fn self_test(&self, algorithm: Algorithm) {
        let entries = self.tables[algorithm.index()].entries().flatten();
        let named = entries.fold(0, |all, route| all | route.bit());
        // Whoever is verified may be followed by anybody.
        let wanted = |it: &&Native| self.verifies() || named & it.route().bit() != 0;
        let passes = |native: &&Native| self.passes(native, algorithm);
        if self.natives.iter().filter(wanted).filter(passes).count() == 0 {
            self.natives.iter().find(passes);
        }
    }

    /// Whether a route's kernels for an algorithm are right, which is tried once.
    fn passes(&self, native: &Native, algorithm: Algorithm) -> bool {
        let (passed, route) = (&self.passed[algorithm.family()], native.route());
        if !native.has(algorithm) || self.is_quarantined(route) {
            return false;
        }
        if passed.load(Ordering::Relaxed) & route.bit() != 0 {
            return true;
        }
        let right = native.is_right(algorithm);
        if right {
            passed.fetch_or(route.bit(), Ordering::Relaxed);
        } else {
            self.quarantine(route);
        }
        right
    }

    /// Who runs a call of `bytes`.
    pub(crate) fn path(&self, algorithm: usize, direction: Direction, bytes: usize) -> ServedBy {
        match self.tables[algorithm].of_call(direction, bytes) {
            Some(route) if !self.is_quarantined(route) => return ServedBy::Own(route),
            Some(_) => {}
            None => {
                let mut ways = self.offloaded(algorithm).iter();
                if let Some(offloaded) = ways.find(|it| it.takes(direction, bytes)) {
                    return ServedBy::Offload(offloaded.interface());
                }
                if self.host_serves() {
                    return ServedBy::Host;
                }
            }
        }
        ServedBy::Own(self.own(Algorithm::ALL[algorithm]))
    }

    /// Whether calls may go to the host's default provider.
    pub(crate) fn host_serves(&self) -> bool {
        self.host.is_some() && !self.is_quarantined(Route::Libcrypto)
    }

    /// The ways to Linux's crypto API of the subject at that place, if any.
    pub(crate) fn offloaded(&self, subject: usize) -> &[Arc<Offloaded>] {
        self.offloaded.get(subject).map_or(&[], Vec::as_slice)
    }

    /// The host's algorithms, for what has no kernels of ours.
    pub(crate) fn host_library(&self) -> Option<&Arc<HostLibrary>> {
        self.host.as_ref()
    }

    /// The best route of our own that passed its self-test and is not quarantined.
    pub(crate) fn own(&self, algorithm: Algorithm) -> Route {
        let passed = self.passed[algorithm.family()].load(Ordering::Relaxed);
        let good = passed & !self.quarantined();
        let mut natives = self.natives.iter().filter(|it| good & it.route().bit() != 0);
        natives.find(|native| native.has(algorithm)).map_or(Route::Portable, Native::route)
    }

    /// The kernels of a route of our own; where it has none, those that settle arguments.
    pub(crate) fn kernels<K: Kernels>(&self, route: Route, algorithm: Algorithm) -> &'static K {
        let native = self.natives.iter().find(|native| native.route() == route);
        native.and_then(|it| K::of(it, algorithm)).unwrap_or_else(|| K::reference(algorithm))
    }

    /// libcrypto's own default provider, if `algorithm` may go to it.
    pub(crate) fn host(&self, algorithm: usize) -> Option<&Arc<HostLibrary>> {
        let goes = self.tables[algorithm].entries().any(|entry| entry.is_none());
        self.host.as_ref().filter(|_| goes)
    }

    /// The kernels for a compression function, where a route was chosen that has it.
    pub(crate) fn hash(&self, compression: Compression) -> Option<&'static HashKernels> {
        self.hashes[compression as usize]
    }

    /// Whether anything of what was chosen can run `algorithm`.
    pub(crate) fn serves(&self, algorithm: Algorithm) -> bool {
        let kernels = |row: &RouteTable<Route>| row.entries().any(|entry| entry.is_some());
        let index = algorithm.index();
        let host = self.host(index).is_some() && !self.for_kernel;
        host || !self.offloaded(index).is_empty() || kernels(&self.tables[index])
    }

    /// Whether anything but the host's own code runs `algorithm`.
    pub(crate) fn adds(&self, algorithm: Algorithm) -> bool {
        let index = algorithm.index();
        !self.offloaded(index).is_empty() || self.tables[index].entries().any(|it| it.is_some())
    }

    /// Whether a hash function may go to the kernel, and the host has it for what does not.
    pub(crate) fn offloads_hash(&self, subject: Subject) -> bool {
        let offloaded = !self.offloaded(subject.index()).is_empty();
        let host = self.host.as_ref();
        offloaded && host.is_some_and(|host| host.has_digest(subject.name()))
    }

    /// What calls are counted with, if anybody wants to know.
    pub(crate) const fn counters(&self) -> Option<&Arc<Counters>> {
        self.counters.as_ref()
    }

    /// Whether some calls are computed twice.
    pub(crate) const fn verifies(&self) -> bool {
        self.verify.is_some()
    }

    /// Whether this call, the next of all, is computed twice.
    pub(crate) fn verifies_this_call(&self) -> bool {
        let nth = |every: NonZeroU32| {
            self.calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(every.get() as usize)
        };
        self.verify.is_some_and(nth)
    }

    /// Takes a route out of service that gave wrong bytes or failed.
    #[cold]
    pub(crate) fn quarantine(&self, route: Route) {
        self.quarantined.fetch_or(route.bit(), Ordering::Relaxed);
        if let Some(counters) = &self.counters {
            counters.quarantine(route);
        }
    }

    /// Whether a route has been taken out of service.
    fn is_quarantined(&self, route: Route) -> bool {
        self.quarantined() & route.bit() != 0
    }

    /// The quarantined routes, one bit each.
    pub(crate) fn quarantined(&self) -> u64 {
        self.quarantined.load(Ordering::Relaxed)
    }

    /// The routes that serve, in the order of [`Route::ALL`].
    pub(crate) fn serving(&self) -> Vec<Route> {
        let mut seen = 0;
        for algorithm in Algorithm::ALL.iter().filter(|algorithm| self.serves(**algorithm)) {
            for direction in Direction::BOTH {
                for size_bucket in 0..SIZE_BUCKETS {
                    let route = match self.path(algorithm.index(), direction, 16 << size_bucket) {
                        ServedBy::Own(route) => route,
                        ServedBy::Host => Route::Libcrypto,
                        ServedBy::Offload(interface) => interface.route(),
                    };
                    seen |= route.bit();
                }
            }
        }
        Route::of_bits(seen).collect()
    }
}

/// Whether the host has it in its legacy provider alone.
fn is_legacy(subject: Subject) -> bool {
    matches!(subject, Subject::Delegated(delegated) if delegated.is_legacy())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirespeed_cipher::BlockCipher;
    use wirespeed_cpu::{Avx2, Token};

    fn routing(by: &By<'_>, features: Features) -> Result<Routing, String> {
        Routing::new(by, features, &[], Monitoring::default(), |_| {
            Err("not in this test".to_owned())
        })
    }

    #[test]
    fn without_aes_instructions_nothing_is_chosen_and_every_rung_says_why() {
        let reasons = routing(&By::Priority { constant_time: None }, Features::NONE).err();
        let reasons = reasons.expect("portable is never chosen by itself");
        for route in Route::PRIORITY {
            assert!(reasons.contains(&format!("{route} is absent")), "{reasons}");
        }
    }

    #[test]
    fn portable_is_there_for_whoever_asks() {
        let routing = routing(&By::List(&[Route::Portable]), Features::NONE).unwrap();
        assert_eq!(routing.serving(), [Route::Portable]);
        for algorithm in Algorithm::ALL {
            assert_eq!(routing.own(*algorithm), Route::Portable);
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
    fn a_plan_leaves_hash_functions_the_routes_that_are_here() {
        let plan = Plan::new(wirespeed_plan::Fingerprint::here("3.0.19"));
        let features = Features::detect();
        let routing = routing(&By::Plan(&plan), features).unwrap();
        for compression in Compression::ALL {
            let found = routing.hash(compression).map(|kernels| kernels.route);
            let here =
                |route: &Route| wirespeed_kernels::hash(*route, compression, features).is_ok();
            assert_eq!(found, Route::PRIORITY.into_iter().find(here), "{compression:?}");
        }
    }

    #[test]
    fn without_aes_and_a_plan_avx2_serves_the_modes_that_gain_by_every_call() {
        let features = Features::detect().without(wirespeed_cpu::Feature::Aes);
        if Avx2::probe(features).is_err() || usize::BITS != 64 {
            return println!("skipped: no AVX2 here, or not in 64 bits");
        }
        let routing = routing(&By::Priority { constant_time: None }, features).unwrap();
        let served = |it: &&Algorithm| routing.serves(**it);
        let served: Vec<_> = Algorithm::AES.iter().filter(served).map(|it| it.name()).collect();
        let gaining = ["AES-128-CTR", "AES-128-OCB", "AES-128-XTS", "AES-256-XTS"];
        assert!(gaining.iter().all(|name| served.contains(name)), "{served:?}");
        assert!(!served.iter().any(|name| name.contains("-CBC") || name.contains("-GCM")));
    }

    #[test]
    fn without_a_plan_what_gains_by_every_call_comes_first() {
        let features = Features::detect();
        let has_vectors =
            |it| wirespeed_kernels::kernels(it, BlockCipher::Camellia128, features).is_ok();
        if !Route::PRIORITY.into_iter().any(has_vectors) {
            return println!("skipped: nothing here but portable kernels");
        }
        let routing = routing(&By::Priority { constant_time: None }, features).unwrap();
        for compression in Compression::ALL {
            let here: Vec<_> = Route::PRIORITY
                .into_iter()
                .filter_map(|it| wirespeed_kernels::hash(it, compression, features).ok())
                .collect();
            let sure = here.iter().find(|kernels| kernels.suits_every_call());
            let right = sure.or(here.first()).map(|kernels| kernels.route);
            let found = routing.hash(compression).map(|kernels| kernels.route);
            assert_eq!(found, right, "{compression:?}");
        }
    }

    #[test]
    fn without_a_plan_that_fits_the_choice_of_constant_time_stands() {
        let code = LibcryptoCode::of("3.0.19", Features::NONE);
        let by = By::Priority { constant_time: Some(code) };
        let routing = routing(&by, Features::NONE).unwrap();
        let serves = |name: &str| routing.serves(name.parse().unwrap());
        assert!(serves("CAMELLIA-128-CBC") && serves("ARIA-256-GCM") && !serves("ChaCha20"));
        assert_eq!(serves("AES-128-CTR"), code.looks_up_anywhere("AES-128-CTR".parse().unwrap()));
        assert_eq!(routing.serving(), [Route::Portable]);
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
        let monitoring = Monitoring { verify: NonZeroU32::new(3), counters: None };
        let by = By::List(&[Route::Portable]);
        let routing =
            Routing::new(&by, Features::NONE, &[], monitoring, |_| Err(String::new())).unwrap();
        let turns = [(); 7].map(|()| routing.verifies_this_call());
        assert_eq!(turns, [true, false, false, true, false, false, true]);
    }
}

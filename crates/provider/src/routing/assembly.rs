//! Putting a provider's routes together: which are there, and which serves what.

use std::sync::Arc;

use wirespeed_cipher::{Algorithm, Direction, Route};
use wirespeed_cpu::Features;
use wirespeed_plan::{Plan, SIZE_BUCKETS};

use crate::offload::call::Offloaded;
use crate::routing::native::Native;
use crate::routing::table::RouteTable;

/// What a plan says, as far as the kernel may be used.
#[derive(Clone, Copy)]
pub(crate) struct Planned<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) offloaded: &'a [Option<Arc<Offloaded>>],
}

impl Planned<'_> {
    /// The route for each size bucket; nothing if the algorithm is left to libcrypto.
    fn routes(self, algorithm: Algorithm, direction: Direction) -> Option<[Route; SIZE_BUCKETS]> {
        match self.offloaded[algorithm.index()] {
            Some(_) => self.plan.routes(algorithm, direction),
            None => self.plan.routes_without_kernel(algorithm, direction),
        }
    }

    /// Whether a route is named for anything.
    pub(crate) fn names(self, route: Route) -> bool {
        let rows = |it: &Algorithm| Direction::BOTH.map(|to| self.routes(*it, to));
        Algorithm::ALL.iter().flat_map(rows).flatten().flatten().any(|named| named == route)
    }
}

/// The routes while they are being put together.
pub(crate) struct Assembly {
    pub(crate) features: Features,
    pub(crate) natives: Vec<Native>,
    pub(crate) quarantined: u64,
}

impl Assembly {
    /// Adds a route that is there and whose hash functions are right; the error says why not. A wrong one is remembered.
    pub(crate) fn add(&mut self, route: Route) -> Result<(), String> {
        if self.natives.iter().any(|native| native.route() == route) {
            return Ok(());
        }
        let found = Native::find(route, self.features);
        match found.map_err(|why| format!("{route} is absent: {why}"))? {
            Some(native) => self.natives.push(native),
            None => {
                self.quarantined |= route.bit();
                return Err(failed(route));
            }
        }
        Ok(())
    }

    /// Adds the whole default priority. The error says why there is none of it.
    pub(crate) fn climb(&mut self) -> Result<(), String> {
        let reasons: Vec<_> =
            Route::PRIORITY.into_iter().filter_map(|route| self.add(route).err()).collect();
        if self.natives.is_empty() { Err(reasons.join("; ")) } else { Ok(()) }
    }

    /// The first route that has an algorithm serves it.
    pub(crate) fn uniform(&self) -> Vec<RouteTable<Route>> {
        let best = |algorithm: &Algorithm| self.best(*algorithm).map(Native::route);
        Algorithm::ALL.iter().map(|it| RouteTable::uniform(best(it))).collect()
    }

    /// The same, but what does not suit every call is left to libcrypto.
    pub(crate) fn without_measurement(&self) -> Vec<RouteTable<Route>> {
        let best = |algorithm: &Algorithm| {
            self.best(*algorithm).filter(|it| it.suits_every_call(*algorithm)).map(Native::route)
        };
        Algorithm::ALL.iter().map(|it| RouteTable::uniform(best(it))).collect()
    }

    /// The first route that has an algorithm.
    fn best(&self, algorithm: Algorithm) -> Option<&Native> {
        self.natives.iter().find(|native| native.has(algorithm))
    }

    /// Each cell as the plan says; where its route is not to be had, the best that is.
    pub(crate) fn planned(&self, planned: Planned<'_>, host: bool) -> Vec<RouteTable<Route>> {
        let serving = |algorithm: Algorithm, route: Route| {
            let far = route == Route::Kernel || route == Route::Libcrypto && host;
            let named = self.natives.iter().find(|native| native.route() == route);
            let native = named.filter(|native| native.has(algorithm));
            native.or_else(|| self.best(algorithm)).filter(|_| !far).map(Native::route)
        };
        let rows = |algorithm: &Algorithm| {
            let mut rows = RouteTable::BLIND;
            for direction in Direction::BOTH {
                let cells = planned.routes(*algorithm, direction);
                for (size_bucket, route) in cells.into_iter().flatten().enumerate() {
                    rows.set(direction, size_bucket, serving(*algorithm, route));
                }
            }
            rows
        };
        Algorithm::ALL.iter().map(rows).collect()
    }
}

/// What is said of a route that gave wrong bytes.
pub(crate) fn failed(route: Route) -> String {
    format!("{route} is quarantined: it failed its self-test")
}

//! Putting a provider's routes together: which are there, and which serves what.

use std::sync::Arc;

use wirespeed_cipher::{Algorithm, Direction, Route};
use wirespeed_cpu::Features;
use wirespeed_plan::{Plan, SIZE_BUCKETS};

use crate::boundary::host_library::HostLibrary;
use crate::offload::call::Offloaded;
use crate::offload::{self, AllOffloaded, Offload};
use crate::routing::native::Native;
use crate::routing::table::RouteTable;
use crate::routing::{Legacy, is_legacy};

/// What a plan says, as far as the kernel may be used.
#[derive(Clone, Copy)]
pub(crate) struct Planned<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) offloaded: &'a [Vec<Arc<Offloaded>>],
}

impl Planned<'_> {
    /// The route for each size bucket; nothing if the algorithm is left to libcrypto.
    fn routes(self, algorithm: Algorithm, direction: Direction) -> Option<[Route; SIZE_BUCKETS]> {
        let ways = &self.offloaded[algorithm.index()];
        self.plan
            .routes_with(algorithm, direction, |route| ways.iter().any(|it| it.route() == route))
    }

    /// Whether a route is named for anything.
    pub(crate) fn names(self, route: Route) -> bool {
        let rows = |it: &Algorithm| Direction::BOTH.map(|to| self.routes(*it, to));
        Algorithm::ALL.iter().flat_map(rows).flatten().flatten().any(|named| named == route)
    }
}

/// Who serves what.
pub(crate) struct Served {
    /// For each algorithm.
    pub(crate) tables: Vec<RouteTable<Route>>,
    /// The host's default provider, where it has a part.
    pub(crate) host: Option<Arc<HostLibrary>>,
    pub(crate) offloaded: AllOffloaded,
}

impl Served {
    /// By our own routes alone.
    pub(crate) const fn by_us(tables: Vec<RouteTable<Route>>) -> Self {
        Self { tables, host: None, offloaded: Vec::new() }
    }
}

/// The routes while they are being put together.
pub(crate) struct Assembly {
    pub(crate) features: Features,
    pub(crate) natives: Vec<Native>,
    pub(crate) quarantined: u64,
}

impl Assembly {
    /// What a list of routes forces.
    pub(crate) fn by_list(
        &mut self,
        routes: &[Route],
        offloads: &[Offload],
        reach: impl Fn(Legacy) -> Result<Arc<HostLibrary>, String>,
    ) -> Result<Served, String> {
        let mut served = Served::by_us(Vec::new());
        for route in routes {
            match route {
                Route::Libcrypto => {
                    let found = reach(false).map_err(|why| format!("libcrypto is absent: {why}"));
                    served.host = Some(found?);
                }
                Route::Kernel | Route::DevCrypto => {
                    let offload = offloads.iter().find(|it| it.interface.route() == *route);
                    let offload = offload.ok_or_else(|| format!("{route} is absent: not here"))?;
                    let more = offload::everything(offload)?;
                    served.offloaded.resize(more.len(), Vec::new());
                    served.offloaded.iter_mut().zip(more).for_each(|(all, more)| all.extend(more));
                    // For what is not the kernel's: the beginnings and ends of messages.
                    served.host = reach(true).ok();
                }
                _ => self.add(*route)?,
            }
        }
        served.tables = if routes.first().is_some_and(|first| !first.is_own()) {
            // What their routes leave to us, the ends of streams, needs kernels too.
            self.climb().or_else(|_| self.add(Route::Portable))?;
            vec![RouteTable::BLIND; Algorithm::ALL.len()]
        } else {
            self.uniform()
        };
        Ok(served)
    }

    /// What a plan says.
    pub(crate) fn by_plan(
        &mut self,
        plan: &Plan,
        offloads: &[Offload],
        reach: impl Fn(Legacy) -> Result<Arc<HostLibrary>, String>,
    ) -> Result<Served, String> {
        let offloaded = offload::planned(offloads, plan);
        let planned = Planned { plan, offloaded: &offloaded };
        // One that has gone is replaced by the best that is there.
        let climbed = self.climb();
        if climbed.is_err() || planned.names(Route::Portable) {
            self.add(Route::Portable)?;
        }
        let legacy = plan.offloads().any(|it| is_legacy(it.subject));
        // It is also who goes on where the kernel does not.
        let offloads = offloaded.iter().any(|ways| !ways.is_empty());
        let wants_host = planned.names(Route::Libcrypto) || offloads;
        let host = if wants_host { reach(legacy).ok() } else { None };
        let tables = self.planned(planned, host.is_some());
        Ok(Served { tables, host, offloaded })
    }

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

    /// The same, but what does not suit every call is left to libcrypto, unless libcrypto `must_not` serve it.
    pub(crate) fn without_measurement(
        &self,
        must_not: impl Fn(Algorithm) -> bool,
    ) -> Vec<RouteTable<Route>> {
        let best = |algorithm: &Algorithm| {
            let suits = |it: &&Native| it.suits_every_call(*algorithm) || must_not(*algorithm);
            self.best(*algorithm).filter(suits).map(Native::route)
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
            let offloaded = route.is_offload() || route == Route::Libcrypto && host;
            let named = self.natives.iter().find(|native| native.route() == route);
            let native = named.filter(|native| native.has(algorithm));
            native.or_else(|| self.best(algorithm)).filter(|_| !offloaded).map(Native::route)
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

//! Putting a provider's routes together: which are there and right, and which serves what.

use std::sync::Arc;

use wirespeed_cipher::{Algorithm, Compression, Direction, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_plan::{OCTAVES, Plan};

use crate::far::Offloaded;
use crate::ladder::Proven;
use crate::rows::Rows;

/// What a plan says, as far as the kernel may be used.
#[derive(Clone, Copy)]
pub(crate) struct Planned<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) offloaded: &'a [Option<Arc<Offloaded>>],
}

impl Planned<'_> {
    /// The route for each octave of lengths; nothing if the algorithm is left to libcrypto.
    fn routes(self, algorithm: Algorithm, direction: Direction) -> Option<[Route; OCTAVES]> {
        match self.offloaded[algorithm.index()] {
            Some(_) => self.plan.routes(algorithm, direction),
            None => self.plan.routes_without_kernel(algorithm, direction),
        }
    }

    /// The routes that are named for each algorithm, one bit each.
    pub(crate) fn used(self) -> Vec<u64> {
        let used = |algorithm: &Algorithm| {
            let cells =
                Direction::BOTH.into_iter().filter_map(|it| self.routes(*algorithm, it)).flatten();
            cells.fold(0, |all, route| all | route.bit())
        };
        Algorithm::ALL.iter().map(used).collect()
    }
}

/// The routes while they are being put together.
pub(crate) struct Stand {
    pub(crate) features: Features,
    pub(crate) natives: Vec<Proven>,
    pub(crate) quarantined: u64,
}

impl Stand {
    /// Adds a route that is there and passes its self-test; the error says why not. A wrong one is
    /// remembered.
    pub(crate) fn add(&mut self, route: Route) -> Result<(), String> {
        self.add_for(route, |_| true)
    }

    /// The same with the ciphers of some algorithms alone: each is a part of the time that loading takes.
    pub(crate) fn add_for(
        &mut self,
        route: Route,
        wanted: impl Fn(Algorithm) -> bool,
    ) -> Result<(), String> {
        if self.natives.iter().any(|proven| proven.route() == route) {
            return Ok(());
        }
        let found = Proven::find(route, self.features, wanted);
        match found.map_err(|why| format!("{route} is absent: {why}"))? {
            Some(proven) => self.natives.push(proven),
            None => {
                self.quarantined |= route.bit();
                return Err(format!("{route} is quarantined: it failed its self-test"));
            }
        }
        Ok(())
    }

    /// Adds those of the ladder that have a cipher or a hash function which none before them has. The
    /// error says why there is none.
    pub(crate) fn climb(&mut self) -> Result<(), String> {
        let mut reasons = Vec::new();
        for route in Route::LADDER {
            if self.natives.is_empty() || self.gains_by(route) {
                reasons.extend(self.add(route).err());
            }
        }
        if self.natives.is_empty() { Err(reasons.join("; ")) } else { Ok(()) }
    }

    /// Whether `route` has what no route has until now.
    fn gains_by(&self, route: Route) -> bool {
        let Ok(found) = Proven::probe(route, self.features) else { return false };
        let new = |algorithm: &Algorithm| {
            found.suits_every_call(*algorithm) && self.best(*algorithm).is_none()
        };
        let new_hash = |it| {
            found.hash(it).is_some_and(HashKernels::suits_every_call)
                && self.natives.iter().all(|proven| proven.hash(it).is_none())
        };
        Algorithm::ALL.iter().any(new) || Compression::ALL.into_iter().any(new_hash)
    }

    /// The first route that has an algorithm serves it.
    pub(crate) fn uniform(&self) -> Vec<Rows<Route>> {
        let best = |algorithm: &Algorithm| self.best(*algorithm).map(Proven::route);
        Algorithm::ALL.iter().map(|it| Rows::uniform(best(it))).collect()
    }

    /// The same, but what does not suit every call is left to libcrypto.
    pub(crate) fn without_measurement(&self) -> Vec<Rows<Route>> {
        let best = |algorithm: &Algorithm| {
            self.best(*algorithm).filter(|it| it.suits_every_call(*algorithm)).map(Proven::route)
        };
        Algorithm::ALL.iter().map(|it| Rows::uniform(best(it))).collect()
    }

    /// The first route that has an algorithm.
    fn best(&self, algorithm: Algorithm) -> Option<&Proven> {
        self.natives.iter().find(|proven| proven.has(algorithm))
    }

    /// Each cell as the plan says; where its route is not to be had, the best that is.
    pub(crate) fn planned(&self, planned: Planned<'_>, host: bool) -> Vec<Rows<Route>> {
        let serving = |algorithm: Algorithm, route: Route| {
            let far = route == Route::Kernel || route == Route::Libcrypto && host;
            let named = self.natives.iter().find(|proven| proven.route() == route);
            let proven = named.filter(|proven| proven.has(algorithm));
            proven.or_else(|| self.best(algorithm)).filter(|_| !far).map(Proven::route)
        };
        let rows = |algorithm: &Algorithm| {
            let mut rows = Rows::BLIND;
            for direction in Direction::BOTH {
                let cells = planned.routes(*algorithm, direction);
                for (octave, route) in cells.into_iter().flatten().enumerate() {
                    rows.set(direction, octave, serving(*algorithm, route));
                }
            }
            rows
        };
        Algorithm::ALL.iter().map(rows).collect()
    }
}

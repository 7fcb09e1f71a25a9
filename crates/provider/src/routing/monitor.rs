//! What monitors the calls of one context.

use std::sync::Arc;

use wirespeed_cipher::{Direction, Route, Subject};
use wirespeed_stats::Tally;

use crate::routing::Routing;

/// One context's way to what its provider's contexts share: counts, turns, quarantine.
#[derive(Clone)]
pub(crate) struct Monitor {
    routing: Arc<Routing>,
    /// None where nobody wants to know.
    tally: Option<Tally>,
}

impl Monitor {
    pub(crate) fn new(routing: &Arc<Routing>, subject: Subject) -> Self {
        let tally = |counters| Tally::new(counters, subject.index());
        Self { routing: routing.clone(), tally: routing.counters().map(tally) }
    }

    /// What all contexts share.
    #[inline]
    pub(crate) fn routing(&self) -> &Routing {
        &self.routing
    }

    /// Counts a data call, if anybody wants to know.
    #[inline(always)]
    pub(crate) fn count(&self, direction: Direction, route: Route, bytes: usize) {
        #[cfg(feature = "trace")]
        crate::trace::count(route);
        if let Some(tally) = &self.tally {
            tally.count(direction, route, bytes);
        }
    }

    /// Whether this call, the next of all, is computed twice.
    pub(crate) fn verifies_this_call(&self) -> bool {
        self.routing.verifies_this_call()
    }

    /// Takes a route out of service that gave wrong bytes or failed.
    pub(crate) fn quarantine(&self, route: Route) {
        self.routing.quarantine(route);
    }
}

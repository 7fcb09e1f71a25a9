//! What monitors the calls of one context.

use std::sync::Arc;

use wirespeed_cipher::{Direction, Route, Subject};
use wirespeed_stats::Tally;

use crate::routing::Routing;

/// One context's way to what its provider's contexts share: counts, turns, quarantine.
pub(crate) struct Monitor<R = Routing> {
    shared: Arc<R>,
    /// None where nobody wants to know.
    tally: Option<Tally>,
}

impl<R> Clone for Monitor<R> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), tally: self.tally.clone() }
    }
}

impl<R: AsRef<Routing>> Monitor<R> {
    pub(crate) fn new(shared: Arc<R>, subject: Subject) -> Self {
        let tally = |counters| Tally::new(counters, subject.index());
        let tally = (*shared).as_ref().counters().map(tally);
        Self { shared, tally }
    }

    /// What contexts share.
    #[inline]
    pub(crate) fn shared(&self) -> &R {
        &self.shared
    }

    fn routing(&self) -> &Routing {
        (*self.shared).as_ref()
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
        self.routing().verifies_this_call()
    }

    /// Takes a route out of service that gave wrong bytes or failed.
    pub(crate) fn quarantine(&self, route: Route) {
        self.routing().quarantine(route);
    }
}

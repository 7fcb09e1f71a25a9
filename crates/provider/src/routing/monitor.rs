//! What monitors the calls of one context.

use std::sync::Arc;

use wirespeed_cipher::{Direction, Route, Subject};

use crate::routing::Routing;

/// One context's way to what its provider's contexts share: counts, turns, quarantine.
#[derive(Clone)]
pub(crate) struct Monitor {
    routing: Arc<Routing>,
    subject: usize,
}

impl Monitor {
    pub(crate) fn new(routing: &Arc<Routing>, subject: Subject) -> Self {
        Self { routing: routing.clone(), subject: subject.index() }
    }

    /// Counts a data call, if anybody wants to know.
    #[inline]
    pub(crate) fn count(&self, direction: Direction, route: Route, bytes: usize) {
        self.routing.count(self.subject, direction, route, bytes);
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

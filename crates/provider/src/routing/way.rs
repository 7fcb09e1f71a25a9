//! What all contexts of an algorithm have in common: its routes, with the kernels at hand.

use std::array;
use std::sync::Arc;

use wirespeed_cipher::{Algorithm, BlockKernels, StreamKernels};
use wirespeed_fork::SetOnce;

use crate::boundary::host_context::HostContexts;
use crate::routing::Routing;
use crate::routing::native::Kernels;
use crate::routing::table::RouteTable;

/// The way of an algorithm's calls to their routes.
pub(crate) struct Way<K: 'static> {
    routing: Arc<Routing>,
    pub(super) rows: RouteTable<&'static K>,
    pub(super) algorithm: Algorithm,
    /// The best kernels of our own, unless calls are computed twice: then the best may change.
    pub(super) own: &'static K,
    /// libcrypto's contexts, where calls may go to it.
    pub(super) host: Option<Arc<HostContexts>>,
    /// The routes that were out of service when it was made.
    quarantined: u64,
}

impl<K: Kernels> Way<K> {
    fn new(routing: &Arc<Routing>, algorithm: Algorithm) -> Self {
        routing.self_test(algorithm);
        // Before the table: what is found wrong meanwhile makes another way.
        let quarantined = routing.quarantined();
        let library = routing.host(algorithm.index());
        Self {
            rows: routing.visible_table(algorithm),
            algorithm,
            own: routing.kernels(routing.own(algorithm), algorithm),
            host: library.and_then(|it| HostContexts::of(it, algorithm.name())).map(Arc::new),
            quarantined,
            routing: Arc::clone(routing),
        }
    }
}

impl<K> AsRef<Routing> for Way<K> {
    #[inline]
    fn as_ref(&self) -> &Routing {
        &self.routing
    }
}

/// The ways of one kind of cipher, each made for its first context.
pub(crate) type Made<K> = [SetOnce<Way<K>>; Algorithm::ALL.len()];

/// The ways of all contexts of a provider.
pub(crate) struct Ways {
    pub(super) blocks: Box<Made<BlockKernels>>,
    pub(super) streams: Box<Made<StreamKernels>>,
}

impl Ways {
    /// None is made yet.
    pub(crate) fn none() -> Self {
        Self {
            blocks: Box::new(array::from_fn(|_| SetOnce::new())),
            streams: Box::new(array::from_fn(|_| SetOnce::new())),
        }
    }

    /// The way of an algorithm. What has been found wrong since it was first made changes it.
    pub(super) fn of<K: Kernels>(
        &self,
        routing: &Arc<Routing>,
        algorithm: Algorithm,
    ) -> Arc<Way<K>> {
        let made = K::made(self)[algorithm.index()].share(|| Way::new(routing, algorithm));
        match made.quarantined == routing.quarantined() {
            true => made,
            false => Arc::new(Way::new(routing, algorithm)),
        }
    }
}

//! How a context chooses its route: the fast path through a table, and the slow path for everything else.

use std::sync::Arc;

use wirespeed_af_alg::Interface;
use wirespeed_cipher::{Algorithm, Direction, InOut, Route, Subject};
use wirespeed_plan::size_bucket;
use zeroize::Zeroize;

use crate::boundary::host_cipher::HostCipher;
use crate::offload::call::{KernelCipher, OffloadCall, Offloaded};
use crate::routing::monitor::Monitor;
use crate::routing::native::Kernels;
use crate::routing::way::{Way, Ways};
use crate::routing::{self, Routing};

/// Who runs a call, with the kernels at hand.
pub(crate) enum CallPath<K: 'static> {
    /// Kernels of our own.
    Own(&'static K),
    /// The host's default provider.
    Host,
    /// Linux's crypto API.
    Offload(Interface),
}

/// What becomes of a new key.
pub(crate) enum NewKey<K: 'static> {
    /// Nobody but us has use for it.
    Ours,
    /// Others have it too: it need not be expanded before a call comes to us.
    Shared,
    /// Calls are computed twice, and what follows from the key alone is compared with nothing: these kernels expand it.
    By(&'static K),
}

/// One context's way to its routes.
#[derive(Clone)]
pub(crate) struct Choice<K: 'static> {
    monitor: Monitor<Way<K>>,
    /// Whether all calls are ours, and none is computed twice.
    is_ours: bool,
    /// For each direction the size buckets whose calls are handed on to libcrypto, one bit each.
    handed_on: [u16; 2],
    /// libcrypto's own context, where calls may go to it.
    pub(crate) host: Option<HostCipher>,
    /// The ways to Linux's crypto API, where calls may go to it.
    kernels: Vec<KernelCipher>,
}

/// What a call does to the state of a mode, by whichever route.
pub(crate) trait Step {
    /// What kind of kernels it takes.
    type Kernels: Kernels;
    /// What moves on with the data.
    type State: Clone;

    /// Whether it cannot be taken in pieces.
    const WHOLE: bool = false;

    /// By kernels of our own.
    fn own(&mut self, kernels: &'static Self::Kernels, state: &mut Self::State, data: InOut<'_>);

    /// Whether two routes came to the same place.
    fn agree(a: &Self::State, b: &Self::State) -> bool;
}

/// A step that others can take too, at any call.
pub(crate) trait OffloadStep: Step {
    /// By Linux or the host's OpenSSL; if neither did it, the `spare` kernels have done it instead.
    fn offloaded(
        &mut self,
        call: &mut OffloadCall<'_>,
        spare: &'static Self::Kernels,
        state: &mut Self::State,
        data: InOut<'_>,
    );
}

/// What a call that is computed twice is cut into, so that its input can be kept on the stack.
const PIECE: usize = 2048;
/// A block more, because the end of an XTS unit is not cut off.
const LONGEST: usize = PIECE + 16;

impl<K: Kernels> Choice<K> {
    #[inline(always)]
    pub(crate) fn new(ways: &Ways, routing: &Arc<Routing>, algorithm: Algorithm) -> Self {
        let (way, index) = (ways.of(routing, algorithm), algorithm.index());
        let host = way.host.as_ref().map(|contexts| HostCipher::new(contexts, algorithm));
        let kernels = routing.offloaded(index);
        let is_plain = kernels.is_empty() && !routing.verifies();
        let by_host_alone = host.is_some() && is_plain;
        Self {
            is_ours: host.is_none() && is_plain,
            handed_on: if by_host_alone { way.rows.empty() } else { [0; 2] },
            monitor: Monitor::new(way, Subject::from(algorithm)),
            host,
            kernels: kernels.iter().cloned().map(KernelCipher::new).collect(),
        }
    }

    /// What all contexts of the algorithm share.
    #[inline]
    fn way(&self) -> &Way<K> {
        self.monitor.shared()
    }

    /// What all contexts share.
    fn routing(&self) -> &Routing {
        self.way().as_ref()
    }

    /// The algorithm.
    pub(crate) fn algorithm(&self) -> Algorithm {
        self.way().algorithm
    }

    /// The best kernels of our own: for round keys, single blocks, and whatever belongs to no call.
    pub(crate) fn own(&self) -> &'static K {
        match self.is_verified() {
            true => self.routing().kernels(self.routing().own(self.algorithm()), self.algorithm()),
            false => self.way().own,
        }
    }

    /// The best kernels of our own, if calls take the fast path to any: those whose lanes may run many messages
    /// at once. What may be computed twice runs one after another.
    pub(crate) fn fast(&self) -> Option<&'static K> {
        self.way().rows.entries().any(|entry| entry.is_some()).then(|| self.own())
    }

    /// The kernels for a call of `bytes`, which is counted; none if it takes the slow path.
    #[inline(always)]
    pub(crate) fn kernels(&self, direction: Direction, bytes: usize) -> Option<&'static K> {
        let kernels = self.way().rows.of_call(direction, bytes)?;
        self.count(direction, kernels.route(), bytes);
        Some(kernels)
    }

    /// A new key, for all who may get calls.
    #[inline]
    pub(crate) fn take_key(&mut self, key: &[u8], direction: Direction) -> NewKey<K> {
        if self.is_ours { NewKey::Ours } else { self.share_key(key, direction) }
    }

    #[cold]
    fn share_key(&mut self, key: &[u8], direction: Direction) -> NewKey<K> {
        if let Some(host) = &mut self.host {
            host.take_key(key, direction);
        }
        self.kernels.iter_mut().for_each(|kernel| kernel.take_key(key));
        if self.is_verified() { NewKey::By(self.neutral()) } else { NewKey::Shared }
    }

    /// Whether all calls are ours, and none is computed twice.
    #[inline]
    pub(crate) const fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// Whether some calls are computed twice; then all take the slow path.
    #[inline]
    pub(crate) fn is_verified(&self) -> bool {
        self.routing().verifies()
    }

    /// The route of a call that takes the slow path.
    pub(crate) fn path(&self, direction: Direction, bytes: usize) -> CallPath<K> {
        match self.routing().path(self.algorithm().index(), direction, bytes) {
            routing::ServedBy::Own(route) => {
                CallPath::Own(self.routing().kernels(route, self.algorithm()))
            }
            routing::ServedBy::Host => CallPath::Host,
            routing::ServedBy::Offload(interface) => CallPath::Offload(interface),
        }
    }

    /// Counts a data call that [`Self::kernels`] was not asked for.
    #[inline(always)]
    pub(crate) fn count(&self, direction: Direction, route: Route, bytes: usize) {
        self.monitor.count(direction, route, bytes);
    }

    /// The kernels to compute this call with a second time, if it is its turn.
    pub(crate) fn second(&self, first: &'static K) -> Option<&'static K> {
        let due = self.routing().verifies_this_call() && first.route() != Route::Portable;
        due.then(|| K::reference(self.algorithm()))
    }

    /// Takes a route out of service, in every context.
    #[cold]
    pub(crate) fn quarantine(&self, route: Route) {
        self.routing().quarantine(route);
    }

    /// Kernels for what no comparison covers: those that comparisons are made with, if any are made.
    pub(crate) fn neutral(&self) -> &'static K {
        if self.is_verified() { K::reference(self.algorithm()) } else { self.own() }
    }

    /// Runs a call by the slow path.
    #[cold]
    #[inline(never)]
    pub(crate) fn slowly<S: OffloadStep<Kernels = K>>(
        &mut self,
        direction: Direction,
        step: &mut S,
        state: &mut S::State,
        data: InOut<'_>,
    ) {
        let bytes = data.len();
        let route = match self.is_handed_on(direction, bytes) {
            true => self.by_others(None, step, state, data),
            false => self.by_anybody(direction, step, state, data),
        };
        self.count(direction, route, bytes);
    }

    /// Whether a call goes to libcrypto, where there is nobody else to ask.
    #[inline]
    const fn is_handed_on(&self, direction: Direction, bytes: usize) -> bool {
        self.handed_on[direction as usize] & 1 << size_bucket(bytes) != 0
    }

    #[cold]
    fn by_anybody<S: OffloadStep<Kernels = K>>(
        &mut self,
        direction: Direction,
        step: &mut S,
        state: &mut S::State,
        data: InOut<'_>,
    ) -> Route {
        match self.path(direction, data.len()) {
            CallPath::Own(kernels) => self.by_own(kernels, step, state, data),
            CallPath::Host => self.by_others(None, step, state, data),
            CallPath::Offload(interface) if self.routing().verifies_this_call() => {
                self.doubted(step, state, data, |choice, step, state, data| {
                    choice.by_others(Some(interface), step, state, data)
                })
            }
            CallPath::Offload(interface) => self.by_others(Some(interface), step, state, data),
        }
    }

    /// By somebody else: the kernel, if it is the kernel's call, or the host's default provider.
    #[inline(always)]
    fn by_others<S: OffloadStep<Kernels = K>>(
        &mut self,
        by_kernel: Option<Interface>,
        step: &mut S,
        state: &mut S::State,
        data: InOut<'_>,
    ) -> Route {
        let own = self.own();
        let host = if self.routing().host_serves() { self.host.as_mut() } else { None };
        let kernel = by_kernel.and_then(|interface| {
            self.kernels.iter_mut().find(|it| it.offloaded().interface() == interface)
        });
        let mut call = OffloadCall::new(kernel, host);
        step.offloaded(&mut call, own, state, data);
        let (route, host_failed) = (call.route, call.host_failed);
        if host_failed {
            self.quarantine(Route::Libcrypto);
        }
        if let Some(route) = by_kernel.map(Interface::route)
            && self.offloaded(route).is_some_and(Offloaded::has_failed)
        {
            self.quarantine(route);
        }
        route.unwrap_or(own.route())
    }

    /// What is known of a way to the kernel.
    fn offloaded(&self, route: Route) -> Option<&Offloaded> {
        self.kernels.iter().map(KernelCipher::offloaded).find(|it| it.route() == route)
    }

    /// By `first`, and by the reference, whose result stands where they differ.
    ///
    /// The whole call at once, unlike [`twice`]: an offload engine may be wrong at large sizes alone.
    fn doubted<S: Step<Kernels = K>>(
        &mut self,
        step: &mut S,
        state: &mut S::State,
        mut data: InOut<'_>,
        first: impl FnOnce(&mut Self, &mut S, &mut S::State, InOut<'_>) -> Route,
    ) -> Route {
        let mut right = Vec::new();
        if right.try_reserve_exact(data.len()).is_err() {
            return first(self, step, state, data);
        }
        right.resize(data.len(), 0);
        data.save(&mut right);
        let mut right_state = state.clone();
        let mut route = first(self, step, state, data.reborrow());
        let reference = K::reference(self.algorithm());
        step.own(reference, &mut right_state, InOut::in_place(&mut right));
        if !data.has_written(&right) || !S::agree(state, &right_state) {
            data.overwrite(&right);
            *state = right_state;
            if let Some(offloaded) = self.offloaded(route) {
                offloaded.fail();
            }
            self.quarantine(route);
            route = reference.route();
        }
        right.zeroize();
        route
    }

    /// By kernels of our own, and by the reference if it is this call's turn.
    fn by_own<S: Step<Kernels = K>>(
        &mut self,
        kernels: &'static K,
        step: &mut S,
        state: &mut S::State,
        data: InOut<'_>,
    ) -> Route {
        match self.second(kernels) {
            None => step.own(kernels, state, data),
            Some(_) if S::WHOLE => {
                return self.doubted(step, state, data, |_, step, state, data| {
                    step.own(kernels, state, data);
                    kernels.route()
                });
            }
            Some(second) => {
                if !twice(step, [kernels, second], state, data) {
                    self.quarantine(kernels.route());
                    return second.route();
                }
            }
        }
        kernels.route()
    }
}

/// Computes a call by both kernels, piece by piece. Tells whether they agreed; if not, the second
/// had the last word from there on.
pub(crate) fn twice<S: Step>(
    step: &mut S,
    [first, second]: [&'static S::Kernels; 2],
    state: &mut S::State,
    mut data: InOut<'_>,
) -> bool {
    let (mut input, mut output, mut right) = ([0; LONGEST], [0; LONGEST], [0; LONGEST]);
    let mut agreed = true;
    while !data.is_empty() {
        let bytes = if data.len() >= LONGEST { PIECE } else { data.len() };
        let (mut piece, rest) = data.split_at(bytes);
        data = rest;
        let (input, output, right) =
            (&mut input[..bytes], &mut output[..bytes], &mut right[..bytes]);
        piece.save(input);
        let mut right_state = state.clone();
        step.own(second, &mut right_state, InOut::between(input, right));
        if agreed {
            step.own(first, state, piece.reborrow());
            piece.written(output);
            agreed = output == right && S::agree(state, &right_state);
        }
        if !agreed {
            piece.overwrite(right);
            *state = right_state;
        }
    }
    input.zeroize();
    output.zeroize();
    right.zeroize();
    agreed
}

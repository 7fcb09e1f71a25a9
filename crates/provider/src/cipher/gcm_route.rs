//! The route of a GCM message, which is chosen once, by the length of its first data call.

use wirespeed_cipher::modes::Gcm;
use wirespeed_cipher::{Block, BlockKernels, Direction, InOut, Route};

use super::gcm::Authenticated;
use crate::choice::{Step, twice};
use crate::refusal::Refusal;
use crate::routing;

/// Who computes the message.
#[derive(Clone, Copy)]
pub(super) enum Way {
    /// There has been no data yet.
    Open,
    /// Kernels of our own, and nobody watches.
    Fast,
    /// Kernels of our own, watched: counted, and computed twice if there is a second. Before the data
    /// they may still be replaced by those for the length, or by the host.
    Watched { first: &'static BlockKernels, second: Option<&'static BlockKernels>, chosen: bool },
    /// The host's default provider, and whether it has data yet.
    Host { begun: bool },
}

impl Authenticated {
    /// Begins a message with the IV.
    #[inline(always)]
    pub(super) fn begin_message(&mut self) {
        self.way = Way::Open;
        self.host_has_aad = false;
        if self.choice.is_watched() {
            return self.begin_watched();
        }
        self.gcm.start(&self.iv[..self.iv_bytes]);
    }

    #[cold]
    fn begin_watched(&mut self) {
        let first = self.choice.own();
        let second = self.choice.second(first);
        self.way = Way::Watched { first, second, chosen: false };
        let (iv, bytes) = (self.iv, self.iv_bytes);
        self.watched(|gcm| gcm.start(&iv[..bytes]));
    }

    /// The next associated data.
    #[inline]
    pub(super) fn associate(&mut self, data: &[u8]) -> Result<(), Refusal> {
        if self.choice.host.is_some() {
            self.associate_with_host(data);
        }
        match self.way {
            Way::Open | Way::Fast => self.gcm.aad(data).map_err(|_| Refusal::SILENT),
            Way::Watched { .. } => self.watched(|gcm| gcm.aad(data)).map_err(|_| Refusal::SILENT),
            Way::Host { .. } => Err(Refusal::SILENT),
        }
    }

    /// Once there is a block of associated data, we have hashed it, and the host must do so, too: the
    /// message may become its own.
    #[cold]
    fn associate_with_host(&mut self, data: &[u8]) {
        let Some(host) = &mut self.choice.host else { return };
        if !self.host_has_aad {
            let Some(aad) = self.gcm.short_aad() else { return };
            if aad.len() + data.len() < 16 {
                return;
            }
            let iv = &self.iv[..self.iv_bytes];
            self.host_has_aad = host.begin(self.direction, iv, aad).is_ok();
        }
        self.host_has_aad = self.host_has_aad && host.associate(data).is_ok();
    }

    /// The next data.
    #[inline(always)]
    pub(super) fn crypt(&mut self, data: InOut<'_>) -> Result<(), Refusal> {
        if let Way::Open = self.way
            && let Some(kernels) = self.choice.kernels(self.direction, data.len())
        {
            self.gcm.reroute(kernels);
            self.way = Way::Fast;
        }
        match self.way {
            Way::Fast => self.gcm.crypt(self.direction, data).map_err(|_| Refusal::SILENT),
            _ => self.crypt_slowly(data),
        }
    }

    /// The tag of a message that was encrypted.
    #[inline]
    pub(super) fn make_tag(&mut self) -> Result<Block, Refusal> {
        match self.way {
            Way::Open | Way::Fast => Ok(self.gcm.tag()),
            Way::Watched { .. } => Ok(self.watched(Gcm::tag)),
            Way::Host { .. } => self.make_host_tag(),
        }
    }

    #[cold]
    fn make_host_tag(&mut self) -> Result<Block, Refusal> {
        let host = self.choice.host.as_mut().ok_or(Refusal::SILENT)?;
        host.tag().map_err(|_| Refusal::SILENT)
    }

    /// Whether `given` is the beginning of the tag of the message that was decrypted, in constant time.
    #[inline]
    pub(super) fn is_tag(&mut self, given: &[u8]) -> bool {
        if let Way::Host { .. } = self.way {
            let host = &mut self.choice.host;
            return host.as_mut().is_some_and(|host| host.verify(given).is_ok());
        }
        let Ok(tag) = self.make_tag() else { return false };
        let difference = if let Ok(given) = <Block>::try_from(given) {
            u128::from_ne_bytes(given) ^ u128::from_ne_bytes(tag)
        } else {
            given.iter().zip(tag).fold(0, |all, (a, b)| all | u128::from(a ^ b))
        };
        std::hint::black_box(difference) == 0
    }

    #[cold]
    #[inline(never)]
    fn crypt_slowly(&mut self, mut data: InOut<'_>) -> Result<(), Refusal> {
        let (direction, bytes) = (self.direction, data.len());
        if bytes == 0 {
            return Ok(());
        }
        if matches!(self.way, Way::Open | Way::Watched { chosen: false, .. }) {
            self.choose(bytes);
        }
        if let (Way::Host { begun }, Some(host)) = (self.way, &mut self.choice.host) {
            if host.update(data.reborrow()).is_ok() {
                self.way = Way::Host { begun: true };
                self.choice.count(direction, Route::Libcrypto, bytes);
                return Ok(());
            }
            self.choice.quarantine(Route::Libcrypto);
            if begun {
                return Err(Refusal::SILENT);
            }
            // We have the associated data still, and go on from there.
            self.stay_with_us();
        }
        let Way::Watched { first, second, .. } = self.way else { return Err(Refusal::SILENT) };
        let route = match second {
            None => {
                self.gcm.reroute(first);
                self.gcm.crypt(direction, data).map_err(|_| Refusal::SILENT)?;
                first.route
            }
            Some(_) if !self.gcm.has_room(bytes) => return Err(Refusal::SILENT),
            Some(second) => {
                if twice(&mut Data(direction), [first, second], &mut self.gcm, data) {
                    first.route
                } else {
                    self.give_up(first, second);
                    second.route
                }
            }
        };
        self.choice.count(direction, route, bytes);
        Ok(())
    }

    /// Chooses the route when the first data come.
    fn choose(&mut self, bytes: usize) {
        let second = match self.way {
            Way::Watched { second, .. } => second,
            _ => None,
        };
        let own = self.choice.own();
        let way = self.choice.way(self.direction, bytes);
        let first = match (way, &mut self.choice.host) {
            (routing::Way::Host, Some(host)) => {
                let iv = &self.iv[..self.iv_bytes];
                let aad = self.gcm.short_aad();
                let begins = |aad| host.begin(self.direction, iv, aad).is_ok();
                if self.host_has_aad || aad.is_some_and(begins) {
                    self.way = Way::Host { begun: false };
                    return;
                }
                own
            }
            (routing::Way::Own(kernels), _) => kernels,
            _ => own,
        };
        let second = second.filter(|second| second.route != first.route);
        self.way = Way::Watched { first, second, chosen: true };
    }

    /// Goes on with kernels of our own, whatever the length.
    #[cold]
    pub(super) fn stay_with_us(&mut self) {
        self.way = Way::Watched { first: self.choice.own(), second: None, chosen: true };
    }

    /// Something besides the data, by the kernels of a watched message, twice if that is due.
    #[cold]
    #[inline(never)]
    fn watched<T: PartialEq>(&mut self, run: impl Fn(&mut Gcm) -> T) -> T {
        let Way::Watched { first, second, .. } = self.way else { return run(&mut self.gcm) };
        let Some(second) = second else {
            self.gcm.reroute(first);
            return run(&mut self.gcm);
        };
        let mut other = self.gcm.clone();
        self.gcm.reroute(first);
        let result = run(&mut self.gcm);
        other.reroute(second);
        let right = run(&mut other);
        if result != right || !self.gcm.agrees(&other) {
            self.gcm = other;
            self.give_up(first, second);
        }
        right
    }

    /// The first kernels were wrong: the second go on.
    #[cold]
    fn give_up(&mut self, first: &'static BlockKernels, second: &'static BlockKernels) {
        self.choice.quarantine(first.route);
        self.way = Way::Watched { first: second, second: None, chosen: true };
    }
}

/// GCM's data as a step.
struct Data(Direction);

impl Step for Data {
    type State = Gcm;

    fn own(&mut self, kernels: &'static BlockKernels, gcm: &mut Gcm, data: InOut<'_>) {
        gcm.reroute(kernels);
        gcm.crypt(self.0, data).expect("the caller has seen that there is room");
    }

    fn agree(a: &Gcm, b: &Gcm) -> bool {
        a.agrees(b)
    }
}

//! A message with a tag, and its route, which is chosen once, by the length of its first data call.

use std::marker::PhantomData;

use wirespeed_cipher::{Block, Direction, InOut, Route};

use super::mode::{Aead, LONGEST_IV};
use crate::error::CallError;
use crate::routing::choice::{self, Choice, NewKey, Step, twice};
use crate::routing::native::Kernels;

/// Who computes the message.
#[derive(Clone, Copy)]
enum CallPath<K: 'static> {
    /// There has been no data yet, and nobody has begun: IV and associated data, less than a block, wait for somebody.
    Waiting,
    /// There has been no data yet.
    Open,
    /// Kernels of our own: one load finds them.
    Fast(Route),
    /// Kernels of our own: counted, and computed twice if there is a second. Before the data
    /// they may still be replaced by those for the length, or by the host.
    Slow { first: &'static K, second: Option<&'static K>, chosen: bool },
    /// The host's default provider: whether it has data yet, and whether it alone has begun.
    Host { begun: bool, waited: bool },
}

/// One message after another, by whichever route.
#[derive(Clone)]
pub(super) struct Message<A: Aead> {
    choice: Choice<A::Kernels>,
    pub(super) aead: A,
    path: CallPath<A::Kernels>,
    /// Whether it is open who begins: messages may be the host's, or are computed twice.
    is_open: bool,
    /// The IV of the message, where it is open, and its length: a context may count up its own meanwhile.
    iv: ([u8; LONGEST_IV], usize),
    /// Associated data that wait, and how many.
    waiting: (Block, usize),
    /// Whether the host's cipher has the associated data so far; if not, they are short, and it gets them
    /// when it is chosen.
    host_has_aad: bool,
}

impl<A: Aead> Message<A> {
    pub(super) fn new(choice: Choice<A::Kernels>) -> Self {
        Self {
            aead: A::new(choice.own()),
            is_open: !choice.is_ours(),
            choice,
            path: CallPath::Open,
            iv: ([0; LONGEST_IV], 0),
            waiting: ([0; 16], 0),
            host_has_aad: false,
        }
    }

    /// A new key.
    #[inline]
    pub(super) fn take_key(&mut self, key: &[u8], direction: Direction) {
        match self.choice.take_key(key, direction) {
            NewKey::Ours => self.aead.set_key(key),
            NewKey::Shared => self.aead.keep_key(key),
            NewKey::By(kernels) => {
                self.aead.reroute(kernels);
                self.aead.set_key(key);
            }
        }
    }

    /// Forgets the message under way and its key.
    #[cold]
    pub(super) fn forget(&mut self) {
        self.aead = A::new(self.choice.own());
        self.stay_with_us();
    }

    /// Goes on with the message in this direction, without what waits for the rest of a block.
    #[inline]
    pub(super) fn turn(&mut self, direction: Direction) {
        if self.choice.host.is_some() {
            self.turn_host(direction);
        }
    }

    #[cold]
    fn turn_host(&mut self, direction: Direction) {
        let begun = self.host_has_aad || matches!(self.path, CallPath::Host { .. });
        if begun
            && let Some(host) = &mut self.choice.host
            && host.turn(direction).is_err()
        {
            self.choice.quarantine(Route::Libcrypto);
        }
    }

    /// Begins a message with the IV.
    #[inline(always)]
    pub(super) fn begin(&mut self, iv: &[u8]) {
        self.path = CallPath::Open;
        self.host_has_aad = false;
        if self.is_open {
            return self.begin_slowly(iv);
        }
        self.aead.start(iv);
    }

    /// Begins with kernels of our own what has waited.
    fn begin_ours(&mut self, kernels: &'static A::Kernels) -> Result<(), CallError> {
        let (iv, bytes) = &self.iv;
        self.aead.reroute(kernels);
        self.aead.start(&iv[..*bytes]);
        self.path = CallPath::Open;
        let (waiting, bytes) = &self.waiting;
        self.aead.associate(&waiting[..*bytes])
    }

    /// Forgets associated data that wait for the rest of a block.
    pub(super) const fn drop_waiting(&mut self) {
        self.waiting.1 = 0;
    }

    #[cold]
    fn begin_slowly(&mut self, iv: &[u8]) {
        let (kept, bytes) = &mut self.iv;
        kept[..iv.len()].copy_from_slice(iv);
        *bytes = iv.len();
        if !self.choice.is_verified() {
            (self.path, self.waiting.1) = (CallPath::Waiting, 0);
            return;
        }
        let first = self.choice.own();
        let second = self.choice.second(first);
        self.path = CallPath::Slow { first, second, chosen: false };
        self.slow_step(|aead| aead.start(iv));
    }

    /// The next associated data.
    #[inline]
    pub(super) fn associate(&mut self, direction: Direction, data: &[u8]) -> Result<(), CallError> {
        match self.path {
            CallPath::Host { .. } => return self.associate_behind(data),
            CallPath::Waiting => return self.associate_waiting(direction, data),
            _ => {}
        }
        if self.choice.host.is_some() {
            self.associate_with_host(direction, data);
        }
        match self.path {
            CallPath::Slow { .. } => self.slow_step(|aead| aead.associate(data)),
            _ => self.aead.associate(data),
        }
    }

    /// Lets associated data wait, too, as long as all are less than a block.
    #[cold]
    fn associate_waiting(&mut self, direction: Direction, data: &[u8]) -> Result<(), CallError> {
        let (waiting, bytes) = &mut self.waiting;
        if let Some(room) = waiting[*bytes..15].get_mut(..data.len()) {
            room.copy_from_slice(data);
            *bytes += data.len();
            return Ok(());
        }
        self.begin_ours(self.choice.own())?;
        self.associate(direction, data)
    }

    /// Behind data that the host has.
    #[cold]
    fn associate_behind(&mut self, data: &[u8]) -> Result<(), CallError> {
        let host = self.choice.host.as_mut().filter(|_| !A::ORDERED).ok_or(CallError::SILENT)?;
        host.associate(data).map_err(|_| CallError::SILENT)
    }

    /// Once there is a block of associated data, we have hashed it, and the host must do so, too: the
    /// message may become its own.
    #[cold]
    fn associate_with_host(&mut self, direction: Direction, data: &[u8]) {
        let Some(host) = &mut self.choice.host else { return };
        if !self.host_has_aad {
            let Some(aad) = self.aead.short_aad() else { return };
            if aad.len() + data.len() < 16 {
                return;
            }
            let tag_bytes = self.aead.tag_bytes();
            let (iv, bytes) = &self.iv;
            self.host_has_aad = host.begin(direction, &iv[..*bytes], tag_bytes, aad).is_ok();
        }
        self.host_has_aad = self.host_has_aad && host.associate(data).is_ok();
    }

    /// The next data.
    #[inline(always)]
    pub(super) fn crypt(&mut self, direction: Direction, data: InOut<'_>) -> Result<(), CallError> {
        match self.path {
            CallPath::Fast(route) => self.choice.count(direction, route, data.len()),
            CallPath::Open => match self.choice.kernels(direction, data.len()) {
                Some(kernels) => {
                    self.aead.reroute(kernels);
                    self.path = CallPath::Fast(kernels.route());
                }
                None => return self.crypt_slowly(direction, data),
            },
            _ => return self.crypt_slowly(direction, data),
        }
        self.aead.crypt(direction, data)
    }

    /// The tag of a message that was encrypted.
    #[inline]
    pub(super) fn make_tag(&mut self, tag: &mut Block) -> Result<(), CallError> {
        match self.path {
            CallPath::Open | CallPath::Fast(_) => self.aead.write_tag(tag),
            _ => *tag = self.make_tag_slowly()?,
        }
        Ok(())
    }

    #[cold]
    fn make_tag_slowly(&mut self) -> Result<Block, CallError> {
        if let CallPath::Waiting = self.path {
            self.begin_ours(self.choice.own())?;
        }
        match self.path {
            CallPath::Host { .. } => self.make_host_tag(),
            _ => Ok(self.slow_step(A::tag)),
        }
    }

    fn make_host_tag(&mut self) -> Result<Block, CallError> {
        let host = self.choice.host.as_mut().ok_or(CallError::SILENT)?;
        host.tag().map_err(|_| CallError::SILENT)
    }

    /// Whether `given` is the beginning of the tag of the message that was decrypted, in constant time.
    #[inline]
    pub(super) fn is_tag(&mut self, given: &[u8]) -> bool {
        if let CallPath::Host { .. } = self.path {
            let host = &mut self.choice.host;
            return host.as_mut().is_some_and(|host| host.verify(given).is_ok());
        }
        let mut tag = [0; 16];
        if self.make_tag(&mut tag).is_err() {
            return false;
        }
        let difference = if let Ok(given) = <Block>::try_from(given) {
            u128::from_ne_bytes(given) ^ u128::from_ne_bytes(tag)
        } else {
            given.iter().zip(tag).fold(0, |all, (a, b)| all | u128::from(a ^ b))
        };
        std::hint::black_box(difference) == 0
    }

    #[cold]
    #[inline(never)]
    fn crypt_slowly(&mut self, direction: Direction, mut data: InOut<'_>) -> Result<(), CallError> {
        let bytes = data.len();
        if bytes == 0 {
            return Ok(());
        }
        if let CallPath::Waiting = self.path
            && let Some(kernels) = self.choice.kernels(direction, bytes)
        {
            self.begin_ours(kernels)?;
            self.path = CallPath::Fast(kernels.route());
            return self.aead.crypt(direction, data);
        }
        if let CallPath::Waiting | CallPath::Open | CallPath::Slow { chosen: false, .. } = self.path
        {
            self.choose(direction, bytes)?;
        }
        if let (CallPath::Host { begun, waited }, Some(host)) = (self.path, &mut self.choice.host) {
            if host.update(data.reborrow()).is_ok() {
                self.path = CallPath::Host { begun: true, waited };
                self.choice.count(direction, Route::Libcrypto, bytes);
                return Ok(());
            }
            self.choice.quarantine(Route::Libcrypto);
            if begun {
                return Err(CallError::SILENT);
            }
            // We have the associated data still, and go on from there.
            if waited {
                self.begin_ours(self.choice.own())?;
            }
            self.stay_with_us();
        }
        let CallPath::Slow { first, second, .. } = self.path else {
            return Err(CallError::SILENT);
        };
        let route = match second {
            None => {
                self.aead.reroute(first);
                self.aead.crypt(direction, data)?;
                first.route()
            }
            Some(_) if !self.aead.has_room(bytes) => return Err(CallError::SILENT),
            Some(second) => {
                let mut step = Data(direction, PhantomData);
                if twice(&mut step, [first, second], &mut self.aead, data) {
                    first.route()
                } else {
                    self.give_up(first, second);
                    second.route()
                }
            }
        };
        self.choice.count(direction, route, bytes);
        Ok(())
    }

    /// Chooses the route when the first data come.
    fn choose(&mut self, direction: Direction, bytes: usize) -> Result<(), CallError> {
        let waits = matches!(self.path, CallPath::Waiting);
        let second = match self.path {
            CallPath::Slow { second, .. } => second,
            _ => None,
        };
        let own = self.choice.own();
        let path = self.choice.path(direction, bytes);
        let first = match (path, &mut self.choice.host) {
            (choice::CallPath::Host, Some(host)) => {
                let (waiting, bytes) = &self.waiting;
                let aad = if waits { Some(&waiting[..*bytes]) } else { self.aead.short_aad() };
                let tag_bytes = self.aead.tag_bytes();
                let (iv, iv_bytes) = &self.iv;
                let begins = |aad| host.begin(direction, &iv[..*iv_bytes], tag_bytes, aad).is_ok();
                if self.host_has_aad || aad.is_some_and(begins) {
                    self.path = CallPath::Host { begun: false, waited: waits };
                    return Ok(());
                }
                own
            }
            (choice::CallPath::Own(kernels), _) => kernels,
            _ => own,
        };
        if waits {
            self.begin_ours(first)?;
        }
        let second = second.filter(|second| second.route() != first.route());
        self.path = CallPath::Slow { first, second, chosen: true };
        Ok(())
    }

    /// Goes on with kernels of our own, whatever the length.
    #[cold]
    fn stay_with_us(&mut self) {
        self.path = CallPath::Slow { first: self.choice.own(), second: None, chosen: true };
    }

    /// Something besides the data, by the kernels of the slow path, twice if that is due.
    #[cold]
    #[inline(never)]
    fn slow_step<T: PartialEq>(&mut self, run: impl Fn(&mut A) -> T) -> T {
        let CallPath::Slow { first, second, .. } = self.path else { return run(&mut self.aead) };
        let Some(second) = second else {
            self.aead.reroute(first);
            return run(&mut self.aead);
        };
        let mut other = self.aead.clone();
        self.aead.reroute(first);
        let result = run(&mut self.aead);
        other.reroute(second);
        let right = run(&mut other);
        if result != right || !self.aead.agrees(&other) {
            self.aead = other;
            self.give_up(first, second);
        }
        right
    }

    /// The first kernels were wrong: the second go on.
    #[cold]
    fn give_up(&mut self, first: &'static A::Kernels, second: &'static A::Kernels) {
        self.choice.quarantine(first.route());
        self.path = CallPath::Slow { first: second, second: None, chosen: true };
    }
}

/// The data as a step.
struct Data<A>(Direction, PhantomData<A>);

impl<A: Aead> Step for Data<A> {
    type Kernels = A::Kernels;
    type State = A;

    fn own(&mut self, kernels: &'static A::Kernels, aead: &mut A, data: InOut<'_>) {
        aead.reroute(kernels);
        aead.crypt(self.0, data).expect("the caller has seen that there is room");
    }

    fn agree(a: &A, b: &A) -> bool {
        a.agrees(b)
    }
}

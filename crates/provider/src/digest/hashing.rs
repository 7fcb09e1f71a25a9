//! A message of which Linux or the host has a part: who has it, and who goes on with it if they fail.

use std::sync::Arc;

use wirespeed_af_alg::{Error, Hash};
use wirespeed_cipher::{Direction, Hasher, Route};
use zeroize::Zeroize;

use crate::boundary::host_digest::HostDigest;
use crate::digest::Facts;
use crate::digest::message::Message;
use crate::error::{CallError, Reason};
use crate::kept::copied;
use crate::offload::call::{OffloadFailed, Offloaded, Patience};
use crate::provider::Provider;
use crate::routing::monitor::Monitor;

/// A message of which somebody else has a part, or that somebody watches.
pub(crate) struct Hashing {
    base: Base,
    kernel: Option<KernelHash>,
    monitor: Monitor,
}

/// Who hashes what the kernel does not.
#[derive(Clone)]
pub(crate) enum Base {
    /// Kernels of our own.
    Own(Box<Hasher>),
    /// The host's default provider.
    Host(HostDigest),
}

impl Base {
    fn reset(&mut self) -> Result<(), CallError> {
        match self {
            Self::Own(hasher) => {
                hasher.reset();
                Ok(())
            }
            Self::Host(digest) => digest.start().map_err(|OffloadFailed| CallError::SILENT),
        }
    }

    fn update(&mut self, data: &[u8]) -> Result<Route, CallError> {
        match self {
            Self::Own(hasher) => {
                hasher.update(data);
                Ok(hasher.route())
            }
            Self::Host(digest) => {
                digest.update(data).map_err(|OffloadFailed| CallError::SILENT)?;
                Ok(Route::Libcrypto)
            }
        }
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        match self {
            Self::Own(hasher) => {
                hasher.finish(output);
                Ok(())
            }
            Self::Host(digest) => digest.finish(output).map_err(|OffloadFailed| CallError::SILENT),
        }
    }
}

impl Message for Hashing {
    const ALWAYS_COPIES: bool = false;

    type Seed = Self;

    fn seed(provider: &Provider, facts: &Facts) -> Option<Self> {
        provider.hashing(facts.subject)
    }

    fn new(seed: Self, _: &Provider) -> Self {
        seed
    }

    fn duplicate(&self) -> Result<Self, CallError> {
        let kernel = self.kernel.as_ref().map(KernelHash::duplicate);
        let (base, monitor) = (self.base.clone(), self.monitor.clone());
        let mut copy = Self { base, kernel, monitor };
        let has_no_socket = |kernel: &KernelHash| kernel.socket.is_none();
        match copy.kernel.as_ref().map(|kernel| kernel.holder) {
            Some(Holder::Nobody) => return Err(LOST),
            Some(Holder::Kernel) if copy.kernel.as_ref().is_some_and(has_no_socket) => {
                copy.go_on_alone()?;
            }
            _ => {}
        }
        Ok(copy)
    }

    fn reset(&mut self) -> Result<(), CallError> {
        if let Some(kernel) = &mut self.kernel {
            kernel.forget();
        }
        self.base.reset()
    }

    #[inline]
    fn update(&mut self, data: &[u8]) -> Result<(), CallError> {
        let route = match &mut self.kernel {
            None => self.base.update(data)?,
            Some(_) => self.update_far(data)?,
        };
        self.monitor.count(Direction::Encrypt, route, data.len());
        Ok(())
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        match &mut self.kernel {
            Some(kernel) if kernel.holder == Holder::Kernel => {
                if kernel.finish(output).is_ok() && !self.is_wrong(output)? {
                    return Ok(());
                }
                self.go_on_alone()?;
            }
            Some(kernel) if kernel.holder == Holder::Nobody => return Err(LOST),
            _ => {}
        }
        self.base.finish(output)
    }

    fn own(&mut self) -> Option<&mut Hasher> {
        match &mut self.base {
            Base::Own(hasher) if self.kernel.is_none() => Some(hasher),
            _ => None,
        }
    }
}

impl Hashing {
    pub(crate) fn new(base: Base, kernel: Option<KernelHash>, monitor: Monitor) -> Self {
        Self { base, kernel, monitor }
    }

    #[cold]
    fn update_far(&mut self, data: &[u8]) -> Result<Route, CallError> {
        let Some(kernel) = &mut self.kernel else { return Err(CallError::SILENT) };
        if kernel.holder == Holder::Nobody {
            return Err(LOST);
        }
        if kernel.holder == Holder::Base && kernel.begin(data.len()).is_err() {
            if kernel.offloaded.has_failed() {
                self.monitor.quarantine(kernel.offloaded.route());
            }
            kernel.head.extend(data);
            return self.base.update(data);
        }
        if kernel.update(data).is_ok() {
            return Ok(kernel.offloaded.route());
        }
        self.go_on_alone()?;
        self.base.update(data)
    }

    /// The kernel has failed: the base hashes what had gone there. Where it cannot, the message is nobody's.
    #[cold]
    fn go_on_alone(&mut self) -> Result<(), CallError> {
        let Some(kernel) = &mut self.kernel else { return Err(CallError::SILENT) };
        kernel.holder = Holder::Nobody;
        if kernel.offloaded.has_failed() {
            self.monitor.quarantine(kernel.offloaded.route());
        }
        kernel.head.length = None;
        self.base.reset()?;
        self.base.update(kernel.kept.as_deref().ok_or(LOST)?)?;
        kernel.holder = Holder::Base;
        Ok(())
    }

    /// Computes the kernel's hash a second time, if it is this message's turn and its bytes are kept.
    fn is_wrong(&mut self, hash: &[u8]) -> Result<bool, CallError> {
        let Some(kernel) = &mut self.kernel else { return Ok(false) };
        let Some(kept) = kernel.kept.as_deref() else { return Ok(false) };
        if !self.monitor.verifies_this_call() {
            return Ok(false);
        }
        let mut right = [0; 64];
        let right = &mut right[..hash.len()];
        self.base.reset()?;
        self.base.update(kept)?;
        self.base.finish(right)?;
        if right == hash {
            return Ok(false);
        }
        kernel.offloaded.fail();
        Ok(true)
    }
}

/// At most a block, which is what HMAC begins with.
#[derive(Clone)]
struct Head {
    bytes: [u8; LONGEST_HEAD],
    /// Of the message so far; none if it is longer.
    length: Option<usize>,
}

const LONGEST_HEAD: usize = 144;

impl Head {
    const EMPTY: Self = Self { bytes: [0; LONGEST_HEAD], length: Some(0) };

    fn extend(&mut self, data: &[u8]) {
        let end = self.length.map(|length| length + data.len());
        match (self.length, end) {
            (Some(start), Some(end)) if end <= LONGEST_HEAD => {
                self.bytes[start..end].copy_from_slice(data);
                self.length = Some(end);
            }
            _ => self.length = None,
        }
    }

    fn get(&self) -> &[u8] {
        &self.bytes[..self.length.unwrap_or(0)]
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

/// Who has the message so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    Base,
    Kernel,
    /// The kernel failed, and the message was too long to be kept: every call fails until it begins again. Whoever
    /// went on would hash the rest alone.
    Nobody,
}

/// The answer then.
const LOST: CallError = CallError(&[Reason::Internal]);

/// The way to the kernel beside a hash context.
pub(crate) struct KernelHash {
    offloaded: Arc<Offloaded>,
    socket: Option<Hash>,
    holder: Holder,
    /// How the message begins, as long as it is short: then the kernel may still have it.
    head: Head,
    /// The message so far, unless it is too long to keep: the kernel does not give its state back.
    kept: Option<Vec<u8>>,
    patience: Patience,
}

/// A longer message cannot be handed over if the kernel fails: it fails as a whole.
const LONGEST_KEPT: usize = 65536;

/// Makes room for so many bytes more, if there is memory. A `Vec` that grows by itself leaves what it had behind.
fn make_room(kept: &mut Vec<u8>, bytes: usize) -> bool {
    if kept.capacity() - kept.len() >= bytes {
        return true;
    }
    let mut larger = Vec::new();
    if larger.try_reserve_exact((kept.len() + bytes).next_power_of_two()).is_err() {
        return false;
    }
    larger.extend_from_slice(kept);
    kept.zeroize();
    *kept = larger;
    true
}

impl KernelHash {
    pub(crate) fn new(offloaded: Arc<Offloaded>) -> Self {
        let (head, patience) = (Head::EMPTY, Patience::NEW);
        Self { offloaded, socket: None, holder: Holder::Base, head, kept: None, patience }
    }

    /// Begins a message with its head, if the next call is the kernel's.
    fn begin(&mut self, bytes: usize) -> Result<(), OffloadFailed> {
        if self.head.length.is_none() || !self.offloaded.takes(Direction::Encrypt, bytes) {
            return Err(OffloadFailed);
        }
        self.patience.ask()?;
        if self.socket.is_none() {
            // It may have been for want of descriptors.
            self.offloaded.self_test().inspect_err(|_| self.patience.lose())?;
            let socket = self.offloaded.hash();
            self.socket = Some(socket.map_err(|error| self.lost(&error))?);
        }
        self.kept = Some(Vec::new());
        let head = self.head.clone();
        self.update(head.get())?;
        self.holder = Holder::Kernel;
        Ok(())
    }

    fn update(&mut self, data: &[u8]) -> Result<(), OffloadFailed> {
        let socket = self.socket.as_mut().ok_or(OffloadFailed)?;
        socket.update(data).map_err(|error| self.lost(&error))?;
        self.keep(data);
        Ok(())
    }

    fn keep(&mut self, data: &[u8]) {
        if let Some(kept) = &mut self.kept {
            let fits = kept.len() + data.len() <= LONGEST_KEPT;
            if fits && make_room(kept, data.len()) {
                kept.extend_from_slice(data);
            } else {
                self.drop_kept();
            }
        }
    }

    fn finish(&mut self, output: &mut [u8]) -> Result<(), OffloadFailed> {
        let socket = self.socket.as_mut().ok_or(OffloadFailed)?;
        socket.finish(output).map_err(|error| self.lost(&error))?;
        self.patience = Patience::NEW;
        Ok(())
    }

    /// A copy; of a running message it has a socket only if the kernel could copy its own state.
    fn duplicate(&self) -> Self {
        let socket = self.socket.as_ref().filter(|_| self.holder == Holder::Kernel);
        Self {
            offloaded: self.offloaded.clone(),
            socket: socket.and_then(|socket| socket.try_clone().ok()),
            holder: self.holder,
            head: self.head.clone(),
            kept: self.kept.as_deref().and_then(copied),
            patience: self.patience,
        }
    }

    #[cold]
    fn lost(&mut self, error: &Error) -> OffloadFailed {
        self.socket = None;
        self.patience.lose();
        self.offloaded.judge(error)
    }

    fn drop_kept(&mut self) {
        if let Some(mut kept) = self.kept.take() {
            kept.zeroize();
        }
    }

    /// Ends a message that nobody wants.
    fn forget(&mut self) {
        let holder = std::mem::replace(&mut self.holder, Holder::Base);
        if let Some(socket) = self.socket.as_mut().filter(|_| holder == Holder::Kernel) {
            socket.reset();
        }
        self.head.length = Some(0);
        self.drop_kept();
    }
}

impl Drop for KernelHash {
    fn drop(&mut self) {
        self.drop_kept();
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_af_alg::{Interface, Permission, Transform};
    use wirespeed_cipher::{Digest, Subject};
    use wirespeed_cpu::Features;

    use super::*;
    use crate::routing::{By, Monitoring, Routing};

    /// A message that a kernel had and has lost: there is no socket any more.
    fn lost_by_a_kernel(message: &[u8]) -> Hashing {
        let transform = Transform::named("SHA2-256").expect("the kernel has it");
        let offloaded = Offloaded::new(Interface::AfAlg, transform, None, Permission::Unconfined);
        let mut kernel = KernelHash::new(Arc::new(offloaded));
        kernel.kept = Some(Vec::new());
        kernel.holder = Holder::Kernel;
        message.chunks(1000).for_each(|part| kernel.keep(part));
        let portable = By::List(&[Route::Portable]);
        let no_host = |_| Err("not in this test".to_owned());
        let routing =
            Routing::new(&portable, Features::NONE, &[], Monitoring::default(), no_host).unwrap();
        let monitor = Monitor::new(Arc::new(routing), Subject::Digest(Digest::Sha256));
        Hashing::new(Base::Own(Box::new(sha256())), Some(kernel), monitor)
    }

    fn sha256() -> Hasher {
        let compression = Digest::Sha256.compression();
        let kernels = wirespeed_kernels::hash(Route::Portable, compression, Features::NONE);
        Hasher::new(kernels.expect("portable is everywhere"), Digest::Sha256)
    }

    fn hash(parts: &[&[u8]]) -> [u8; 32] {
        let (mut hasher, mut hash) = (sha256(), [0; 32]);
        parts.iter().for_each(|part| hasher.update(part));
        hasher.finish(&mut hash);
        hash
    }

    #[test]
    fn a_message_that_was_kept_goes_on() {
        let message = [7; LONGEST_KEPT];
        let mut found = [[0; 32]; 2];
        let mut hashing = lost_by_a_kernel(&message);
        let mut copy = hashing.duplicate().expect("a copy by what is kept");
        for (hashing, found) in [&mut hashing, &mut copy].into_iter().zip(&mut found) {
            hashing.update(b"more").expect("by our own kernels");
            hashing.finish(found).expect("the same");
        }
        assert_eq!(found, [hash(&[&message, b"more"]); 2]);
    }

    #[test]
    fn one_that_was_too_long_fails_until_it_begins_again() {
        let message = [7; LONGEST_KEPT + 1];
        assert!(lost_by_a_kernel(&message).duplicate().is_err());
        assert_eq!(lost_by_a_kernel(&message).finish(&mut [0; 32]), Err(LOST));
        let mut hashing = lost_by_a_kernel(&message);
        for _ in 0..3 {
            assert_eq!(hashing.update(b"more"), Err(LOST));
        }
        assert!(hashing.duplicate().is_err());
        let mut found = [0; 32];
        assert_eq!(hashing.finish(&mut found), Err(LOST));
        assert_eq!(found, [0; 32]);
        hashing.reset().expect("a new message");
        hashing.update(b"more").expect("a new message");
        hashing.finish(&mut found).expect("a new message");
        assert_eq!(found, hash(&[b"more"]));
    }

    #[test]
    fn what_is_kept_moves_and_leaves_nothing_behind() {
        let mut kept = Vec::new();
        for (bytes, capacity) in [(100, 128), (28, 128), (1, 256)] {
            assert!(make_room(&mut kept, bytes));
            assert_eq!(kept.capacity(), capacity);
            kept.extend(std::iter::repeat_n(7, bytes));
        }
        assert_eq!(kept, [7; 129]);
    }
}

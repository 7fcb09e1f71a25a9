//! A socket of AF_ALG's that computes with one key.

use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use wirespeed_cipher::Direction;
use wirespeed_fork::Area;

use crate::held::{Exchange, Handle, Held, Purpose, whole};
use crate::permission::examine;
use crate::reach::{Messages, REQUEST, Requests};
use crate::wire::{self, Control, PAGE, Refusal, Step};
use crate::{Error, Hash};

impl Purpose {
    /// Accepts from the socket that has the key. That one is closed again: the kernel keeps it.
    pub(crate) fn with_bound<T>(
        &self,
        accept: impl FnOnce(&OwnedFd) -> Result<T, Refusal>,
    ) -> Result<T, Error> {
        examine(self.permission)?;
        let open = || {
            let bound = wire::bound(self.transform.kind, self.name())?;
            wire::configure(&bound, self.transform.kind, self.key.bytes())?;
            accept(&bound)
        };
        open().map_err(|refusal: Refusal| refusal.judge(self.name()))
    }
}

/// A descriptor, and how to tell that it is still what it was.
#[derive(Debug)]
pub(crate) struct Open {
    descriptor: ManuallyDrop<OwnedFd>,
    cookie: u64,
    /// The most bytes in a request, once they were asked for.
    capacity: Option<usize>,
}

impl Open {
    fn new(descriptor: OwnedFd) -> Result<Self, Refusal> {
        let cookie = wire::cookie(descriptor.as_raw_fd())
            .map_err(|error| Refusal { step: Step::Accept, error })?;
        Ok(Self { descriptor: ManuallyDrop::new(descriptor), cookie, capacity: None })
    }

    fn descriptor(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}

impl Handle for Open {
    fn open(purpose: &Purpose) -> Result<Self, Error> {
        purpose.with_bound(|bound| Self::new(wire::accept(bound.as_raw_fd())?))
    }

    fn is_ours(&self) -> bool {
        wire::cookie(self.descriptor()).is_ok_and(|cookie| cookie == self.cookie)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.is_ours() {
            // SAFETY: it is dropped once, here; otherwise it is somebody else's and stays open.
            unsafe { ManuallyDrop::drop(&mut self.descriptor) };
        }
    }
}

pub(crate) type Socket = Held<Open>;

impl Socket {
    /// The most bytes that one request may send or receive.
    pub(crate) fn capacity(&mut self, wanted: usize) -> Result<usize, Error> {
        // Every socket takes a page; those who never send more are spared the question.
        if wanted <= PAGE {
            return Ok(PAGE);
        }
        if let Some(capacity) = self.handle().and_then(|open| open.capacity) {
            return Ok(capacity);
        }
        let open = self.ready()?;
        let capacity = wire::capacity(open.descriptor()).map_err(Error::of_operation)?;
        open.capacity = Some(capacity);
        self.calls += 2;
        Ok(capacity)
    }

    /// Sends a request of `sent` bytes and receives `received`, in room for `room`. On an error the socket
    /// is gone, and what is at `to` may be anything.
    ///
    /// # Safety
    /// Every part must be readable for its length, and `to` writable for `room` bytes.
    pub(crate) unsafe fn exchange(
        &mut self,
        control: &[u8],
        parts: &[libc::iovec],
        to: *mut u8,
        room: usize,
        received: usize,
    ) -> Result<(), Exchange> {
        let descriptor = self.ready().map_err(Exchange::Refused)?.descriptor();
        let sent = parts.iter().map(|part| part.iov_len).sum();
        self.calls += 2;
        // SAFETY: the caller vouches for the parts.
        let result = unsafe { wire::send(descriptor, control, parts, 0) }
            .and_then(|count| whole(count, sent))
            // SAFETY: the caller vouches for `to`.
            .and_then(|()| unsafe { wire::receive(descriptor, to, room) })
            .and_then(|count| whole(count, received));
        result.map_err(|error| {
            // A message that is not authentic has been taken as any other.
            if error.raw_os_error() != Some(libc::EBADMSG) {
                self.discard();
            }
            Exchange::Failed(error)
        })
    }
}

/// A cipher's socket.
#[derive(Debug)]
pub(crate) struct CipherSocket {
    socket: Socket,
    control: Control,
}

impl CipherSocket {
    /// Opens it; `iv_bytes` as the transform has it.
    pub(crate) fn new(purpose: Purpose, iv_bytes: usize) -> Result<Self, Error> {
        let socket = Socket::new(purpose, REQUEST)?;
        Ok(Self { socket, control: Control::new(iv_bytes, false) })
    }
}

impl Requests for CipherSocket {
    fn area(&mut self) -> &mut Area {
        &mut self.socket.area
    }

    fn calls(&self) -> u64 {
        self.socket.calls
    }

    fn capacity(&mut self, wanted: usize) -> Result<usize, Error> {
        self.socket.capacity(wanted)
    }

    unsafe fn request(
        &mut self,
        direction: Direction,
        iv: &[u8],
        from: *const u8,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), Exchange> {
        self.control.set(direction, iv);
        let part = libc::iovec { iov_base: from.cast_mut().cast(), iov_len: bytes };
        // SAFETY: the caller vouches for both.
        unsafe { self.socket.exchange(self.control.as_slice(), &[part], to, bytes, bytes) }
    }
}

/// Bytes in one call: Linux cuts longer ones at 2 GiB, and none should hold a CPU for long.
const CALL: usize = 1 << 24;

impl Messages for Socket {
    fn calls(&self) -> u64 {
        self.calls
    }

    fn is_open(&self) -> bool {
        Self::is_open(self)
    }

    fn ready(&mut self) -> Result<(), Error> {
        Self::ready(self).map(drop)
    }

    fn absorb(&mut self, data: &[u8], _: bool) -> Result<usize, Exchange> {
        let count = data.len().min(CALL);
        let part = libc::iovec { iov_base: data.as_ptr().cast_mut().cast(), iov_len: count };
        let descriptor = self.handle().map(Open::descriptor).ok_or_else(gone)?;
        self.calls += 1;
        // SAFETY: the part is a piece of `data`.
        let sent = unsafe { wire::send(descriptor, &[], &[part], libc::MSG_MORE) };
        Ok(sent.map_err(Exchange::Failed)?.min(count))
    }

    fn squeeze(&mut self, digest: &mut [u8], _: bool) -> Result<usize, Exchange> {
        let descriptor = self.handle().map(Open::descriptor).ok_or_else(gone)?;
        self.calls += 1;
        // SAFETY: the digest is writable for its length.
        let received = unsafe { wire::receive(descriptor, digest.as_mut_ptr(), digest.len()) };
        received.map_err(Exchange::Failed)
    }

    fn forget(&mut self, bytes: usize) -> Result<(), Exchange> {
        // The end of a message is what makes the kernel begin another.
        let mut digest = [0; Hash::LONGEST];
        Self::ready(self).map_err(Exchange::Refused)?;
        let received = self.squeeze(&mut digest[..bytes], true)?;
        whole(received, bytes).map_err(Exchange::Failed)
    }

    fn copy(&self) -> Result<Box<dyn Messages>, Error> {
        let descriptor = self.checked()?.descriptor();
        let accepted = wire::accept(descriptor).and_then(Open::new);
        let open = accepted.map_err(|refusal| Error::of_operation(refusal.error))?;
        Ok(Box::new(Self::of(self.purpose.clone(), open, 0)?))
    }

    fn discard(&mut self) {
        Self::discard(self);
    }
}

fn gone() -> Exchange {
    Exchange::Refused(Error::busy("no descriptor"))
}

//! A socket that computes with one key, opened again when it was lost.
//!
//! Whoever owns the process may close every descriptor (sshd does), may open something else in its
//! place, may fork. So before a byte is sent the descriptor is checked, and so it is before it is
//! closed. What remains is a thread that closes what it does not own in the very moment between check and use.

use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::{fmt, io};

use zeroize::Zeroize;

use crate::area::Area;
use crate::permission::{Permission, examine};
use crate::wire::{self, PAGE, Refusal, Step};
use crate::{Error, Transform};

/// A key, wiped when dropped.
#[derive(Clone)]
pub(crate) struct Key(Box<[u8]>);

impl Drop for Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// What a socket is for.
#[derive(Clone, Debug)]
pub(crate) struct Purpose {
    pub(crate) transform: &'static Transform,
    driver: Option<Box<str>>,
    key: Key,
    permission: Permission,
}

impl Purpose {
    pub(crate) fn new(
        transform: &'static Transform,
        driver: Option<&str>,
        key: &[u8],
        permission: Permission,
    ) -> Self {
        Self { transform, driver: driver.map(Into::into), key: Key(key.into()), permission }
    }

    /// The name that the kernel is asked for.
    fn name(&self) -> &str {
        self.driver.as_deref().unwrap_or(self.transform.kernel)
    }

    /// Opens a socket that computes.
    pub(crate) fn open(&self) -> Result<Open, Error> {
        self.with_bound(|bound| Open::new(wire::accept(bound.as_raw_fd())?))
    }

    /// Accepts from the socket that has the key. That one is closed again: the kernel keeps it.
    pub(crate) fn with_bound<T>(
        &self,
        accept: impl FnOnce(&OwnedFd) -> Result<T, Refusal>,
    ) -> Result<T, Error> {
        examine(self.permission)?;
        let open = || {
            let bound = wire::bound(self.transform.kind, self.name())?;
            wire::configure(&bound, self.transform.kind, &self.key.0)?;
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
}

impl Open {
    pub(crate) fn new(descriptor: OwnedFd) -> Result<Self, Refusal> {
        let cookie = wire::cookie(descriptor.as_raw_fd())
            .map_err(|error| Refusal { step: Step::Accept, error })?;
        Ok(Self { descriptor: ManuallyDrop::new(descriptor), cookie })
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }

    /// Whether nobody has closed the descriptor or put something else in its place.
    pub(crate) fn is_ours(&self) -> bool {
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

/// A purpose, its socket while there is one, and memory that no child sees.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) purpose: Purpose,
    open: Option<Open>,
    /// The most bytes in a request, once they were asked for.
    capacity: Option<usize>,
    pub(crate) area: Area,
    pub(crate) calls: u64,
}

impl Socket {
    /// Opens it, with an area of `room` bytes.
    pub(crate) fn new(purpose: Purpose, room: usize) -> Result<Self, Error> {
        let open = purpose.open()?;
        Self::of(purpose, open, room)
    }

    /// With a descriptor for that purpose.
    pub(crate) fn of(purpose: Purpose, open: Open, room: usize) -> Result<Self, Error> {
        let area = Area::new(room)?;
        Ok(Self { purpose, open: Some(open), capacity: None, area, calls: 0 })
    }

    /// The descriptor, which is certainly ours.
    ///
    /// A forked child gets one of its own. Where somebody has closed ours, this call is not served;
    /// the next gets another.
    pub(crate) fn ready(&mut self) -> Result<RawFd, Error> {
        if !self.area.is_ours() {
            self.discard();
            self.area.claim();
        }
        match &self.open {
            Some(open) => {
                self.calls += 1;
                if open.is_ours() {
                    return Ok(open.descriptor());
                }
                self.discard();
                Err(Error::busy("the program has closed our descriptor"))
            }
            None => Ok(self.open.insert(self.purpose.open()?).descriptor()),
        }
    }

    /// Whether there is a descriptor.
    pub(crate) const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Closes it, if it is ours to close: what it was told is gone.
    pub(crate) fn discard(&mut self) {
        self.open = None;
        self.capacity = None;
    }

    /// The most bytes that one request may send or receive.
    pub(crate) fn capacity(&mut self, wanted: usize) -> Result<usize, Error> {
        // Every socket takes a page; those who never send more are spared the question.
        if wanted <= PAGE {
            return Ok(PAGE);
        }
        if let Some(capacity) = self.capacity {
            return Ok(capacity);
        }
        let descriptor = self.ready()?;
        self.calls += 2;
        let capacity = wire::capacity(descriptor).map_err(Error::of_operation)?;
        self.capacity = Some(capacity);
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
        let descriptor = self.ready().map_err(Exchange::Refused)?;
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

/// Why a request was not answered.
#[derive(Debug)]
pub(crate) enum Exchange {
    /// It was not made.
    Refused(Error),
    /// The kernel failed it.
    Failed(io::Error),
}

impl From<Exchange> for Error {
    fn from(exchange: Exchange) -> Self {
        match exchange {
            Exchange::Refused(error) => error,
            Exchange::Failed(error) => Self::of_operation(error),
        }
    }
}

fn whole(count: usize, expected: usize) -> io::Result<()> {
    if count == expected {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("the kernel took or gave {count} bytes of {expected}"),
        ))
    }
}

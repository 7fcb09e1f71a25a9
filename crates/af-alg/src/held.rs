//! What computes with one key, opened again when it was lost.
//!
//! Whoever owns the process may close every descriptor (sshd does), may open something else in its
//! place, may fork. So before a byte is sent the descriptor is checked, and so it is before it is
//! closed. What remains is a thread that closes what it does not own in the very moment between check and use.

use std::{fmt, io};

use wirespeed_fork::Area;
use zeroize::Zeroize;

use crate::permission::Permission;
use crate::presence;
use crate::{Error, Transform};

/// A key, wiped when dropped.
#[derive(Clone)]
pub(crate) struct Key(Box<[u8]>);

impl Key {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

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

/// What something is opened for.
#[derive(Clone, Debug)]
pub(crate) struct Purpose {
    pub(crate) transform: &'static Transform,
    pub(crate) driver: Option<Box<str>>,
    pub(crate) key: Key,
    pub(crate) permission: Permission,
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
    pub(crate) fn name(&self) -> &str {
        self.driver.as_deref().unwrap_or(self.transform.kernel)
    }
}

/// A descriptor with a key behind it. Dropped, it is closed, unless it is somebody else's by now.
pub(crate) trait Handle: fmt::Debug + Sized {
    fn open(purpose: &Purpose) -> Result<Self, Error>;

    /// Whether nobody has closed the descriptor or put something else in its place.
    fn is_ours(&self) -> bool;

    /// A fork has brought it here: what the kernel keeps behind it is the parent's.
    fn inherit(&mut self) {}
}

/// A purpose, its descriptor while there is one, and memory that no child sees.
#[derive(Debug)]
pub(crate) struct Held<H: Handle> {
    pub(crate) purpose: Purpose,
    handle: Option<H>,
    pub(crate) area: Area,
    pub(crate) calls: u64,
}

impl<H: Handle> Held<H> {
    /// Opens it, with an area of `room` bytes.
    pub(crate) fn new(purpose: Purpose, room: usize) -> Result<Self, Error> {
        let handle = H::open(&purpose)?;
        Self::of(purpose, handle, room)
    }

    /// With a descriptor for that purpose.
    pub(crate) fn of(purpose: Purpose, handle: H, room: usize) -> Result<Self, Error> {
        let area = presence::area(room)?;
        Ok(Self { purpose, handle: Some(handle), area, calls: 0 })
    }

    /// The descriptor, which is certainly ours.
    ///
    /// A forked child gets one of its own. Where somebody has closed ours, this call is not served;
    /// the next gets another.
    pub(crate) fn ready(&mut self) -> Result<&mut H, Error> {
        if !self.area.is_ours() {
            self.discard();
            self.area.claim();
        }
        match &self.handle {
            Some(handle) => {
                self.calls += 1;
                if !handle.is_ours() {
                    self.discard();
                    return Err(Error::busy("the program has closed our descriptor"));
                }
            }
            None => self.handle = Some(H::open(&self.purpose)?),
        }
        self.handle.as_mut().ok_or_else(|| Error::busy("no descriptor"))
    }

    /// The same without a change: an error where there is none.
    pub(crate) fn checked(&self) -> Result<&H, Error> {
        let handle = self.handle.as_ref().filter(|it| self.area.is_ours() && it.is_ours());
        handle.ok_or_else(|| Error::busy("no descriptor"))
    }

    /// The descriptor as it was left.
    pub(crate) const fn handle(&self) -> Option<&H> {
        self.handle.as_ref()
    }

    /// Whether there is a descriptor, and this process has made it.
    pub(crate) fn is_open(&self) -> bool {
        self.handle.is_some() && self.area.is_ours()
    }

    /// Closes it, if it is ours to close: what it was told is gone.
    pub(crate) fn discard(&mut self) {
        if let Some(mut handle) = self.handle.take()
            && !self.area.is_ours()
        {
            handle.inherit();
        }
    }
}

impl<H: Handle> Drop for Held<H> {
    fn drop(&mut self) {
        self.discard();
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

/// Holds the kernel to the number of bytes that it was asked for.
pub(crate) fn whole(count: usize, expected: usize) -> io::Result<()> {
    if count == expected {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("the kernel took or gave {count} bytes of {expected}"),
        ))
    }
}

//! A session: one key in the device.
//!
//! What cryptodev-linux 1.14 does, and what is made of it here:
//!
//! - **One file for one key.** Sessions belong to an open file, which children share. A child that ended one would
//!   end its parent's: it closes its own descriptor only, and opens another file.
//! - **No copy in the kernel,** where a call's addresses are aligned as the driver wants. The device then writes to the
//!   program's pages: beside the data where its cache lines are longer, and into the child's where another thread
//!   forks. So it only ever sees whole pages of ours, which no child has, and works there in place.
//! - **A copy, page by page,** where that cannot be had, as a chain of calls of the driver's. For XTS, whose data unit
//!   cannot be cut, that is wrong and nobody says so: there is no XTS here.
//! - **The IV** is given with each call and computed here, as with AF_ALG. The driver's own is not asked for.
//! - **EINVAL** is its answer to almost anything. For a new session it may be the key's fault: another key tells. For a
//!   call it may be that the file is another's, in which a session of that number is not: then none is there.
//! - **The descriptor** keeps the module in memory. A module that is unloaded has no sessions, so what was closed or
//!   forked meanwhile finds it absent.

use std::io;
use std::mem::ManuallyDrop;
use std::path::Path;

use wirespeed_cipher::Direction;
use wirespeed_fork::Area;

use super::PATH;
use super::abi::{self, Call, Number};
use super::device::Device;
use super::presence::{Driver, missing, unserved};
use crate::error::passes;
use crate::held::{Exchange, Handle, Held, Purpose};
use crate::permission::examine;
use crate::reach::{Messages, REQUEST, Requests};
use crate::wire::PAGE;
use crate::{Error, Hash, Transform};

/// A session's file and number.
#[derive(Debug)]
pub(super) struct Open {
    device: ManuallyDrop<Device>,
    number: u32,
    /// It is the parent's.
    inherited: bool,
}

impl Open {
    /// Opens the device and gives it the key.
    pub(super) fn at(path: &Path, purpose: &Purpose) -> Result<Self, Error> {
        examine(purpose.permission)?;
        let device = Device::open(path).map_err(|why| missing(path, why))?;
        Self::on(device, purpose)
    }

    /// A session of a file.
    fn on(device: Device, purpose: &Purpose) -> Result<Self, Error> {
        let transform = purpose.transform;
        let number = abi::number(transform).ok_or_else(|| unserved(transform, None))?;
        let session = match abi::new_session(device.descriptor(), number, purpose.key.bytes()) {
            Ok(session) => session,
            Err(error) if passes(&error) => return Err(Error::Busy(error)),
            Err(error) if takes_another_key(&device, number, purpose) => {
                return Err(Error::Busy(error));
            }
            Err(error) => return Err(unserved(transform, Some(&error))),
        };
        let open = Self { device: ManuallyDrop::new(device), number: session, inherited: false };
        let driver = open.driver(transform)?;
        match &purpose.driver {
            Some(wanted) if **wanted != driver.name => Err(Error::Absent(crate::Absent(format!(
                "{PATH} gives {} by {}, not by {wanted}",
                transform.kernel, driver.name
            )))),
            _ => Ok(open),
        }
    }

    /// Who serves it.
    pub(super) fn driver(&self, transform: &Transform) -> Result<Driver, Error> {
        let info = abi::session_info(self.device.descriptor(), self.number).map_err(|error| {
            Error::Absent(crate::Absent(format!(
                "{PATH} does not tell who serves {} ({error})",
                transform.kernel
            )))
        })?;
        Ok(Driver::of(&info, transform))
    }

    /// Whether the session is none of this file's: somebody has put another in its place.
    fn is_strange(&self) -> bool {
        let info = abi::session_info(self.device.descriptor(), self.number);
        info.is_err_and(|error| error.raw_os_error() == Some(libc::EINVAL))
    }
}

impl Handle for Open {
    fn open(purpose: &Purpose) -> Result<Self, Error> {
        Self::at(Path::new(PATH), purpose)
    }

    fn is_ours(&self) -> bool {
        self.device.is_there()
    }

    fn inherit(&mut self) {
        self.inherited = true;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.device.is_there() || self.is_strange() {
            return;
        }
        if !self.inherited {
            // Whoever shares the file may keep it open for long.
            let _ = abi::end_session(self.device.descriptor(), self.number);
        }
        // SAFETY: it is dropped once, here; otherwise it is somebody else's and stays open.
        unsafe { ManuallyDrop::drop(&mut self.device) };
    }
}

/// Whether the device has the algorithm with a key like any other.
fn takes_another_key(device: &Device, number: Number, purpose: &Purpose) -> bool {
    let key: Vec<u8> = (1..=u8::MAX).take(purpose.key.bytes().len()).collect();
    let session = abi::new_session(device.descriptor(), number, &key);
    session.is_ok_and(|session| abi::end_session(device.descriptor(), session).is_ok())
}

/// A session, and pages for the device to work on.
#[derive(Debug)]
pub(crate) struct Session(Held<Open>);

impl Session {
    pub(crate) fn opened(purpose: Purpose) -> Result<Self, Error> {
        Held::new(purpose, ROOM).map(Self)
    }

    /// Makes a call on the session. On an error the descriptor is gone.
    ///
    /// # Safety
    /// As [`abi::crypt`].
    unsafe fn call(&mut self, call: &Call) -> Result<(), Exchange> {
        let Some(open) = self.0.handle() else {
            return Err(Exchange::Refused(Error::busy("no session")));
        };
        let call = Call { session: open.number, ..*call };
        let descriptor = open.device.descriptor();
        self.0.calls += 1;
        // SAFETY: the caller vouches for the pointers.
        unsafe { abi::crypt(descriptor, &call) }.map_err(|error| self.judge(error))
    }

    #[cold]
    fn judge(&mut self, error: io::Error) -> Exchange {
        let is_invalid = error.raw_os_error() == Some(libc::EINVAL);
        let is_others = is_invalid && self.0.handle().is_some_and(Open::is_strange);
        self.0.discard();
        if is_others {
            return Exchange::Refused(Error::busy(
                "the program has put another file in our descriptor's place",
            ));
        }
        Exchange::Failed(error)
    }

    /// Data that the device reads.
    fn take(&mut self, data: &[u8]) -> *mut u8 {
        let area = self.0.area.bytes(data.len());
        area.copy_from_slice(data);
        area.as_mut_ptr()
    }

    /// Has the device write a digest.
    fn digest(&mut self, data: &[u8], flags: u16, digest: &mut [u8]) -> Result<usize, Exchange> {
        let from = self.take(data);
        let to = self.0.area.bytes(ROOM)[REQUEST..].as_mut_ptr();
        let call =
            Call { bytes: data.len() as u32, from, digest: to, ..Call::of(0, abi::ENCRYPT, flags) };
        // SAFETY: the data are in the area; behind them there is room for more than the longest digest.
        unsafe { self.call(&call)? };
        digest.copy_from_slice(&self.0.area.bytes(ROOM)[REQUEST..REQUEST + digest.len()]);
        Ok(digest.len())
    }
}

/// Data, and a page for a digest, however long the device thinks that it is.
const ROOM: usize = REQUEST + PAGE;
const _: () = assert!(Hash::LONGEST < PAGE);

impl Requests for Session {
    fn area(&mut self) -> &mut Area {
        &mut self.0.area
    }

    fn calls(&self) -> u64 {
        self.0.calls
    }

    fn capacity(&mut self, _: usize) -> Result<usize, Error> {
        Ok(REQUEST)
    }

    unsafe fn request(
        &mut self,
        direction: Direction,
        iv: &[u8],
        from: *const u8,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), Exchange> {
        self.0.ready().map_err(Exchange::Refused)?;
        let area = self.0.area.bytes(ROOM).as_mut_ptr_range();
        let place = if area.contains(&to) { to } else { area.start };
        let operation = match direction {
            Direction::Encrypt => abi::ENCRYPT,
            Direction::Decrypt => abi::DECRYPT,
        };
        let mut block = crate::iv::Block::default();
        block[..iv.len()].copy_from_slice(iv);
        let call = Call {
            bytes: bytes as u32,
            from: place,
            to: place,
            iv: if iv.is_empty() { std::ptr::null() } else { block.as_ptr() },
            ..Call::of(0, operation, 0)
        };
        // SAFETY: the caller vouches for `from` and `to`, which are apart; the area has room for any request, and is
        // nobody else's unless it is `to`. An IV has as many bytes as a block at most.
        unsafe {
            std::ptr::copy_nonoverlapping(from, place, bytes);
            self.call(&call)?;
            if place != to {
                std::ptr::copy_nonoverlapping(place, to, bytes);
            }
        }
        Ok(())
    }
}

impl Messages for Session {
    fn calls(&self) -> u64 {
        self.0.calls
    }

    fn is_open(&self) -> bool {
        self.0.is_open()
    }

    fn ready(&mut self) -> Result<(), Error> {
        self.0.ready().map(drop)
    }

    fn absorb(&mut self, data: &[u8], begun: bool) -> Result<usize, Exchange> {
        let data = &data[..data.len().min(REQUEST)];
        let from = self.take(data);
        let flags = abi::UPDATE | if begun { 0 } else { abi::RESET };
        let call = Call { bytes: data.len() as u32, from, ..Call::of(0, abi::ENCRYPT, flags) };
        // SAFETY: the data are in the area, and nothing is written.
        unsafe { self.call(&call)? };
        Ok(data.len())
    }

    fn squeeze(&mut self, digest: &mut [u8], begun: bool) -> Result<usize, Exchange> {
        let flags = abi::FINAL | if begun { 0 } else { abi::RESET };
        self.digest(&[], flags, digest)
    }

    fn at_once(&mut self, message: &[u8], digest: &mut [u8]) -> Option<Result<usize, Exchange>> {
        (message.len() <= REQUEST).then(|| self.digest(message, 0, digest))
    }

    fn forget(&mut self, _: usize) -> Result<(), Exchange> {
        // The next message's first call says that it begins.
        Ok(())
    }

    fn copy(&self) -> Result<Box<dyn Messages>, Error> {
        let open = self.0.checked()?;
        let device = open.device.twin().map_err(Error::of_operation)?;
        let (descriptor, number) = (device.descriptor(), open.number);
        let purpose = self.0.purpose.clone();
        let copy = Open::on(device, &purpose)?;
        abi::copy_state(descriptor, number, copy.number).map_err(Error::of_operation)?;
        Ok(Box::new(Self(Held::of(purpose, copy, ROOM)?)))
    }

    fn discard(&mut self) {
        self.0.discard();
    }
}

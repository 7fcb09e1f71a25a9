//! The ways to a driver, behind one face: a cipher or a hash function does not know which of them it has.

use std::fmt;

use wirespeed_cipher::Direction;
use wirespeed_fork::Area;

use crate::Error;
use crate::held::Exchange;

/// The most bytes in one request.
pub(crate) const REQUEST: usize = 65536;

/// A cipher with its key.
pub(crate) trait Requests: fmt::Debug + Send + Sync {
    /// Memory that no child sees, for [`REQUEST`] bytes.
    fn area(&mut self) -> &mut Area;

    /// System calls so far; opening is not counted.
    fn calls(&self) -> u64;

    /// The most bytes of a request where so many are wanted.
    fn capacity(&mut self, wanted: usize) -> Result<usize, Error>;

    /// One request. On an error nothing is kept that was open, and what is at `to` may be anything.
    ///
    /// # Safety
    /// `from` must be readable and `to` writable for so many bytes, which may not overlap.
    unsafe fn request(
        &mut self,
        direction: Direction,
        iv: &[u8],
        from: *const u8,
        to: *mut u8,
        bytes: usize,
    ) -> Result<(), Exchange>;
}

/// A hash function with its key, if it has one.
pub(crate) trait Messages: fmt::Debug + Send + Sync {
    /// System calls so far; opening is not counted.
    fn calls(&self) -> u64;

    /// Whether what a message has begun in is still open, and this process's own.
    fn is_open(&self) -> bool;

    /// Opens what is not, and checks what is.
    fn ready(&mut self) -> Result<(), Error>;

    /// Takes in some of the data, or all; how many bytes. `begun` is whether it took in any of this message before.
    fn absorb(&mut self, data: &[u8], begun: bool) -> Result<usize, Exchange>;

    /// Ends the message: how many bytes its digest has.
    fn squeeze(&mut self, digest: &mut [u8], begun: bool) -> Result<usize, Exchange>;

    /// A whole message in one request, where that can be had.
    fn at_once(&mut self, _message: &[u8], _digest: &mut [u8]) -> Option<Result<usize, Exchange>> {
        None
    }

    /// Ends a message, whose digest of so many bytes nobody wants.
    fn forget(&mut self, bytes: usize) -> Result<(), Exchange>;

    /// Another that has taken in the same.
    fn copy(&self) -> Result<Box<dyn Messages>, Error>;

    /// Closes what is open.
    fn discard(&mut self);
}

//! Ciphers whose state is their IV.

use std::io;

use wirespeed_cipher::{Direction, InOut};

use crate::held::{Exchange, Purpose};
use crate::iv::{Block, following, within};
use crate::reach::{REQUEST, Requests};
use crate::staging::Staging;
use crate::transform::Kind;
use crate::{Error, Interface, Permission, Transform};

/// A keyed cipher of the kernel's: one descriptor, which no fork shares.
#[derive(Debug)]
pub struct Cipher {
    transform: &'static Transform,
    requests: Box<dyn Requests>,
}

impl Cipher {
    /// The most bytes in one request to the kernel; what is longer takes several. An operation in place
    /// needs memory for what goes beyond it.
    pub const REQUEST: usize = REQUEST;

    /// Opens a socket for the generic name, or for the driver of that name, and gives it the key.
    ///
    /// # Panics
    /// If the transform is no cipher.
    pub fn open(
        transform: &'static Transform,
        driver: Option<&str>,
        key: &[u8],
        permission: Permission,
    ) -> Result<Self, Error> {
        Self::through(Interface::AfAlg, transform, driver, key, permission)
    }

    /// The same through any interface.
    ///
    /// # Panics
    /// If the transform is no cipher.
    pub fn through(
        interface: Interface,
        transform: &'static Transform,
        driver: Option<&str>,
        key: &[u8],
        permission: Permission,
    ) -> Result<Self, Error> {
        let Kind::Cipher { iv_bytes, .. } = transform.kind else {
            panic!("{} is no cipher", transform.name)
        };
        let purpose = Purpose::new(transform, driver, key, permission);
        let requests = interface.cipher(purpose, iv_bytes)?;
        Ok(Self { transform, requests })
    }

    /// What it computes.
    pub const fn transform(&self) -> &'static Transform {
        self.transform
    }

    /// How many system calls its messages took so far; opening is not counted.
    pub fn system_calls(&self) -> u64 {
        self.requests.calls()
    }

    /// Runs whole blocks (XTS: one data unit) from `iv` on, which moves on as the mode's does; CTR's by
    /// each block begun.
    ///
    /// On an error neither `iv` nor the data to read has changed, in place or not. (At a destination of
    /// its own there may be anything.)
    ///
    /// # Panics
    /// If `iv` has another length than the transform's, or the data are no whole blocks.
    pub fn crypt(
        &mut self,
        direction: Direction,
        iv: &mut [u8],
        mut data: InOut<'_>,
    ) -> Result<(), Error> {
        check(self.transform(), iv, &data);
        if data.is_empty() {
            return Ok(());
        }
        let mut chain = Block::default();
        let chain = &mut chain[..iv.len()];
        chain.copy_from_slice(iv);
        if !overlap(&data) {
            // SAFETY: the destination is writable for the length of the data.
            unsafe { self.run(direction, chain, &data, data.destination())? };
        } else {
            let mut staging = Staging::new(self.requests.area(), data.len())?;
            let output = staging.bytes(self.requests.area()).as_mut_ptr();
            // SAFETY: the room is as long as the data, and `run` does not use it otherwise.
            unsafe { self.run(direction, chain, &data, output)? };
            data.overwrite(staging.bytes(self.requests.area()));
        }
        iv.copy_from_slice(chain);
        Ok(())
    }

    /// Request by request, from the source to `output`, which may not overlap.
    ///
    /// # Safety
    /// `output` must be writable for the length of the data.
    unsafe fn run(
        &mut self,
        direction: Direction,
        iv: &mut [u8],
        data: &InOut<'_>,
        output: *mut u8,
    ) -> Result<(), Error> {
        let chain = self.transform().chain;
        let step = self.step(data.len())?;
        let mut from = 0;
        while from < data.len() {
            let count = step.min(data.len() - from).min(within(chain, iv));
            // SAFETY: both ranges are as long as the data.
            let (source, output) = unsafe { (data.source().add(from), output.add(from)) };
            // SAFETY: the source is readable and the output writable for `count` bytes.
            let answered = unsafe { self.requests.request(direction, iv, source, output, count) };
            answered.map_err(|exchange| self.judge(exchange, count))?;
            // SAFETY: as above, and apart from each other.
            let (source, output) = unsafe {
                (
                    std::slice::from_raw_parts(source, count),
                    std::slice::from_raw_parts(output, count),
                )
            };
            following(chain, direction, iv, source, output);
            from += count;
        }
        Ok(())
    }

    /// Bytes in each request.
    fn step(&mut self, length: usize) -> Result<usize, Error> {
        let capacity = self.requests.capacity(length)?;
        if !self.transform.is_xts() {
            return Ok(capacity.min(REQUEST));
        }
        // A data unit cannot be cut.
        if length > capacity {
            return Err(Error::TooLong("the kernel takes no XTS data unit of that length"));
        }
        Ok(capacity)
    }

    fn judge(&self, exchange: Exchange, count: usize) -> Error {
        match exchange {
            // Before Linux 5.4, and with drivers of today, XTS has no ciphertext stealing.
            Exchange::Failed(error)
                if self.transform().is_xts() && !count.is_multiple_of(16) && is_invalid(&error) =>
            {
                Error::Busy(error)
            }
            exchange => exchange.into(),
        }
    }
}

fn is_invalid(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EINVAL)
}

/// Holds callers to the transform's sizes.
pub(crate) fn check(transform: &Transform, iv: &[u8], data: &InOut<'_>) {
    let Kind::Cipher { iv_bytes, block_bytes, .. } = transform.kind else {
        unreachable!("it was opened as a cipher")
    };
    assert_eq!(iv.len(), iv_bytes, "{} IV", transform.name);
    assert!(data.len().is_multiple_of(block_bytes), "{}: whole blocks", transform.name);
}

/// Whether any byte is both to be read and to be written.
pub(crate) fn overlap(data: &InOut<'_>) -> bool {
    let (source, destination) = (data.source().addr(), data.destination().addr());
    source.abs_diff(destination) < data.len()
}

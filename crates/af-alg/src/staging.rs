//! Where output waits until all of it is there: in the socket's area, or on the heap where it is long.

use std::io;

use wirespeed_fork::Area;
use zeroize::Zeroize;

use crate::Error;

/// Room for the output of one operation.
pub(crate) enum Staging {
    Area(usize),
    Heap(Vec<u8>),
}

impl Staging {
    /// Room for `length` bytes, in the area if they fit.
    pub(crate) fn new(area: &Area, length: usize) -> Result<Self, Error> {
        if length <= area.room() {
            return Ok(Self::Area(length));
        }
        let mut bytes = Vec::new();
        let room = bytes.try_reserve_exact(length);
        room.map_err(|_| Error::Busy(io::Error::from_raw_os_error(libc::ENOMEM)))?;
        bytes.resize(length, 0);
        Ok(Self::Heap(bytes))
    }

    pub(crate) fn bytes<'a>(&'a mut self, area: &'a mut Area) -> &'a mut [u8] {
        match self {
            Self::Area(length) => area.bytes(*length),
            Self::Heap(bytes) => bytes,
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        match self {
            // The kernel wipes it when it takes the pages back, and at fork.
            Self::Area(_) => {}
            Self::Heap(bytes) => bytes.as_mut_slice().zeroize(),
        }
    }
}

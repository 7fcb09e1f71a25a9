//! Ciphers whose state is their IV.

use wirespeed_cipher::{Direction, InOut};

use crate::{Absent, Error, Permission, Transform};

/// A keyed cipher of the kernel's: one socket, which no fork shares.
#[derive(Debug)]
pub struct Cipher {
    _transform: &'static Transform,
}

impl Cipher {
    /// Opens a socket for the generic name, or for the driver of that name, and gives it the key.
    pub fn open(
        _transform: &'static Transform,
        _driver: Option<&str>,
        _key: &[u8],
        _permission: Permission,
    ) -> Result<Self, Error> {
        Err(Error::Absent(Absent("not written yet".to_owned())))
    }

    /// Runs whole blocks (XTS: one data unit) from `iv` on, which moves on as the mode's does.
    ///
    /// On an error neither `iv` nor `data` has changed, in place or not.
    pub fn crypt(
        &mut self,
        _direction: Direction,
        _iv: &mut [u8],
        _data: InOut<'_>,
    ) -> Result<(), Error> {
        Err(Error::Absent(Absent("not written yet".to_owned())))
    }
}

//! CFB, OFB and CTR: as many bytes out as in.

use std::marker::PhantomData;
use std::ptr::null;

use wirespeed_cipher::modes::Feedback;
use wirespeed_cipher::{AesKey, Direction, Mode};

use super::common::{self, Common, Progress};
use super::{Cipher, Setup};
use crate::call::Call;
use crate::host::Version;
use crate::openssl::Param;
use crate::refusal::Refusal;

/// A mode as a type, so that each gets functions of its own.
pub(crate) trait StreamMode: Clone {
    const MODE: Mode;
}

#[derive(Clone)]
pub(crate) struct Cfb;
#[derive(Clone)]
pub(crate) struct Ofb;
#[derive(Clone)]
pub(crate) struct Ctr;

impl StreamMode for Cfb {
    const MODE: Mode = Mode::Cfb;
}
impl StreamMode for Ofb {
    const MODE: Mode = Mode::Ofb;
}
impl StreamMode for Ctr {
    const MODE: Mode = Mode::Ctr;
}

/// The context of a stream mode.
#[derive(Clone)]
pub(crate) struct Stream<M> {
    key: AesKey,
    feedback: Feedback,
    common: Common,
    /// Where in the caller's buffer the MAC of the last TLS record begins.
    tls_mac: *const u8,
    mode: PhantomData<M>,
}

impl<M: StreamMode> Stream<M> {
    #[inline]
    fn crypt(&mut self, call: Call<'_>) -> Result<(), Refusal> {
        let data = call.whole()?;
        self.feedback.update(M::MODE, self.common.direction, &self.key, data);
        Ok(())
    }

    /// Takes the MAC off the end of a decrypted TLS record. Stream suites have no padding, so the
    /// place of the MAC is no secret.
    #[cold]
    fn take_tls_mac(&mut self, record: &[u8]) -> Result<usize, Refusal> {
        if self.common.tls_mac_bytes == 0 {
            return Ok(record.len());
        }
        let rest = record.len().checked_sub(self.common.tls_mac_bytes).ok_or(Refusal::SILENT)?;
        self.tls_mac = record[rest..].as_ptr();
        Ok(rest)
    }
}

impl<M: StreamMode> Cipher for Stream<M> {
    fn gettable(version: Version) -> *const Param {
        common::gettable(version)
    }

    fn settable() -> *const Param {
        common::settable()
    }

    fn new(setup: Setup) -> Self {
        Self {
            key: AesKey::empty(setup.kernels),
            feedback: Feedback::default(),
            common: Common::new(setup),
            tls_mac: null(),
            mode: PhantomData,
        }
    }

    #[inline]
    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), Refusal> {
        self.common.direction = direction;
        let given = iv.map_or(Ok(()), |iv| self.common.take_iv(iv));
        // As in 1.1.1, a start without an IV goes back to the old one, but not for CTR.
        let goes_back = self.common.iv_set && M::MODE != Mode::Ctr;
        if given.is_ok() && (iv.is_some() || goes_back) {
            self.feedback.start(&self.common.iv);
        } else {
            self.feedback.set_used(0);
        }
        given?;
        if let Some(key) = key {
            self.common.check_key(key)?;
            self.key.set(key, Direction::Encrypt);
            self.common.key_set = true;
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Refusal> {
        self.common.check_key_set()?;
        if call.length() == 0 {
            return Ok(0);
        }
        self.crypt(call)?;
        if self.common.tls_version > 0 && self.common.direction == Direction::Decrypt {
            return self.take_tls_mac(call.written(call.length()));
        }
        Ok(call.length())
    }

    #[inline]
    fn finish(&mut self, _: Call<'_>) -> Result<usize, Refusal> {
        self.common.check_key_set()?;
        Ok(0)
    }

    fn bare(&mut self, call: Call<'_>) -> Result<usize, Refusal> {
        self.common.check_key_set()?;
        self.crypt(call)?;
        Ok(call.length())
    }

    #[inline]
    fn answer_often(&mut self, param: &mut Param) -> Option<Result<(), Refusal>> {
        self.common.answer_often(param)
    }

    #[inline]
    fn set_often(&mut self, param: &Param) -> Option<Result<(), Refusal>> {
        self.common.set_often(param)
    }

    unsafe fn answer(&mut self, list: *mut Param) -> Result<(), Refusal> {
        let progress = Progress {
            iv: &self.feedback.register,
            num: self.feedback.used() as u32,
            tls_mac: self.tls_mac,
        };
        // SAFETY: the caller promises the list.
        unsafe { self.common.answer(list, &progress) }
    }

    unsafe fn set(&mut self, list: *const Param) -> Result<(), Refusal> {
        // SAFETY: the caller promises the list.
        if let Some(num) = unsafe { self.common.set(list)? } {
            if num >= 16 {
                // Old default providers take it, and then read past the block.
                return Err(Refusal::CANNOT_GET);
            }
            self.feedback.set_used(num as usize);
        }
        Ok(())
    }
}

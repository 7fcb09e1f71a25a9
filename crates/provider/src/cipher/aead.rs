//! Ciphers with associated data and a tag: one context for all modes.
//!
//! What is here is the same in all of them: key, lengths, and which parameters there are. A mode's own file has its
//! messages, and what the default provider answers to each mistake in them.

pub(crate) mod ccm;
mod ccm_tls;
pub(crate) mod gcm;
pub(crate) mod gcm_siv;
mod gcm_tls;
mod message;
mod mode;
pub(crate) mod ocb;
pub(crate) mod poly1305;
mod record;

use wirespeed_cipher::Direction;

use super::common::answer_lengths;
use super::{Cipher, Setup};
use crate::call::Call;
use crate::error::CallError;
use crate::host::Version;
use crate::openssl::Param;
use crate::params::declared::{Declared, Name};
use crate::params::list::{Asked, Given};
use crate::params::request::{Questions, Settings};
use crate::provider::Provider;
use crate::routing::native::Kernels;

/// What every mode's context has.
#[derive(Clone)]
pub(crate) struct Basics {
    direction: Direction,
    key_set: bool,
    key_bytes: usize,
    version: Version,
}

impl Basics {
    fn of<K: Kernels>(setup: &Setup<K>) -> Self {
        Self {
            direction: Direction::Decrypt,
            key_set: false,
            key_bytes: setup.choice.algorithm().key_bytes(),
            version: setup.version,
        }
    }

    /// Whether a key has the right length.
    #[inline]
    fn check_key(&self, key: &[u8]) -> Result<(), CallError> {
        if key.len() == self.key_bytes { Ok(()) } else { Err(CallError::INVALID_KEY_LENGTH) }
    }

    fn encrypts(&self) -> bool {
        self.direction == Direction::Encrypt
    }
}

/// The lengths of IV and tag, as they stand.
pub(crate) struct Lengths {
    iv: usize,
    tag: usize,
}

/// A mode with a tag. What it does not say of its methods, [`Cipher`] does.
pub(crate) trait AeadMode: Clone {
    type Kernels: Kernels;
    const PIPELINES: bool = false;
    /// Whether it got generated decoders later than others.
    const LATE_DECODERS: bool = false;

    /// In the order in which they are answered.
    fn gettable(version: Version) -> &'static Declared;

    /// In the order in which they are taken.
    fn settable(version: Version) -> &'static Declared;

    fn new(setup: Setup<Self::Kernels>) -> Self;

    fn basics(&mut self) -> &mut Basics;

    fn lengths(&self) -> Lengths;

    /// A new message, in the direction that is set.
    fn start(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), CallError>;

    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError>;

    fn finish(&mut self, call: Call<'_>) -> Result<usize, CallError>;

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError>;

    /// Tells the tag of a message that was encrypted.
    fn answer_tag(&mut self, param: &mut Param) -> Result<(), CallError>;

    /// Takes the tag to compare with, or its length.
    fn take_tag(&mut self, param: &Param) -> Result<(), CallError>;

    /// Takes the length of the IVs to come, where it can be set.
    fn set_iv_bytes(&mut self, _: usize) -> Result<(), CallError> {
        Ok(())
    }

    /// Answers a parameter that is not a length and not the tag.
    fn answer_other(&mut self, _: Name, _: &mut Param) -> Result<(), CallError> {
        Ok(())
    }

    /// Takes a parameter that is not a length and not the tag.
    fn take_other(&mut self, _: Name, _: &Param) -> Result<(), CallError> {
        Ok(())
    }
}

/// The context of a mode.
#[derive(Clone)]
pub(crate) struct AeadContext<M>(M);

impl<M: AeadMode> AeadContext<M> {
    /// The version whose decoders the mode has.
    #[inline]
    fn decoders(&mut self) -> Version {
        let version = self.0.basics().version;
        if M::LATE_DECODERS { version.of_late_decoders() } else { version }
    }
}

impl<M: AeadMode> Cipher for AeadContext<M> {
    const PIPELINES: bool = M::PIPELINES;

    fn gettable(version: Version) -> &'static Declared {
        M::gettable(version)
    }

    fn settable(version: Version) -> &'static Declared {
        M::settable(version)
    }

    fn new(provider: &Provider, subject: usize) -> Option<Self> {
        Some(Self(M::new(Setup::of(provider, subject)?)))
    }

    #[inline]
    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError> {
        self.0.basics().direction = direction;
        self.0.start(key, iv)
    }

    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.0.update(call)
    }

    #[inline(always)]
    fn finish(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.0.finish(call)
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.0.one_shot(call)
    }

    /// The tag, or a length: EVP asks for them with every message.
    #[inline]
    fn answer_often(&mut self, param: &mut Param) -> bool {
        if param.is_called(b"tag\0") {
            return self.0.answer_tag(param).is_ok();
        }
        let (version, key_bytes) = (self.decoders(), self.0.basics().key_bytes);
        if !M::gettable(version).has(Name::IvLength) {
            return false;
        }
        answer_lengths(param, key_bytes, self.0.lengths().iv)
    }

    /// The tag, which EVP sets with every message. There is no padding to set; EVP tries all the same.
    #[inline]
    fn set_often(&mut self, param: &Param) -> bool {
        if param.is_called(b"tag\0") {
            return self.0.take_tag(param).is_ok();
        }
        param.is_called(b"padding\0")
    }

    fn answer(&mut self, list: Asked<'_>) -> Result<(), CallError> {
        let (version, key_bytes) = (self.decoders(), self.0.basics().key_bytes);
        let known = M::gettable(version);
        let mut questions = Questions::of(list, known, version)?;
        for name in known.names() {
            let Some(param) = questions.wanted(name) else { continue };
            let told = match name {
                Name::Tag => self.0.answer_tag(param).map(|()| true),
                Name::KeyLength => Ok(param.set_usize(key_bytes)),
                Name::IvLength => Ok(param.set_usize(self.0.lengths().iv)),
                Name::TagLength => Ok(param.set_usize(self.0.lengths().tag)),
                _ => self.0.answer_other(name, param).map(|()| true),
            };
            if !told? {
                return Err(CallError::CANNOT_SET);
            }
        }
        Ok(())
    }

    fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        let (version, key_bytes) = (self.decoders(), self.0.basics().key_bytes);
        let known = M::settable(version);
        let settings = Settings::of(list, known, version)?;
        for name in known.names() {
            let Some(param) = settings.given(name) else { continue };
            let length = || param.as_usize().ok_or(CallError::CANNOT_GET);
            match name {
                Name::Tag => self.0.take_tag(param)?,
                Name::IvLength => self.0.set_iv_bytes(length()?)?,
                Name::KeyLength if length()? != key_bytes => {
                    return Err(CallError::INVALID_KEY_LENGTH);
                }
                Name::KeyLength => {}
                _ => self.0.take_other(name, param)?,
            }
        }
        Ok(())
    }
}

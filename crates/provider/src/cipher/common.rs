//! What all modes but GCM have in common: lengths, the IV as it was given, and their parameters.

use std::ops::{Deref, DerefMut};

use wirespeed_cipher::{Algorithm, Block, BlockKernels, BlockKey, Direction};

use crate::error::CallError;
use crate::host::Version;
use crate::openssl::Param;
use crate::params::declared::{Declared, Name};
use crate::params::list::{Asked, Given};
use crate::params::request::{Questions, Settings};
use crate::params::{octet_pointer, octets, size};
use crate::routing::choice::{Choice, NewKey};

/// A block at a multiple of its length, so that no cache line ends within it: what was just stored across two lines is
/// slow to load.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(super) struct Aligned(pub(super) Block);

impl Deref for Aligned {
    type Target = Block;

    #[inline(always)]
    fn deref(&self) -> &Block {
        &self.0
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Block {
        &mut self.0
    }
}

/// The part of a context that does not depend on the mode.
#[derive(Clone)]
pub(super) struct Common {
    pub(super) direction: Direction,
    pub(super) key_set: bool,
    pub(super) iv_set: bool,
    /// Whether whole blocks get padding; stream modes only store it.
    pub(super) padding: bool,
    pub(super) version: Version,
    pub(super) algorithm: Algorithm,
    /// The TLS version whose records the updates are, or 0.
    pub(super) tls_version: u32,
    pub(super) tls_mac_bytes: usize,
    pub(super) key_bytes: usize,
    pub(super) iv_bytes: usize,
    /// The IV as it was given: OpenSSL's `iv`.
    pub(super) iv: Aligned,
}

/// What the mode itself answers.
pub(super) struct Progress<'a> {
    /// OpenSSL's `updated-iv`.
    pub(super) iv: &'a Block,
    /// OpenSSL's `num`.
    pub(super) num: u32,
    /// The MAC of the last TLS record, or null.
    pub(super) tls_mac: *const u8,
}

static WITHOUT_MAC: Declared = Declared::of(&[
    Name::KeyLength,
    Name::IvLength,
    Name::Padding,
    Name::Num,
    Name::Iv,
    Name::UpdatedIv,
]);
static GETTABLE: Declared = WITHOUT_MAC.and(Name::TlsMac, octets(c"tls-mac"));
static GETTABLE_BEFORE_DECODERS: Declared =
    WITHOUT_MAC.and(Name::TlsMac, octet_pointer(c"tls-mac"));
static SETTABLE: Declared =
    Declared::of(&[Name::Padding, Name::Num, Name::UseBits, Name::TlsVersion, Name::TlsMacSize]);
static SETTABLE_WITH_KEY_LENGTH: Declared = SETTABLE.and(Name::KeyLength, size(c"keylen"));

pub(super) fn gettable(version: Version) -> &'static Declared {
    if version.has_decoders() { &GETTABLE } else { &GETTABLE_BEFORE_DECODERS }
}

pub(super) fn settable() -> &'static Declared {
    &SETTABLE
}

/// Of a cipher that takes keys of several lengths: EVP sets a length only where it is listed.
pub(super) fn settable_with_key_length() -> &'static Declared {
    &SETTABLE_WITH_KEY_LENGTH
}

/// Answers `ivlen` or `keylen`; tells whether it was one of them. EVP asks for them at every start.
#[inline]
pub(super) fn answer_lengths(param: &mut Param, key_bytes: usize, iv_bytes: usize) -> bool {
    if param.is_called(b"ivlen\0") {
        return param.set_usual_usize(iv_bytes);
    }
    param.is_called(b"keylen\0") && param.set_usual_usize(key_bytes)
}

impl Common {
    pub(super) fn new(algorithm: Algorithm, version: Version) -> Self {
        Self {
            direction: Direction::Decrypt,
            key_set: false,
            iv_set: false,
            padding: true,
            version,
            algorithm,
            tls_version: 0,
            tls_mac_bytes: 0,
            key_bytes: algorithm.key_bytes(),
            iv_bytes: algorithm.iv_bytes(),
            iv: Aligned([0; 16]),
        }
    }

    /// Keeps an IV that was given, and hands it back: what was just stored takes longer to load again.
    #[inline]
    pub(super) fn take_iv<'a>(&mut self, iv: &'a [u8]) -> Result<&'a Block, CallError> {
        let Ok(iv) = <&Block>::try_from(iv) else { return Err(CallError::INVALID_IV_LENGTH) };
        *self.iv = *iv;
        self.iv_set = true;
        Ok(iv)
    }

    /// Keeps an IV that was given, and begins a chain with it; without one, as in 1.1.1, with the old one.
    #[inline]
    pub(super) fn start_chain(
        &mut self,
        chain: &mut Block,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError> {
        match iv {
            Some(iv) => *chain = *self.take_iv(iv)?,
            None if self.iv_set => *chain = *self.iv,
            None => {}
        }
        Ok(())
    }

    /// Whether a key has the right length.
    #[inline]
    pub(super) fn check_key(&self, key: &[u8]) -> Result<(), CallError> {
        if key.len() == self.key_bytes { Ok(()) } else { Err(CallError::INVALID_KEY_LENGTH) }
    }

    /// Takes a key, if one was given, for calls in this direction, with the `schedule` of that one.
    #[inline]
    pub(super) fn take_key(
        &mut self,
        choice: &mut Choice<BlockKernels>,
        to: &mut BlockKey,
        key: Option<&[u8]>,
        schedule: Direction,
    ) -> Result<(), CallError> {
        let Some(key) = key else { return Ok(()) };
        self.check_key(key)?;
        match choice.take_key(key, self.direction) {
            NewKey::Ours => to.set(key, schedule),
            NewKey::Shared => to.keep(key, schedule),
            NewKey::By(kernels) => {
                to.reroute(kernels);
                to.set(key, schedule);
            }
        }
        self.key_set = true;
        Ok(())
    }

    /// Whether there is a key to work with.
    #[inline]
    pub(super) fn check_key_set(&self) -> Result<(), CallError> {
        if self.key_set { Ok(()) } else { Err(CallError::NO_KEY_SET) }
    }

    /// Answers a length.
    #[inline]
    pub(super) fn answer_often(&self, param: &mut Param) -> bool {
        answer_lengths(param, self.key_bytes, self.iv_bytes)
    }

    /// Takes the padding, which EVP sets before every message when there is to be none.
    #[inline]
    pub(super) fn set_often(&mut self, param: &Param) -> bool {
        let padding = param.usual_u32().filter(|_| param.is_called(b"padding\0"));
        padding.is_some_and(|padding| {
            self.padding = padding != 0;
            true
        })
    }

    pub(super) fn answer(&self, list: Asked<'_>, progress: &Progress<'_>) -> Result<(), CallError> {
        let mut questions = Questions::of(list, &GETTABLE, self.version)?;
        let iv_bytes = self.iv_bytes;
        questions.answer(Name::IvLength, |p| p.set_usize(iv_bytes))?;
        questions.answer(Name::Padding, |p| p.set_u32(self.padding.into()))?;
        questions
            .answer(Name::Iv, |p| p.set_octets_or_pointer(&self.iv[..iv_bytes], self.version))?;
        questions.answer(Name::UpdatedIv, |p| {
            p.set_octets_or_pointer(&progress.iv[..iv_bytes], self.version)
        })?;
        questions.answer(Name::Num, |p| p.set_u32(progress.num))?;
        questions.answer(Name::KeyLength, |p| p.set_usize(self.key_bytes))?;
        questions
            .answer(Name::TlsMac, |p| p.set_octet_pointer(progress.tls_mac, self.tls_mac_bytes))
    }

    /// Takes parameters, and hands back `num` if it is among them.
    pub(super) fn set(&mut self, list: Given<'_>) -> Result<Option<u32>, CallError> {
        let settings = Settings::of(list, &SETTABLE, self.version)?;
        if let Some(padding) = settings.value(Name::Padding, Param::as_u32)? {
            self.padding = padding != 0;
        }
        // CFB1 counts bits, and is not offered; the value is checked and has no effect.
        settings.value(Name::UseBits, Param::as_u32)?;
        if let Some(version) = settings.value(Name::TlsVersion, Param::as_u32)? {
            self.tls_version = version;
        }
        if let Some(bytes) = settings.value(Name::TlsMacSize, Param::as_usize)? {
            self.tls_mac_bytes = bytes;
        }
        let num = settings.value(Name::Num, Param::as_u32)?;
        let bound = self.algorithm.mode().block_size();
        // Default providers before June 2026 take any, and may then read past the block.
        if num.is_some_and(|num| num as usize >= bound) {
            return Err(CallError::CANNOT_GET);
        }
        Ok(num)
    }
}

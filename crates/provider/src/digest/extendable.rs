//! Extendable hash functions: a length that can be set, and output in as many pieces as one likes.
//!
//! What the default provider's contexts are (providers/implementations/digests/sha3_prov.c) changed twice:
//! in 3.3 output came in pieces, in 3.4 the length that one gets without asking went.

use crate::digest::Facts;
use crate::digest::message::Message;
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::params::declared::{Declared, Name};
use crate::params::list::{Asked, Given};
use crate::params::number;
use crate::params::request::{Questions, Settings};
use crate::provider::Provider;

/// What the default provider calls a length that has not been told.
const UNTOLD: usize = usize::MAX;

/// A message whose hash may have any length.
pub(crate) struct Extendable<M> {
    message: M,
    /// Of the hash, where it comes as a whole. The next message keeps it.
    bytes: usize,
    /// Whether the hash came as a whole: then there is no more.
    is_over: bool,
}

impl<M: Message> Message for Extendable<M> {
    const ALWAYS_COPIES: bool = M::ALWAYS_COPIES;

    type Seed = (M::Seed, usize);

    #[inline]
    fn seed(provider: &Provider, facts: &Facts) -> Option<Self::Seed> {
        let bytes = if facts.bytes == 0 { UNTOLD } else { facts.bytes };
        Some((M::seed(provider, facts)?, bytes))
    }

    #[inline]
    fn new((seed, bytes): Self::Seed, provider: &Provider) -> Self {
        Self { message: M::new(seed, provider), bytes, is_over: false }
    }

    fn duplicate(&self) -> Result<Self, CallError> {
        let message = self.message.duplicate()?;
        Ok(Self { message, bytes: self.bytes, is_over: self.is_over })
    }

    #[inline]
    fn twin(&self) -> Option<Self::Seed> {
        Some((self.message.twin()?, self.bytes))
    }

    #[inline]
    fn copy_to(&self, to: &mut Self) -> Result<(), CallError> {
        (to.bytes, to.is_over) = (self.bytes, self.is_over);
        self.message.copy_to(&mut to.message)
    }

    #[inline]
    fn reset(&mut self) -> Result<(), CallError> {
        self.is_over = false;
        self.message.reset()
    }

    /// Fails behind the end. Default providers from 3.3 to 3.6 say that all went well and lose the bytes or
    /// mix them into the output; 4.0's refuses like this.
    #[inline]
    fn update(&mut self, data: &[u8]) -> Result<(), CallError> {
        if self.has_ended() {
            return Err(CallError::SILENT);
        }
        self.message.update(data)
    }

    #[inline]
    fn finish(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        if self.has_ended() {
            return Err(CallError::SILENT);
        }
        self.is_over = true;
        self.message.finish(output)
    }

    #[inline]
    fn length(&self) -> Option<usize> {
        Some(self.bytes)
    }

    fn own(&mut self) -> Option<&mut wirespeed_cipher::Hasher> {
        if self.is_over { None } else { self.message.own() }
    }
}

impl<M: Message> Extendable<M> {
    /// Whether output has begun.
    #[inline]
    fn has_ended(&mut self) -> bool {
        self.is_over || self.message.own().is_none_or(|hasher| hasher.has_ended())
    }

    /// How many bytes the whole hash has now.
    #[inline]
    pub(crate) fn bytes(&mut self, version: Version) -> Result<usize, CallError> {
        if self.bytes == UNTOLD {
            return Err(CallError(&[Reason::InvalidDigestLength]));
        }
        if self.bytes == 0 && version.looks_at_stage_first() && self.has_ended() {
            return Err(CallError::SILENT);
        }
        Ok(self.bytes)
    }

    /// The next bytes of the output.
    #[inline]
    pub(crate) fn squeeze(&mut self, output: &mut [u8]) -> Result<(), CallError> {
        self.own().ok_or(CallError::SILENT)?.squeeze(output);
        Ok(())
    }

    /// Takes the parameters of a context.
    pub(crate) fn set(
        &mut self,
        facts: &Facts,
        version: Version,
        list: Given<'_>,
    ) -> Result<(), CallError> {
        let settings = Settings::of(list, parameters(facts, version), version)?;
        let (length, alias) = (settings.given(Name::OutputLength), settings.given(Name::Size));
        if length.is_some() && alias.is_some() && version.has_decoders() {
            return Err(CallError(&[Reason::RepeatedParameter]));
        }
        if let Some(param) = length.or(alias) {
            self.bytes = param.as_usize().ok_or(CallError::CANNOT_GET)?;
        }
        Ok(())
    }

    /// Answers the parameters of a context.
    pub(crate) fn answer(&self, version: Version, list: Asked<'_>) -> Result<(), CallError> {
        let mut questions = Questions::of(list, &EITHER, version)?;
        for name in [Name::OutputLength, Name::Size] {
            // That it cannot be got is what the default provider says here.
            let answered = questions.answer(name, |param| param.set_usize(self.bytes));
            answered.map_err(|_| CallError::CANNOT_GET)?;
        }
        Ok(())
    }
}

static EITHER: Declared = Declared::of(&[Name::OutputLength, Name::Size]);
static ONE: Declared = Declared::of(&[]).and(Name::OutputLength, number(c"xoflen"));
static EITHER_BEFORE_DECODERS: Declared = ONE.and(Name::Size, number(c"size"));

/// Parameters of a context, to set and, where there is no length of its own, to ask for.
pub(crate) fn parameters(facts: &Facts, version: Version) -> &'static Declared {
    match facts.bytes {
        0 if version.has_decoders() => &EITHER,
        0 => &EITHER_BEFORE_DECODERS,
        _ => &ONE,
    }
}

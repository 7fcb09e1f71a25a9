//! OCB: associated data, data, and a tag.
//!
//! The last part of a block is treated in another way than what comes before it, so parts of blocks wait for their rest,
//! of the data and of the associated data, which may follow data. What OpenSSL says of the length of a tag is part of the
//! message's nonce.

use wirespeed_cipher::modes::Ocb;
use wirespeed_cipher::{Block, Direction, InOut};

use super::common::{answer_tag_or_lengths, set_tag_or_padding};
use super::gcm::IvState;
use super::message::Message;
use super::open::Open;
use super::{Cipher, Setup};
use crate::call::Call;
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::openssl::{Param, data_type};
use crate::params::declared::{Declared, Name};
use crate::params::list::{Asked, Given};
use crate::params::request::{Questions, Settings};
use crate::provider::Provider;

const TAG: usize = size_of::<Block>();

/// The context of OCB.
#[derive(Clone)]
pub(crate) struct OffsetCodebook {
    message: Message<Ocb>,
    /// Data that wait for the rest of a block.
    open: Open<16>,
    /// How many bytes of associated data do, with us or with the host.
    waiting_aad: usize,
    iv: Block,
    iv_bytes: usize,
    iv_state: IvState,
    direction: Direction,
    key_set: bool,
    /// The tag that was made, or given to compare, and how many bytes of it count.
    tag: Block,
    tag_bytes: usize,
    key_bytes: usize,
    /// The version whose habits its parameters have: they got generated decoders later than others.
    version: Version,
}

static GETTABLE: Declared = Declared::of(&[
    Name::KeyLength,
    Name::IvLength,
    Name::TagLength,
    Name::Iv,
    Name::UpdatedIv,
    Name::Tag,
]);
static SETTABLE: Declared = Declared::of(&[Name::KeyLength, Name::IvLength, Name::Tag]);

impl Cipher for OffsetCodebook {
    fn gettable(_: Version) -> &'static Declared {
        &GETTABLE
    }

    fn settable(_: Version) -> &'static Declared {
        &SETTABLE
    }

    fn new(provider: &Provider, subject: usize) -> Option<Self> {
        let setup = Setup::of(provider, subject)?;
        let algorithm = setup.choice.algorithm();
        Some(Self {
            open: Open::EMPTY,
            waiting_aad: 0,
            iv: [0; 16],
            iv_bytes: algorithm.iv_bytes(),
            iv_state: IvState::Unset,
            direction: Direction::Decrypt,
            key_set: false,
            tag: [0; TAG],
            tag_bytes: TAG,
            key_bytes: algorithm.key_bytes(),
            version: setup.version.of_late_decoders(),
            message: Message::new(setup.choice),
        })
    }

    #[inline]
    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError> {
        self.open = Open::EMPTY;
        self.waiting_aad = 0;
        self.message.aead.drop_pending_aad();
        self.direction = direction;
        if let Some(iv) = iv {
            if iv.is_empty() || iv.len() > Ocb::LONGEST_NONCE {
                return Err(CallError::INVALID_IV_LENGTH);
            }
            self.iv[..iv.len()].copy_from_slice(iv);
            self.iv_bytes = iv.len();
            self.iv_state = IvState::Given;
        } else if self.iv_state == IvState::InUse {
            self.message.turn(direction);
        }
        if let Some(key) = key {
            if key.len() != self.key_bytes {
                return Err(CallError::INVALID_KEY_LENGTH);
            }
            if self.iv_state == IvState::InUse {
                // As in OpenSSL, a new key in mid-message clears all that depends on the IV.
                self.message.forget();
            }
            self.message.take_key(key, direction, |ocb| ocb.set_key(key));
            self.key_set = true;
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.begin()?;
        let bytes = call.length();
        if bytes == 0 {
            return Ok(0);
        }
        if call.has_no_output() {
            return self.associate(call);
        }
        if !self.open.is_empty() {
            let mut open = self.open;
            let written = open.update(call, false, |blocks| self.crypt(blocks));
            self.open = open;
            return written;
        }
        let whole = bytes & !15;
        if whole > 0 {
            self.crypt(call.part(0, 0, whole)?)?;
        }
        if bytes > whole {
            self.open.keep(&call, whole);
        }
        Ok(whole)
    }

    #[inline]
    fn finish(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.begin()?;
        let last = std::mem::replace(&mut self.open, Open::EMPTY);
        self.waiting_aad = 0;
        let input = last.waiting();
        if !input.is_empty() {
            // Not in place: the default provider, whose turn it may be, sums up what it has overwritten.
            let mut output = [0; 16];
            let output = &mut output[..input.len()];
            self.crypt(InOut::between(input, output))?;
            call.write(0, output)?;
        }
        if self.tag_bytes == 0 {
            return Err(CallError::SILENT);
        }
        if self.direction == Direction::Encrypt {
            self.tag = self.message.make_tag()?;
        } else {
            let given = self.tag;
            if !self.message.is_tag(&given[..self.tag_bytes]) {
                return Err(CallError::SILENT);
            }
        }
        self.iv_state = IvState::Used;
        Ok(input.len())
    }

    /// `EVP_Cipher`: data in one piece, or without input the end. It begins the message as an update does: default
    /// providers with CVE-2026-45445 ignored the IV here.
    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if call.has_no_input() {
            return self.finish(call);
        }
        if call.capacity() < call.length() {
            return Err(CallError::TOO_SMALL);
        }
        self.begin().map_err(|_| CallError::OPERATION_FAILED)?;
        self.crypt(call.whole()?)?;
        Ok(call.length())
    }

    #[inline]
    fn answer_often(&mut self, param: &mut Param) -> Option<Result<(), CallError>> {
        let (key_bytes, iv_bytes) = (self.key_bytes, self.iv_bytes);
        answer_tag_or_lengths(param, key_bytes, iv_bytes, |param| self.answer_tag(param))
    }

    #[inline]
    fn set_often(&mut self, param: &Param) -> Option<Result<(), CallError>> {
        set_tag_or_padding(param, |param| self.take_tag(param))
    }

    fn answer(&mut self, list: Asked<'_>) -> Result<(), CallError> {
        let mut questions = Questions::of(list, &GETTABLE, self.version)?;
        questions.answer(Name::IvLength, |p| p.set_usize(self.iv_bytes))?;
        questions.answer(Name::KeyLength, |p| p.set_usize(self.key_bytes))?;
        questions.answer(Name::TagLength, |p| p.set_usize(self.tag_bytes))?;
        for name in [Name::Iv, Name::UpdatedIv] {
            if questions.wanted(name).is_some_and(|param| param.data_size < self.iv_bytes) {
                return Err(CallError::INVALID_IV_LENGTH);
            }
            let iv = &self.iv[..self.iv_bytes];
            questions.answer(name, |p| p.set_octets_or_pointer(iv, self.version))?;
        }
        questions.wanted(Name::Tag).map_or(Ok(()), |param| self.answer_tag(param))
    }

    fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        let settings = Settings::of(list, &SETTABLE, self.version)?;
        if let Some(param) = settings.given(Name::Tag) {
            self.take_tag(param)?;
        }
        if let Some(bytes) = settings.value(Name::IvLength, Param::as_usize)? {
            if bytes == 0 || bytes > Ocb::LONGEST_NONCE {
                return Err(CallError::SILENT);
            }
            if bytes != self.iv_bytes {
                self.iv_bytes = bytes;
                self.iv_state = IvState::Unset;
            }
        }
        match settings.value(Name::KeyLength, Param::as_usize)? {
            Some(bytes) if bytes != self.key_bytes => Err(CallError::INVALID_KEY_LENGTH),
            _ => Ok(()),
        }
    }
}

impl OffsetCodebook {
    /// Puts the IV in use.
    #[inline]
    fn begin(&mut self) -> Result<(), CallError> {
        match self.iv_state {
            IvState::InUse if self.key_set => Ok(()),
            IvState::Given if self.key_set && self.tag_bytes != 0 => {
                self.message.aead.set_tag_bytes(self.tag_bytes);
                self.message.begin(&self.iv[..self.iv_bytes]);
                self.iv_state = IvState::InUse;
                Ok(())
            }
            _ => Err(CallError::SILENT),
        }
    }

    /// The next associated data. Tells how many bytes are whole blocks now.
    #[inline]
    fn associate(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let bytes = self.waiting_aad + call.length();
        let whole = bytes & !15;
        if call.capacity() < whole {
            return Err(CallError::TOO_SMALL);
        }
        let iv = &self.iv[..self.iv_bytes];
        self.message.associate(self.direction, iv, call.associated())?;
        self.waiting_aad = bytes - whole;
        Ok(whole)
    }

    /// The next data.
    #[inline(always)]
    fn crypt(&mut self, data: InOut<'_>) -> Result<(), CallError> {
        self.message.crypt(self.direction, &self.iv[..self.iv_bytes], data)
    }

    #[inline]
    fn answer_tag(&self, param: &mut Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_GET);
        }
        if self.direction == Direction::Decrypt || param.data_size != self.tag_bytes {
            return Err(CallError(&[Reason::InvalidTagLength]));
        }
        // The default provider copies, and leaves the size that it returns alone.
        let size = param.return_size;
        let copied = param.set_octets(&self.tag[..self.tag_bytes]);
        param.return_size = size;
        if copied { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }

    /// The tag to compare with, or its length alone.
    #[inline]
    fn take_tag(&mut self, param: &Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_GET);
        }
        let bytes = param.data_size;
        if param.data.is_null() {
            if bytes > TAG {
                return Err(CallError(&[Reason::InvalidTagLength]));
            }
            self.tag_bytes = bytes;
            return Ok(());
        }
        if self.direction == Direction::Encrypt {
            return Err(CallError(&[Reason::InvalidArgument]));
        }
        if bytes != self.tag_bytes {
            return Err(CallError(&[Reason::InvalidTagLength]));
        }
        let tag = param.as_octets().ok_or(CallError::CANNOT_GET)?;
        self.tag[..bytes].copy_from_slice(tag);
        Ok(())
    }
}

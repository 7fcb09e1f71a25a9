//! GCM: associated data, data, and a tag.

use wirespeed_cipher::modes::Gcm;
use wirespeed_cipher::{Block, BlockKernels, InOut};

use super::message::Message;
use super::mode::LONGEST_IV;
use super::{AeadMode, Basics, Lengths};
use crate::call::Call;
use crate::cipher::Setup;
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::openssl::{Param, data_type};
use crate::params::declared::{Declared, Name};
use crate::params::uint;
use crate::random;

/// The shortest IV that may be random: SP 800-38D §8.2.2 wants 96 bits.
const SHORTEST_RANDOM_IV: usize = 12;
pub(super) const TAG: usize = 16;

/// Where the IV is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IvState {
    /// There is none yet.
    Unset,
    /// It was given, and is not in use yet.
    Given,
    /// The message runs under it.
    InUse,
    /// The message is over; using it again would give everything away.
    Used,
}

/// A context of GCM.
#[derive(Clone)]
pub(crate) struct GcmMode {
    message: Message<Gcm>,
    pub(super) iv: [u8; LONGEST_IV],
    pub(super) iv_bytes: usize,
    pub(super) iv_state: IvState,
    pub(super) basics: Basics,
    /// A failed check ends a message: every later check of it fails too.
    refuted: bool,
    /// Bytes of the tag that was made, or given to compare.
    pub(super) tag_bytes: Option<usize>,
    /// The tag, or the associated data of the next TLS record.
    pub(super) buffer: Block,
    pub(super) tls: super::gcm_tls::Records,
    /// Whether the IV's random part is ours.
    pub(super) iv_generated: bool,
}

static GETTABLE_BEFORE_3_4: Declared = Declared::of(&[
    Name::KeyLength,
    Name::IvLength,
    Name::TagLength,
    Name::Iv,
    Name::UpdatedIv,
    Name::Tag,
    Name::TlsAadPad,
    Name::TlsIvGenerate,
]);
static GETTABLE: Declared = GETTABLE_BEFORE_3_4.and(Name::IvGenerated, uint(c"iv-generated"));
static SETTABLE: Declared = Declared::of(&[
    Name::Tag,
    Name::IvLength,
    Name::TlsAad,
    Name::TlsIvFixed,
    Name::TlsIvInvocation,
]);

impl AeadMode for GcmMode {
    type Kernels = BlockKernels;
    const PIPELINES: bool = true;

    fn gettable(version: Version) -> &'static Declared {
        if version.tells_generated_iv() { &GETTABLE } else { &GETTABLE_BEFORE_3_4 }
    }

    fn settable(_: Version) -> &'static Declared {
        &SETTABLE
    }

    fn basics(&mut self) -> &mut Basics {
        &mut self.basics
    }

    fn lengths(&self) -> Lengths {
        Lengths { iv: self.iv_bytes, tag: self.tag_bytes.unwrap_or(TAG) }
    }

    fn new(setup: Setup<BlockKernels>) -> Self {
        Self {
            iv: [0; LONGEST_IV],
            iv_bytes: setup.choice.algorithm().iv_bytes(),
            iv_state: IvState::Unset,
            basics: Basics::of(&setup),
            refuted: false,
            tag_bytes: None,
            buffer: [0; 16],
            tls: super::gcm_tls::Records::NONE,
            iv_generated: false,
            message: Message::new(setup.choice),
        }
    }

    #[inline]
    fn start(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), CallError> {
        if let Some(iv) = iv {
            match <&[u8; 12]>::try_from(iv) {
                Ok(usual) => *self.iv.first_chunk_mut().expect("room for the longest") = *usual,
                Err(_) => self.keep_unusual_iv(iv)?,
            }
            self.iv_generated = false;
            self.iv_bytes = iv.len();
            self.iv_state = IvState::Given;
        }
        if let Some(key) = key {
            self.set_key(key)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if call.length() == 0 {
            return Ok(0);
        }
        if call.capacity() < call.length() {
            return Err(CallError::TOO_SMALL);
        }
        self.run(call).map_err(|error| match error.0 {
            [Reason::TooManyRecords] => {
                CallError(&[Reason::TooManyRecords, Reason::CipherOperationFailed])
            }
            _ => CallError::OPERATION_FAILED,
        })
    }

    #[inline(always)]
    fn finish(&mut self, _: Call<'_>) -> Result<usize, CallError> {
        if self.tls.aad_set {
            // A record has no end but its own.
            self.tls.aad_set = false;
            self.iv_state = IvState::Used;
            return Err(CallError::SILENT);
        }
        self.begin()?;
        self.end()
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if call.capacity() < call.length() {
            return Err(CallError::TOO_SMALL);
        }
        if call.has_no_input() {
            self.finish(call)?;
        } else {
            self.run(call)?;
        }
        Ok(call.length())
    }

    #[inline]
    fn answer_tag(&mut self, param: &mut Param) -> Result<(), CallError> {
        let mut bytes = param.data_size;
        let asks_for_size = param.data.is_null() && self.basics.version.has_decoders();
        if !self.basics.encrypts()
            || self.tag_bytes.is_none()
            || (!asks_for_size && !(1..=TAG).contains(&bytes))
        {
            return Err(CallError::INVALID_TAG);
        }
        if asks_for_size {
            if param.data_type != data_type::OCTET_STRING {
                return Err(CallError::CANNOT_SET);
            }
            if self.basics.version.generates_iv_when_asked() {
                bytes = self.tag_bytes.unwrap_or(TAG);
            }
            param.return_size = bytes;
            return Ok(());
        }
        if param.set_octets(&self.buffer[..bytes]) { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }

    #[inline]
    fn take_tag(&mut self, param: &Param) -> Result<(), CallError> {
        let tag = param.as_octets().filter(|tag| tag.len() <= TAG).ok_or(CallError::CANNOT_GET)?;
        match <Block>::try_from(tag) {
            Ok(usual) => self.buffer = usual,
            Err(_) => self.keep_short_tag(tag),
        }
        if tag.is_empty() || self.basics.encrypts() {
            return Err(CallError::INVALID_TAG);
        }
        self.tag_bytes = Some(tag.len());
        Ok(())
    }

    fn set_iv_bytes(&mut self, bytes: usize) -> Result<(), CallError> {
        if bytes == 0 || bytes > LONGEST_IV {
            return Err(CallError::INVALID_IV_LENGTH);
        }
        if bytes != self.iv_bytes {
            // An IV of another length cannot be used any more.
            if self.iv_state != IvState::Unset {
                self.iv_state = IvState::Used;
            }
            self.iv_bytes = bytes;
        }
        Ok(())
    }

    fn answer_other(&mut self, name: Name, param: &mut Param) -> Result<(), CallError> {
        let told = match name {
            Name::Iv | Name::UpdatedIv => return self.answer_iv(param),
            Name::TlsIvGenerate => return self.answer_record_iv(param),
            Name::IvGenerated if !param.set_u32(self.iv_generated.into()) => {
                return Err(CallError::SILENT);
            }
            Name::TlsAadPad => param.set_usize(self.tls.aad_padding),
            _ => true,
        };
        if told { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }

    fn take_other(&mut self, name: Name, param: &Param) -> Result<(), CallError> {
        match name {
            Name::TlsAad => self.take_record_header(param),
            Name::TlsIvFixed => self.take_fixed_iv(param),
            Name::TlsIvInvocation => {
                self.take_record_iv(param.as_octets().ok_or(CallError::SILENT)?)
            }
            _ => Ok(()),
        }
    }
}

impl GcmMode {
    // What is usual is copied by two instructions, as long as the compiler does not see that both are copies.

    /// An IV that has not 96 bits.
    #[cold]
    #[inline(never)]
    fn keep_unusual_iv(&mut self, iv: &[u8]) -> Result<(), CallError> {
        let room = self.iv.get_mut(..iv.len()).filter(|_| !iv.is_empty());
        room.ok_or(CallError::INVALID_IV_LENGTH)?.copy_from_slice(iv);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn keep_short_tag(&mut self, tag: &[u8]) {
        self.buffer[..tag.len()].copy_from_slice(tag);
    }

    fn set_key(&mut self, key: &[u8]) -> Result<(), CallError> {
        self.basics.check_key(key)?;
        if self.iv_state == IvState::InUse {
            // As in OpenSSL, a new key in mid-message clears all that depends on the IV.
            self.message.forget();
        }
        self.message.take_key(key, self.basics.direction);
        self.basics.key_set = true;
        self.tls.records = 0;
        Ok(())
    }

    /// Puts the IV in use, and makes one if there is none.
    #[inline(always)]
    fn begin(&mut self) -> Result<(), CallError> {
        if self.iv_state == IvState::InUse { Ok(()) } else { self.begin_message() }
    }

    fn begin_message(&mut self) -> Result<(), CallError> {
        if !self.basics.key_set || self.iv_state == IvState::Used {
            return Err(CallError::SILENT);
        }
        if self.iv_state == IvState::Unset {
            self.generate_iv()?;
        }
        if self.iv_state == IvState::Given {
            self.use_iv();
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn use_iv(&mut self) {
        self.message.begin(&self.iv[..self.iv_bytes]);
        self.refuted = false;
        self.iv_state = IvState::InUse;
    }

    /// A random IV, for encryption only (SP 800-38D §8.2.2).
    #[cold]
    fn generate_iv(&mut self) -> Result<(), CallError> {
        if !self.basics.encrypts() || self.iv_bytes < SHORTEST_RANDOM_IV {
            return Err(CallError::SILENT);
        }
        random::fill(&mut self.iv[..self.iv_bytes])?;
        self.iv_state = IvState::Given;
        self.iv_generated = true;
        Ok(())
    }

    /// Associated data if there is nowhere to write, else data; or a TLS record.
    #[inline(always)]
    fn run(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if self.tls.aad_set {
            return self.record(call);
        }
        self.begin()?;
        if call.has_no_output() {
            self.associate(call.associated())?;
        } else {
            self.crypt(call.whole()?)?;
        }
        Ok(call.length())
    }

    /// The next associated data.
    #[inline]
    pub(super) fn associate(&mut self, data: &[u8]) -> Result<(), CallError> {
        self.message.associate(self.basics.direction, data)
    }

    /// The next data.
    #[inline(always)]
    pub(super) fn crypt(&mut self, data: InOut<'_>) -> Result<(), CallError> {
        self.message.crypt(self.basics.direction, data)
    }

    /// The tag of a message that was encrypted.
    #[inline]
    pub(super) fn make_tag(&mut self, tag: &mut Block) -> Result<(), CallError> {
        self.message.make_tag(tag)
    }

    /// Makes the tag, or compares it.
    #[inline(always)]
    fn end(&mut self) -> Result<usize, CallError> {
        if self.basics.encrypts() {
            self.message.make_tag(&mut self.buffer)?;
            self.tag_bytes = Some(TAG);
        } else {
            let Some(bytes) = self.tag_bytes else { return Err(self.tag_missing()) };
            let tag = self.buffer;
            if !self.verify(&tag[..bytes]) {
                return Err(CallError::SILENT);
            }
        }
        self.iv_state = IvState::Used;
        Ok(0)
    }

    #[cold]
    fn tag_missing(&self) -> CallError {
        if self.basics.version.generates_iv_when_asked() {
            CallError(&[Reason::TagNotSet])
        } else {
            CallError::SILENT
        }
    }

    /// Whether `given` is the beginning of the tag, in constant time.
    #[inline]
    pub(super) fn verify(&mut self, given: &[u8]) -> bool {
        let good = self.message.is_tag(given) && !self.refuted;
        self.refuted = !good;
        good
    }

    fn answer_iv(&mut self, param: &mut Param) -> Result<(), CallError> {
        if self.iv_state == IvState::Unset {
            if !self.basics.version.generates_iv_when_asked() || self.tls.aad_set {
                return Err(CallError::SILENT);
            }
            self.generate_iv()?;
        }
        let asks_for_size = param.data.is_null() && self.basics.version.has_decoders();
        if self.iv_bytes > param.data_size && !asks_for_size {
            return Err(CallError::INVALID_IV_LENGTH);
        }
        if param.set_octets_or_pointer(&self.iv[..self.iv_bytes], self.basics.version) {
            Ok(())
        } else {
            Err(CallError::CANNOT_SET)
        }
    }
}

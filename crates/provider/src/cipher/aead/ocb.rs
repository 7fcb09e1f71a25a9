//! OCB: associated data, data, and a tag.
//!
//! The last part of a block is treated in another way than what comes before it, so parts of blocks wait for their rest,
//! of the data and of the associated data, which may follow data. What OpenSSL says of the length of a tag is part of the
//! message's nonce.

use wirespeed_cipher::modes::Ocb;
use wirespeed_cipher::{Block, BlockKernels, InOut};

use super::gcm::IvState;
use super::message::Message;
use super::{AeadMode, Basics, Lengths};
use crate::call::Call;
use crate::cipher::Setup;
use crate::cipher::open::Open;
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::openssl::{Param, data_type};
use crate::params::declared::{Declared, Name};

const TAG: usize = size_of::<Block>();

/// A context of OCB.
#[derive(Clone)]
pub(crate) struct OcbMode {
    message: Message<Ocb>,
    /// Data that wait for the rest of a block.
    open: Open<16>,
    /// How many bytes of associated data do, with us or with the host.
    waiting_aad: usize,
    iv: Block,
    iv_bytes: usize,
    iv_state: IvState,
    basics: Basics,
    /// The tag that was made, or given to compare, and how many bytes of it count.
    tag: Block,
    tag_bytes: usize,
}

static GETTABLE: Declared = Declared::of(&[
    Name::KeyLength,
    Name::IvLength,
    Name::TagLength,
    Name::Iv,
    Name::UpdatedIv,
    Name::Tag,
]);
static SETTABLE: Declared = Declared::of(&[Name::Tag, Name::IvLength, Name::KeyLength]);

impl AeadMode for OcbMode {
    type Kernels = BlockKernels;
    const LATE_DECODERS: bool = true;

    fn gettable(_: Version) -> &'static Declared {
        &GETTABLE
    }

    fn settable(_: Version) -> &'static Declared {
        &SETTABLE
    }

    fn basics(&mut self) -> &mut Basics {
        &mut self.basics
    }

    fn lengths(&self) -> Lengths {
        Lengths { iv: self.iv_bytes, tag: self.tag_bytes }
    }

    fn new(setup: Setup<BlockKernels>) -> Self {
        Self {
            open: Open::EMPTY,
            waiting_aad: 0,
            iv: [0; 16],
            iv_bytes: setup.choice.algorithm().iv_bytes(),
            iv_state: IvState::Unset,
            basics: Basics::of(&setup),
            tag: [0; TAG],
            tag_bytes: TAG,
            message: Message::new(setup.choice),
        }
    }

    #[inline]
    fn start(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), CallError> {
        self.open = Open::EMPTY;
        self.waiting_aad = 0;
        self.message.drop_waiting();
        self.message.aead.drop_pending_aad();
        if let Some(iv) = iv {
            if iv.is_empty() || iv.len() > Ocb::LONGEST_NONCE {
                return Err(CallError::INVALID_IV_LENGTH);
            }
            self.iv[..iv.len()].copy_from_slice(iv);
            self.iv_bytes = iv.len();
            self.iv_state = IvState::Given;
        } else if self.iv_state == IvState::InUse {
            self.message.turn(self.basics.direction);
        }
        if let Some(key) = key {
            self.basics.check_key(key)?;
            if self.iv_state == IvState::InUse {
                // As in OpenSSL, a new key in mid-message clears all that depends on the IV.
                self.message.forget();
            }
            self.message.take_key(key, self.basics.direction);
            self.basics.key_set = true;
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
        if self.basics.encrypts() {
            self.message.make_tag(&mut self.tag)?;
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
    fn answer_tag(&mut self, param: &mut Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_GET);
        }
        if !self.basics.encrypts() || param.data_size != self.tag_bytes {
            return Err(CallError(&[Reason::InvalidTagLength]));
        }
        // The default provider copies, and leaves the size that it returns alone.
        let size = param.return_size;
        let copied = param.set_octets(&self.tag[..self.tag_bytes]);
        param.return_size = size;
        if copied { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }

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
        if self.basics.encrypts() {
            return Err(CallError(&[Reason::InvalidArgument]));
        }
        if bytes != self.tag_bytes {
            return Err(CallError(&[Reason::InvalidTagLength]));
        }
        let tag = param.as_octets().ok_or(CallError::CANNOT_GET)?;
        self.tag[..bytes].copy_from_slice(tag);
        Ok(())
    }

    fn set_iv_bytes(&mut self, bytes: usize) -> Result<(), CallError> {
        if bytes == 0 || bytes > Ocb::LONGEST_NONCE {
            return Err(CallError::SILENT);
        }
        if bytes != self.iv_bytes {
            self.iv_bytes = bytes;
            self.iv_state = IvState::Unset;
        }
        Ok(())
    }

    /// The IV as it was given, which is what `updated-iv` tells, too.
    fn answer_other(&mut self, _: Name, param: &mut Param) -> Result<(), CallError> {
        if param.data_size < self.iv_bytes {
            return Err(CallError::INVALID_IV_LENGTH);
        }
        match param.set_octets_or_pointer(&self.iv[..self.iv_bytes], self.basics.version) {
            true => Ok(()),
            false => Err(CallError::CANNOT_SET),
        }
    }
}

impl OcbMode {
    /// Puts the IV in use.
    #[inline]
    fn begin(&mut self) -> Result<(), CallError> {
        match self.iv_state {
            IvState::InUse if self.basics.key_set => Ok(()),
            IvState::Given if self.basics.key_set && self.tag_bytes != 0 => {
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
        self.message.associate(self.basics.direction, call.associated())?;
        self.waiting_aad = bytes - whole;
        Ok(whole)
    }

    /// The next data.
    #[inline(always)]
    fn crypt(&mut self, data: InOut<'_>) -> Result<(), CallError> {
        self.message.crypt(self.basics.direction, data)
    }
}

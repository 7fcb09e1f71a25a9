//! ChaCha20-Poly1305: associated data, data, and a tag; records of TLS 1.2 (RFC 7905).
//!
//! The default provider's code is lenient where GCM's is strict, and so is this: a key that was never set is
//! zeros, and a message may begin again under its nonce (before 4.0): programs for 3.x may do so by its rules, and
//! nothing is accepted that was not verified. Decryption without a tag fails on every host (openssl#31285).

use wirespeed_cipher::modes::ChaCha20Poly1305;
use wirespeed_cipher::{Block, InOut, StreamKernels, StreamKey};

use super::message::Message;
use super::record::{self, HEADER};
use super::{AeadMode, Basics, Lengths};
use crate::call::Call;
use crate::cipher::Setup;
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::openssl::{Param, data_type};
use crate::params::declared::{Declared, Name};

/// Bytes in a nonce.
const NONCE: usize = 12;
/// Bytes in a tag.
const TAG: usize = 16;

/// A context of ChaCha20-Poly1305.
#[derive(Clone)]
pub(crate) struct Poly1305Mode {
    message: Message<ChaCha20Poly1305>,
    /// The nonce that was set, and that of the message, which a record's number is added to.
    fixed: [u8; NONCE],
    nonce: [u8; NONCE],
    basics: Basics,
    /// Whether a message has begun.
    running: bool,
    /// Whether there have been data in it.
    has_data: bool,
    /// Whether it has come to its end, and 4.0 wants a new IV.
    finished: bool,
    /// The tag that was made, or given to compare, and how many bytes of it.
    tag: Block,
    tag_bytes: usize,
    record: Record,
}

/// The TLS record that comes next.
#[derive(Clone, Default)]
struct Record {
    header: [u8; HEADER],
    /// Bytes of its data, if there is one.
    length: Option<usize>,
    /// OpenSSL's `tlsaadpad`: by how much it grows.
    padding: usize,
}

static GETTABLE: Declared =
    Declared::of(&[Name::KeyLength, Name::IvLength, Name::TagLength, Name::TlsAadPad, Name::Tag]);
static SETTABLE: Declared =
    Declared::of(&[Name::KeyLength, Name::IvLength, Name::Tag, Name::TlsAad, Name::TlsIvFixed]);

impl AeadMode for Poly1305Mode {
    type Kernels = StreamKernels;

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
        Lengths { iv: NONCE, tag: self.tag_bytes }
    }

    fn new(setup: Setup<StreamKernels>) -> Self {
        Self {
            fixed: [0; NONCE],
            nonce: [0; NONCE],
            basics: Basics::of(&setup),
            running: false,
            has_data: false,
            finished: false,
            tag: [0; TAG],
            tag_bytes: 0,
            record: Record::default(),
            message: Message::new(setup.choice),
        }
    }

    #[inline]
    fn start(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), CallError> {
        let iv = iv.map(<[u8; NONCE]>::try_from).transpose();
        let iv = iv.map_err(|_| CallError::INVALID_IV_LENGTH)?;
        if let Some(key) = key {
            let key = <&StreamKey>::try_from(key).map_err(|_| CallError::INVALID_KEY_LENGTH)?;
            self.message.take_key(key, self.basics.direction);
            self.end_message();
        }
        if let Some(iv) = iv {
            (self.fixed, self.nonce) = (iv, iv);
            self.finished = false;
            self.end_message();
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if self.finished {
            return Err(CallError::SILENT);
        }
        if call.length() == 0 {
            return Ok(0);
        }
        self.run(call)
    }

    #[inline]
    fn finish(&mut self, _: Call<'_>) -> Result<usize, CallError> {
        self.end()?;
        self.finished = self.basics.version.forbids_reuse();
        Ok(0)
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if call.has_no_input() {
            if call.capacity() < call.length() {
                return Err(CallError::TOO_SMALL);
            }
            self.end()?;
            return Ok(call.length());
        }
        // Nothing is not the end of the associated data, which it would become part of (openssl#32752).
        if call.length() == 0 {
            return Ok(0);
        }
        self.run(call)
    }

    #[inline]
    fn answer_tag(&mut self, param: &mut Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_SET);
        }
        if !self.basics.encrypts() {
            return Err(CallError(&[Reason::TagNotSet]));
        }
        if !(1..=TAG).contains(&param.data_size) {
            return Err(CallError(&[Reason::InvalidTagLength]));
        }
        // The default provider copies, and leaves the size that it returns alone.
        let size = param.return_size;
        let copied = param.set_octets(&self.tag[..param.data_size]);
        param.return_size = size;
        if copied { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }

    #[inline]
    fn take_tag(&mut self, param: &Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_GET);
        }
        let bytes = param.data_size;
        if !(1..=TAG).contains(&bytes) {
            return Err(CallError(&[Reason::InvalidTagLength]));
        }
        // A length alone may be set, too.
        if !param.data.is_null() {
            if self.basics.encrypts() {
                return Err(CallError(&[Reason::TagNotNeeded]));
            }
            let tag = param.as_octets().ok_or(CallError::CANNOT_GET)?;
            self.tag[..bytes].copy_from_slice(tag);
        }
        self.tag_bytes = bytes;
        Ok(())
    }

    /// There is but one.
    fn set_iv_bytes(&mut self, bytes: usize) -> Result<(), CallError> {
        if bytes != NONCE {
            return Err(CallError::INVALID_IV_LENGTH);
        }
        self.finished = false;
        Ok(())
    }

    /// `tlsaadpad`.
    fn answer_other(&mut self, _: Name, param: &mut Param) -> Result<(), CallError> {
        if param.set_usize(self.record.padding) { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }

    fn take_other(&mut self, name: Name, param: &Param) -> Result<(), CallError> {
        match name {
            Name::TlsAad => self.take_header(param),
            Name::TlsIvFixed => self.take_fixed(param),
            _ => Ok(()),
        }
    }
}

impl Poly1305Mode {
    /// Whatever was under way is over.
    #[inline]
    fn end_message(&mut self) {
        self.running = false;
        self.record.length = None;
    }

    /// Begins a message, if none is under way; a record's begins with its header.
    #[inline]
    fn begin(&mut self) -> Result<(), CallError> {
        if !self.running {
            self.message.begin(&self.nonce);
            self.running = true;
            self.has_data = false;
            if self.record.length.is_some() {
                let header = self.record.header;
                self.message.associate(self.basics.direction, &header)?;
            }
        }
        Ok(())
    }

    /// Associated data if there is nowhere to write, else data; or a record.
    #[inline(always)]
    fn run(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let length = call.length();
        if call.capacity() < length {
            return Err(CallError::TOO_SMALL);
        }
        if self.record.length.is_some() && !call.has_no_output() {
            return self.seal_record(call);
        }
        self.begin()?;
        if call.has_no_output() {
            if self.has_data && self.basics.version.forbids_reuse() {
                return Err(CallError::SILENT);
            }
            self.message.associate(self.basics.direction, call.associated())?;
        } else {
            self.crypt(call.whole()?)?;
        }
        Ok(length)
    }

    #[inline(always)]
    fn crypt(&mut self, data: InOut<'_>) -> Result<(), CallError> {
        self.has_data |= !data.is_empty();
        self.message.crypt(self.basics.direction, data)
    }

    /// Makes the tag, or compares it.
    #[inline(always)]
    fn end(&mut self) -> Result<(), CallError> {
        if !self.basics.encrypts() && self.tag_bytes == 0 {
            return Err(CallError(&[Reason::TagNotSet]));
        }
        if self.record.length.is_some() {
            // A record has no end but its own, and is still to come.
            return Err(CallError::SILENT);
        }
        self.begin()?;
        self.running = false;
        if self.basics.encrypts() {
            self.message.make_tag(&mut self.tag)?;
            return Ok(());
        }
        let given = self.tag;
        if self.message.is_tag(&given[..self.tag_bytes]) { Ok(()) } else { Err(CallError::SILENT) }
    }

    /// One record: data, and their tag behind them.
    #[cold]
    fn seal_record(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let bytes = self.record.length.unwrap_or_default();
        if call.length() != bytes + TAG {
            if self.running {
                self.record.length = None;
            }
            return Err(CallError::SILENT);
        }
        let mut given = [0; TAG];
        call.read(bytes, &mut given);
        self.begin()?;
        self.record.length = None;
        self.crypt(call.part(0, 0, bytes)?)?;
        self.running = false;
        if self.basics.encrypts() {
            self.message.make_tag(&mut self.tag)?;
            call.write(bytes, &self.tag)?;
            return Ok(bytes + TAG);
        }
        if self.message.is_tag(&given) {
            return Ok(bytes);
        }
        for at in (0..bytes).step_by(TAG) {
            call.write(at, &[0; TAG][..TAG.min(bytes - at)])?;
        }
        Err(CallError::SILENT)
    }

    /// `tlsaad`: the header of the next record, whose length becomes that of the data alone. RFC 7905 §2 adds
    /// its number to the nonce.
    fn take_header(&mut self, param: &Param) -> Result<(), CallError> {
        const INVALID: &[Reason] = &[Reason::InvalidData];
        let tag = if self.basics.encrypts() { 0 } else { TAG };
        let (header, length) = record::header(param, tag, INVALID)?;
        self.record.header = header;
        let length = usize::from(length.ok_or(CallError(INVALID))?);
        self.nonce = self.fixed;
        for (byte, number) in self.nonce[4..].iter_mut().zip(header) {
            *byte ^= number;
        }
        self.running = false;
        self.record.length = Some(length);
        self.record.padding = TAG;
        Ok(())
    }

    /// `tlsivfixed`: the nonce of all records.
    fn take_fixed(&mut self, param: &Param) -> Result<(), CallError> {
        self.fixed = record::fixed_iv(param)?;
        self.nonce = self.fixed;
        Ok(())
    }
}

//! CCM: lengths of tag and nonce before the key, the length of the message before associated data, and the data at once.
//!
//! The order in which a program may do what, and what is forgotten when, is the default provider's
//! (providers/implementations/ciphers/ciphercommon_ccm.c).

use wirespeed_cipher::modes::{Ccm, CcmState};
use wirespeed_cipher::{Block, BlockKernels, Direction, InOut};

use super::{AeadMode, Basics, Lengths};
use crate::boundary::host_cipher::HostCipher;
use crate::call::Call;
use crate::cipher::{Setup, equal};
use crate::error::{CallError, Reason};
use crate::host::Version;
use crate::kept::Kept;
use crate::offload::call::{OffloadCall, OffloadFailed};
use crate::openssl::{Param, UNMODIFIED, data_type};
use crate::params::declared::{Declared, Name};
use crate::params::{octets, uint};
use crate::routing::choice::{Choice, NewKey, OffloadStep, Step};

static GETTABLE: Declared = Declared::of(&[
    Name::IvLength,
    Name::TagLength,
    Name::Iv,
    Name::UpdatedIv,
    Name::KeyLength,
    Name::TlsAadPad,
    Name::Tag,
]);
/// With GCM's, which is on the list and never answered.
static GETTABLE_BEFORE_DECODERS: Declared = GETTABLE_BEFORE_3_4.listing(uint(c"iv-generated"));
static GETTABLE_BEFORE_3_4: Declared = GETTABLE.listing(octets(c"tlsivgen"));
static SETTABLE: Declared =
    Declared::of(&[Name::Tag, Name::IvLength, Name::TlsAad, Name::TlsIvFixed]);
/// As above: never taken.
static SETTABLE_BEFORE_DECODERS: Declared = SETTABLE.listing(octets(c"tlsivinv"));

/// A context of CCM.
#[derive(Clone)]
pub(crate) struct CcmMode {
    choice: Choice<BlockKernels>,
    pub(super) ccm: Ccm,
    pub(super) basics: Basics,
    iv_set: bool,
    /// Whether the length of the message is known.
    length_set: bool,
    /// Whether there is a tag, made or given.
    tag_set: bool,
    pub(super) nonce: Block,
    nonce_bytes: usize,
    pub(super) tag_bytes: usize,
    /// The tag that was given, or the header of the next record.
    pub(super) buffer: Block,
    /// Whether calls are records from here on.
    pub(super) records: bool,
    /// OpenSSL's `tlsaadpad`: by how much a record grows behind the data.
    pub(super) record_padding: usize,
    /// The associated data of the message that was announced, for the host, if it may become the host's.
    associated: Kept,
}

impl AeadMode for CcmMode {
    type Kernels = BlockKernels;

    fn gettable(version: Version) -> &'static Declared {
        match version {
            _ if version.has_decoders() => &GETTABLE,
            _ if version.tells_generated_iv() => &GETTABLE_BEFORE_DECODERS,
            _ => &GETTABLE_BEFORE_3_4,
        }
    }

    fn settable(version: Version) -> &'static Declared {
        if version.has_decoders() { &SETTABLE } else { &SETTABLE_BEFORE_DECODERS }
    }

    fn basics(&mut self) -> &mut Basics {
        &mut self.basics
    }

    fn lengths(&self) -> Lengths {
        Lengths { iv: self.nonce_bytes, tag: self.tag_bytes }
    }

    fn new(setup: Setup<BlockKernels>) -> Self {
        Self {
            ccm: Ccm::new(setup.choice.own()),
            basics: Basics::of(&setup),
            iv_set: false,
            length_set: false,
            tag_set: false,
            nonce: [0; 16],
            nonce_bytes: 7,
            tag_bytes: 12,
            buffer: [0; 16],
            records: false,
            record_padding: 0,
            associated: Kept(None),
            choice: setup.choice,
        }
    }

    fn start(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), CallError> {
        if let Some(iv) = iv {
            if iv.len() != self.nonce_bytes {
                return Err(CallError::INVALID_IV_LENGTH);
            }
            self.nonce[..iv.len()].copy_from_slice(iv);
            self.iv_set = true;
        }
        let Some(key) = key else { return Ok(()) };
        self.basics.check_key(key)?;
        if let NewKey::By(kernels) = self.choice.take_key(key, self.basics.direction) {
            self.ccm.reroute(kernels);
        }
        self.ccm.set_key(key, self.tag_bytes, self.nonce_bytes);
        self.basics.key_set = true;
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if call.capacity() < call.length() {
            return Err(CallError::TOO_SMALL);
        }
        self.run(call).map_err(|error| match error.0 {
            [Reason::TagNotSet] => CallError(&[Reason::TagNotSet, Reason::CipherOperationFailed]),
            _ => CallError::OPERATION_FAILED,
        })
    }

    fn finish(&mut self, _: Call<'_>) -> Result<usize, CallError> {
        if !self.basics.key_set {
            return Err(CallError::SILENT);
        }
        // What was not encrypted or opened until now is a message of no bytes, and verified as one (openssl#32253).
        if self.iv_set && (!self.basics.encrypts() || !self.tag_set) {
            if self.records {
                return Err(CallError::SILENT);
            }
            self.message(InOut::in_place(&mut []))?;
        }
        Ok(0)
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        // Without output, too, it told the length of the message before it ended one.
        let tells = call.has_no_output() && call.length() > 0;
        if call.has_no_input() && (!tells || self.basics.version.ends_counted_messages()) {
            return self.finish(call);
        }
        if call.capacity() < call.length() {
            return Err(CallError::TOO_SMALL);
        }
        self.run(call)?;
        Ok(call.length())
    }

    #[inline]
    fn answer_tag(&mut self, param: &mut Param) -> Result<(), CallError> {
        if !self.basics.encrypts() || !self.tag_set {
            return Err(CallError(&[Reason::TagNotSet]));
        }
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_SET);
        }
        let (tag, bytes) = (self.ccm.state.tag(), self.ccm.state.tag_bytes());
        if param.data.is_null() || param.data_size != bytes || !param.set_octets(&tag[..bytes]) {
            return Err(CallError::SILENT);
        }
        // How many they are, the default provider does not say.
        param.return_size = UNMODIFIED;
        (self.tag_set, self.iv_set, self.length_set) = (false, false, false);
        Ok(())
    }

    #[inline]
    fn take_tag(&mut self, param: &Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_GET);
        }
        let bytes = param.data_size;
        if !bytes.is_multiple_of(2) || !(4..=16).contains(&bytes) {
            return Err(CallError(&[Reason::InvalidTagLength]));
        }
        if let Some(tag) = param.as_octets() {
            if self.basics.encrypts() {
                return Err(CallError(&[Reason::TagNotNeeded]));
            }
            self.buffer[..bytes].copy_from_slice(tag);
            self.tag_set = true;
        }
        self.tag_bytes = bytes;
        Ok(())
    }

    fn set_iv_bytes(&mut self, bytes: usize) -> Result<(), CallError> {
        if !(7..=13).contains(&bytes) {
            return Err(CallError::INVALID_IV_LENGTH);
        }
        self.iv_set &= bytes == self.nonce_bytes;
        self.nonce_bytes = bytes;
        Ok(())
    }

    fn answer_other(&mut self, name: Name, param: &mut Param) -> Result<(), CallError> {
        match name {
            Name::Iv | Name::UpdatedIv => self.answer_nonce(param),
            Name::TlsAadPad if !param.set_usize(self.record_padding) => Err(CallError::CANNOT_SET),
            _ => Ok(()),
        }
    }

    fn take_other(&mut self, name: Name, param: &Param) -> Result<(), CallError> {
        match name {
            Name::TlsAad => self.take_record_header(param),
            Name::TlsIvFixed => self.take_fixed_nonce(param),
            _ => Ok(()),
        }
    }
}

impl CcmMode {
    /// The length of a message, its associated data, or its data; or a record.
    #[inline]
    fn run(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if !self.basics.key_set {
            return Err(CallError::SILENT);
        }
        if self.records {
            return self.record(call);
        }
        if call.has_no_input() && !call.has_no_output() {
            return Ok(0);
        }
        if !self.iv_set {
            return Err(CallError::SILENT);
        }
        if !call.has_no_output() {
            self.message(call.whole()?)?;
        } else if call.has_no_input() {
            self.announce(call.length())?;
        } else if !self.length_set && call.length() > 0 {
            return Err(CallError::SILENT);
        } else {
            self.associate(call.associated());
        }
        Ok(call.length())
    }

    /// Puts the nonce in use.
    pub(super) fn announce(&mut self, bytes: usize) -> Result<(), CallError> {
        self.associated.0.get_or_insert_default().clear();
        // The key was taken for nonces of a certain length.
        if self.nonce_bytes < self.ccm.state.nonce_bytes() {
            return Err(CallError::SILENT);
        }
        self.ccm.start(&self.nonce, bytes as u64);
        self.length_set = true;
        Ok(())
    }

    pub(super) fn associate(&mut self, aad: &[u8]) {
        if aad.is_empty() {
            return;
        }
        self.ccm.aad(aad);
        if self.choice.host.is_none() {
            return;
        }
        // The last ones count, as in CRYPTO_ccm128_aad.
        let kept = self.associated.0.get_or_insert_default();
        kept.clear();
        match kept.try_reserve(aad.len()) {
            Ok(()) => kept.extend_from_slice(aad),
            Err(_) => self.associated.0 = None,
        }
    }

    /// The data of a message, all at once.
    #[inline]
    fn message(&mut self, data: InOut<'_>) -> Result<(), CallError> {
        if !self.length_set {
            self.announce(data.len())?;
        }
        if self.basics.encrypts() {
            self.crypt(data, &[])?;
            self.tag_set = true;
            return Ok(());
        }
        if !self.tag_set {
            return Err(match self.basics.version.names_missing_tags() {
                true => CallError(&[Reason::TagNotSet]),
                false => CallError::SILENT,
            });
        }
        let given = self.buffer;
        self.open(data, &given[..self.tag_bytes])?;
        (self.iv_set, self.tag_set, self.length_set) = (false, false, false);
        Ok(())
    }

    /// Decrypts, and wipes what came out if the tag is another.
    pub(super) fn open(&mut self, mut data: InOut<'_>, given: &[u8]) -> Result<(), CallError> {
        let opened = self.crypt(data.reborrow(), given);
        if opened.is_ok() && self.is_tag(given) {
            return Ok(());
        }
        data.clear();
        Err(CallError::SILENT)
    }

    /// Whether that is the tag, in constant time.
    fn is_tag(&self, given: &[u8]) -> bool {
        let (made, bytes) = (self.ccm.state.tag(), self.ccm.state.tag_bytes());
        given.len() == bytes && equal(&made[..bytes], given)
    }

    /// By whichever route; `given` is the tag that decryption will be held to.
    #[inline]
    pub(super) fn crypt(&mut self, data: InOut<'_>, given: &[u8]) -> Result<(), CallError> {
        match self.choice.kernels(self.basics.direction, data.len()) {
            Some(kernels) => self.ccm.reroute(kernels),
            None if self.ccm.state.expects(data.len() as u64) => {
                self.crypt_slowly(data, given);
                return Ok(());
            }
            // What its length spoils gives nothing, whoever does it.
            None => {}
        }
        self.associated.0 = None;
        self.ccm.crypt(self.basics.direction, data).map_err(|_| CallError::SILENT)
    }

    #[cold]
    #[inline(never)]
    fn crypt_slowly(&mut self, data: InOut<'_>, given: &[u8]) {
        let mut state = self.ccm.state.clone();
        let mut whole = Whole {
            ccm: &mut self.ccm,
            direction: self.basics.direction,
            aad: self.associated.0.as_deref(),
            given,
        };
        self.choice.slowly(self.basics.direction, &mut whole, &mut state, data);
        self.ccm.state = state;
        self.associated.0 = None;
        if self.choice.is_verified() {
            self.ccm.reroute(self.choice.neutral());
        }
    }

    fn answer_nonce(&self, param: &mut Param) -> Result<(), CallError> {
        if self.nonce_bytes > param.data_size {
            return Err(CallError::INVALID_IV_LENGTH);
        }
        // As many bytes as there is room for: so the default provider tells it, whatever is behind the nonce.
        let told = if param.data_type == data_type::OCTET_POINTER {
            param.set_octet_pointer(self.nonce.as_ptr(), self.nonce.len())
        } else {
            let mut padded = [0; 64];
            padded[..self.nonce.len()].copy_from_slice(&self.nonce);
            let room = param.data_size.min(padded.len());
            param.set_octets_or_pointer(&padded[..room], self.basics.version)
        };
        if told { Ok(()) } else { Err(CallError::CANNOT_SET) }
    }
}

/// The data of one message, whichever path it takes.
struct Whole<'a> {
    ccm: &'a mut Ccm,
    direction: Direction,
    aad: Option<&'a [u8]>,
    given: &'a [u8],
}

impl Step for Whole<'_> {
    type Kernels = BlockKernels;
    type State = CcmState;
    const WHOLE: bool = true;

    #[inline]
    fn own(&mut self, kernels: &'static BlockKernels, state: &mut CcmState, data: InOut<'_>) {
        self.ccm.reroute(kernels);
        self.ccm.state.clone_from(state);
        // Its length is right: that was asked before.
        let _ = self.ccm.crypt(self.direction, data);
        state.clone_from(&self.ccm.state);
    }

    fn agree(a: &CcmState, b: &CcmState) -> bool {
        a == b
    }
}

impl OffloadStep for Whole<'_> {
    fn offloaded(
        &mut self,
        call: &mut OffloadCall<'_>,
        spare: &'static BlockKernels,
        state: &mut CcmState,
        mut data: InOut<'_>,
    ) {
        let (direction, given) = (self.direction, self.given);
        // There was no memory for them, or what was announced has been used.
        let Some(aad) = self.aad else { return self.own(spare, state, data) };
        let run =
            |host: &mut HostCipher| host.counted(direction, state, aad, given, data.reborrow());
        match call.by_host(run) {
            Ok(tag) => state.end_with(tag),
            Err(OffloadFailed) => self.own(spare, state, data),
        }
    }
}

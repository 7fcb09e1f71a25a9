//! GCM-SIV: an update is a whole message, and decryption is given the tag before it.
//!
//! As in the default provider, associated data stay from message to message: an update of none forgets them.

use wirespeed_cipher::modes::GcmSiv;
use wirespeed_cipher::{Block, BlockKernels, Direction, InOut};

use super::{AeadMode, Basics, Lengths};
use crate::boundary::host_cipher::HostCipher;
use crate::call::Call;
use crate::cipher::Setup;
use crate::error::CallError;
use crate::host::Version;
use crate::kept::copied;
use crate::offload::call::{OffloadCall, OffloadFailed};
use crate::openssl::{Param, data_type};
use crate::params::declared::{Declared, Name};
use crate::routing::choice::{Choice, NewKey, OffloadStep, Step};

static GETTABLE: Declared = Declared::of(&[Name::Tag, Name::TagLength, Name::KeyLength]);
static SETTABLE: Declared = Declared::of(&[Name::Tag, Name::Speed, Name::KeyLength]);

/// A context of GCM-SIV.
#[derive(Clone)]
pub(crate) struct GcmSivMode {
    choice: Choice<BlockKernels>,
    siv: GcmSiv,
    basics: Basics,
    nonce: [u8; GcmSiv::NONCE],
    /// Whether the keys for this nonce are at hand.
    ready: bool,
    associated: Associated,
    /// The tag that decryption begins with and is compared with.
    given: Option<Block>,
    /// The tag of the last message; none if the host has refused to open it.
    made: Option<Block>,
    /// Whether the last message came to its tag.
    complete: bool,
    /// Whether there has been a message since the start.
    used: bool,
    /// `speed`: whether more messages may follow it.
    repeats: bool,
}

impl AeadMode for GcmSivMode {
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
        Lengths { iv: GcmSiv::NONCE, tag: size_of::<Block>() }
    }

    fn new(setup: Setup<BlockKernels>) -> Self {
        Self {
            siv: GcmSiv::new(setup.choice.own()),
            basics: Basics::of(&setup),
            nonce: [0; GcmSiv::NONCE],
            ready: false,
            associated: Associated::default(),
            given: None,
            made: None,
            complete: false,
            used: false,
            repeats: false,
            choice: setup.choice,
        }
    }

    fn start(&mut self, key: Option<&[u8]>, iv: Option<&[u8]>) -> Result<(), CallError> {
        match key {
            Some(key) => {
                self.basics.check_key(key)?;
                self.take_key(key);
            }
            // As in the default provider, no key is one of zeros.
            None if !self.basics.key_set => self.take_key(&[0; 32][..self.basics.key_bytes]),
            None => {}
        }
        if let Some(iv) = iv {
            self.nonce = iv.try_into().map_err(|_| CallError::INVALID_IV_LENGTH)?;
        }
        (self.ready, self.used, self.complete) = (false, false, false);
        self.made = Some([0; 16]);
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if call.capacity() < call.length() {
            return Err(CallError::TOO_SMALL);
        }
        if call.has_no_input() {
            self.end()?;
        } else if call.has_no_output() {
            self.associated.take(call.associated())?;
        } else {
            self.run(call.whole()?)?;
        }
        Ok(call.length())
    }

    #[inline]
    fn finish(&mut self, _: Call<'_>) -> Result<usize, CallError> {
        self.end()?;
        Ok(0)
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.update(call)
    }

    #[inline]
    fn answer_tag(&mut self, param: &mut Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Ok(());
        }
        match self.made.filter(|_| self.complete && self.basics.encrypts()) {
            Some(tag) if param.data_size == tag.len() && param.set_octets(&tag) => Ok(()),
            _ => Err(CallError::CANNOT_SET),
        }
    }

    #[inline]
    fn take_tag(&mut self, param: &Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING || param.data_size != size_of::<Block>() {
            return Err(CallError::CANNOT_GET);
        }
        if !self.basics.encrypts() {
            let tag = param.as_octets().and_then(|bytes| bytes.try_into().ok());
            self.given = Some(tag.ok_or(CallError::CANNOT_GET)?);
        }
        Ok(())
    }

    /// `speed`.
    fn take_other(&mut self, _: Name, param: &Param) -> Result<(), CallError> {
        self.repeats = param.as_u32().ok_or(CallError::CANNOT_GET)? != 0;
        Ok(())
    }
}

impl GcmSivMode {
    fn take_key(&mut self, key: &[u8]) {
        if let NewKey::By(kernels) = self.choice.take_key(key, self.basics.direction) {
            self.siv.reroute(kernels);
        }
        self.siv.set_key(key);
        self.basics.key_set = true;
    }

    /// One message.
    #[inline]
    fn run(&mut self, data: InOut<'_>) -> Result<(), CallError> {
        self.complete = false;
        let is_one_more = self.used && !self.repeats;
        if is_one_more || data.len() as u64 > GcmSiv::LONGEST || self.associated.lost {
            return Err(CallError::SILENT);
        }
        let mut whole = Whole {
            siv: &mut self.siv,
            direction: self.basics.direction,
            nonce: &self.nonce,
            aad: &self.associated.bytes,
            given: self.given.unwrap_or_default(),
        };
        if let Some(kernels) = self.choice.kernels(self.basics.direction, data.len()) {
            whole.siv.reroute(kernels);
            if !self.ready {
                whole.siv.start(&self.nonce);
            }
            self.made = Some(whole.crypt(data));
            self.ready = true;
        } else {
            self.choice.slowly(self.basics.direction, &mut whole, &mut self.made, data);
            self.ready = false;
        }
        (self.complete, self.used) = (true, true);
        Ok(())
    }

    /// The end of a message, which may have had no update.
    #[inline]
    fn end(&mut self) -> Result<(), CallError> {
        let strict = self.basics.version.ends_synthetic_messages();
        if !self.complete && (strict || !self.basics.encrypts()) {
            let ran = self.run(InOut::in_place(&mut []));
            // Where there was no message there is no tag of one to compare with.
            if strict || !self.used {
                ran?;
            }
        }
        let passes = match (self.basics.direction, self.given, self.made) {
            (Direction::Encrypt, ..) => self.complete,
            (Direction::Decrypt, Some(given), Some(made)) => {
                let difference = u128::from_ne_bytes(given) ^ u128::from_ne_bytes(made);
                std::hint::black_box(difference) == 0
            }
            _ => false,
        };
        if passes { Ok(()) } else { Err(CallError::SILENT) }
    }
}

/// The associated data so far.
#[derive(Default)]
struct Associated {
    bytes: Vec<u8>,
    /// Whether there was no memory for a copy of them.
    lost: bool,
}

impl Associated {
    /// The next ones; none forget all.
    fn take(&mut self, more: &[u8]) -> Result<(), CallError> {
        if more.is_empty() {
            *self = Self::default();
            return Ok(());
        }
        let total = (self.bytes.len() + more.len()).next_multiple_of(16);
        let fits = !self.lost && total as u64 <= GcmSiv::LONGEST;
        if !fits || self.bytes.try_reserve(more.len()).is_err() {
            return Err(CallError::SILENT);
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }
}

impl Clone for Associated {
    /// A program whose memory has run out gets an error with its next message, and is not ended.
    fn clone(&self) -> Self {
        let bytes = copied(&self.bytes);
        Self { lost: self.lost || bytes.is_none(), bytes: bytes.unwrap_or_default() }
    }
}

/// One message, whichever path it takes.
struct Whole<'a> {
    siv: &'a mut GcmSiv,
    direction: Direction,
    nonce: &'a [u8; GcmSiv::NONCE],
    aad: &'a [u8],
    given: Block,
}

impl Whole<'_> {
    #[inline]
    fn crypt(&mut self, data: InOut<'_>) -> Block {
        self.siv.crypt(self.direction, self.aad, &self.given, data)
    }
}

impl Step for Whole<'_> {
    type Kernels = BlockKernels;
    /// The message's tag.
    type State = Option<Block>;
    const WHOLE: bool = true;

    fn own(&mut self, kernels: &'static BlockKernels, made: &mut Option<Block>, data: InOut<'_>) {
        self.siv.reroute(kernels);
        self.siv.start(self.nonce);
        *made = Some(self.crypt(data));
    }

    fn agree(a: &Option<Block>, b: &Option<Block>) -> bool {
        a == b
    }
}

impl OffloadStep for Whole<'_> {
    fn offloaded(
        &mut self,
        call: &mut OffloadCall<'_>,
        spare: &'static BlockKernels,
        made: &mut Option<Block>,
        mut data: InOut<'_>,
    ) {
        let Self { direction, nonce, aad, given, .. } = self;
        let run =
            |host: &mut HostCipher| host.message(*direction, *nonce, aad, given, data.reborrow());
        match call.by_host(run) {
            Ok(tag) => *made = tag,
            Err(OffloadFailed) => self.own(spare, made, data),
        }
    }
}

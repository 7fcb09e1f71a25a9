//! ChaCha20 by itself: as many bytes out as in.

use wirespeed_cipher::modes::ChaCha20;
use wirespeed_cipher::{Block, Direction, InOut, StreamKernels, StreamKey};
use zeroize::Zeroize;

use super::common::answer_lengths;
use super::{Cipher, Setup};
use crate::call::Call;
use crate::error::CallError;
use crate::host::Version;
use crate::offload::call::{OffloadCall, OffloadFailed};
use crate::openssl::{Param, data_type};
use crate::params::declared::{Declared, Name};
use crate::params::list::{Asked, Given};
use crate::params::octets;
use crate::params::request::{Questions, Settings};
use crate::provider::Provider;
use crate::routing::choice::{Choice, OffloadStep, Step};

/// Bytes in a block.
const BLOCK: usize = 64;

static SETTABLE: Declared = Declared::of(&[Name::KeyLength, Name::IvLength]);
/// With the place in the stream, where there are decoders.
static GETTABLE: Declared = SETTABLE.and(Name::UpdatedIv, octets(c"updated-iv"));

/// The context of ChaCha20.
#[derive(Clone)]
pub(crate) struct Keystream {
    choice: Choice<StreamKernels>,
    key: StreamKey,
    stream: ChaCha20,
    direction: Direction,
    key_set: bool,
    /// Whether the last call filled up an open block: before 3.6 the next call counts it.
    filled: bool,
    version: Version,
}

/// A run over any length, whichever path it takes.
struct Run<'a> {
    key: &'a StreamKey,
    direction: Direction,
}

impl Step for Run<'_> {
    type Kernels = StreamKernels;
    type State = ChaCha20;

    fn own(&mut self, kernels: &'static StreamKernels, stream: &mut ChaCha20, data: InOut<'_>) {
        stream.update(kernels, self.key, data);
    }

    fn agree(a: &ChaCha20, b: &ChaCha20) -> bool {
        a.agrees(b)
    }
}

impl OffloadStep for Run<'_> {
    /// Whole blocks are offloaded; the rest of a block begun, and a block's beginning, stay with us, who keep
    /// their keystream.
    fn offloaded(
        &mut self,
        call: &mut OffloadCall<'_>,
        spare: &'static StreamKernels,
        stream: &mut ChaCha20,
        data: InOut<'_>,
    ) {
        let begun = (BLOCK - stream.used()) % BLOCK;
        let bytes = data.len();
        let (head, rest) = data.split_at(begun.min(bytes));
        let whole = rest.len() & !(BLOCK - 1);
        let (mut body, tail) = rest.split_at(whole);
        self.own(spare, stream, head);
        if whole > 0 {
            match call.run(self.direction, &stream.place(), body.reborrow()) {
                Ok(()) => stream.skip((whole / BLOCK) as i64),
                Err(OffloadFailed) => self.own(spare, stream, body),
            }
        }
        self.own(spare, stream, tail);
    }
}

impl Keystream {
    fn crypt(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if !self.key_set {
            return Err(CallError::NO_KEY_SET);
        }
        let (length, data) = (call.length(), call.whole()?);
        if length > 0 {
            let used = self.stream.used();
            self.filled = used != 0 && used + length == BLOCK;
        }
        if let Some(kernels) = self.choice.kernels(self.direction, length) {
            self.stream.update(kernels, &self.key, data);
        } else {
            let mut step = Run { key: &self.key, direction: self.direction };
            self.choice.slowly(self.direction, &mut step, &mut self.stream, data);
        }
        Ok(length)
    }
}

impl Cipher for Keystream {
    fn gettable(version: Version) -> &'static Declared {
        if version.has_decoders() { &GETTABLE } else { &SETTABLE }
    }

    fn settable(_: Version) -> &'static Declared {
        &SETTABLE
    }

    fn new(provider: &Provider, subject: usize) -> Option<Self> {
        let setup = Setup::of(provider, subject)?;
        Some(Self {
            choice: setup.choice,
            key: [0; 32],
            stream: ChaCha20::START,
            direction: Direction::Decrypt,
            key_set: false,
            filled: false,
            version: setup.version,
        })
    }

    #[inline]
    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError> {
        self.direction = direction;
        let iv = iv.map(<&Block>::try_from).transpose();
        let iv = iv.map_err(|_| CallError::INVALID_IV_LENGTH)?;
        if let Some(key) = key {
            self.key = key.try_into().map_err(|_| CallError::INVALID_KEY_LENGTH)?;
            self.choice.take_key(key, direction);
            self.key_set = true;
            let open = self.stream.used() != 0 || self.filled;
            if open && !self.version.counts_blocks_begun() {
                self.stream.skip(-1);
            }
            self.stream.drop_block();
            self.filled = false;
        }
        if let Some(iv) = iv {
            self.stream.start(iv);
            self.filled = false;
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.crypt(call)
    }

    fn finish(&mut self, _: Call<'_>) -> Result<usize, CallError> {
        if self.key_set { Ok(0) } else { Err(CallError::NO_KEY_SET) }
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.crypt(call)
    }

    #[inline]
    fn answer_often(&mut self, param: &mut Param) -> bool {
        answer_lengths(param, size_of::<StreamKey>(), size_of::<Block>())
    }

    #[inline]
    fn set_often(&mut self, param: &Param) -> bool {
        // There is no padding to set; EVP tries all the same.
        param.is_called(b"padding\0")
    }

    fn answer(&mut self, list: Asked<'_>) -> Result<(), CallError> {
        let mut questions = Questions::of(list, Self::gettable(self.version), self.version)?;
        questions.answer(Name::IvLength, |p| p.set_usize(size_of::<Block>()))?;
        questions.answer(Name::KeyLength, |p| p.set_usize(size_of::<StreamKey>()))?;
        questions.answer(Name::UpdatedIv, |p| {
            p.data_type == data_type::OCTET_STRING && p.set_octets(&self.stream.place())
        })
    }

    fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        let settings = Settings::of(list, &SETTABLE, self.version)?;
        let fixed = [
            (Name::KeyLength, size_of::<StreamKey>(), CallError::INVALID_KEY_LENGTH),
            (Name::IvLength, size_of::<Block>(), CallError::INVALID_IV_LENGTH),
        ];
        for (name, bytes, error) in fixed {
            if settings.value(name, Param::as_usize)?.is_some_and(|given| given != bytes) {
                return Err(error);
            }
        }
        Ok(())
    }
}

impl Drop for Keystream {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

//! What every cipher context does, whatever its mode.

pub(crate) mod lanes;

pub(crate) mod aead;
pub(crate) mod block;
pub(crate) mod chacha20;
mod common;
pub(crate) mod cts;
pub(crate) mod delegated;
mod open;
mod padding;
pub(crate) mod stream;
mod tls;
pub(crate) mod xts;

use wirespeed_cipher::{Algorithm, Block, Direction, InOut};

use crate::call::Call;
use crate::error::CallError;
use crate::host::Version;
use crate::offload::call::OffloadFailed;
use crate::openssl::Param;
use crate::params::declared::Declared;
use crate::params::list::{Asked, Given};
use crate::provider::Provider;
use crate::routing::choice::Choice;
use crate::routing::native::Kernels;

/// What a new context of an algorithm with kernels of ours is made from.
pub(crate) struct Setup<K: 'static> {
    choice: Choice<K>,
    version: Version,
}

impl<K: Kernels> Setup<K> {
    /// For the algorithm at that place, if it is served.
    #[inline(always)]
    fn of(provider: &Provider, subject: usize) -> Option<Self> {
        let choice = provider.choice(Algorithm::ALL[subject])?;
        Some(Self { choice, version: provider.version })
    }
}

/// The last block of a run, before and after: what the state of a mode follows from.
#[derive(Default)]
pub(crate) struct LastBlock {
    input: Block,
    output: Block,
}

impl LastBlock {
    /// Runs over whole blocks, at least one, in place or not.
    #[inline]
    fn around(
        mut data: InOut<'_>,
        run: impl FnOnce(InOut<'_>) -> Result<(), OffloadFailed>,
    ) -> Result<Self, OffloadFailed> {
        let input = *data.input().last_chunk().expect("a block");
        run(data.reborrow())?;
        Ok(Self { input, output: *data.output().last_chunk().expect("a block") })
    }
}

/// A context of one mode. The C edge is in [`crate::boundary`]; nothing here is `extern "C"`.
pub(crate) trait Cipher: Clone {
    /// Whether it takes the messages of a pipeline.
    const PIPELINES: bool = false;

    /// Parameters that [`Self::answer`] knows.
    fn gettable(version: Version) -> &'static Declared;

    /// Parameters that [`Self::set`] knows.
    fn settable(version: Version) -> &'static Declared;

    /// A context of the subject at that place, if it is served.
    fn new(provider: &Provider, subject: usize) -> Option<Self>;

    /// A new message: a new key, a new IV, both or neither.
    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError>;

    /// The next bytes; tells how many it has written.
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError>;

    /// The next bytes of messages that run side by side under one key, with as many calls; stores how many were
    /// written for each.
    fn update_all(
        pipes: &mut [Self],
        calls: &[Call<'_>],
        written: &mut [usize],
    ) -> Result<(), CallError> {
        one_after_another(pipes, calls, written)
    }

    /// The end of the message.
    fn finish(&mut self, call: Call<'_>) -> Result<usize, CallError>;

    /// `EVP_Cipher`: bytes without buffering and padding.
    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError>;

    /// Answers a parameter that stands alone in its list, if it is one of those that EVP asks for
    /// with every message, in their usual type. Where it does not, [`Self::answer`] has the word.
    fn answer_often(&mut self, param: &mut Param) -> bool;

    /// Takes a parameter that stands alone in its list, if it is one of those that EVP sets with
    /// every message, in their usual type. Where it does not, [`Self::set`] has the word.
    fn set_often(&mut self, param: &Param) -> bool;

    /// Answers parameters.
    fn answer(&mut self, list: Asked<'_>) -> Result<(), CallError>;

    /// Takes parameters.
    fn set(&mut self, list: Given<'_>) -> Result<(), CallError>;
}

/// Whether two strings of one length are equal, in constant time.
fn equal(a: &[u8], b: &[u8]) -> bool {
    std::hint::black_box(a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b))) == 0
}

/// What messages that run side by side do without lanes.
fn one_after_another<C: Cipher>(
    pipes: &mut [C],
    calls: &[Call<'_>],
    written: &mut [usize],
) -> Result<(), CallError> {
    for ((pipe, call), written) in pipes.iter_mut().zip(calls).zip(written) {
        *written = pipe.update(*call)?;
    }
    Ok(())
}

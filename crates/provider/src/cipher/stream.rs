//! CFB, OFB and CTR: as many bytes out as in.

use std::marker::PhantomData;
use std::ptr::null;

use wirespeed_cipher::modes::Feedback;
use wirespeed_cipher::{Block, BlockKernels, BlockKey, Direction, InOut, Mode};

use super::common::{self, Common, Progress};
use super::{Cipher, LastBlock, Setup};
use crate::call::Call;
use crate::error::CallError;
use crate::host::Version;
use crate::offload::call::{OffloadCall, OffloadFailed};
use crate::openssl::Param;
use crate::params::declared::Declared;
use crate::params::list::{Asked, Given};
use crate::provider::Provider;
use crate::routing::choice::{Choice, OffloadStep, Step};

/// A mode as a type, so that each gets functions of its own.
pub(crate) trait StreamMode: Clone {
    const MODE: Mode;

    /// The shift register or counter behind a run over whole blocks, from what it was before, how many
    /// blocks there were, and the last of them.
    fn register_after(
        direction: Direction,
        before: &Block,
        blocks: usize,
        last: &LastBlock,
    ) -> Block;
}

/// With segments of so many bits.
#[derive(Clone)]
pub(crate) struct Cfb<const BITS: u8>;
#[derive(Clone)]
pub(crate) struct Ofb;
#[derive(Clone)]
pub(crate) struct Ctr;

impl<const BITS: u8> StreamMode for Cfb<BITS> {
    const MODE: Mode = match BITS {
        8 => Mode::Cfb8,
        _ => Mode::Cfb,
    };

    fn register_after(direction: Direction, _: &Block, _: usize, last: &LastBlock) -> Block {
        if direction == Direction::Encrypt { last.output } else { last.input }
    }
}

impl StreamMode for Ofb {
    const MODE: Mode = Mode::Ofb;

    fn register_after(_: Direction, _: &Block, _: usize, last: &LastBlock) -> Block {
        std::array::from_fn(|i| last.input[i] ^ last.output[i])
    }
}

impl StreamMode for Ctr {
    const MODE: Mode = Mode::Ctr;

    fn register_after(_: Direction, before: &Block, blocks: usize, _: &LastBlock) -> Block {
        u128::from_be_bytes(*before).wrapping_add(blocks as u128).to_be_bytes()
    }
}

/// A run over any length, whichever path it takes.
struct Run<'a, M> {
    key: &'a mut BlockKey,
    direction: Direction,
    mode: PhantomData<M>,
}

impl<M: StreamMode> Step for Run<'_, M> {
    type Kernels = BlockKernels;
    type State = Feedback;

    fn own(&mut self, kernels: &'static BlockKernels, feedback: &mut Feedback, data: InOut<'_>) {
        self.key.reroute(kernels);
        feedback.update(M::MODE, self.direction, self.key, data);
    }

    fn agree(a: &Feedback, b: &Feedback) -> bool {
        a.agrees(b)
    }
}

impl<M: StreamMode> Run<'_, M> {
    /// By the host, from the place where it stands or from the border of a block.
    #[inline(always)]
    fn by_host(
        &self,
        call: &mut OffloadCall<'_>,
        feedback: &mut Feedback,
        mut data: InOut<'_>,
    ) -> Result<(), OffloadFailed> {
        let (before, used) = (feedback.register, Self::used(feedback));
        let (bytes, end) = (data.len(), used + data.len());
        let mut run = |data: InOut<'_>| {
            call.by_host(|host| match used {
                0 => host.run(self.direction, &before, data),
                _ => host.go_on(data),
            })
        };
        let mut after = [0; 16];
        if M::MODE == Mode::Ctr || bytes >= 16 && end.is_multiple_of(16) {
            let last = match M::MODE {
                Mode::Ctr => run(data).map(|()| LastBlock::default()),
                _ => LastBlock::around(data, run),
            };
            let blocks = end.div_ceil(16) - used.div_ceil(16);
            after = M::register_after(self.direction, &before, blocks, &last?);
        } else {
            run(data.reborrow())?;
            call.by_host(|host| host.chain(&mut after))?;
        }
        let used = if M::MODE.has_byte_segments() { 0 } else { end % 16 };
        feedback.go_on_from(after, used);
        call.stands_at(self.direction, after, used);
        Ok(())
    }

    /// How many bytes of a block are used.
    fn used(feedback: &Feedback) -> usize {
        if M::MODE.has_byte_segments() { 0 } else { feedback.used() }
    }
}

impl<M: StreamMode> OffloadStep for Run<'_, M> {
    /// The kernel gets whole blocks; the rest of a block begun, and a block's beginning, stay with us, who keep
    /// their keystream.
    #[inline(always)]
    fn offloaded(
        &mut self,
        call: &mut OffloadCall<'_>,
        spare: &'static BlockKernels,
        feedback: &mut Feedback,
        data: InOut<'_>,
    ) {
        let used = Self::used(feedback);
        let goes_on = used != 0 && call.host_is_at(self.direction, &feedback.register, used);
        let begun = if goes_on { 0 } else { (16 - used) % 16 };
        let bytes = data.len();
        let (head, mut rest) = data.split_at(begun.min(bytes));
        if !head.is_empty() {
            self.own(spare, feedback, head);
        }
        if call.is_for_host() {
            if !rest.is_empty() && self.by_host(call, feedback, rest.reborrow()).is_err() {
                self.own(spare, feedback, rest);
            }
            return;
        }
        let whole = rest.len() & !15;
        let (mut body, tail) = rest.split_at(whole);
        let before = feedback.register;
        if whole > 0 {
            let run = |body: InOut<'_>| call.run(self.direction, &before, body);
            match LastBlock::around(body.reborrow(), run) {
                Ok(last) => {
                    let blocks = whole / 16;
                    feedback.register = M::register_after(self.direction, &before, blocks, &last);
                    call.stands_at(self.direction, feedback.register, 0);
                }
                Err(OffloadFailed) => self.own(spare, feedback, body),
            }
        }
        self.own(spare, feedback, tail);
    }
}

/// The context of a stream mode.
#[derive(Clone)]
pub(crate) struct Stream<M> {
    choice: Choice<BlockKernels>,
    key: BlockKey,
    feedback: Feedback,
    common: Common,
    /// Where in the caller's buffer the MAC of the last TLS record begins.
    tls_mac: *const u8,
    mode: PhantomData<M>,
}

impl<M: StreamMode> Stream<M> {
    // Within its caller: on the way to a function of its own a call of one block loses a tenth.
    #[inline(always)]
    fn crypt(&mut self, call: Call<'_>) -> Result<(), CallError> {
        let direction = self.common.direction;
        let data = call.whole()?;
        if let Some(kernels) = self.choice.kernels(direction, data.len()) {
            self.key.reroute(kernels);
            self.feedback.update(M::MODE, direction, &self.key, data);
        } else {
            self.crypt_slowly(data);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn crypt_slowly(&mut self, data: InOut<'_>) {
        let direction = self.common.direction;
        let mut step = Run::<M> { key: &mut self.key, direction, mode: PhantomData };
        self.choice.slowly(direction, &mut step, &mut self.feedback, data);
    }

    /// Takes the MAC off the end of a decrypted TLS record. Stream suites have no padding, so the
    /// place of the MAC is no secret.
    #[cold]
    fn take_tls_mac(&mut self, record: &[u8]) -> Result<usize, CallError> {
        if self.common.tls_mac_bytes == 0 {
            return Ok(record.len());
        }
        let rest = record.len().checked_sub(self.common.tls_mac_bytes).ok_or(CallError::SILENT)?;
        self.tls_mac = record[rest..].as_ptr();
        Ok(rest)
    }
}

impl<M: StreamMode> Cipher for Stream<M> {
    fn gettable(version: Version) -> &'static Declared {
        common::gettable(version)
    }

    fn settable(_: Version) -> &'static Declared {
        common::settable()
    }

    fn new(provider: &Provider, subject: usize) -> Option<Self> {
        let setup = Setup::of(provider, subject)?;
        Some(Self {
            key: BlockKey::empty(setup.choice.own()),
            feedback: Feedback::default(),
            common: Common::new(setup.choice.algorithm(), setup.version),
            choice: setup.choice,
            tls_mac: null(),
            mode: PhantomData,
        })
    }

    #[inline]
    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError> {
        self.common.direction = direction;
        match iv.map(|iv| self.common.take_iv(iv)) {
            Some(Ok(iv)) => self.feedback.start(iv),
            // As in 1.1.1, a start without an IV goes back to the old one, but not for CTR.
            None if self.common.iv_set && M::MODE != Mode::Ctr => {
                self.feedback.start(&self.common.iv);
            }
            not_given => {
                self.feedback.set_used(0);
                not_given.transpose()?;
            }
        }
        self.common.take_key(&mut self.choice, &mut self.key, key, Direction::Encrypt)
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.common.check_key_set()?;
        if call.length() == 0 {
            return Ok(0);
        }
        self.crypt(call)?;
        if self.common.tls_version > 0 && self.common.direction == Direction::Decrypt {
            return self.take_tls_mac(call.written(call.length()));
        }
        Ok(call.length())
    }

    #[inline]
    fn finish(&mut self, _: Call<'_>) -> Result<usize, CallError> {
        self.common.check_key_set()?;
        Ok(0)
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.common.check_key_set()?;
        self.crypt(call)?;
        Ok(call.length())
    }

    #[inline]
    fn answer_often(&mut self, param: &mut Param) -> bool {
        self.common.answer_often(param)
    }

    #[inline]
    fn set_often(&mut self, param: &Param) -> bool {
        self.common.set_often(param)
    }

    fn answer(&mut self, list: Asked<'_>) -> Result<(), CallError> {
        let progress = Progress {
            iv: &self.feedback.register,
            num: self.feedback.used() as u32,
            tls_mac: self.tls_mac,
        };
        self.common.answer(list, &progress)
    }

    fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        if let Some(num) = self.common.set(list)? {
            self.feedback.set_used(num as usize);
        }
        Ok(())
    }
}

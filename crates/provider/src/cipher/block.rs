//! ECB and CBC: whole blocks, with buffering and padding, and TLS's CBC records.

use std::marker::PhantomData;
use std::ptr::null;

use wirespeed_batch::{CipherJob, CipherLanes};
use wirespeed_cipher::{Block, BlockKernels, BlockKey, Direction, InOut, Mode};

use super::common::{self, Aligned, Common, Progress};
use super::open::Open;
use super::tls::{self, LONGEST_MAC, Protocol};
use super::{Cipher, LastBlock, Setup, one_after_another};
use crate::call::Call;
use crate::cipher::lanes;
use crate::error::CallError;
use crate::host::Version;
use crate::offload::call::{OffloadCall, OffloadFailed};
use crate::openssl::Param;
use crate::params::declared::Declared;
use crate::params::list::{Asked, Given};
use crate::provider::Provider;
use crate::random;
use crate::routing::choice::{Choice, OffloadStep, Step};

/// A mode as a type, so that each gets functions of its own.
pub(crate) trait BlockMode: Clone {
    const MODE: Mode;

    /// Runs the mode over whole blocks.
    fn run(key: &BlockKey, direction: Direction, chain: &mut Block, data: InOut<'_>);

    /// The chaining value behind a run, from its last block.
    fn chain_after(direction: Direction, last: &LastBlock) -> Block;
}

#[derive(Clone)]
pub(crate) struct Ecb;
#[derive(Clone)]
pub(crate) struct Cbc;

impl BlockMode for Ecb {
    const MODE: Mode = Mode::Ecb;

    #[inline]
    fn run(key: &BlockKey, direction: Direction, _: &mut Block, data: InOut<'_>) {
        (key.kernels().ecb[direction as usize])(key.schedule(), data);
    }

    fn chain_after(_: Direction, _: &LastBlock) -> Block {
        [0; 16]
    }
}

impl BlockMode for Cbc {
    const MODE: Mode = Mode::Cbc;

    #[inline]
    fn run(key: &BlockKey, direction: Direction, chain: &mut Block, data: InOut<'_>) {
        (key.kernels().cbc[direction as usize])(key.schedule(), chain, data);
    }

    fn chain_after(direction: Direction, last: &LastBlock) -> Block {
        if direction == Direction::Encrypt { last.output } else { last.input }
    }
}

/// The context of a block mode.
#[derive(Clone)]
pub(crate) struct Blocks<M> {
    choice: Choice<BlockKernels>,
    key: BlockKey,
    /// CBC's chaining value.
    chain: Aligned,
    open: Open<16>,
    common: Common,
    /// OpenSSL's `num`, which block modes store and never use.
    num: u32,
    record_mac: RecordMac,
    mode: PhantomData<M>,
}

/// The MAC of the last TLS record, and where substitutes for it come from.
#[derive(Clone)]
struct RecordMac {
    bytes: [u8; LONGEST_MAC],
    present: bool,
    /// A secret number, drawn when first needed and counted up for every record.
    secret: Option<u128>,
}

impl RecordMac {
    const NONE: Self = Self { bytes: [0; LONGEST_MAC], present: false, secret: None };

    /// What stands in for the MAC of a record with bad padding: the session's own block cipher over
    /// numbers that follow a secret random one.
    ///
    /// It must be unpredictable, or a forger could supply a MAC that matches. AES under a secret key
    /// is a pseudo-random permutation, and nobody can have seen its value at these points, since
    /// nobody knows the points; and no point comes twice. A system call per record would do as well,
    /// at the price of a short record.
    fn substitute(&mut self, key: &BlockKey) -> Result<[u8; LONGEST_MAC], CallError> {
        let mut number = match self.secret {
            Some(number) => number,
            None => {
                let mut bytes = [0; 16];
                random::fill(&mut bytes)?;
                u128::from_ne_bytes(bytes)
            }
        };
        let mut bytes = [0; LONGEST_MAC];
        for block in bytes.chunks_exact_mut(16) {
            block.copy_from_slice(&number.to_ne_bytes());
            number = number.wrapping_add(1);
        }
        self.secret = Some(number);
        let decrypt = key.kernels().ecb[Direction::Decrypt as usize];
        decrypt(key.schedule(), InOut::in_place(&mut bytes));
        Ok(bytes)
    }
}

/// A run over whole blocks, whichever path it takes.
struct Run<'a, M> {
    key: &'a mut BlockKey,
    direction: Direction,
    mode: PhantomData<M>,
}

impl<M: BlockMode> Step for Run<'_, M> {
    type Kernels = BlockKernels;
    /// CBC's chaining value.
    type State = Block;

    fn own(&mut self, kernels: &'static BlockKernels, chain: &mut Block, data: InOut<'_>) {
        self.key.reroute(kernels);
        M::run(self.key, self.direction, chain, data);
    }

    fn agree(a: &Block, b: &Block) -> bool {
        M::MODE != Mode::Cbc || a == b
    }
}

impl<M: BlockMode> OffloadStep for Run<'_, M> {
    #[inline(always)]
    fn offloaded(
        &mut self,
        call: &mut OffloadCall<'_>,
        spare: &'static BlockKernels,
        chain: &mut Block,
        mut data: InOut<'_>,
    ) {
        let iv: &[u8] = if M::MODE == Mode::Cbc { chain } else { &[] };
        let mut run = |data: InOut<'_>| call.run(self.direction, iv, data);
        let ran = match M::MODE {
            Mode::Cbc => LastBlock::around(data.reborrow(), run),
            _ => run(data.reborrow()).map(|()| LastBlock::default()),
        };
        match ran {
            Ok(last) => {
                *chain = M::chain_after(self.direction, &last);
                call.stands_at(self.direction, *chain, 0);
            }
            Err(OffloadFailed) => self.own(spare, chain, data),
        }
    }
}

impl<M: BlockMode> Blocks<M> {
    /// Whole blocks, by the route for as many.
    #[inline(always)]
    fn run(&mut self, data: InOut<'_>) {
        let direction = self.common.direction;
        if let Some(kernels) = self.choice.kernels(direction, data.len()) {
            self.key.reroute(kernels);
            M::run(&self.key, direction, &mut self.chain, data);
        } else {
            self.run_slowly(data);
        }
    }

    #[cold]
    #[inline(never)]
    fn run_slowly(&mut self, data: InOut<'_>) {
        let direction = self.common.direction;
        let mut step = Run::<M> { key: &mut self.key, direction, mode: PhantomData };
        let whole = data.len() & !15;
        self.choice.slowly(direction, &mut step, &mut self.chain, data.split_at(whole).0);
    }

    /// Whether the last block of the input may be padding that must wait for the end.
    #[inline]
    fn holds_back(&self) -> bool {
        self.common.padding && self.common.direction == Direction::Decrypt
    }

    /// An update when a block is open or the last block must be held back.
    #[inline(never)]
    fn update_slowly(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let (mut open, holds_back) = (self.open, self.holds_back());
        let written = open.update(call, holds_back, |blocks| {
            self.run(blocks);
            Ok(())
        });
        self.open = open;
        written
    }

    /// The lanes that messages may run in, if they are chains and every one is at the border of a block.
    fn lanes_for(pipes: &[Self]) -> Option<CipherLanes> {
        let ready = |pipe: &Self| {
            let Common { direction, key_set, tls_version, .. } = pipe.common;
            direction == Direction::Encrypt && key_set && tls_version == 0 && pipe.open.is_empty()
        };
        if M::MODE != Mode::Cbc || pipes.len() < 2 || !pipes.iter().all(ready) {
            return None;
        }
        lanes::of(pipes[0].choice.fast()?)
    }

    fn update_in_lanes(
        lanes: &CipherLanes,
        pipes: &mut [Self],
        calls: &[Call<'_>],
        written: &mut [usize],
    ) -> Result<(), CallError> {
        let whole = |call: &Call<'_>| call.length() & !15;
        // Before any message has moved on.
        calls.iter().try_for_each(|call| call.part(0, 0, whole(call)).map(|_| ()))?;
        // All have the same key; the lanes need not copy what is in one place.
        pipes[0].key.reroute(lanes.kernels());
        let key = pipes[0].key.schedule().clone();
        let mut no_ivs = [[0; 16]; lanes::MOST];
        let mut no_ivs = no_ivs.iter_mut();
        let mut messages = pipes.iter_mut().zip(calls);
        let mut jobs: [CipherJob<'_>; lanes::MOST] = std::array::from_fn(|_| {
            let (iv, data) = match messages.next() {
                Some((pipe, call)) => (&mut *pipe.chain, call.part(0, 0, whole(call))),
                None => (no_ivs.next().expect("one for each"), Ok(InOut::in_place(&mut []))),
            };
            CipherJob { key: &key, iv, data: data.expect("it was there") }
        });
        lanes::run(lanes, &mut jobs[..calls.len()]);
        for ((pipe, call), written) in pipes.iter_mut().zip(calls).zip(written) {
            *written = whole(call);
            pipe.choice.count(Direction::Encrypt, lanes.route(), *written);
            if call.length() > *written {
                pipe.open.keep(call, *written);
            }
        }
        Ok(())
    }

    /// What stands in for a MAC, by kernels of our own.
    fn substitute(&mut self) -> Result<[u8; LONGEST_MAC], CallError> {
        self.key.reroute(self.choice.own());
        self.record_mac.substitute(&self.key)
    }

    /// One TLS record, in place: the default provider's contract with libssl.
    #[cold]
    fn update_record(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let length = call.length();
        let encrypts = self.common.direction == Direction::Encrypt;
        let extra = if encrypts { tls::padding_of(length) } else { 0 };
        if !self.common.padding {
            return Err(CallError::OPERATION_FAILED);
        }
        let record = call.record(extra)?;
        if record.len() % 16 != 0 {
            return Err(CallError::OPERATION_FAILED);
        }
        if encrypts {
            tls::pad(self.common.tls_version, &mut record[length..]);
        }
        self.run(InOut::in_place(record));
        self.record_mac.present = false;
        if encrypts {
            return Ok(record.len());
        }
        let mac_bytes = self.common.tls_mac_bytes;
        let protocol = Protocol::numbered(self.common.tls_version);
        let protocol = protocol.filter(|_| mac_bytes <= LONGEST_MAC);
        let protocol = protocol.ok_or(CallError::OPERATION_FAILED)?;
        let substitute = if mac_bytes > 0 { self.substitute()? } else { [0; LONGEST_MAC] };
        let mac = &mut self.record_mac.bytes[..mac_bytes];
        let kept = tls::unpad(protocol, record, mac, &substitute);
        self.record_mac.present = kept.is_some() && mac_bytes > 0;
        kept.ok_or(CallError::OPERATION_FAILED)
    }
}

impl<M: BlockMode> Cipher for Blocks<M> {
    const PIPELINES: bool = matches!(M::MODE, Mode::Cbc);

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
            chain: Aligned([0; 16]),
            open: Open::EMPTY,
            common: Common::new(setup.choice.algorithm(), setup.version),
            num: 0,
            record_mac: RecordMac::NONE,
            choice: setup.choice,
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
        // What the default provider has for Camellia's CBC takes the direction with each call; all others take it with
        // the key, and a kept key stays what it was.
        if M::MODE == Mode::Cbc && key.is_none() && self.common.direction != direction {
            self.key.turn();
        }
        self.common.direction = direction;
        self.num = 0;
        self.open = Open::EMPTY;
        if M::MODE == Mode::Cbc {
            self.common.start_chain(&mut self.chain, iv)?;
        }
        self.common.take_key(&mut self.choice, &mut self.key, key, direction)
    }

    // Within its caller: for calls of one block the way to a function of its own is a sixth of the time.
    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.common.check_key_set()?;
        if self.common.tls_version > 0 {
            return self.update_record(call);
        }
        if !self.open.is_empty() || self.holds_back() {
            return self.update_slowly(call);
        }
        let whole = call.length() & !15;
        if whole > 0 {
            self.run(call.part(0, 0, whole)?);
        }
        if call.length() > whole {
            self.open.keep(&call, whole);
        }
        Ok(whole)
    }

    fn update_all(
        pipes: &mut [Self],
        calls: &[Call<'_>],
        written: &mut [usize],
    ) -> Result<(), CallError> {
        match Self::lanes_for(pipes) {
            Some(lanes) => Self::update_in_lanes(&lanes, pipes, calls, written),
            None => one_after_another(pipes, calls, written),
        }
    }

    #[inline]
    fn finish(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.common.check_key_set()?;
        if self.common.tls_version > 0 {
            // Every record ended by itself.
            return Err(CallError::OPERATION_FAILED);
        }
        if self.open.is_empty() && !self.common.padding {
            return Ok(0);
        }
        let (encrypts, padded) = (self.common.direction == Direction::Encrypt, self.common.padding);
        let mut open = self.open;
        let written = open.finish(call, encrypts, padded, |block| {
            self.run(block);
            Ok(())
        });
        self.open = open;
        written
    }

    /// The contract of `EVP_Cipher` is whole blocks.
    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.common.check_key_set()?;
        let data = call.whole_blocks(16)?;
        if !data.is_empty() {
            self.run(data);
        }
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
        let tls_mac = if self.record_mac.present { self.record_mac.bytes.as_ptr() } else { null() };
        let progress = Progress { iv: &self.chain, num: self.num, tls_mac };
        self.common.answer(list, &progress)
    }

    fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        if let Some(num) = self.common.set(list)? {
            self.num = num;
        }
        Ok(())
    }
}

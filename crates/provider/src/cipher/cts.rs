//! CBC with ciphertext stealing: an update is a whole message, and nothing follows it.

use std::ffi::CStr;
use std::ptr::null;

use wirespeed_cipher::modes::Stealing;
use wirespeed_cipher::{Block, BlockKernels, BlockKey, Direction, InOut};

use super::common::{Common, Progress};
use super::{Cipher, Setup};
use crate::call::Call;
use crate::error::CallError;
use crate::host::Version;
use crate::offload::call::{OffloadCall, OffloadFailed};
use crate::openssl::Param;
use crate::params::declared::{Declared, Name};
use crate::params::list::{Asked, Given};
use crate::provider::Provider;
use crate::routing::choice::{Choice, OffloadStep, Step};

static GETTABLE: Declared = Declared::of(&[
    Name::KeyLength,
    Name::IvLength,
    Name::Padding,
    Name::Num,
    Name::Iv,
    Name::UpdatedIv,
    Name::Order,
]);
static SETTABLE: Declared = Declared::of(&[Name::Padding, Name::Num, Name::Order]);

/// Looked up before all else, whatever stands twice in the list: so the default provider does it.
const ORDER: &[u8; 9] = b"cts_mode\0";

/// The context of CBC with ciphertext stealing.
#[derive(Clone)]
pub(crate) struct CtsContext {
    choice: Choice<BlockKernels>,
    key: BlockKey,
    chain: Block,
    order: Stealing,
    common: Common,
    /// OpenSSL's `num`, which is stored and never used.
    num: u32,
    /// Whether there has been a message since the start.
    used: bool,
}

impl Cipher for CtsContext {
    fn gettable(_: Version) -> &'static Declared {
        &GETTABLE
    }

    fn settable(_: Version) -> &'static Declared {
        &SETTABLE
    }

    fn new(provider: &Provider, subject: usize) -> Option<Self> {
        let setup = Setup::of(provider, subject)?;
        Some(Self {
            key: BlockKey::empty(setup.choice.own()),
            chain: [0; 16],
            order: Stealing::Cs1,
            common: Common::new(setup.choice.algorithm(), setup.version),
            num: 0,
            used: false,
            choice: setup.choice,
        })
    }

    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError> {
        if key.is_none() && self.common.direction != direction {
            self.key.turn();
        }
        self.common.direction = direction;
        (self.num, self.used) = (0, false);
        self.common.start_chain(&mut self.chain, iv)?;
        self.common.take_key(&mut self.choice, &mut self.key, key, direction)
    }

    #[inline]
    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let bytes = call.length();
        if bytes < 16 || call.capacity() < bytes {
            return Err(CallError::SILENT);
        }
        if call.has_no_output() {
            return Ok(bytes);
        }
        if self.used || !self.common.key_set {
            return Err(CallError::SILENT);
        }
        self.run(call.whole()?);
        self.used = true;
        Ok(bytes)
    }

    #[inline]
    fn finish(&mut self, _: Call<'_>) -> Result<usize, CallError> {
        Ok(0)
    }

    /// CBC, of whole blocks.
    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        self.common.check_key_set()?;
        let data = call.whole_blocks(16)?;
        self.key.reroute(self.choice.neutral());
        let cbc = self.key.kernels().cbc[self.common.direction as usize];
        cbc(self.key.schedule(), &mut self.chain, data);
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

    fn answer(&mut self, mut list: Asked<'_>) -> Result<(), CallError> {
        if let Some(param) = list.find(ORDER)
            && !param.set_text_copy(self.order.name(), self.common.version)
        {
            return Err(CallError::CANNOT_SET);
        }
        let progress = Progress { iv: &self.chain, num: self.num, tls_mac: null() };
        self.common.answer(list, &progress)
    }

    fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        if let Some(param) = list.find(ORDER) {
            let named = |name: &CStr| {
                let is_it = |order: &Stealing| {
                    order.name().to_bytes().eq_ignore_ascii_case(name.to_bytes())
                };
                Stealing::ALL.into_iter().find(is_it)
            };
            self.order = param.as_text().and_then(named).ok_or(CallError::CANNOT_SET)?;
        }
        if let Some(num) = self.common.set(list)? {
            self.num = num;
        }
        Ok(())
    }
}

impl CtsContext {
    /// One message, by the route for as many bytes.
    #[inline]
    fn run(&mut self, data: InOut<'_>) {
        let (direction, order) = (self.common.direction, self.order);
        if let Some(kernels) = self.choice.kernels(direction, data.len()) {
            self.key.reroute(kernels);
            order.crypt(&self.key, direction, &mut self.chain, data);
        } else {
            let mut step = Run { key: &mut self.key, direction, order };
            self.choice.slowly(direction, &mut step, &mut self.chain, data);
        }
    }
}

/// One message, whichever path it takes.
struct Run<'a> {
    key: &'a mut BlockKey,
    direction: Direction,
    order: Stealing,
}

impl Step for Run<'_> {
    type Kernels = BlockKernels;
    /// The chaining value.
    type State = Block;
    const WHOLE: bool = true;

    fn own(&mut self, kernels: &'static BlockKernels, chain: &mut Block, data: InOut<'_>) {
        self.key.reroute(kernels);
        self.order.crypt(self.key, self.direction, chain, data);
    }

    fn agree(a: &Block, b: &Block) -> bool {
        a == b
    }
}

impl OffloadStep for Run<'_> {
    fn offloaded(
        &mut self,
        call: &mut OffloadCall<'_>,
        spare: &'static BlockKernels,
        chain: &mut Block,
        mut data: InOut<'_>,
    ) {
        let (direction, order) = (self.direction, self.order.name());
        let run = call.by_host(|host| host.steal(direction, chain, order, data.reborrow()));
        if let Err(OffloadFailed) = run {
            self.own(spare, chain, data);
        }
    }
}

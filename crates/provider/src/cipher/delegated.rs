//! A block cipher of which we have no kernels: the host's default provider, with the kernel for the
//! calls that are worth it.
//!
//! The host's own context has key, chaining value and parameters; its padding is off, so that it never
//! keeps a block back, and padding is done here as for our own ciphers. What cannot be taken apart that
//! way it does alone: TLS records, and keys of a length that the kernel's cipher does not take.

use wirespeed_af_alg::Kind;
use wirespeed_cipher::{Direction, InOut, Mode, Route, Shape, Subject};
use zeroize::Zeroize;

use super::Cipher;
use super::common;
use super::open::Open;
use crate::boundary::host_context::HostContext;
use crate::call::Call;
use crate::error::CallError;
use crate::host::Version;
use crate::offload::call::{KernelCipher, OffloadFailed};
use crate::openssl::Param;
use crate::params::END;
use crate::params::declared::Declared;
use crate::params::list::{Asked, Given};
use crate::provider::Provider;
use crate::routing::monitor::Monitor;

/// All of them are older than AES.
const BLOCK: usize = 8;

/// The context of a delegated cipher, which may take keys of several lengths.
#[derive(Clone)]
pub(crate) struct DelegatedContext<const KEY_LENGTHS: bool> {
    host: HostContext,
    /// Each way to the kernel that may have its calls.
    kernels: Vec<KernelCipher>,
    monitor: Monitor,
    mode: Mode,
    key_bytes: usize,
    version: Version,
    direction: Direction,
    /// The direction in which the key was set: default providers keep to it when only the other changes.
    key_direction: Direction,
    key_fits: bool,
    /// The IV that was given; the host's moves on.
    iv: [u8; BLOCK],
    iv_set: bool,
    open: Open<BLOCK>,
    padded: bool,
    tls: bool,
    /// Whether the host does everything.
    aside: bool,
}

impl From<OffloadFailed> for CallError {
    /// The host has told its reason itself.
    fn from(_: OffloadFailed) -> Self {
        Self::SILENT
    }
}

impl<const KEY_LENGTHS: bool> DelegatedContext<KEY_LENGTHS> {
    /// Decides who does the calls to come.
    fn settle(&mut self) -> Result<(), CallError> {
        let in_parts = self.key_fits && self.key_direction == self.direction && !self.tls;
        self.aside = !in_parts;
        Ok(self.host.set_padding(self.aside && self.padded)?)
    }

    /// Whole blocks, by the route for as many.
    fn run(&mut self, mut data: InOut<'_>) -> Result<(), CallError> {
        let (direction, bytes) = (self.direction, data.len());
        let takes = |it: &KernelCipher| it.offloaded().takes(direction, bytes);
        let mut route = Route::Libcrypto;
        match self.kernels.iter().position(takes) {
            Some(place) if self.by_kernel(place, data.reborrow())? == Done::Yes => {
                route = self.kernels[place].offloaded().route();
            }
            _ => self.by_host(data)?,
        }
        self.monitor.count(direction, route, bytes);
        Ok(())
    }

    fn by_host(&mut self, data: InOut<'_>) -> Result<(), CallError> {
        let bytes = data.len();
        if bytes > 0 && self.host.run(data)? != bytes {
            return Err(CallError::OPERATION_FAILED);
        }
        Ok(())
    }

    /// By the kernel, from the host's chaining value on, which the host then gets back; twice, if it is
    /// this call's turn. An error is the host's, and final.
    fn by_kernel(&mut self, place: usize, mut data: InOut<'_>) -> Result<Done, CallError> {
        let mut chain = [0; BLOCK];
        let chain = if self.mode == Mode::Ecb { &mut [][..] } else { &mut chain[..] };
        if !chain.is_empty() {
            self.host.chain(chain)?;
        }
        let mut right = Vec::new();
        let doubted =
            self.monitor.verifies_this_call() && right.try_reserve_exact(data.len()).is_ok();
        if doubted {
            right.resize(data.len(), 0);
            data.save(&mut right);
        }
        let ran = self.kernels[place].run(self.direction, chain, data.reborrow());
        if ran.is_err() {
            right.zeroize();
            self.look_after(place);
            return Ok(Done::No);
        }
        if !doubted {
            if !chain.is_empty() {
                self.host.start(self.direction, None, Some(chain), &[END])?;
            }
            return Ok(Done::Yes);
        }
        // The host stands where the call began.
        self.by_host(InOut::in_place(&mut right))?;
        if !data.has_written(&right) {
            data.overwrite(&right);
            self.kernels[place].offloaded().fail();
        }
        right.zeroize();
        self.look_after(place);
        Ok(Done::Yes)
    }

    /// Says so if the kernel has just failed for good.
    fn look_after(&self, place: usize) {
        let offloaded = self.kernels[place].offloaded();
        if offloaded.has_failed() {
            self.monitor.quarantine(offloaded.route());
        }
    }
}

/// Whether somebody did it; if not, nothing has happened.
#[derive(PartialEq, Eq)]
enum Done {
    Yes,
    No,
}

impl<const KEY_LENGTHS: bool> Cipher for DelegatedContext<KEY_LENGTHS> {
    fn gettable(version: Version) -> &'static Declared {
        common::gettable(version)
    }

    fn settable(_: Version) -> &'static Declared {
        if KEY_LENGTHS { common::settable_with_key_length() } else { common::settable() }
    }

    fn new(provider: &Provider, subject: usize) -> Option<Self> {
        let (host, kernels, monitor) = provider.delegated(subject)?;
        let Some(Subject::Delegated(delegated)) = Subject::at(subject) else { return None };
        let Shape::Cipher { mode, block_bytes: BLOCK, .. } = delegated.shape() else { return None };
        let Kind::Cipher { key_bytes, .. } = kernels.first()?.offloaded().transform().kind else {
            return None;
        };
        Some(Self {
            host,
            kernels,
            monitor,
            mode,
            key_bytes,
            version: provider.version,
            direction: Direction::Encrypt,
            key_direction: Direction::Encrypt,
            key_fits: false,
            iv: [0; BLOCK],
            iv_set: false,
            open: Open::EMPTY,
            padded: true,
            tls: false,
            aside: true,
        })
    }

    fn start(
        &mut self,
        direction: Direction,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
    ) -> Result<(), CallError> {
        self.direction = direction;
        self.open = Open::EMPTY;
        if let Some(iv) = iv.and_then(|iv| <&[u8; BLOCK]>::try_from(iv).ok()) {
            self.iv = *iv;
            self.iv_set = true;
        }
        // As in 1.1.1, a new start of CBC without an IV goes back to the old one.
        let old = (self.mode == Mode::Cbc && self.iv_set).then_some(&self.iv[..]);
        self.host.start(direction, key, iv.or(old), &[END])?;
        if let Some(key) = key {
            self.key_fits = key.len() == self.key_bytes;
            self.key_direction = direction;
            if self.key_fits {
                self.kernels.iter_mut().for_each(|it| it.take_key(key));
            }
        }
        self.settle()
    }

    fn update(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if self.aside {
            return Ok(self.host.forward(call)?);
        }
        let holds_back = self.padded && self.direction == Direction::Decrypt;
        let mut open = self.open;
        let written = open.update(call, holds_back, |blocks| self.run(blocks));
        self.open = open;
        written
    }

    fn finish(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if self.aside {
            return Ok(self.host.finish(call)?);
        }
        let (encrypts, padded) = (self.direction == Direction::Encrypt, self.padded);
        let mut open = self.open;
        let written = open.finish(call, encrypts, padded, |block| self.run(block));
        self.open = open;
        written
    }

    fn one_shot(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if self.aside {
            return self.update(call);
        }
        let data = call.whole_blocks(BLOCK)?;
        if !data.is_empty() {
            self.run(data)?;
        }
        Ok(call.length())
    }

    fn answer_often(&mut self, _: &mut Param) -> bool {
        false
    }

    fn set_often(&mut self, param: &Param) -> bool {
        let padding = param.usual_u32().filter(|_| param.is_called(b"padding\0"));
        padding.is_some_and(|padding| {
            self.padded = padding != 0;
            self.settle().is_ok()
        })
    }

    fn answer(&mut self, mut list: Asked<'_>) -> Result<(), CallError> {
        self.host.answer(list.reborrow())?;
        for param in list.iter_mut() {
            let answered = match param.name() {
                b"padding" => param.set_u32(self.padded.into()),
                // The host's moves with every call of the kernel's.
                b"iv" if self.iv_set => param.set_octets_or_pointer(&self.iv, self.version),
                _ => true,
            };
            if !answered {
                return Err(CallError::CANNOT_SET);
            }
        }
        Ok(())
    }

    fn set(&mut self, list: Given<'_>) -> Result<(), CallError> {
        if let Some(num) = list.find(b"num\0") {
            // A host before June 2026 takes any, and may then read past the block.
            let num = num.as_u32().ok_or(CallError::CANNOT_GET)?;
            if num as usize >= BLOCK {
                return Err(CallError::CANNOT_GET);
            }
        }
        self.host.set(list)?;
        for param in list.iter() {
            let number = || param.as_u32().ok_or(CallError::CANNOT_GET);
            match param.name() {
                b"padding" => self.padded = number()? != 0,
                // The host needs a key anew, and so do Linux's ciphers.
                b"keylen" if param.as_usize() != Some(self.key_bytes) => self.key_fits = false,
                b"tls-version" => self.tls = number()? != 0,
                _ => {}
            }
        }
        self.settle()
    }
}

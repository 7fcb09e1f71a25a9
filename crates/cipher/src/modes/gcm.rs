//! GCM: one message at a time, associated data and data in pieces of any length.

use std::fmt;

use zeroize::Zeroize;

use crate::{AesKernels, AesKey, Block, Direction, GcmKey, GcmState, InOut};

/// What SP 800-38D forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GcmError {
    /// Associated data after data.
    Order,
    /// More than 2^36 - 32 bytes of data, or 2^61 - 1 of associated data.
    TooLong,
}

impl fmt::Display for GcmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Order => "associated data must come before the data",
            Self::TooLong => "message too long for GCM",
        })
    }
}

impl std::error::Error for GcmError {}

/// A GCM key and the state of one message.
#[derive(Clone)]
pub struct Gcm {
    key: AesKey,
    hash_key: GcmKey,
    state: GcmState,
    /// The encrypted first counter block, which masks the tag.
    mask: Block,
    /// Ciphertext or associated data that does not fill a block yet; zeros behind it.
    pending: Block,
    aad_bytes: u64,
    data_bytes: u64,
}

impl Gcm {
    const MAX_DATA: u64 = (1 << 36) - 32;
    const MAX_AAD: u64 = (1 << 61) - 1;

    /// No key yet.
    pub const fn new(kernels: &'static AesKernels) -> Self {
        Self {
            key: AesKey::empty(kernels),
            hash_key: GcmKey::EMPTY,
            state: GcmState { counter: [0; 16], hash: [0; 16], keystream: [0; 16] },
            mask: [0; 16],
            pending: [0; 16],
            aad_bytes: 0,
            data_bytes: 0,
        }
    }

    /// Takes a key.
    ///
    /// # Panics
    /// If `key` is not as long as the kernels' key size.
    pub fn set_key(&mut self, key: &[u8]) {
        self.key.set(key, Direction::Encrypt);
        (self.key.kernels().gcm_key)(self.key.schedule(), &mut self.hash_key);
    }

    /// Begins a message. An IV of 12 bytes is the fast one.
    #[inline]
    pub fn start(&mut self, iv: &[u8]) {
        self.state.hash = [0; 16];
        self.pending = [0; 16];
        self.aad_bytes = 0;
        self.data_bytes = 0;
        self.state.counter = match iv.first_chunk::<12>() {
            Some(nonce) if iv.len() == 12 => {
                let mut counter = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
                counter[..12].copy_from_slice(nonce);
                counter
            }
            _ => self.hash_long_iv(iv),
        };
        let kernels = self.key.kernels();
        self.mask = self.state.counter;
        (kernels.ecb[0])(self.key.schedule(), InOut::in_place(&mut self.mask));
        increment(&mut self.state.counter);
    }

    /// SP 800-38D §7.1 step 2, for an IV that is not 96 bits.
    #[cold]
    fn hash_long_iv(&mut self, iv: &[u8]) -> Block {
        let mut hash = [0; 16];
        let (blocks, rest) = iv.split_at(iv.len() & !15);
        self.hash_blocks(&mut hash, blocks);
        let mut ends = [0; 32];
        ends[..rest.len()].copy_from_slice(rest);
        ends[24..].copy_from_slice(&(iv.len() as u64 * 8).to_be_bytes());
        self.hash_blocks(&mut hash, if rest.is_empty() { &ends[16..] } else { &ends });
        hash
    }

    fn hash_blocks(&mut self, hash: &mut Block, blocks: &[u8]) {
        if !blocks.is_empty() {
            (self.key.kernels().ghash)(&mut self.hash_key, hash, blocks);
        }
    }

    fn hash_into_state(&mut self, blocks: &[u8]) {
        if !blocks.is_empty() {
            (self.key.kernels().ghash)(&mut self.hash_key, &mut self.state.hash, blocks);
        }
    }

    /// Hashes what is pending as a block.
    fn flush(&mut self) {
        let block = self.pending;
        self.hash_into_state(&block);
        self.pending = [0; 16];
    }

    /// The next bytes of associated data.
    pub fn aad(&mut self, mut data: &[u8]) -> Result<(), GcmError> {
        if self.data_bytes != 0 {
            return Err(GcmError::Order);
        }
        let used = (self.aad_bytes % 16) as usize;
        let total = self.aad_bytes.checked_add(data.len() as u64);
        self.aad_bytes = total.filter(|n| *n <= Self::MAX_AAD).ok_or(GcmError::TooLong)?;
        if used != 0 {
            let (head, rest) = data.split_at(data.len().min(16 - used));
            self.pending[used..used + head.len()].copy_from_slice(head);
            if used + head.len() < 16 {
                return Ok(());
            }
            self.flush();
            data = rest;
        }
        let (blocks, rest) = data.split_at(data.len() & !15);
        self.hash_into_state(blocks);
        self.pending[..rest.len()].copy_from_slice(rest);
        Ok(())
    }

    /// The next bytes of data.
    #[inline]
    pub fn crypt(&mut self, direction: Direction, mut data: InOut<'_>) -> Result<(), GcmError> {
        if data.is_empty() {
            return Ok(());
        }
        if self.data_bytes == 0 && !self.aad_bytes.is_multiple_of(16) {
            self.flush();
        }
        let used = (self.data_bytes % 16) as usize;
        let total = self.data_bytes.checked_add(data.len() as u64);
        self.data_bytes = total.filter(|n| *n <= Self::MAX_DATA).ok_or(GcmError::TooLong)?;
        if used != 0 {
            let count = data.len().min(16 - used);
            let (mut head, rest) = data.split_at(count);
            self.finish_block(direction, used, &mut head);
            if rest.is_empty() {
                return Ok(());
            }
            data = rest;
        }
        let whole = data.len() & !15;
        if direction == Direction::Decrypt {
            data.read(whole, &mut self.pending);
        }
        let run = self.key.kernels().gcm[direction as usize];
        run(self.key.schedule(), &mut self.hash_key, &mut self.state, data.reborrow());
        if direction == Direction::Encrypt {
            data.read_result(whole, &mut self.pending);
        }
        Ok(())
    }

    /// Bytes of a block that an earlier call began.
    fn finish_block(&mut self, direction: Direction, used: usize, data: &mut InOut<'_>) {
        let (keystream, pending) = (&self.state.keystream, &mut self.pending);
        data.map(|i, input| {
            let output = input ^ keystream[used + i];
            pending[used + i] = if direction == Direction::Encrypt { output } else { input };
            output
        });
        if used + data.len() == 16 {
            self.flush();
        }
    }

    /// The tag of the message so far.
    #[inline]
    pub fn tag(&mut self) -> Block {
        let mut ends = [0; 32];
        ends[..16].copy_from_slice(&self.pending);
        ends[16..24].copy_from_slice(&(self.aad_bytes * 8).to_be_bytes());
        ends[24..].copy_from_slice(&(self.data_bytes * 8).to_be_bytes());
        let unhashed = if self.data_bytes == 0 { self.aad_bytes } else { self.data_bytes };
        let from = if unhashed.is_multiple_of(16) { 16 } else { 0 };
        let mut hash = self.state.hash;
        self.hash_blocks(&mut hash, &ends[from..]);
        (u128::from_ne_bytes(hash) ^ u128::from_ne_bytes(self.mask)).to_ne_bytes()
    }
}

/// SP 800-38D §6.2: the last 32 bits, big-endian, wrap by themselves.
fn increment(counter: &mut Block) {
    let (_, last) = counter.split_last_chunk_mut::<4>().expect("a block has 16 bytes");
    *last = u32::from_be_bytes(*last).wrapping_add(1).to_be_bytes();
}

impl Drop for Gcm {
    fn drop(&mut self) {
        self.state.counter.zeroize();
        self.state.hash.zeroize();
        self.state.keystream.zeroize();
        self.mask.zeroize();
        self.pending.zeroize();
    }
}

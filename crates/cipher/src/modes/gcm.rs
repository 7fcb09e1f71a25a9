//! GCM: one message at a time, associated data and data in pieces of any length.

use std::fmt;

use crate::{Block, BlockKernels, BlockKey, Direction, GcmKey, GcmState, InOut, partial};

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
    key: BlockKey,
    hash_key: GcmKey,
    state: GcmState,
    // Two lengths that were stored one by one are slow to load as one vector: they are not side by side.
    aad_bytes: u64,
    /// Bytes pending in the state: associated data until there is data, then data.
    pending: usize,
    data_bytes: u64,
}

impl Gcm {
    const MAX_DATA: u64 = (1 << 36) - 32;
    const MAX_AAD: u64 = (1 << 61) - 1;

    /// No key yet.
    pub const fn new(kernels: &'static BlockKernels) -> Self {
        Self {
            key: BlockKey::empty(kernels),
            hash_key: GcmKey::EMPTY,
            state: GcmState::EMPTY,
            aad_bytes: 0,
            pending: 0,
            data_bytes: 0,
        }
    }

    /// Takes a key.
    ///
    /// # Panics
    /// If `key` is not as long as the kernels' key size.
    pub fn set_key(&mut self, key: &[u8]) {
        self.key.set(key, Direction::Encrypt);
        self.derive();
    }

    /// The same, to be expanded as [`BlockKey::keep`] says.
    pub fn keep_key(&mut self, key: &[u8]) {
        self.key.keep(key, Direction::Encrypt);
    }

    #[cold]
    fn derive_late(&mut self) {
        self.derive();
    }

    fn derive(&mut self) {
        (self.key.kernels().gcm_key)(self.key.schedule(), &mut self.hash_key);
    }

    /// Takes another route from the next call on. Its kernels must be for the same key size.
    #[inline]
    pub fn reroute(&mut self, kernels: &'static BlockKernels) {
        if self.key.reroute(kernels) {
            self.derive_late();
        }
    }

    /// Whether the message may have so many bytes of data more.
    pub const fn has_room(&self, bytes: usize) -> bool {
        match self.data_bytes.checked_add(bytes as u64) {
            Some(total) => total <= Self::MAX_DATA,
            None => false,
        }
    }

    /// The associated data of the message so far, as long as it is less than a block.
    pub fn short_aad(&self) -> Option<&[u8]> {
        let short = self.data_bytes == 0 && self.aad_bytes < 16;
        short.then(|| &self.state.pending[..self.pending])
    }

    /// Whether both are at the same place of the same message under the same key.
    pub fn agrees(&self, other: &Self) -> bool {
        let (a, b) = (&self.state, &other.state);
        // The keystream counts only while a block of data is open.
        let open = self.data_bytes != 0 && !self.pending.is_multiple_of(16);
        self.pending == other.pending
            && (a.counter, a.hash, a.mask) == (b.counter, b.hash, b.mask)
            && a.pending[..self.pending] == b.pending[..self.pending]
            && (!open || a.keystream == b.keystream)
    }

    /// Begins a message. An IV of 12 bytes is the fast one.
    #[inline]
    pub fn start(&mut self, iv: &[u8]) {
        self.pending = 0;
        self.aad_bytes = 0;
        self.data_bytes = 0;
        let first = match iv.first_chunk::<12>() {
            Some(nonce) if iv.len() == 12 => {
                // In two halves, and not through memory: a kernel reads it at once.
                let (low, high) = nonce.split_first_chunk::<8>().expect("12 bytes");
                let high = u32::from_le_bytes(high.try_into().expect("4 bytes"));
                u128::from(u64::from_le_bytes(*low)) | u128::from(high) << 64 | 1 << 120
            }
            _ => self.hash_long_iv(iv),
        };
        (self.key.kernels().gcm_start)(self.key.schedule(), &mut self.state, first);
    }

    /// SP 800-38D §7.1 step 2, for an IV that is not 96 bits.
    #[cold]
    fn hash_long_iv(&mut self, iv: &[u8]) -> u128 {
        self.state.hash = [0; 16];
        let (blocks, rest) = iv.split_at(iv.len() & !15);
        self.hash(blocks);
        let mut ends = [0; 32];
        ends[..rest.len()].copy_from_slice(rest);
        ends[24..].copy_from_slice(&(iv.len() as u64 * 8).to_be_bytes());
        self.hash(if rest.is_empty() { &ends[16..] } else { &ends });
        u128::from_be_bytes(self.state.hash)
    }

    fn hash(&mut self, blocks: &[u8]) {
        if !blocks.is_empty() {
            (self.key.kernels().ghash)(&mut self.hash_key, &mut self.state.hash, blocks);
        }
    }

    /// Hashes what is pending as a block.
    fn flush(&mut self) {
        let block = self.state.pending;
        self.hash(&block);
        self.state.pending = [0; 16];
        self.pending = 0;
    }

    /// The next bytes of associated data.
    #[inline]
    pub fn aad(&mut self, data: &[u8]) -> Result<(), GcmError> {
        if self.aad_bytes == 0 && self.data_bytes == 0 && data.len() < 16 {
            // All there is, for most: TLS has 13 bytes, and 5.
            self.state.pending = partial::read(data).to_le_bytes();
            (self.pending, self.aad_bytes) = (data.len(), data.len() as u64);
            return Ok(());
        }
        self.more_aad(data)
    }

    fn more_aad(&mut self, mut data: &[u8]) -> Result<(), GcmError> {
        if self.data_bytes != 0 {
            return Err(GcmError::Order);
        }
        let total = self.aad_bytes.checked_add(data.len() as u64);
        self.aad_bytes = total.filter(|n| *n <= Self::MAX_AAD).ok_or(GcmError::TooLong)?;
        if self.pending != 0 {
            let (head, rest) = data.split_at(data.len().min(16 - self.pending));
            self.state.pending[self.pending..self.pending + head.len()].copy_from_slice(head);
            self.pending += head.len();
            if self.pending < 16 {
                return Ok(());
            }
            self.flush();
            data = rest;
        }
        let (blocks, rest) = data.split_at(data.len() & !15);
        self.hash(blocks);
        self.state.pending[..rest.len()].copy_from_slice(rest);
        self.pending = rest.len();
        Ok(())
    }

    /// The next bytes of data.
    #[inline]
    pub fn crypt(&mut self, direction: Direction, mut data: InOut<'_>) -> Result<(), GcmError> {
        if data.is_empty() {
            return Ok(());
        }
        let before = self.data_bytes;
        let total = before.checked_add(data.len() as u64);
        self.data_bytes = total.filter(|n| *n <= Self::MAX_DATA).ok_or(GcmError::TooLong)?;
        if self.pending != 0 {
            if before != 0 && self.pending < 16 {
                let count = data.len().min(16 - self.pending);
                let (mut head, rest) = data.split_at(count);
                self.continue_block(direction, &mut head);
                if rest.is_empty() {
                    return Ok(());
                }
                data = rest;
            }
            self.flush();
        }
        // What the kernel leaves pending: see `GcmCryptFn`.
        self.pending = if data.len() <= 16 { data.len() } else { data.len() % 16 };
        let run = self.key.kernels().gcm[direction as usize];
        run(self.key.schedule(), &mut self.hash_key, &mut self.state, data);
        Ok(())
    }

    /// Bytes of a block that an earlier call began.
    fn continue_block(&mut self, direction: Direction, data: &mut InOut<'_>) {
        let (shift, wanted) = (8 * self.pending, (1 << (8 * data.len())) - 1);
        let GcmState { keystream, pending, .. } = &mut self.state;
        data.replace(|input| {
            let output = (input ^ (u128::from_le_bytes(*keystream) >> shift)) & wanted;
            let ciphertext = if direction == Direction::Encrypt { output } else { input };
            *pending = (u128::from_le_bytes(*pending) | ciphertext << shift).to_le_bytes();
            output
        });
        self.pending += data.len();
    }

    /// The tag of the message so far.
    pub fn tag(&mut self) -> Block {
        let mut tag = [0; 16];
        self.write_tag(&mut tag);
        tag
    }

    /// The same, written where it is to be: a vector that is stored at once is quick to load again.
    #[inline]
    pub fn write_tag(&mut self, tag: &mut Block) {
        let (lengths, pending) = ([self.aad_bytes * 8, self.data_bytes * 8], self.pending != 0);
        (self.key.kernels().gcm_tag)(&mut self.hash_key, &self.state, pending, lengths, tag);
    }
}

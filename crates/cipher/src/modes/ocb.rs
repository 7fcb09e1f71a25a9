//! OCB, RFC 7253: one message at a time, associated data in pieces of any length, data in whole blocks and a last part
//! of one.

use crate::{Block, BlockKernels, BlockKey, Direction, InOut, OcbKey, OcbState, Schedule, wipe};

/// An OCB key and the state of one message.
#[derive(Clone)]
pub struct Ocb {
    key: BlockKey,
    /// The schedule that decrypts, once something was to be decrypted.
    inverse: Schedule,
    inverse_is_set: bool,
    masks: OcbKey,
    data: OcbState,
    /// The same of the associated data, with their hash in place of the checksum.
    associated: OcbState,
    /// Associated data that wait for the rest of a block; zeros behind them.
    pending: Block,
    pending_bytes: usize,
    /// Whether there have been data.
    has_data: bool,
    tag_bytes: usize,
    /// The nonce without its last six bits that was encrypted last, and RFC 7253's Ktop: nonces that are counted up share
    /// it. A nonce's own such number is never 0.
    top: u128,
    encrypted_top: u128,
}

impl Ocb {
    /// The longest nonce, in bytes.
    pub const LONGEST_NONCE: usize = 15;

    /// No key yet.
    pub const fn new(kernels: &'static BlockKernels) -> Self {
        Self {
            key: BlockKey::empty(kernels),
            inverse: Schedule::EMPTY,
            inverse_is_set: false,
            masks: OcbKey::EMPTY,
            data: OcbState::EMPTY,
            associated: OcbState::EMPTY,
            pending: [0; 16],
            pending_bytes: 0,
            has_data: false,
            tag_bytes: 16,
            top: 0,
            encrypted_top: 0,
        }
    }

    /// Takes a key. A message under way goes on from offsets and sums of zero, as in OpenSSL.
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

    fn derive(&mut self) {
        self.inverse_is_set = false;
        self.top = 0;
        self.data = OcbState::EMPTY;
        self.associated = OcbState::EMPTY;
        let star = self.encrypt(0);
        self.masks.set(star);
    }

    /// Takes another route from the next call on. Its kernels must be for the same cipher.
    #[inline]
    pub fn reroute(&mut self, kernels: &'static BlockKernels) {
        if self.key.reroute(kernels) {
            self.derive();
        }
    }

    /// The associated data of the message so far, as long as it is less than a block.
    pub fn short_aad(&self) -> Option<&[u8]> {
        let short = !self.has_data && self.associated.blocks == 0;
        short.then(|| &self.pending[..self.pending_bytes])
    }

    /// Whether both are at the same place of the same message under the same key.
    pub fn agrees(&self, other: &Self) -> bool {
        (&self.data, &self.associated) == (&other.data, &other.associated)
            && (self.pending, self.pending_bytes) == (other.pending, other.pending_bytes)
    }

    /// How many bytes of the tag will count in the messages that begin from now on: each goes another way.
    #[inline]
    pub const fn set_tag_bytes(&mut self, bytes: usize) {
        self.tag_bytes = bytes;
    }

    /// What was set.
    pub const fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    /// Begins a message (RFC 7253 §4.2).
    ///
    /// # Panics
    /// If `nonce` has less than 1 or more than 15 bytes.
    #[inline]
    pub fn start(&mut self, nonce: &[u8]) {
        assert!((1..=Self::LONGEST_NONCE).contains(&nonce.len()), "a nonce of OCB");
        let mut bytes = [0; 16];
        bytes[16 - nonce.len()..].copy_from_slice(nonce);
        let tag_bits = (self.tag_bytes as u128 * 8 % 128) << 121;
        let number = u128::from_be_bytes(bytes) | 1 << (8 * nonce.len()) | tag_bits;
        let bottom = number as u32 % 64;
        let top = number & !63;
        if self.top != top {
            self.encrypted_top = self.encrypt(top);
            self.top = top;
        }
        // RFC 7253's Stretch goes on for 64 bits behind these.
        let stretched = self.encrypted_top;
        let behind = (stretched >> 64) as u64 ^ (stretched >> 56) as u64;
        let offset = stretched << bottom | u128::from(behind) << bottom >> 64;
        self.data = OcbState { offset: offset.to_be_bytes(), ..OcbState::EMPTY };
        self.associated = OcbState::EMPTY;
        self.pending_bytes = 0;
        self.has_data = false;
    }

    /// One block of the cipher, as a big-endian number.
    #[inline]
    fn encrypt(&self, block: u128) -> u128 {
        let mut block = block.to_be_bytes();
        (self.key.kernels().ecb[0])(self.key.schedule(), InOut::in_place(&mut block));
        u128::from_be_bytes(block)
    }

    /// Forgets the associated data that wait for the rest of a block.
    #[inline]
    pub const fn drop_pending_aad(&mut self) {
        self.pending_bytes = 0;
    }

    /// The next bytes of associated data; they may also follow data.
    pub fn aad(&mut self, mut data: &[u8]) {
        if self.pending_bytes != 0 {
            let (head, rest) = data.split_at(data.len().min(16 - self.pending_bytes));
            self.pending[self.pending_bytes..][..head.len()].copy_from_slice(head);
            self.pending_bytes += head.len();
            if self.pending_bytes < 16 {
                return;
            }
            let block = self.pending;
            self.hash(&block);
            data = rest;
        }
        let (blocks, rest) = data.split_at(data.len() & !15);
        self.hash(blocks);
        self.pending[..rest.len()].copy_from_slice(rest);
        self.pending_bytes = rest.len();
    }

    fn hash(&mut self, blocks: &[u8]) {
        if !blocks.is_empty() {
            let run = self.key.kernels().ocb_hash;
            run(self.key.schedule(), &self.masks, &mut self.associated, blocks);
        }
    }

    /// The next bytes of data. Only the last call of a message may have a part of a block.
    #[inline]
    pub fn crypt(&mut self, direction: Direction, data: InOut<'_>) {
        self.has_data |= !data.is_empty();
        let whole = data.len() & !15;
        let (blocks, rest) = data.split_at(whole);
        if whole != 0 {
            if direction == Direction::Decrypt && !self.inverse_is_set {
                self.invert();
            }
            let schedule =
                if direction == Direction::Encrypt { self.key.schedule() } else { &self.inverse };
            let run = self.key.kernels().ocb[direction as usize];
            run(schedule, &self.masks, &mut self.data, blocks);
        }
        if !rest.is_empty() {
            self.end(direction, rest);
        }
    }

    /// The schedule that decrypts, from the key that AES's schedule begins with (FIPS 197 §5.2).
    #[cold]
    fn invert(&mut self) {
        let kernels = self.key.kernels();
        let key = &self.key.schedule().round_keys.as_flattened()[..self.key.key_bytes()];
        (kernels.expand[1])(key, &mut self.inverse);
        self.inverse_is_set = true;
    }

    /// The last part of a block (RFC 7253 §4.2, "Process any final partial block").
    fn end(&mut self, direction: Direction, mut data: InOut<'_>) {
        let bits = 8 * data.len();
        let offset = u128::from_be_bytes(self.data.offset) ^ u128::from_be_bytes(self.masks.star);
        let pad = self.encrypt(offset).swap_bytes();
        let mut plaintext = 0;
        data.replace(|input| {
            let output = (input ^ pad) & !(!0 << bits);
            plaintext = if direction == Direction::Encrypt { input } else { output };
            output
        });
        let padded = plaintext | 0x80 << bits;
        self.data.offset = offset.to_be_bytes();
        let checksum = u128::from_le_bytes(self.data.checksum) ^ padded;
        self.data.checksum = checksum.to_le_bytes();
    }

    /// The tag of the message so far, all 16 bytes of it.
    #[inline]
    pub fn tag(&self) -> Block {
        let number = u128::from_ne_bytes;
        let OcbState { offset, checksum, .. } = self.data;
        let last = number(checksum) ^ number(offset) ^ number(self.masks.dollar);
        let sum = number(self.associated.checksum);
        let encrypt = |blocks: &mut [u8]| {
            (self.key.kernels().ecb[0])(self.key.schedule(), InOut::in_place(blocks));
        };
        let mut block = last.to_ne_bytes();
        if self.pending_bytes == 0 {
            encrypt(&mut block);
            return (number(block) ^ sum).to_ne_bytes();
        }
        let mut pending = [0; 16];
        pending[..self.pending_bytes].copy_from_slice(&self.pending[..self.pending_bytes]);
        pending[self.pending_bytes] = 0x80;
        let mask = number(self.associated.offset) ^ number(self.masks.star);
        let mut blocks = [block, (number(pending) ^ mask).to_ne_bytes()];
        encrypt(blocks.as_flattened_mut());
        (number(blocks[0]) ^ number(blocks[1]) ^ sum).to_ne_bytes()
    }
}

impl Drop for Ocb {
    fn drop(&mut self) {
        wipe(&mut self.pending);
        wipe(std::slice::from_mut(&mut self.encrypted_top));
    }
}

//! ChaCha20-Poly1305: one message at a time, associated data and data in pieces of any length.

use std::fmt;

use super::chacha::combine;
use crate::{Block, Direction, InOut, SealState, StreamKernels, StreamKey, wipe};

/// RFC 8439 §2.8 bounds a message at 2^38 - 64 bytes of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTooLong;

impl fmt::Display for MessageTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("message too long for ChaCha20-Poly1305")
    }
}

impl std::error::Error for MessageTooLong {}

/// A key of ChaCha20-Poly1305 and the state of one message.
///
/// Poly1305 takes bytes, not blocks, so that associated data may even follow data, as OpenSSL before 4.0
/// allows: each is padded where it ends.
#[derive(Clone)]
pub struct ChaCha20Poly1305 {
    kernels: &'static StreamKernels,
    key: StreamKey,
    state: SealState,
    /// Bytes pending in the state. Before the data a whole block may wait, so that the one-time key of
    /// a message with little associated data is made together with its keystream.
    pending: usize,
    /// Bytes of the current block of keystream already used.
    used: usize,
    /// Whether associated data are to be padded before anything else comes.
    aad_open: bool,
    aad_bytes: u64,
    data_bytes: u64,
}

impl ChaCha20Poly1305 {
    const MAX_DATA: u64 = (1 << 38) - 64;

    /// A key of zeros.
    pub const fn new(kernels: &'static StreamKernels) -> Self {
        Self {
            kernels,
            key: [0; 32],
            state: SealState::EMPTY,
            pending: 0,
            used: 0,
            aad_open: false,
            aad_bytes: 0,
            data_bytes: 0,
        }
    }

    /// Takes a key.
    #[inline]
    pub fn set_key(&mut self, key: &StreamKey) {
        self.key = *key;
    }

    /// Takes another route from the next call on.
    #[inline]
    pub fn reroute(&mut self, kernels: &'static StreamKernels) {
        self.kernels = kernels;
    }

    /// Whether the message may have so many bytes of data more.
    pub const fn has_room(&self, bytes: usize) -> bool {
        match self.data_bytes.checked_add(bytes as u64) {
            Some(total) => total <= Self::MAX_DATA,
            None => false,
        }
    }

    /// Whether there has been data.
    pub const fn has_data(&self) -> bool {
        self.data_bytes != 0
    }

    /// The associated data of the message so far, as long as it is less than a block.
    pub fn short_aad(&self) -> Option<&[u8]> {
        let short = self.data_bytes == 0 && self.aad_bytes < 16;
        short.then(|| &self.state.pending[..self.aad_bytes as usize])
    }

    /// Whether both are at the same place of the same message under the same key.
    pub fn agrees(&self, other: &Self) -> bool {
        let (a, b) = (&self.state, &other.state);
        (self.pending, self.used, a.keyed, a.counter)
            == (other.pending, other.used, b.keyed, b.counter)
            && a.pending[..self.pending] == b.pending[..self.pending]
            && (self.used == 0 || a.keystream == b.keystream)
            && self.tag_so_far() == other.tag_so_far()
    }

    /// What stands for the hash: routes may leave different numbers that are equal modulo 2^130 - 5.
    fn tag_so_far(&self) -> Block {
        (self.kernels.poly1305_tag)(&self.state.poly1305, &[])
    }

    /// Begins a message.
    #[inline]
    pub fn start(&mut self, nonce: &[u8; 12]) {
        let (words, _) = nonce.as_chunks::<4>();
        let [a, b, c] = [words[0], words[1], words[2]].map(u32::from_le_bytes);
        self.state.counter = [0, a, b, c];
        self.state.keyed = false;
        self.state.pending = [0; 16];
        self.pending = 0;
        self.used = 0;
        self.aad_open = false;
        self.aad_bytes = 0;
        self.data_bytes = 0;
    }

    /// The next bytes of associated data.
    #[inline]
    pub fn aad(&mut self, data: &[u8]) {
        self.aad_bytes = self.aad_bytes.wrapping_add(data.len() as u64);
        self.aad_open = true;
        self.absorb(data);
    }

    /// The next input to Poly1305. A last block waits.
    #[inline]
    fn absorb(&mut self, mut data: &[u8]) {
        if self.pending + data.len() > 16 {
            let (head, rest) = data.split_at(16 - self.pending);
            self.state.pending[self.pending..].copy_from_slice(head);
            self.flush();
            let whole = rest.len().saturating_sub(1) & !15;
            let (blocks, rest) = rest.split_at(whole);
            if !blocks.is_empty() {
                (self.kernels.poly1305)(&mut self.state.poly1305, blocks);
            }
            data = rest;
        }
        self.state.pending[self.pending..][..data.len()].copy_from_slice(data);
        self.pending += data.len();
    }

    /// Hashes the whole block that is pending.
    #[cold]
    fn flush(&mut self) {
        self.prepare();
        (self.kernels.poly1305)(&mut self.state.poly1305, &self.state.pending);
        self.state.pending = [0; 16];
        self.pending = 0;
    }

    /// Makes the one-time key if there is none yet.
    #[inline]
    fn prepare(&mut self) {
        if !self.state.keyed {
            (self.kernels.one_time_key)(&self.key, &mut self.state);
        }
    }

    /// Pads the associated data.
    #[inline]
    fn end_aad(&mut self) {
        if self.aad_open {
            self.aad_open = false;
            let zeros = padding(self.aad_bytes);
            if self.pending + zeros == 16 {
                self.pending = 16;
            } else {
                self.absorb(&[0; 16][..zeros]);
            }
        }
    }

    /// The next bytes of data.
    #[inline]
    pub fn crypt(
        &mut self,
        direction: Direction,
        mut data: InOut<'_>,
    ) -> Result<(), MessageTooLong> {
        if !self.has_room(data.len()) {
            return Err(MessageTooLong);
        }
        self.data_bytes += data.len() as u64;
        self.end_aad();
        if self.used != 0 || !self.pending.is_multiple_of(16) {
            data = self.crypt_pieces(direction, data);
        }
        if !data.is_empty() {
            let pending = self.pending != 0;
            self.pending = data.len() % 16;
            self.used = data.len() % 64;
            (self.kernels.seal[direction as usize])(&self.key, &mut self.state, pending, data);
        }
        Ok(())
    }

    /// Goes on in mid-block, up to where blocks of both begin; gives the rest.
    #[cold]
    fn crypt_pieces<'a>(&mut self, direction: Direction, mut data: InOut<'a>) -> InOut<'a> {
        self.prepare();
        let mut bytes = [0; 64];
        while !data.is_empty() && (self.used != 0 || !self.pending.is_multiple_of(16)) {
            if self.used == 0 {
                // Poly1305 is out of step with ChaCha20: see the type.
                let (kernels, state) = (self.kernels, &mut self.state);
                let mut zeros = [0; 63];
                let blank = InOut::in_place(&mut zeros);
                (kernels.chacha20)(&self.key, &mut state.counter, &mut state.keystream, blank);
                wipe(&mut zeros);
            }
            let count = data.len().min(64 - self.used);
            let (mut piece, rest) = data.split_at(count);
            let bytes = &mut bytes[..count];
            piece.save(bytes);
            combine(&mut piece, &self.state.keystream[self.used..]);
            if direction == Direction::Encrypt {
                piece.written(bytes);
            }
            self.absorb(bytes);
            self.used = (self.used + count) % 64;
            data = rest;
        }
        wipe(&mut bytes);
        data
    }

    /// The tag of the message so far.
    #[inline]
    pub fn tag(&mut self) -> Block {
        self.prepare();
        // What is pending, then zeros to the end of both, then the lengths: RFC 8439 §2.8.
        let mut end = [0; 64];
        end[..16].copy_from_slice(&self.state.pending);
        let zeros =
            padding(self.data_bytes) + if self.aad_open { padding(self.aad_bytes) } else { 0 };
        let mut length = self.pending + zeros;
        for bytes in [self.aad_bytes, self.data_bytes] {
            end[length..length + 8].copy_from_slice(&bytes.to_le_bytes());
            length += 8;
        }
        let (blocks, rest) = end[..length].split_at(length & !15);
        let mut poly1305 = self.state.poly1305.clone();
        (self.kernels.poly1305)(&mut poly1305, blocks);
        (self.kernels.poly1305_tag)(&poly1305, rest)
    }
}

/// Zeros to the next multiple of 16.
const fn padding(bytes: u64) -> usize {
    (bytes.wrapping_neg() % 16) as usize
}

impl Drop for ChaCha20Poly1305 {
    fn drop(&mut self) {
        wipe(&mut self.key);
    }
}

//! ChaCha20 as a stream in pieces of any length.

use crate::{Block, Counter, InOut, StreamBlock, StreamKernels, StreamKey, partial, wipe};

/// The place in a stream of ChaCha20.
///
/// OpenSSL carries from the block number into the first word of the nonce, which makes both one number of 64
/// bits; so do we.
#[derive(Clone)]
pub struct ChaCha20 {
    counter: Counter,
    keystream: StreamBlock,
    /// Bytes of the current block already used, always below 64.
    used: usize,
}

impl ChaCha20 {
    /// At the beginning of the stream of a nonce of zeros.
    pub const START: Self = Self { counter: [0; 4], keystream: [0; 64], used: 0 };

    /// Begins at a block number (4 bytes) and nonce (12 bytes), all little-endian.
    #[inline]
    pub fn start(&mut self, iv: &Block) {
        self.counter = words(iv);
        self.used = 0;
    }

    /// Bytes of the current block already used.
    #[inline]
    pub const fn used(&self) -> usize {
        self.used
    }

    /// The block number and the nonce of the next block to be made, as [`Self::start`] takes them.
    pub fn place(&self) -> Block {
        let mut place = [0; 16];
        for (bytes, word) in place.chunks_exact_mut(4).zip(self.counter) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        place
    }

    /// Drops what is left of the current block.
    #[inline]
    pub fn drop_block(&mut self) {
        self.used = 0;
    }

    /// Goes by so many blocks, or back if they are negative.
    pub fn skip(&mut self, blocks: i64) {
        let number = u64::from(self.counter[0]) | u64::from(self.counter[1]) << 32;
        let number = number.wrapping_add_signed(blocks);
        self.counter[0] = number as u32;
        self.counter[1] = (number >> 32) as u32;
    }

    /// Whether both are at the same place of the same stream.
    pub fn agrees(&self, other: &Self) -> bool {
        // The keystream counts only while a block is open.
        (self.used, self.counter) == (other.used, other.counter)
            && (self.used == 0 || self.keystream == other.keystream)
    }

    /// Encrypts or decrypts the next bytes of the stream.
    #[inline]
    pub fn update(&mut self, kernels: &StreamKernels, key: &StreamKey, mut data: InOut<'_>) {
        if self.used != 0 {
            let count = data.len().min(64 - self.used);
            let (mut head, rest) = data.split_at(count);
            combine(&mut head, &self.keystream[self.used..]);
            self.used = (self.used + count) % 64;
            data = rest;
        }
        // The kernels' counter has 32 bits.
        let until_wrap = (1 << 32) - u64::from(self.counter[0]);
        if data.len() as u64 > until_wrap * 64 {
            let (head, rest) = data.split_at(until_wrap as usize * 64);
            self.run(kernels, key, head);
            data = rest;
        }
        if !data.is_empty() {
            self.run(kernels, key, data);
        }
    }

    /// At most so much that the counter wraps at the end.
    fn run(&mut self, kernels: &StreamKernels, key: &StreamKey, data: InOut<'_>) {
        self.used = data.len() % 64;
        let before = self.counter[0];
        (kernels.chacha20)(key, &mut self.counter, &mut self.keystream, data);
        if self.counter[0] < before {
            self.counter[1] = self.counter[1].wrapping_add(1);
        }
    }
}

impl Drop for ChaCha20 {
    fn drop(&mut self) {
        wipe(&mut self.counter);
        wipe(&mut self.keystream);
    }
}

/// Four little-endian words.
pub(super) fn words(bytes: &Block) -> Counter {
    let (words, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|i| u32::from_le_bytes(words[i]))
}

/// Adds keystream, of which there is as much or more.
pub(super) fn combine(data: &mut InOut<'_>, keystream: &[u8]) {
    let mut rest = data.reborrow();
    let (blocks, last) = keystream[..rest.len()].as_chunks();
    for block in blocks {
        let (mut now, then) = rest.split_at(16);
        now.add(block);
        rest = then;
    }
    rest.replace(|input| input ^ partial::read(last));
}

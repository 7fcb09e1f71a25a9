//! A hash as a stream: the open block, the padding, and as much output as there is.

use zeroize::optimization_barrier;

use crate::{Chain, Compression, Digest, HashKernels, Route};

/// A message being hashed.
///
/// The chaining value is not a route's, so every call may take another one.
#[derive(Clone)]
pub struct Hasher {
    kernels: &'static HashKernels,
    digest: Digest,
    chain: Chain,
    open: [u8; Compression::LONGEST_BLOCK],
    /// Bytes in the open block; behind the end of the message, bytes of the chaining value that are out.
    filled: usize,
    /// Bytes of the message.
    length: u128,
    ended: bool,
}

impl Hasher {
    /// An empty message.
    ///
    /// # Panics
    /// If the kernels are those of another compression function.
    pub fn new(kernels: &'static HashKernels, digest: Digest) -> Self {
        assert_eq!(kernels.compression, digest.compression());
        let (chain, open) = ([0; 25], [0; Compression::LONGEST_BLOCK]);
        let mut hasher = Self { kernels, digest, chain, open, filled: 0, length: 0, ended: false };
        hasher.reset();
        hasher
    }

    /// The hash function.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The route that runs.
    pub const fn route(&self) -> Route {
        self.kernels.route
    }

    /// Begins again.
    #[inline]
    pub fn reset(&mut self) {
        let (first, others) = self.chain.split_at_mut(8);
        first.copy_from_slice(&self.digest.initial());
        if self.kernels.compression.is_sponge() {
            others.fill(0);
        }
        (self.filled, self.length, self.ended) = (0, 0, false);
    }

    const fn block_bytes(&self) -> usize {
        self.kernels.compression.block_bytes()
    }

    /// The next bytes.
    ///
    /// # Panics
    /// If the message has ended, and none has begun since.
    #[inline]
    pub fn update(&mut self, mut data: &[u8]) {
        assert!(!self.ended, "the message has ended");
        let (block_bytes, filled) = (self.block_bytes(), self.filled);
        self.length += data.len() as u128;
        if filled != 0 {
            let (head, rest) = data.split_at(data.len().min(block_bytes - filled));
            self.open[filled..filled + head.len()].copy_from_slice(head);
            if filled + head.len() < block_bytes {
                self.filled += head.len();
                return;
            }
            (self.kernels.blocks)(&mut self.chain, &self.open[..block_bytes]);
            data = rest;
        }
        if data.len() >= block_bytes {
            let (blocks, rest) = data.split_at(data.len() - data.len() % block_bytes);
            (self.kernels.blocks)(&mut self.chain, blocks);
            data = rest;
        }
        self.open[..data.len()].copy_from_slice(data);
        self.filled = data.len();
    }

    /// The end of the message: writes the first bytes of its hash, as many as `out` has room for. There
    /// are no more than [`Digest::bytes`] unless the function is extendable. The next message begins with
    /// [`Self::reset`].
    #[inline]
    pub fn finish(&mut self, out: &mut [u8]) {
        let most = if self.digest.is_extendable() { out.len() } else { self.digest.bytes() };
        let room = out.len().min(most);
        self.end();
        self.squeeze(&mut out[..room]);
    }

    /// The next bytes of an extendable function's output, which ends the message.
    ///
    /// # Panics
    /// If a function of a fixed length is asked for more than that.
    pub fn squeeze(&mut self, mut out: &mut [u8]) {
        self.end();
        let block_bytes = self.block_bytes();
        while self.filled + out.len() > block_bytes {
            assert!(self.digest.is_extendable(), "{} has no more output", self.digest);
            let (block, rest) = out.split_at_mut(block_bytes - self.filled);
            self.write(block);
            // FIPS 202 §4, step 9: the next block is the state after f alone, with nothing added.
            let nothing = [0; Compression::LONGEST_BLOCK];
            (self.kernels.blocks)(&mut self.chain, &nothing[..block_bytes]);
            (self.filled, out) = (0, rest);
        }
        self.write(out);
    }

    /// Hashes the padding, once.
    #[inline]
    fn end(&mut self) {
        if self.ended {
            return;
        }
        let (compression, filled) = (self.kernels.compression, self.filled);
        let block = &mut self.open[..compression.block_bytes()];
        block[filled] = self.digest.first_padding_byte();
        block[filled + 1..].fill(0);
        if compression.is_sponge() {
            // FIPS 202 §5.1: the last bit of pad10*1.
            block[compression.block_bytes() - 1] |= 0x80;
        } else {
            // FIPS 180-4 §5.1: the length in bits in the last two words.
            let length_bytes = 2 * compression.word_bytes();
            let place = block.len() - length_bytes;
            if filled + 1 > place {
                (self.kernels.blocks)(&mut self.chain, block);
                block[..place].fill(0);
            }
            let bits = self.length.wrapping_mul(8);
            if compression.is_little_endian() {
                block[place..].copy_from_slice(&bits.to_le_bytes()[..length_bytes]);
            } else {
                block[place..].copy_from_slice(&bits.to_be_bytes()[16 - length_bytes..]);
            }
        }
        (self.kernels.blocks)(&mut self.chain, block);
        (self.filled, self.ended) = (0, true);
    }

    /// Writes the next bytes of the chaining value.
    #[inline]
    fn write(&mut self, out: &mut [u8]) {
        let (compression, at) = (self.kernels.compression, self.filled);
        self.filled += out.len();
        match (compression.word_bytes(), compression.is_little_endian()) {
            (4, true) => write(&self.chain, at, out, |word| (word as u32).to_le_bytes()),
            (4, false) => write(&self.chain, at, out, |word| (word as u32).to_be_bytes()),
            (_, true) => write(&self.chain, at, out, u64::to_le_bytes),
            (_, false) => write(&self.chain, at, out, u64::to_be_bytes),
        }
    }
}

/// Writes words as bytes, from the `at`th byte on.
#[inline]
fn write<const BYTES: usize>(
    chain: &Chain,
    at: usize,
    out: &mut [u8],
    bytes: impl Fn(u64) -> [u8; BYTES],
) {
    let mut words = chain[at / BYTES..].iter().map(|word| bytes(*word));
    let skipped = at % BYTES;
    let (head, rest) = match skipped {
        0 => out.split_at_mut(0),
        _ => out.split_at_mut(out.len().min(BYTES - skipped)),
    };
    if !head.is_empty()
        && let Some(word) = words.next()
    {
        head.copy_from_slice(&word[skipped..skipped + head.len()]);
    }
    let (whole, tail) = rest.as_chunks_mut::<BYTES>();
    for (to, word) in whole.iter_mut().zip(&mut words) {
        *to = word;
    }
    if let Some(word) = words.next() {
        tail.copy_from_slice(&word[..tail.len()]);
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        // In vectors: byte by byte, as `Zeroize` has to, is a good part of a short message.
        self.chain.fill(0);
        self.open.fill(0);
        optimization_barrier(&self.chain);
        optimization_barrier(&self.open);
    }
}

//! A hash as a stream: the open block, the length, and the padding of FIPS 180-4 §5.1.

use zeroize::Zeroize;

use crate::{Digest, HashKernels, Route};

/// The longest block of all hash functions here.
const LONGEST: usize = 128;

/// A message being hashed.
///
/// The chaining value is not a route's, so every call may take another one.
#[derive(Clone)]
pub struct Hasher {
    kernels: &'static HashKernels,
    digest: Digest,
    /// The chaining value, a word in each; 32-bit functions use the lower halves.
    chain: [u64; 8],
    open: [u8; LONGEST],
    /// Bytes of the message.
    length: u128,
}

impl Hasher {
    /// An empty message.
    ///
    /// # Panics
    /// If the kernels are those of another compression function.
    pub fn new(kernels: &'static HashKernels, digest: Digest) -> Self {
        assert_eq!(kernels.compression, digest.compression());
        Self { kernels, digest, chain: digest.initial(), open: [0; LONGEST], length: 0 }
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
    pub fn reset(&mut self) {
        self.chain = self.digest.initial();
        self.length = 0;
    }

    const fn block_bytes(&self) -> usize {
        self.digest.compression().block_bytes()
    }

    /// Bytes in the open block.
    const fn filled(&self) -> usize {
        self.length as usize % self.block_bytes()
    }

    /// The next bytes.
    pub fn update(&mut self, mut data: &[u8]) {
        let (block_bytes, filled) = (self.block_bytes(), self.filled());
        self.length += data.len() as u128;
        if filled != 0 {
            let (head, rest) = data.split_at(data.len().min(block_bytes - filled));
            self.open[filled..filled + head.len()].copy_from_slice(head);
            if filled + head.len() < block_bytes {
                return;
            }
            (self.kernels.blocks)(&mut self.chain, &self.open[..block_bytes]);
            data = rest;
        }
        let (blocks, rest) = data.split_at(data.len() - data.len() % block_bytes);
        if !blocks.is_empty() {
            (self.kernels.blocks)(&mut self.chain, blocks);
        }
        self.open[..rest.len()].copy_from_slice(rest);
    }

    /// The end of the message: writes the first bytes of its hash, as many as `out` has room for, at
    /// most [`Digest::bytes`]. The next message begins with [`Self::reset`].
    pub fn finish(&mut self, out: &mut [u8]) {
        let (block_bytes, filled) = (self.block_bytes(), self.filled());
        // A one bit, zeros, and the length in bits in the last two words.
        let length_bytes = 2 * self.digest.compression().word_bytes();
        let blocks = if filled + 1 + length_bytes <= block_bytes { 1 } else { 2 };
        let mut end = [0; 2 * LONGEST];
        let end = &mut end[..blocks * block_bytes];
        end[..filled].copy_from_slice(&self.open[..filled]);
        end[filled] = 0x80;
        let bits = (self.length * 8).to_be_bytes();
        let at = end.len() - length_bytes;
        end[at..].copy_from_slice(&bits[bits.len() - length_bytes..]);
        (self.kernels.blocks)(&mut self.chain, end);
        end.zeroize();
        let word_bytes = self.digest.compression().word_bytes();
        let room = out.len().min(self.digest.bytes());
        for (bytes, word) in out[..room].chunks_mut(word_bytes).zip(self.chain) {
            bytes.copy_from_slice(&word.to_be_bytes()[8 - word_bytes..][..bytes.len()]);
        }
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        self.chain.zeroize();
        self.open.zeroize();
    }
}

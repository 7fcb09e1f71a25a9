//! Where a message stands: the chaining value and the open block.

use zeroize::optimization_barrier;

use super::copy;
use crate::{Chain, Compression, HashKernels};

/// As much as a function needs and no more: it is written and wiped for every message, and for a short one that
/// would be a good part of the time.
pub(super) enum State {
    /// Blocks of 64 bytes.
    Narrow(Parts<8, 64>),
    /// Blocks of 128 bytes.
    Wide(Parts<8, 128>),
    /// A sponge's, as long as they get.
    Sponge(Parts<25, { Compression::LONGEST_BLOCK }>),
}

/// Both begin where vectors do, so that none that an update writes and the kernel reads lies across two lines of the cache.
#[repr(C, align(16))]
pub(super) struct Parts<const WORDS: usize, const BLOCK: usize> {
    pub(super) chain: [u64; WORDS],
    pub(super) open: [u8; BLOCK],
}

impl State {
    /// Nothing but zeros.
    #[inline(always)]
    pub(super) const fn of(compression: Compression) -> Self {
        match compression.block_bytes() {
            64 => Self::Narrow(Parts::EMPTY),
            128 => Self::Wide(Parts::EMPTY),
            _ => Self::Sponge(Parts::EMPTY),
        }
    }

    #[inline(always)]
    pub(super) fn parts(&self) -> (&Chain, &[u8]) {
        match self {
            Self::Narrow(Parts { chain, open }) => (chain, open),
            Self::Wide(Parts { chain, open }) => (chain, open),
            Self::Sponge(Parts { chain, open }) => (chain, open),
        }
    }

    #[inline(always)]
    pub(super) fn parts_mut(&mut self) -> (&mut Chain, &mut [u8]) {
        match self {
            Self::Narrow(Parts { chain, open }) => (chain, open),
            Self::Wide(Parts { chain, open }) => (chain, open),
            Self::Sponge(Parts { chain, open }) => (chain, open),
        }
    }

    /// Writes zeros over the open block: what is of one size takes a few vectors, and anything else a call of `memset`.
    #[inline(always)]
    pub(super) fn empty(&mut self) {
        match self {
            Self::Narrow(parts) => parts.open.fill(0),
            Self::Wide(parts) => parts.open.fill(0),
            Self::Sponge(parts) => parts.open.fill(0),
        }
    }

    /// Takes over what is in another one, and wipes what was here.
    #[inline(always)]
    pub(super) fn copy_from(&mut self, other: &Self) {
        match (self, other) {
            (Self::Narrow(to), Self::Narrow(from)) => to.copy_from(from),
            (Self::Wide(to), Self::Wide(from)) => to.copy_from(from),
            (Self::Sponge(to), Self::Sponge(from)) => to.copy_from(from),
            (to, from) => to.become_like(from),
        }
    }

    /// The same from one of another size. Nothing secret is in what is moved.
    #[cold]
    fn become_like(&mut self, other: &Self) {
        *self = match other {
            Self::Narrow(_) => Self::Narrow(Parts::EMPTY),
            Self::Wide(_) => Self::Wide(Parts::EMPTY),
            Self::Sponge(_) => Self::Sponge(Parts::EMPTY),
        };
        self.copy_from(other);
    }
}

const VECTOR: usize = 16;

/// A one bit behind a vector.
const ONE_BIT: [u8; 2 * VECTOR] = {
    let mut bytes = [0; 2 * VECTOR];
    bytes[VECTOR] = 0x80;
    bytes
};

impl<const WORDS: usize, const BLOCK: usize> Parts<WORDS, BLOCK> {
    const EMPTY: Self = Self { chain: [0; WORDS], open: [0; BLOCK] };

    #[inline(always)]
    fn copy_from(&mut self, other: &Self) {
        (self.chain, self.open) = (other.chain, other.open);
    }

    /// The next bytes behind those that there are, if they leave the block open, or if they are whole blocks and there are
    /// none; whether they were. Of a stream of single blocks each waits for the one before, and a CPU gets no further ahead
    /// than some hundred instructions: all between two of them count.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        kernels: &HashKernels,
        filled: &mut usize,
        before: &mut u128,
        data: &[u8],
    ) -> bool {
        if data.len() < BLOCK - *filled {
            let end = *filled + data.len();
            copy(&mut self.open[*filled..end], data);
            *filled = end;
            return true;
        }
        let is_whole = *filled == 0 && data.len().is_multiple_of(BLOCK);
        if is_whole {
            *before = before.wrapping_add(data.len() as u128);
            (kernels.blocks)(&mut self.chain, data);
        }
        is_whole
    }

    /// The next blocks, and what is behind them into the open one; how much that is. All know at once how long a block is but
    /// a sponge's: a division is a good part of a block.
    #[inline(always)]
    pub(super) fn blocks(
        &mut self,
        kernels: &HashKernels,
        block_bytes: usize,
        data: &[u8],
    ) -> usize {
        let (blocks, rest) = data.split_at(data.len() - data.len() % block_bytes);
        if !blocks.is_empty() {
            (kernels.blocks)(&mut self.chain, blocks);
        }
        copy(&mut self.open[..rest.len()], rest);
        rest.len()
    }

    /// FIPS 180-4 §5.1: a one bit, zeros, and the length in bits in the last two words.
    #[inline(always)]
    pub(super) fn end<const LENGTH: usize>(
        &mut self,
        kernels: &HashKernels,
        filled: usize,
        length: &[u8; LENGTH],
    ) {
        // In a whole vector: a kernel that loads one waits until all the single bytes in it have been stored.
        let vector = &mut self.open[filled - filled % VECTOR..][..VECTOR];
        for (byte, one_bit) in vector.iter_mut().zip(&ONE_BIT[VECTOR - filled % VECTOR..]) {
            *byte |= one_bit;
        }
        if filled + 1 + LENGTH > BLOCK {
            (kernels.blocks)(&mut self.chain, &self.open);
            self.open.fill(0);
        }
        self.open[BLOCK - LENGTH..].copy_from_slice(length);
        (kernels.blocks)(&mut self.chain, &self.open);
    }
}

impl Parts<8, 64> {
    /// Writes a whole hash, if that is what there is room for; whether it was.
    #[inline(always)]
    pub(super) fn write(&self, little_endian: bool, out: &mut [u8]) -> bool {
        match out.len() {
            16 => self.write_words::<4>(little_endian, out),
            20 => self.write_words::<5>(little_endian, out),
            28 => self.write_words::<7>(little_endian, out),
            32 => self.write_words::<8>(little_endian, out),
            _ => return false,
        }
        true
    }

    /// Writes the lower halves of so many words, two at a time.
    #[inline(always)]
    fn write_words<const COUNT: usize>(&self, little_endian: bool, out: &mut [u8]) {
        for (place, to) in out[..4 * COUNT].chunks_mut(8).enumerate() {
            // An odd last word has one behind it, which goes nowhere.
            let [first, second] = [2 * place, 2 * place + 1].map(|at| self.chain[at] & 0xffff_ffff);
            let pair = match little_endian {
                true => (first | second << 32).to_le_bytes(),
                false => (first << 32 | second).to_be_bytes(),
            };
            to.copy_from_slice(&pair[..to.len()]);
        }
    }
}

impl Parts<8, 128> {
    /// Writes a whole hash, if that is what there is room for; whether it was.
    #[inline(always)]
    pub(super) fn write(&self, out: &mut [u8]) -> bool {
        let words = match out.len() {
            48 => 6,
            64 => 8,
            _ => return false,
        };
        for (to, word) in out.as_chunks_mut().0.iter_mut().zip(&self.chain[..words]) {
            *to = word.to_be_bytes();
        }
        true
    }
}

impl<const WORDS: usize, const BLOCK: usize> Drop for Parts<WORDS, BLOCK> {
    #[inline(always)]
    fn drop(&mut self) {
        if BLOCK > 128 { self.wipe_long() } else { self.wipe() }
    }
}

impl<const WORDS: usize, const BLOCK: usize> Parts<WORDS, BLOCK> {
    /// In vectors: byte by byte, as `Zeroize` has to, is a good part of a short message.
    #[inline(always)]
    fn wipe(&mut self) {
        self.forget([0; WORDS]);
    }

    /// Wipes what a message has left, and writes the chaining value that the next begins with.
    #[inline(always)]
    pub(super) fn forget(&mut self, initial: [u64; WORDS]) {
        (self.chain, self.open) = (initial, [0; BLOCK]);
        optimization_barrier(&self.chain);
        optimization_barrier(&self.open);
    }

    /// By `memset`, for which a caller has to keep registers.
    #[inline(never)]
    fn wipe_long(&mut self) {
        self.wipe();
    }
}

//! A hash as a stream: the open block, the padding, and as much output as there is.
//!
//! A hash function is a compression function and a padding. A sponge is one compression function for each rate.
//!
//! Short messages are bound by the store queue. So a state comes in three sizes: a few bytes to write and to wipe
//! less are a tenth of a short message. We avoid store-forwarding stalls: no wide load over fresh narrow stores.
//! Zeros always stand behind what is open, so padding is one bit in one vector.

mod state;

use crate::{Chain, Compression, Digest, HashKernels, Route};
use state::State;

/// A message being hashed.
///
/// The chaining value is not a route's, so every call may take another one.
pub struct Hasher {
    kernels: &'static HashKernels,
    digest: Digest,
    state: State,
    /// Bytes in the open block, which has zeros behind them; behind the end of the message, bytes of the chaining value that
    /// are out.
    filled: usize,
    /// Bytes of the message before the open block.
    before: u128,
    stage: Stage,
}

/// How far a message is.
///
/// In a program that hashes short messages what is written for one is what counts: a CPU works on the next message while it
/// still hashes this one, until there is no room for what both have stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Everything is as it is when one begins.
    Ready,
    Open,
    Ended,
}

impl Hasher {
    /// An empty message.
    ///
    /// # Panics
    /// If the kernels are those of another compression function.
    pub fn new(kernels: &'static HashKernels, digest: Digest) -> Self {
        let mut hasher = Self::idle(kernels, digest);
        hasher.reset();
        hasher
    }

    /// No message: one begins with [`Self::reset`]. What is nothing but zeros can be written where it
    /// belongs; anything else is written somewhere else first, and then copied.
    ///
    /// # Panics
    /// If the kernels are those of another compression function.
    #[inline]
    pub fn idle(kernels: &'static HashKernels, digest: Digest) -> Self {
        assert!(kernels.compression == digest.compression(), "kernels of another function");
        let state = State::of(digest.compression());
        Self { kernels, digest, state, filled: 0, before: 0, stage: Stage::Ended }
    }

    /// The hash function.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The kernels that run.
    pub const fn kernels(&self) -> &'static HashKernels {
        self.kernels
    }

    /// The route that runs.
    pub const fn route(&self) -> Route {
        self.kernels.route
    }

    /// Wipes whatever there is, and begins in advance: the next [`Self::reset`] has nothing left to do.
    #[inline]
    pub fn forget(&mut self) {
        match &mut self.state {
            State::Narrow(parts) => parts.forget(self.digest.initial()),
            State::Wide(parts) => parts.forget(self.digest.initial()),
            State::Sponge(parts) => parts.forget([0; 25]),
        }
        (self.filled, self.before, self.stage) = (0, 0, Stage::Ready);
    }

    /// Begins again.
    #[inline]
    pub fn reset(&mut self) {
        if self.stage != Stage::Ready {
            self.forget();
        }
        self.stage = Stage::Open;
    }

    /// Where the message stands: the chaining value, the bytes in the open block, and those of the message.
    /// Behind its end there are as many bytes in the open block as are out of the chaining value.
    pub fn standing(&self) -> (&Chain, &[u8], u128) {
        let (chain, open) = self.state.parts();
        (chain, &open[..self.filled], self.length())
    }

    /// Goes on from where a message stood, which is the caller's to know.
    ///
    /// # Panics
    /// If the bytes fill a block.
    pub fn resume(&mut self, chain: &[u64], open: &[u8], length: u128) {
        assert!(open.len() < self.block_bytes(), "a full block is not open");
        self.state.empty();
        let (to, block) = self.state.parts_mut();
        to[..chain.len()].copy_from_slice(chain);
        block[..open.len()].copy_from_slice(open);
        // Who has it written down may say anything of its length.
        self.before = length.wrapping_sub(open.len() as u128);
        (self.filled, self.stage) = (open.len(), Stage::Open);
    }

    /// Goes on from where the output of an extendable function stood: the block that is going out, and
    /// how many of its bytes are out.
    ///
    /// # Panics
    /// If a block has fewer bytes.
    pub fn resume_output(&mut self, chain: &[u64], out: usize) {
        assert!(out <= self.block_bytes(), "a block has no more bytes");
        self.state.parts_mut().0[..chain.len()].copy_from_slice(chain);
        (self.filled, self.stage) = (out, Stage::Ended);
    }

    /// Whether the message has ended.
    #[inline]
    pub const fn has_ended(&self) -> bool {
        !matches!(self.stage, Stage::Open)
    }

    /// Bytes of a message that has not ended.
    #[inline(always)]
    const fn length(&self) -> u128 {
        self.before.wrapping_add(self.filled as u128)
    }

    const fn block_bytes(&self) -> usize {
        self.kernels.compression.block_bytes()
    }

    /// The next bytes.
    ///
    /// # Panics
    /// If the message has ended, and none has begun since.
    #[inline(always)]
    pub fn update(&mut self, data: &[u8]) {
        let (kernels, is_open) = (self.kernels, self.stage == Stage::Open);
        let (filled, before) = (&mut self.filled, &mut self.before);
        let was_simple = match &mut self.state {
            State::Narrow(parts) if is_open => parts.put(kernels, filled, before, data),
            State::Wide(parts) if is_open => parts.put(kernels, filled, before, data),
            _ => return self.update_any(data),
        };
        if !was_simple {
            self.update_blocks(data);
        }
    }

    /// The same for a sponge, and where no message has begun.
    #[inline(never)]
    fn update_any(&mut self, data: &[u8]) {
        let filled = self.filled;
        if self.has_ended() || data.len() >= self.block_bytes() - filled {
            return self.update_blocks(data);
        }
        self.filled += data.len();
        copy(&mut self.state.parts_mut().1[filled..filled + data.len()], data);
    }

    /// Slow path: the next bytes complete the open block, or come after the end. Outlined to reduce register pressure in
    /// short updates.
    #[inline(never)]
    fn update_blocks(&mut self, mut data: &[u8]) {
        assert!(!self.has_ended(), "the message has ended");
        if self.filled != 0 {
            data = self.fill(data);
        }
        let kernels = self.kernels;
        self.filled = match &mut self.state {
            State::Narrow(parts) => parts.blocks(kernels, 64, data),
            State::Wide(parts) => parts.blocks(kernels, 128, data),
            State::Sponge(parts) => parts.blocks(kernels, kernels.compression.block_bytes(), data),
        };
        self.before = self.before.wrapping_add((data.len() - self.filled) as u128);
    }

    /// Fills the open block with the first bytes; gives the others.
    #[inline(never)]
    fn fill<'d>(&mut self, data: &'d [u8]) -> &'d [u8] {
        let (block_bytes, filled) = (self.block_bytes(), self.filled);
        let (head, rest) = data.split_at(block_bytes - filled);
        let (chain, open) = self.state.parts_mut();
        copy(&mut open[filled..block_bytes], head);
        (self.kernels.blocks)(chain, &open[..block_bytes]);
        self.state.empty();
        self.before = self.before.wrapping_add(block_bytes as u128);
        rest
    }

    /// The end of the message: writes the first bytes of its hash, as many as `out` has room for. There
    /// are no more than [`Digest::bytes`] unless the function is extendable. The next message begins with
    /// [`Self::reset`].
    #[inline(always)]
    pub fn finish(&mut self, out: &mut [u8]) {
        let (kernels, filled, bits) = (self.kernels, self.filled, self.length().wrapping_mul(8));
        let is_usual = self.stage == Stage::Open && out.len() <= self.digest.bytes();
        // With room for the end in the open block, of which this makes few instructions.
        let is_written = match &mut self.state {
            State::Narrow(parts) if is_usual && filled < 64 - 8 => {
                let little_endian = kernels.compression.is_little_endian();
                parts.end(kernels, filled, &narrow_length(bits, little_endian));
                parts.write(little_endian, out)
            }
            State::Wide(parts) if is_usual && filled < 128 - 16 => {
                parts.end(kernels, filled, &bits.to_be_bytes());
                parts.write(out)
            }
            _ => return self.finish_any(out),
        };
        (self.filled, self.stage) = (if is_written { out.len() } else { 0 }, Stage::Ended);
        if !is_written {
            self.write(out);
        }
    }

    /// The same for every hash function, and where the end needs a block more.
    #[inline(never)]
    fn finish_any(&mut self, out: &mut [u8]) {
        if self.digest.is_extendable() {
            return self.squeeze(out);
        }
        let room = out.len().min(self.digest.bytes());
        self.end();
        self.write(&mut out[..room]);
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
            (self.kernels.blocks)(self.state.parts_mut().0, &nothing[..block_bytes]);
            (self.filled, out) = (0, rest);
        }
        self.write(out);
    }

    /// Hashes the padding, once.
    fn end(&mut self) {
        if self.has_ended() {
            return;
        }
        let (kernels, filled, bits) = (self.kernels, self.filled, self.length().wrapping_mul(8));
        match &mut self.state {
            State::Narrow(parts) => {
                let length = narrow_length(bits, kernels.compression.is_little_endian());
                parts.end(kernels, filled, &length);
            }
            State::Wide(parts) => parts.end(kernels, filled, &bits.to_be_bytes()),
            State::Sponge(parts) => {
                let block = &parts.open[..kernels.compression.block_bytes()];
                // FIPS 202 §5.1: behind the bits that tell the function, a one bit, zeros, and a one bit. Added where
                // the block will be: a kernel that loads words waits until single bytes in them have been stored.
                let padding = u64::from(self.digest.first_padding_byte());
                parts.chain[filled / 8] ^= padding << (8 * (filled % 8));
                parts.chain[block.len() / 8 - 1] ^= 1 << 63;
                (kernels.blocks)(&mut parts.chain, block);
            }
        }
        (self.filled, self.stage) = (0, Stage::Ended);
    }

    /// Writes the next bytes of the chaining value.
    #[inline(never)]
    fn write(&mut self, out: &mut [u8]) {
        let (compression, at) = (self.kernels.compression, self.filled);
        self.filled += out.len();
        match &self.state {
            State::Narrow(parts) if compression.is_little_endian() => {
                write(&parts.chain, at, out, |word| (word as u32).to_le_bytes());
            }
            State::Narrow(parts) => {
                write(&parts.chain, at, out, |word| (word as u32).to_be_bytes());
            }
            State::Wide(parts) => write(&parts.chain, at, out, u64::to_be_bytes),
            State::Sponge(parts) => write(&parts.chain, at, out, u64::to_le_bytes),
        }
    }
}

/// The length in bits at the end of a block of 64 bytes.
#[inline(always)]
const fn narrow_length(bits: u128, little_endian: bool) -> [u8; 8] {
    match little_endian {
        true => (bits as u64).to_le_bytes(),
        false => (bits as u64).to_be_bytes(),
    }
}

/// Copies bytes, of which there are few or none: calling `memcpy` is a good part of a short update.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    /// The first bytes and the last ones, which may overlap.
    #[inline(always)]
    fn ends<const N: usize>(to: &mut [u8], from: &[u8]) {
        let last = from.len() - N;
        to[..N].copy_from_slice(&from[..N]);
        to[last..last + N].copy_from_slice(&from[last..last + N]);
    }
    match from.len() {
        0 => {}
        8..16 => ends::<8>(to, from),
        16 => to[..16].copy_from_slice(&from[..16]),
        17..=32 => ends::<16>(to, from),
        33..=64 => ends::<32>(to, from),
        _ => to.copy_from_slice(from),
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
    let (whole, rest) = out.as_chunks_mut::<BYTES>();
    if at == 0 && rest.is_empty() {
        // All that most hash functions ever have to write.
        for (to, word) in whole.iter_mut().zip(chain) {
            *to = bytes(*word);
        }
        return;
    }
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

impl Clone for Hasher {
    fn clone(&self) -> Self {
        let mut copy = Self::idle(self.kernels, self.digest);
        copy.clone_from(self);
        copy
    }

    /// Copies as much as the hash function uses; what was here is overwritten, or wiped.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        self.state.copy_from(&source.state);
        (self.kernels, self.digest) = (source.kernels, source.digest);
        (self.filled, self.before, self.stage) = (source.filled, source.before, source.stage);
    }
}

//! ChaCha20-Poly1305 (RFC 8439 §2.8): both in one pass over the data.
//!
//! With every wave its ciphertext is hashed when decrypting, that of the wave before when encrypting: in integers between
//! the rounds, which leave those units free; in vectors before them. The one-time key of a message is the first block of
//! its first wave.

use wirespeed_cipher::{Block, InOut, Poly1305, SealState, StreamKey, partial};

use crate::waves::{Keystream, Work, flight, flight_with, rows, sets};
use crate::{BLOCK, Hash, Rows, poly1305};

/// See [`wirespeed_cipher::OneTimeKeyFn`].
#[inline(always)]
pub(crate) fn one_time_key<U: Rows>(unit: U, key: &StreamKey, state: &mut SealState) {
    let first = rows(unit, key, state.counter);
    let mut buffer = Keystream::new();
    // SAFETY: one set fits the buffer, and begins with a whole block.
    unsafe {
        let room = buffer.at(0);
        sets::<U, false>(unit, U::BLOCKS, &first, 0, room, room);
        take_key(state, room);
    }
    buffer.wipe(unit, 1);
}

/// The one-time key from its block of keystream.
///
/// # Safety
/// A block is readable there.
#[inline(always)]
unsafe fn take_key(state: &mut SealState, block: *const u8) {
    // SAFETY: the caller vouches for it.
    let key = unsafe { block.cast::<[Block; 2]>().read() };
    poly1305::begin(&mut state.poly1305, &key[0], &key[1]);
    state.counter[0] = state.counter[0].wrapping_add(1);
    state.keyed = true;
}

/// Hashes so many strides.
///
/// # Safety
/// So many are readable at `from`.
#[inline(always)]
unsafe fn strides<H: Hash>(hash: &mut H, mut from: *const u8, mut left: usize) {
    while left > 0 {
        // SAFETY: so many are left.
        unsafe {
            let done = hash.some(from, left);
            from = from.add(done * H::STRIDE);
            left -= done;
        }
    }
}

/// Strides that are hashed between the rounds of a flight: two behind each double round, and `MORE` behind every second,
/// so that neither the vectors' units nor the multiplier wait.
struct Beside<H, const MORE: usize> {
    hash: H,
    from: *const u8,
}

impl<H: Hash, const MORE: usize> Work for Beside<H, MORE> {
    const EACH: usize = 2;
    const MORE: usize = MORE;

    #[inline(always)]
    unsafe fn parts(&mut self, count: usize) {
        // SAFETY: whoever made it vouches for all parts.
        unsafe { strides(&mut self.hash, self.from, count) };
        self.from = self.from.wrapping_add(count * H::STRIDE);
    }
}

/// What a call hashes, and how far it has come.
struct Hashing<H> {
    hash: Option<H>,
    from: *const u8,
    done: usize,
    total: usize,
}

impl<H: Hash> Hashing<H> {
    /// Bytes in whole blocks.
    #[inline(always)]
    fn whole(&self) -> usize {
        self.total & !15
    }

    /// Begins with strides, if that is worth it and there is one below `target`.
    ///
    /// # Safety
    /// `target` bytes are readable.
    #[inline(always)]
    unsafe fn open(&mut self, poly1305: &Poly1305, target: usize) {
        let is_there = target - self.done >= H::STRIDE;
        if self.hash.is_none() && is_there && self.whole() >= H::WORTH {
            // SAFETY: a stride is below `target`.
            self.hash = Some(unsafe { H::open(poly1305, self.from.add(self.done)) });
            self.done += H::FIRST * H::STRIDE;
        }
    }

    /// Hashes the strides below `target`.
    ///
    /// # Safety
    /// `target` bytes are readable.
    #[inline(always)]
    unsafe fn go_on(&mut self, target: usize) {
        if let Some(hash) = &mut self.hash {
            let left = (target - self.done) / H::STRIDE;
            // SAFETY: what is done is below `target`, and so many strides are, too.
            unsafe { strides(hash, self.from.add(self.done), left) };
            self.done += left * H::STRIDE;
        }
    }

    /// Hashes up to `target`: all strides, and if those are the last whole blocks, the blocks behind them; what is no
    /// block is left pending.
    ///
    /// # Safety
    /// `target` bytes are readable, and all if it ends there.
    #[inline(always)]
    unsafe fn finish(&mut self, state: &mut SealState, target: usize) {
        let whole = self.whole();
        // SAFETY: the caller vouches for what is read.
        unsafe {
            self.open(&state.poly1305, target);
            self.go_on(target);
            if target == whole {
                if let Some(hash) = &self.hash {
                    hash.close(&mut state.poly1305);
                }
                self.hash = None;
                let rest = std::slice::from_raw_parts(self.from.add(self.done), whole - self.done);
                poly1305::blocks(&mut state.poly1305, rest);
                self.done = whole;
                let tail = partial::load(self.from.add(whole), self.total - whole);
                state.pending = tail.to_le_bytes();
            }
        }
    }
}

/// A wave, behind what is to be hashed before its end: `target` is its end. Of that the last strides go between the rounds
/// of a whole flight, if there are enough of them.
///
/// # Safety
/// As for [`sets`], and `target` bytes are readable for the hash.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "those of a wave, and two")]
unsafe fn hashed_wave<U: Rows, const ADD: bool>(
    unit: U,
    hashing: &mut Hashing<U::Hash>,
    target: usize,
    blocks: usize,
    first: &[U::V; 4],
    number: u32,
    from: *const u8,
    to: *mut u8,
) {
    macro_rules! beside {
        ($more:literal) => {
            let bytes = Beside::<U::Hash, $more>::PARTS * U::Hash::STRIDE;
            if U::STITCHED
                && blocks == U::FLIGHT * U::BLOCKS
                && hashing.done + bytes <= target
                && let Some(hash) = &mut hashing.hash
            {
                let strides_before = (target - bytes - hashing.done) / U::Hash::STRIDE;
                // SAFETY: so many strides are left, and so many bytes after them.
                unsafe {
                    let begin = hashing.from.add(hashing.done);
                    strides(hash, begin, strides_before);
                    let begin = begin.add(strides_before * U::Hash::STRIDE);
                    let mut work = Beside::<_, $more> { hash: *hash, from: begin };
                    flight_with::<U, ADD>(unit, first, number, from, to, &mut work);
                    *hash = work.hash;
                }
                hashing.done += strides_before * U::Hash::STRIDE + bytes;
                return;
            }
        };
    }
    beside!(1);
    beside!(0);
    // SAFETY: the caller vouches for both.
    unsafe {
        hashing.go_on(target);
        sets::<U, ADD>(unit, blocks, first, number, from, to);
    }
}

/// See [`wirespeed_cipher::SealFn`].
#[inline(always)]
pub(crate) fn seal<U: Rows, const DECRYPT: bool>(
    unit: U,
    key: &StreamKey,
    state: &mut SealState,
    pending: bool,
    data: InOut<'_>,
) {
    // What is overwritten must be hashed before, so what takes more than a wave must be worth it.
    const { assert!(U::Hash::WORTH <= ((U::FLIGHT * U::BLOCKS - 1) * BLOCK) & !(U::Hash::STRIDE - 1)) };
    let set = U::BLOCKS * BLOCK;
    let first = rows(unit, key, state.counter);
    let mut buffer = Keystream::new();
    let (from, to, total) = (data.source(), data.destination(), data.len());
    let hashed_at = if DECRYPT { from } else { to.cast_const() };
    let mut hashing = Hashing::<U::Hash> { hash: None, from: hashed_at, done: 0, total };
    let (whole, mut done) = (hashing.whole(), 0);
    // Blocks of keystream that are used; sets that were in the buffer.
    let (mut used, mut most) = (0, 0);
    if state.keyed && pending {
        poly1305::blocks(&mut state.poly1305, &state.pending);
    }
    while done < total {
        // The first block makes the key.
        let skipped = if state.keyed { 0 } else { BLOCK };
        let left = (skipped + total - done).div_ceil(BLOCK);
        let count = flight::<U>(left).div_ceil(U::BLOCKS);
        let mut bytes = (count * set - skipped).min(total - done);
        if DECRYPT && bytes < total - done {
            // Whole strides: the rest of the ciphertext could not be hashed later.
            bytes &= !(U::Hash::STRIDE - 1);
        }
        let (number, room) = (used as u32, buffer.at(0));
        // SAFETY: a wave fits the buffer. Offsets of data stay below `total`, those of strides below `whole`,
        // and encryption has written what it hashes.
        unsafe {
            let target = if DECRYPT { (done + bytes).min(whole) } else { done };
            if skipped == 0 {
                hashing.open(&state.poly1305, target);
            }
            let (from, to) = (from.add(done), to.add(done));
            // What is decrypted in place must be hashed before.
            let last = DECRYPT && target == whole;
            if skipped == 0 && bytes.is_multiple_of(BLOCK) {
                let blocks = bytes / BLOCK;
                // What blocks of the cipher hold is strides of such a unit: nothing is left to read then.
                if last && !U::STITCHED {
                    hashing.finish(state, target);
                }
                hashed_wave::<U, true>(
                    unit,
                    &mut hashing,
                    target,
                    blocks,
                    &first,
                    number,
                    from,
                    to,
                );
                if last && U::STITCHED {
                    hashing.finish(state, target);
                }
                done += bytes;
                used += blocks;
                continue;
            }
            let blocks = count * U::BLOCKS;
            hashed_wave::<U, false>(unit, &mut hashing, target, blocks, &first, number, room, room);
            most = count.max(most);
            if skipped != 0 {
                take_key(state, room);
                if pending {
                    poly1305::blocks(&mut state.poly1305, &state.pending);
                }
            }
            if DECRYPT {
                hashing.finish(state, target);
            }
            unit.combine(buffer.at(skipped), from, to, bytes);
            done += bytes;
            used += (skipped + bytes) / BLOCK;
            if done == total && !bytes.is_multiple_of(BLOCK) {
                let last = buffer.at(skipped + (bytes & !(BLOCK - 1)));
                state.keystream.as_mut_ptr().copy_from(last, BLOCK);
            }
        }
    }
    if !DECRYPT {
        // SAFETY: all is written.
        unsafe { hashing.finish(state, whole) };
    }
    state.counter[0] = state.counter[0].wrapping_add(total.div_ceil(BLOCK) as u32);
    buffer.wipe(unit, most);
}

/// See [`wirespeed_cipher::Poly1305Fn`].
#[inline(always)]
pub(crate) fn hash<H: Hash>(poly1305: &mut Poly1305, data: &[u8]) {
    if data.len() < H::WORTH {
        return poly1305::blocks(poly1305, data);
    }
    let (strides, rest) = data.split_at(data.len() & !(H::STRIDE - 1));
    let (first, left) = (H::FIRST * H::STRIDE, strides.len() / H::STRIDE - H::FIRST);
    // SAFETY: there are so many strides, at least one.
    unsafe {
        let mut hash = H::open(poly1305, strides.as_ptr());
        self::strides(&mut hash, strides.as_ptr().add(first), left);
        hash.close(poly1305);
    }
    poly1305::blocks(poly1305, rest);
}

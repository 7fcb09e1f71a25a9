//! ChaCha20-Poly1305 (RFC 8439 §2.8): both in one pass over the data.
//!
//! Poly1305 runs between the rounds: over the ciphertext of the same wave when decrypting, of the wave before when
//! encrypting. The one-time key of a message is the first block of its first wave.

use wirespeed_cipher::{Block, InOut, Poly1305, SealState, StreamKey, partial};

use super::{BLOCK, Hash, Keystream, PAUSES, Rows, poly1305, rows, sets};
use crate::unit::{Idle, Work};

/// See [`wirespeed_cipher::OneTimeKeyFn`].
#[inline(always)]
pub(crate) fn one_time_key<U: Rows>(unit: U, key: &StreamKey, state: &mut SealState) {
    let first = rows(unit, key, state.counter);
    let mut buffer = Keystream::new();
    // SAFETY: one set fits the buffer, and begins with a whole block.
    unsafe {
        let room = buffer.at(0);
        sets::<U, false>(unit, U::BLOCKS, &first, 0, room, room, &mut Idle);
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

/// Strides to hash between the rounds.
struct Strides<'h, H> {
    /// In its place: the powers of its key are longer than all else here.
    hash: &'h mut H,
    from: *const u8,
    left: usize,
}

impl<H: Hash> Strides<'_, H> {
    /// All that are left.
    #[inline(always)]
    fn finish(&mut self) {
        while self.left > 0 {
            self.after(0);
        }
    }
}

impl<H: Hash> Work for Strides<'_, H> {
    const BUSY: bool = true;

    #[inline(always)]
    fn after(&mut self, _: usize) {
        // SAFETY: whoever made this counted the strides that are readable.
        unsafe {
            if self.left > 1 {
                self.hash.double_step(self.from);
                self.from = self.from.add(2 * H::STRIDE);
                self.left -= 2;
            } else if self.left > 0 {
                self.hash.step(self.from);
                self.left = 0;
            }
        }
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
    let (stride, set) = (U::Hash::STRIDE, U::BLOCKS * BLOCK);
    let first = rows(unit, key, state.counter);
    let mut buffer = Keystream::new();
    let (from, to, total) = (data.source(), data.destination(), data.len());
    // What this call hashes, where it stands, and how far it has come with both.
    let whole = total & !15;
    let hashed_at = if DECRYPT { from } else { to.cast_const() };
    let (mut done, mut hashed) = (0, 0);
    let mut hash: Option<U::Hash> = None;
    // Blocks of keystream that are used; sets that were in the buffer.
    let (mut used, mut most) = (0, 0);
    if state.keyed && pending {
        poly1305::blocks(&mut state.poly1305, &state.pending);
    }
    while done < total {
        // The first block makes the key.
        let skipped = if state.keyed { 0 } else { BLOCK };
        let count = (skipped + total - done).div_ceil(set).min(U::FLIGHT);
        let mut bytes = (count * set - skipped).min(total - done);
        if DECRYPT && bytes < total - done {
            // Whole strides: the rest of the ciphertext could not be hashed later.
            bytes &= !(stride - 1);
        }
        // SAFETY: a wave fits the buffer. Offsets of data stay below `total`, those of strides below `whole`,
        // and encryption has written what it hashes.
        unsafe {
            let target = if DECRYPT { (done + bytes).min(whole) } else { done };
            if skipped == 0 {
                open(state, &mut hash, hashed_at, &mut hashed, target, whole);
            }
            let (number, room, left) = (used as u32, buffer.at(0), (target - hashed) / stride);
            // What is decrypted in place must be hashed until the rounds are over.
            let is_hashed = !DECRYPT || (left <= 2 * PAUSES && target < whole);
            if let Some(hash) = &mut hash {
                let mut strides = Strides { hash, from: hashed_at.add(hashed), left };
                hashed += left * stride;
                if bytes == U::FLIGHT * set && is_hashed {
                    let (from, to) = (from.add(done), to.add(done));
                    let all = U::FLIGHT * U::BLOCKS;
                    sets::<U, true>(unit, all, &first, number, from, to, &mut strides);
                    strides.finish();
                    done += bytes;
                    used += bytes / BLOCK;
                    continue;
                }
                sets::<U, false>(unit, count * U::BLOCKS, &first, number, room, room, &mut strides);
                strides.finish();
            } else {
                sets::<U, false>(unit, count * U::BLOCKS, &first, number, room, room, &mut Idle);
            }
            most = count.max(most);
            if skipped != 0 {
                take_key(state, room);
                if pending {
                    poly1305::blocks(&mut state.poly1305, &state.pending);
                }
            }
            if DECRYPT {
                hash_to(state, &mut hash, hashed_at, &mut hashed, target, total);
            }
            unit.combine(buffer.at(skipped), from.add(done), to.add(done), bytes);
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
        unsafe { hash_to(state, &mut hash, hashed_at, &mut hashed, whole, total) };
    }
    state.counter[0] = state.counter[0].wrapping_add(total.div_ceil(BLOCK) as u32);
    buffer.wipe(unit, most);
}

/// Opens the hash of strides, if it is not and there is a stride to begin with below `target`.
///
/// # Safety
/// `target` bytes are readable at `from`.
#[inline(always)]
unsafe fn open<H: Hash>(
    state: &SealState,
    hash: &mut Option<H>,
    from: *const u8,
    hashed: &mut usize,
    target: usize,
    whole: usize,
) {
    if hash.is_none() && target - *hashed >= H::STRIDE && whole >= H::WORTH {
        // SAFETY: a stride is below `target`.
        *hash = Some(unsafe { H::open(&state.poly1305, from.add(*hashed)) });
        *hashed += H::STRIDE;
    }
}

/// Hashes up to `target`: all strides, and if those are the last whole blocks of `total` bytes, the blocks
/// behind them; what is no block is left pending.
///
/// # Safety
/// `target` bytes are readable at `from`, and `total` if it ends there.
#[inline(always)]
unsafe fn hash_to<H: Hash>(
    state: &mut SealState,
    hash: &mut Option<H>,
    from: *const u8,
    hashed: &mut usize,
    target: usize,
    total: usize,
) {
    let whole = total & !15;
    // SAFETY: the caller vouches for what is read.
    unsafe {
        open(state, hash, from, hashed, target, whole);
        if let Some(hash) = hash {
            let left = (target - *hashed) / H::STRIDE;
            Strides { hash, from: from.add(*hashed), left }.finish();
            *hashed += left * H::STRIDE;
        }
        if target == whole {
            if let Some(begun) = hash {
                begun.close(&mut state.poly1305);
                *hash = None;
            }
            let rest = std::slice::from_raw_parts(from.add(*hashed), whole - *hashed);
            poly1305::blocks(&mut state.poly1305, rest);
            *hashed = whole;
            let tail = partial::load(from.add(whole), total - whole);
            state.pending = tail.to_le_bytes();
        }
    }
}

/// See [`wirespeed_cipher::Poly1305Fn`].
#[inline(always)]
pub(crate) fn hash<H: Hash>(poly1305: &mut Poly1305, data: &[u8]) {
    let mut strides = data.chunks_exact(H::STRIDE);
    if data.len() >= H::WORTH
        && let Some(first) = strides.next()
    {
        // SAFETY: each chunk is a stride.
        unsafe {
            let mut hash = H::open(poly1305, first.as_ptr());
            for stride in strides.by_ref() {
                hash.step(stride.as_ptr());
            }
            hash.close(poly1305);
        }
        poly1305::blocks(poly1305, strides.remainder());
    } else {
        poly1305::blocks(poly1305, data);
    }
}

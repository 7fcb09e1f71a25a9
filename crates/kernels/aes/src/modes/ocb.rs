//! OCB's whole blocks, RFC 7253 §4: like XTS, with offsets of another kind and a checksum.
//!
//! An offset is the one before plus L_ntz(i), where i is the block's number: within a wave that begins at a multiple of
//! its own length the sums of L are always the same, but for the last block's. So a wave adds one offset to a table.

use wirespeed_cipher::{InOut, OcbKey, OcbState, Schedule};

use super::parallel::{Parallel, Vectors, run, run_one};
use crate::unit::{Room, Unit, Vector, Work};

/// Data, or associated data if `HASH`, being processed.
struct Ocb<'k, U: Unit, const ROUNDS: usize, const DECRYPT: bool, const HASH: bool> {
    u: U,
    round_keys: U::Key<'k>,
    key: &'k OcbKey,
    /// The offset of the last block whose number is a multiple of a full wave's, in every place.
    base: U::V,
    /// What is added to the checksum, in parts.
    sum: U::V,
    /// Blocks so far.
    blocks: u64,
}

impl<U: Unit, const ROUNDS: usize, const DECRYPT: bool, const HASH: bool>
    Ocb<'_, U, ROUNDS, DECRYPT, HASH>
{
    /// Blocks in a full wave.
    const WAVE: usize = U::FLIGHT * U::WIDTH;

    /// Blocks since the last multiple of a full wave.
    #[inline(always)]
    const fn place(&self) -> usize {
        self.blocks as usize % Self::WAVE
    }

    /// The offsets of the next `T` vectors, of which the last has `last` bytes. They end with the full wave at the
    /// latest.
    #[inline(always)]
    fn offsets<const T: usize>(&mut self, last: usize) -> [U::V; T] {
        let (u, place) = (self.u, self.place());
        assert!(place + T * U::WIDTH < self.key.steps.len());
        let mut offsets = [self.base; T];
        for i in 0..T {
            // SAFETY: the vector ends inside the table, as just asserted.
            let steps =
                unsafe { u.load(self.key.steps.as_ptr().add(place + 1 + i * U::WIDTH).cast()) };
            offsets[i] = u.xor(self.base, steps);
        }
        self.blocks += (((T - 1) * U::BYTES + last) / 16) as u64;
        if self.place() == 0 {
            // The table has the step to the end of a wave as if it were the first.
            let first = u.splat(self.key.step_to(Self::WAVE as u64));
            let step = u.xor(first, u.splat(self.key.step_to(self.blocks)));
            let before_last = u.keep_first(step, last - 16);
            let at_last = u.xor(u.keep_first(step, last), before_last);
            offsets[T - 1] = u.xor(offsets[T - 1], at_last);
            self.base = u.xor3(self.base, u.splat(self.key.steps[Self::WAVE]), step);
        }
        offsets
    }
}

impl<U: Unit, const ROUNDS: usize, const DECRYPT: bool, const HASH: bool> Parallel<U>
    for Ocb<'_, U, ROUNDS, DECRYPT, HASH>
{
    #[inline(always)]
    unsafe fn wave<const T: usize>(
        &mut self,
        source: *const u8,
        destination: *mut u8,
        last: usize,
    ) {
        let u = self.u;
        let at = Vectors { u, count: T, last };
        let offsets = self.offsets::<T>(last);
        let mut state = offsets;
        for i in 0..T {
            // SAFETY: the caller vouches for the vectors.
            let input = unsafe { at.load(source, i) };
            if !DECRYPT && !HASH {
                self.sum = u.xor(self.sum, input);
            }
            state[i] = u.xor(input, offsets[i]);
        }
        state = u.rounds::<DECRYPT, ROUNDS, T>(self.round_keys, state, &mut InOrder);
        for i in 0..T {
            let fold = if HASH { u.zero() } else { offsets[i] };
            state[i] = u.last_round::<DECRYPT, ROUNDS>(self.round_keys, state[i], fold);
        }
        if DECRYPT || HASH {
            for i in 0..T - 1 {
                self.sum = u.xor(self.sum, state[i]);
            }
            self.sum = u.xor(self.sum, u.keep_first(state[T - 1], last));
        }
        if !HASH {
            for i in 0..T {
                // SAFETY: the caller vouches for the vectors.
                unsafe { at.store(destination, i, state[i]) };
            }
        }
    }
}

/// Nothing to do between the rounds, but they keep their order: left to itself, LLVM runs the last vectors of a wave one
/// after another.
struct InOrder;

impl Work for InOrder {
    const BUSY: bool = true;

    #[inline(always)]
    fn after(&mut self, _round: usize) {}
}

/// OCB over whole blocks; see [`OcbFn`](wirespeed_cipher::OcbFn).
#[inline(always)]
pub(crate) fn ocb<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    key: &OcbKey,
    state: &mut OcbState,
    data: InOut<'_>,
) {
    either::<U, ROUNDS, DECRYPT, false>(u, schedule, key, state, data);
}

/// OCB's hash; see [`OcbHashFn`](wirespeed_cipher::OcbHashFn).
#[inline(always)]
pub(crate) fn hash<U: Unit, const ROUNDS: usize>(
    u: U,
    schedule: &Schedule,
    key: &OcbKey,
    state: &mut OcbState,
    data: &[u8],
) {
    let from = data.as_ptr();
    // SAFETY: readable for its length; a hash writes nothing.
    let data = unsafe { InOut::from_raw(from, from.cast_mut(), data.len()) };
    either::<U, ROUNDS, false, true>(u, schedule, key, state, data);
}

#[inline(always)]
fn either<U: Unit, const ROUNDS: usize, const DECRYPT: bool, const HASH: bool>(
    u: U,
    schedule: &Schedule,
    key: &OcbKey,
    state: &mut OcbState,
    data: InOut<'_>,
) {
    if data.len() == 16 {
        let u = u.single();
        let mut room = Room::EMPTY;
        let round_keys = u.key::<DECRYPT, ROUNDS>(schedule, &mut room, 16);
        let mut mode = begin::<U::Single, ROUNDS, DECRYPT, HASH>(u, round_keys, key, state);
        run_one(&mut mode, data);
        end(&mode, state);
        return;
    }
    let mut room = Room::EMPTY;
    let round_keys = u.key::<DECRYPT, ROUNDS>(schedule, &mut room, data.len());
    let mut mode = begin::<U, ROUNDS, DECRYPT, HASH>(u, round_keys, key, state);
    let whole = data.len() & !15;
    let (mut rest, _) = data.split_at(whole);
    while !rest.is_empty() {
        // Up to where a full wave begins, then all the rest.
        let place = mode.place();
        let until_wave = 16 * (U::FLIGHT * U::WIDTH - place);
        let bytes = if place == 0 { rest.len() } else { rest.len().min(until_wave) };
        let (now, then) = rest.split_at(bytes);
        run(&mut mode, now);
        rest = then;
    }
    end(&mode, state);
}

#[inline(always)]
fn begin<'k, U: Unit, const ROUNDS: usize, const DECRYPT: bool, const HASH: bool>(
    u: U,
    round_keys: U::Key<'k>,
    key: &'k OcbKey,
    state: &OcbState,
) -> Ocb<'k, U, ROUNDS, DECRYPT, HASH> {
    let mut mode = Ocb { u, round_keys, key, base: u.zero(), sum: u.zero(), blocks: state.blocks };
    mode.base = u.xor(u.splat(state.offset), u.splat(key.steps[mode.place()]));
    mode
}

#[inline(always)]
fn end<U: Unit, const ROUNDS: usize, const DECRYPT: bool, const HASH: bool>(
    mode: &Ocb<'_, U, ROUNDS, DECRYPT, HASH>,
    state: &mut OcbState,
) {
    let u = mode.u;
    let one = u.single();
    let offset = u.xor(mode.base, u.splat(mode.key.steps[mode.place()]));
    let checksum = one.xor(one.splat(state.checksum), u.sum(mode.sum));
    // SAFETY: a block is writable at each place, as the first of a vector or as the only one.
    unsafe {
        u.store_first(state.offset.as_mut_ptr(), offset, 16);
        one.store(state.checksum.as_mut_ptr(), checksum);
    }
    state.blocks = mode.blocks;
}

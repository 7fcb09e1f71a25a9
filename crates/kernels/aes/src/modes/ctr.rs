//! CTR, SP 800-38A §6.5, with a 128-bit big-endian counter, and with GCM-SIV's little one (RFC 8452 §4).

use wirespeed_cipher::{Block, InOut, Schedule};

use super::parallel::{Parallel, Vectors, keep_block, run, run_one};
use crate::unit::{Idle, Room, Unit, Vector};
use wirespeed_kernels_core::Wiped;

pub(super) struct Ctr<'k, U: Unit, const ROUNDS: usize, const LITTLE: bool> {
    pub(super) u: U,
    pub(super) key: U::Key<'k>,
    pub(super) counters: Counters<U, LITTLE>,
    /// Receives the keystream of a last partial block.
    pub(super) keystream: &'k mut Block,
}

impl<U: Unit, const ROUNDS: usize, const LITTLE: bool> Parallel<U> for Ctr<'_, U, ROUNDS, LITTLE> {
    #[inline(always)]
    unsafe fn wave<const T: usize>(
        &mut self,
        source: *const u8,
        destination: *mut u8,
        last: usize,
    ) {
        let u = self.u;
        let at = Vectors { u, count: T, last };
        let mut state = self.counters.take::<T>();
        let partial = !last.is_multiple_of(16);
        state = u.rounds::<false, ROUNDS, T>(self.key, state, &mut Idle);
        // SAFETY: the caller vouches for the vectors at both places.
        unsafe {
            for i in 0..T {
                let input = at.load(source, i);
                state[i] = if i + 1 == T && partial {
                    let keystream = u.last_round::<false, ROUNDS>(self.key, state[i], u.zero());
                    keep_block(u, keystream, last / 16, self.keystream);
                    u.xor(keystream, input)
                } else {
                    u.last_round::<false, ROUNDS>(self.key, state[i], input)
                };
            }
            for i in 0..T {
                at.store(destination, i, state[i]);
            }
        }
    }
}

/// CTR over any length; see [`CtrFn`](wirespeed_cipher::CtrFn).
#[inline(always)]
pub(crate) fn ctr<U: Unit, const ROUNDS: usize>(
    u: U,
    schedule: &Schedule,
    counter: &mut Block,
    keystream: &mut Block,
    data: InOut<'_>,
) {
    if data.len() == 16 {
        return one_block::<U, ROUNDS>(u, schedule, counter, data);
    }
    let mut rest = data;
    while !rest.is_empty() {
        let start = u128::from_be_bytes(*counter);
        // Vectors add within 32 bits: stop where the carry would leave them.
        let until_carry = 16 * ((1 << 32) - u64::from(start as u32));
        let bytes = rest.len().min(usize::try_from(until_carry).unwrap_or(usize::MAX));
        let (now, then) = rest.split_at(bytes);
        count::<U, ROUNDS, false>(u, schedule, start, keystream, now);
        *counter = start.wrapping_add(bytes.div_ceil(16) as u128).to_be_bytes();
        rest = then;
    }
}

/// A block by itself, as in a stream of single ones: what longer data make ready costs as much as its rounds.
#[inline(always)]
fn one_block<U: Unit, const ROUNDS: usize>(
    u: U,
    schedule: &Schedule,
    counter: &mut Block,
    data: InOut<'_>,
) {
    let one = u.single();
    let mut room = Room::EMPTY;
    let key = one.key::<false, ROUNDS>(schedule, &mut room, 16);
    let next = u128::from_be_bytes(*counter).wrapping_add(1);
    // SAFETY: the data are a block, and so is the counter.
    unsafe {
        let state = one.load(counter.as_ptr());
        // In one piece, as the next call reads it: two halves just written are slow to be read together.
        one.store(counter.as_mut_ptr(), one.splat(next.to_be_bytes()));
        let [state] = one.rounds::<false, ROUNDS, 1>(key, [state], &mut Idle);
        let input = one.load(data.source());
        one.store(data.destination(), one.last_round::<false, ROUNDS>(key, state, input));
    }
}

/// CTR whose counter is the first 32 bits; see [`LittleCtrFn`](wirespeed_cipher::LittleCtrFn).
#[inline(always)]
pub(crate) fn little<U: Unit, const ROUNDS: usize>(
    u: U,
    schedule: &Schedule,
    first: &Block,
    data: InOut<'_>,
) {
    let mut keystream = Wiped([0; 16]);
    count::<U, ROUNDS, true>(u, schedule, u128::from_le_bytes(*first), &mut keystream.0, data);
}

/// Data within which no carry leaves 32 bits.
#[inline(always)]
fn count<U: Unit, const ROUNDS: usize, const LITTLE: bool>(
    u: U,
    schedule: &Schedule,
    first: u128,
    keystream: &mut Block,
    data: InOut<'_>,
) {
    if data.len() <= 16 {
        let u = u.single();
        let mut room = Room::EMPTY;
        let key = u.key::<false, ROUNDS>(schedule, &mut room, data.len());
        let counters = Counters::new(u, first);
        run_one(&mut Ctr::<_, ROUNDS, LITTLE> { u, key, counters, keystream }, data);
    } else {
        let mut room = Room::EMPTY;
        let key = u.key::<false, ROUNDS>(schedule, &mut room, data.len());
        let counters = Counters::new(u, first);
        run(&mut Ctr::<U, ROUNDS, LITTLE> { u, key, counters, keystream }, data);
    }
}

/// Counter blocks, a wave at a time; their last 32 bits wrap, or with `LITTLE` their first.
pub(crate) struct Counters<U: Unit, const LITTLE: bool = false> {
    u: U,
    /// The next counters, one a block, each in little-endian order.
    next: U::V,
    /// The lowest 8 bits of the next counter.
    low: u32,
}

impl<U: Unit, const LITTLE: bool> Counters<U, LITTLE> {
    /// Begins at `first`.
    #[inline(always)]
    pub(crate) fn new(u: U, first: u128) -> Self {
        let next = u.add(u.splat(first.to_le_bytes()), 0, true);
        Self { u, next, low: first as u32 & 0xff }
    }

    /// The next `T` vectors of counter blocks.
    #[inline(always)]
    pub(crate) fn take<const T: usize>(&mut self) -> [U::V; T] {
        let u = self.u;
        let width = U::WIDTH as u32;
        let count = width * T as u32;
        let first = if LITTLE { self.next } else { u.swap_bytes(self.next) };
        let mut blocks = [first; T];
        if LITTLE {
            for i in 1..T {
                blocks[i] = u.add(self.next, width * i as u32, false);
            }
        } else if self.low + count <= 256 {
            // No carry out of the last byte: big-endian blocks can be added to as they are.
            for i in 1..T {
                blocks[i] = u.add_to_last_byte(first, (width * i as u32) as u8);
            }
        } else {
            for i in 1..T {
                blocks[i] = u.swap_bytes(u.add(self.next, width * i as u32, false));
            }
        }
        self.next = u.add(self.next, count, false);
        self.low = (self.low + count) & 0xff;
        blocks
    }
}

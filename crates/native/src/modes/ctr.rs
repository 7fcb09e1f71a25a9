//! CTR, SP 800-38A §6.5, with a 128-bit big-endian counter.

use wirespeed_cipher::{Block, InOut, Schedule};

use super::parallel::{Parallel, Vectors, run};
use crate::unit::{Idle, Unit};

struct Ctr<'k, U: Unit, const ROUNDS: usize> {
    u: U,
    key: &'k Schedule,
    /// The next counters, one a block, each in little-endian order.
    counters: U::V,
    /// Receives the keystream of a last partial block.
    keystream: &'k mut Block,
}

impl<U: Unit, const ROUNDS: usize> Parallel<U> for Ctr<'_, U, ROUNDS> {
    #[inline(always)]
    unsafe fn wave<const T: usize>(
        &mut self,
        source: *const u8,
        destination: *mut u8,
        last: usize,
    ) {
        let u = self.u;
        let at = Vectors { u, count: T, last };
        let width = U::WIDTH as u32;
        let mut state = [u.zero(); T];
        for i in 0..T {
            state[i] = u.swap_bytes(u.add(self.counters, width * i as u32, false));
        }
        self.counters = u.add(self.counters, width * T as u32, false);
        let partial = !last.is_multiple_of(16);
        state = u.encrypt::<ROUNDS, T>(self.key, state, &mut Idle);
        // SAFETY: the caller vouches for the vectors at both places.
        unsafe {
            for i in 0..T {
                let input = at.load(source, i);
                state[i] = if i + 1 == T && partial {
                    let keystream = u.encrypt_end::<ROUNDS>(self.key, state[i], u.zero());
                    keep_block(u, keystream, last / 16, self.keystream);
                    u.xor(keystream, input)
                } else {
                    u.encrypt_end::<ROUNDS>(self.key, state[i], input)
                };
            }
            for i in 0..T {
                at.store(destination, i, state[i]);
            }
        }
    }
}

/// Copies one block out of a vector.
#[inline(always)]
pub(crate) fn keep_block<U: Unit>(u: U, v: U::V, place: usize, block: &mut Block) {
    let mut blocks = [[0; 16]; 4];
    assert!(U::WIDTH <= 4);
    // SAFETY: a vector of at most four blocks fits.
    unsafe { u.store(blocks.as_mut_ptr().cast(), v) };
    *block = blocks[place & 3];
}

/// CTR over any length; see [`CtrFn`](wirespeed_cipher::CtrFn).
#[inline(always)]
pub(crate) fn ctr<U: Unit, const ROUNDS: usize>(
    u: U,
    key: &Schedule,
    counter: &mut Block,
    keystream: &mut Block,
    data: InOut<'_>,
) {
    let mut rest = data;
    while !rest.is_empty() {
        let start = u128::from_be_bytes(*counter);
        // Vectors add within 32 bits: stop where the carry would leave them.
        let until_carry = 16 * ((1 << 32) - u64::from(start as u32));
        let bytes = rest.len().min(usize::try_from(until_carry).unwrap_or(usize::MAX));
        let (now, then) = rest.split_at(bytes);
        let counters = first_counters(u, counter);
        run(&mut Ctr::<U, ROUNDS> { u, key, counters, keystream }, now);
        *counter = start.wrapping_add(bytes.div_ceil(16) as u128).to_be_bytes();
        rest = then;
    }
}

/// The counters of the first vector, in little-endian order.
#[inline(always)]
pub(crate) fn first_counters<U: Unit>(u: U, counter: &Block) -> U::V {
    u.add(u.swap_bytes(u.splat(*counter)), 0, true)
}

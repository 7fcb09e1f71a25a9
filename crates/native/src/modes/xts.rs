//! XTS over whole blocks, IEEE 1619 §5.3 and §5.4.

use wirespeed_cipher::{Block, InOut, Schedule};

use super::parallel::{Parallel, Vectors, keep_block, run};
use crate::unit::{Unit, Work};

struct Xts<'k, U: Unit, const ROUNDS: usize, const DECRYPT: bool> {
    u: U,
    key: &'k Schedule,
    /// The tweaks of the next wave.
    tweaks: [U::V; 8],
    /// Receives the tweak after the last block, if that is wanted.
    next: Option<&'k mut Block>,
}

impl<U: Unit, const ROUNDS: usize, const DECRYPT: bool> Parallel<U>
    for Xts<'_, U, ROUNDS, DECRYPT>
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
        let tweaks = self.tweaks;
        // SAFETY: the caller vouches for the vectors at both places.
        unsafe {
            let mut state = [u.zero(); T];
            for i in 0..T {
                state[i] = u.xor(at.load(source, i), tweaks[i]);
            }
            let mut work = NextWave::<U, T> { u, tweaks };
            if DECRYPT {
                state = u.decrypt::<ROUNDS, T>(self.key, state, &mut work);
                for i in 0..T {
                    let output = u.decrypt_end::<ROUNDS>(self.key, state[i], tweaks[i]);
                    at.store(destination, i, output);
                }
            } else {
                state = u.encrypt::<ROUNDS, T>(self.key, state, &mut work);
                for i in 0..T {
                    let output = u.encrypt_end::<ROUNDS>(self.key, state[i], tweaks[i]);
                    at.store(destination, i, output);
                }
            }
            self.tweaks = work.tweaks;
        }
        if T == U::FLIGHT && last == U::BYTES {
            return;
        }
        if let Some(next) = &mut self.next {
            let (v, place) =
                if last == U::BYTES { (tweaks[T % 8], 0) } else { (tweaks[T - 1], last / 16) };
            keep_block(u, v, place, next);
        }
    }
}

/// Moves the tweaks on by a wave, between the rounds of a full one.
struct NextWave<U: Unit, const T: usize> {
    u: U,
    tweaks: [U::V; 8],
}

impl<U: Unit, const T: usize> Work for NextWave<U, T> {
    const BUSY: bool = T == U::FLIGHT;

    #[inline(always)]
    fn after(&mut self, round: usize) {
        if T == U::FLIGHT && round <= T {
            let u = self.u;
            let tweak = self.tweaks[round - 1];
            // Times x for every block in flight.
            let reduced = u.multiply::<false, false>(u.shifted_out(tweak), u.splat(POLYNOMIAL));
            self.tweaks[round - 1] = u.pin(u.xor(u.shift_up(tweak), reduced));
        }
    }
}

/// x^7 + x^2 + x + 1, what x^128 is.
const POLYNOMIAL: Block = [0x87, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Multiplies each block by x^`power`, plus its place, in GF(2^128); `power` is below 61.
#[inline(always)]
fn times_x<U: Unit>(u: U, v: U::V, power: u32) -> U::V {
    let out = u.shift_right_rest(v, power);
    let reduced = u.multiply::<true, false>(out, u.splat(POLYNOMIAL));
    u.xor3(u.shift_left(v, power), u.low_to_high(out), reduced)
}

/// XTS over whole blocks; see [`XtsFn`](wirespeed_cipher::XtsFn).
#[inline(always)]
pub(crate) fn xts<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    key: &Schedule,
    tweak: &mut Block,
    data: InOut<'_>,
    go_on: bool,
) {
    let whole = data.len() & !15;
    let first = u.splat(*tweak);
    let mut tweaks = [first; 8];
    eight_times!(|I| {
        if I < U::FLIGHT {
            tweaks[I] = times_x(u, first, (U::WIDTH * I) as u32);
        }
    });
    let next = go_on.then_some(tweak);
    let mut mode = Xts::<U, ROUNDS, DECRYPT> { u, key, tweaks, next };
    run(&mut mode, data.split_at(whole).0);
    if whole.is_multiple_of(U::FLIGHT * U::BYTES)
        && let Some(next) = mode.next
    {
        keep_block(u, mode.tweaks[0], 0, next);
    }
}

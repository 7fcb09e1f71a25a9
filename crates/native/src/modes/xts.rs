//! XTS over whole blocks, IEEE 1619 §5.3 and §5.4.

use wirespeed_cipher::{Block, InOut, Schedule};

use super::ctr::keep_block;
use super::parallel::{Parallel, Vectors, run};
use crate::unit::{Idle, Unit};

struct Xts<'k, U: Unit, const ROUNDS: usize, const DECRYPT: bool> {
    u: U,
    key: &'k Schedule,
    /// The tweaks of the next eight vectors.
    tweaks: [U::V; 8],
    /// Receives the tweak after the last block.
    next: &'k mut Block,
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
            if DECRYPT {
                state = u.decrypt::<ROUNDS, T>(self.key, state);
                for i in 0..T {
                    let output = u.decrypt_end::<ROUNDS>(self.key, state[i], tweaks[i]);
                    at.store(destination, i, output);
                }
            } else {
                state = u.encrypt::<ROUNDS, T>(self.key, state, &mut Idle);
                for i in 0..T {
                    let output = u.encrypt_end::<ROUNDS>(self.key, state[i], tweaks[i]);
                    at.store(destination, i, output);
                }
            }
        }
        if T == 8 && last == U::BYTES {
            for tweak in &mut self.tweaks {
                *tweak = times_x(u, *tweak, 8 * U::WIDTH as u32);
            }
        } else if last == U::BYTES {
            keep_block(u, tweaks[T % 8], 0, self.next);
        } else {
            keep_block(u, tweaks[T - 1], last / 16, self.next);
        }
    }
}

/// Multiplies each block by x^`power` in GF(2^128) with the polynomial 87h, `power` at most 57.
#[inline(always)]
fn times_x<U: Unit>(u: U, v: U::V, power: u32) -> U::V {
    let mut polynomial = [0; 16];
    polynomial[0] = 0x87;
    let out = u.shift_right(v, 64 - power);
    let reduced = u.multiply::<true, false>(out, u.splat(polynomial));
    u.xor3(u.shift_left(v, power), u.low_to_high(out), reduced)
}

/// XTS over whole blocks; see [`XtsFn`](wirespeed_cipher::XtsFn).
#[inline(always)]
pub(crate) fn xts<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    key: &Schedule,
    tweak: &mut Block,
    data: InOut<'_>,
) {
    let whole = data.len() & !15;
    if whole == 0 {
        return;
    }
    let (data, _) = data.split_at(whole);
    let mut blocks = [[0; 16]; 4];
    let mut value = u128::from_le_bytes(*tweak);
    for block in &mut blocks {
        *block = value.to_le_bytes();
        value = (value << 1) ^ (((value as i128 >> 127) as u128) & 0x87);
    }
    assert!(U::WIDTH <= 4);
    // SAFETY: four blocks hold a vector.
    let first = unsafe { u.load(blocks.as_ptr().cast()) };
    let mut tweaks = [first; 8];
    for i in 1..8 {
        tweaks[i] = times_x(u, first, (U::WIDTH * i) as u32);
    }
    let mut mode = Xts::<U, ROUNDS, DECRYPT> { u, key, tweaks, next: tweak };
    run(&mut mode, data);
    if whole.is_multiple_of(8 * U::BYTES) {
        keep_block(u, mode.tweaks[0], 0, mode.next);
    }
}

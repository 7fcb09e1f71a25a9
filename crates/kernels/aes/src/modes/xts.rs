//! XTS, IEEE 1619 §5.3 and §5.4: data units with ciphertext stealing.

use wirespeed_cipher::{Block, InOut, Schedule};

use super::parallel::{Parallel, Vectors, keep_block, run, run_one};
use crate::unit::{Idle, One, Room, Unit, Vector, Work};

/// A data unit being processed.
struct Xts<'k, U: Unit, const ROUNDS: usize, const DECRYPT: bool> {
    u: U,
    key: U::Key<'k>,
    /// The tweak of the data unit's first block, in every place.
    first: U::V,
    /// The tweaks of the next wave; not set yet in a data unit of less than one.
    tweaks: [U::V; 8],
    /// Receives the tweak after the last block, if that is wanted.
    next: Option<&'k mut Block>,
    short: bool,
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
        let full = T == U::FLIGHT && last == U::BYTES;
        if !full && self.short {
            // Those of this wave, and the one after.
            let needed = U::FLIGHT.min(T + 1);
            self.tweaks = first_tweaks(u, self.first, needed);
        }
        let tweaks = self.tweaks;
        // SAFETY: the caller vouches for the vectors at both places.
        unsafe {
            let mut state = [u.zero(); T];
            for i in 0..T {
                state[i] = u.xor(at.load(source, i), tweaks[i]);
            }
            let number = u.number(tweaks[U::FLIGHT - 1]);
            let mut work = NextWave::<U, T> { u, tweaks, number };
            state = u.rounds::<DECRYPT, ROUNDS, T>(self.key, state, &mut work);
            for i in 0..T {
                let output = u.last_round::<DECRYPT, ROUNDS>(self.key, state[i], tweaks[i]);
                at.store(destination, i, output);
            }
            self.tweaks = work.tweaks;
        }
        if !full && let Some(next) = &mut self.next {
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
    /// The last tweak, and then the last of the next wave, for a unit that makes them by integers.
    number: u128,
}

impl<U: Unit, const T: usize> Work for NextWave<U, T> {
    const BUSY: bool = T == U::FLIGHT;

    #[inline(always)]
    fn after(&mut self, round: usize) {
        if T == U::FLIGHT && round <= T {
            let u = self.u;
            let next = next_tweak(u, self.tweaks[round - 1], &mut self.number);
            self.tweaks[round - 1] = u.pin(next);
        }
    }
}

/// The tweaks of a data unit's first blocks: those of `needed` vectors.
#[inline(always)]
fn first_tweaks<U: Unit>(u: U, first: U::V, needed: usize) -> [U::V; 8] {
    let (mut tweaks, mut next, mut number) = ([first; 8], first, u.number(first));
    eight_times!(|I| {
        if I < needed && U::TWEAKS_BY_INTEGERS {
            tweaks[I] = next;
            next = next_tweak(u, next, &mut number);
        } else if I < needed {
            tweaks[I] = times_x(u, first, (U::WIDTH * I) as u32);
        }
    });
    tweaks
}

/// A tweak of the next flight, from that in its place of this one; or, where integers make them, the one behind `number`,
/// which becomes it.
#[inline(always)]
fn next_tweak<U: Unit>(u: U, v: U::V, number: &mut u128) -> U::V {
    if U::TWEAKS_BY_INTEGERS {
        // IEEE 1619 §5.2: times x modulo x^128 + x^7 + x^2 + x + 1.
        let carried = (*number as i128 >> 127) as u128 & 0x87;
        *number = *number << 1 ^ carried;
        return u.of_number(*number);
    }
    u.xor(u.shift_up(v), u.carry::<false>(u.shifted_out(v)))
}

/// Multiplies each block by x^`power`, plus its place, in GF(2^128); `power` is below 61.
#[inline(always)]
fn times_x<U: Unit>(u: U, v: U::V, power: u32) -> U::V {
    let out = u.shift_right_rest(v, power);
    u.xor3(u.shift_left(v, power), u.low_to_high(out), u.carry::<true>(out))
}

/// XTS over a data unit; see [`XtsFn`](wirespeed_cipher::XtsFn).
#[inline(always)]
pub(crate) fn xts<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    tweak: &Block,
    mut data: InOut<'_>,
) {
    if data.len() < 16 {
        return;
    }
    let odd = data.len() % 16;
    if odd == 0 {
        blocks::<U, ROUNDS, DECRYPT>(u, schedule, tweak, data, None);
        return;
    }
    // Encryption may take the last full block along with the rest, decryption may not: its tweak comes
    // after the partial block's.
    let body_bytes = data.len() - odd - if DECRYPT { 16 } else { 0 };
    let mut next = *tweak;
    if body_bytes > 0 {
        let (body, _) = data.reborrow().split_at(body_bytes);
        blocks::<U, ROUNDS, DECRYPT>(u, schedule, tweak, body, Some(&mut next));
    }
    let end_at = data.len() - odd - 16;
    let (_, end) = data.split_at(end_at);
    steal::<U::Single, ROUNDS, DECRYPT>(u.single(), schedule, &next, end);
}

/// Whole blocks; gives the tweak after them if that is wanted.
#[inline(always)]
fn blocks<U: Unit, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    tweak: &Block,
    data: InOut<'_>,
    next: Option<&mut Block>,
) {
    let whole = data.len();
    if whole == 16 {
        let u = u.single();
        let mut room = Room::EMPTY;
        let key = u.key::<DECRYPT, ROUNDS>(schedule, &mut room, 16);
        let first = u.splat(*tweak);
        let tweaks = [first; 8];
        if let Some(next) = next {
            // SAFETY: a block is writable.
            unsafe { u.store(next.as_mut_ptr(), times_x(u, first, 1)) };
        }
        let mut mode =
            Xts::<_, ROUNDS, DECRYPT> { u, key, first, tweaks, next: None, short: false };
        run_one(&mut mode, data);
        return;
    }
    let mut room = Room::EMPTY;
    let key = u.key::<DECRYPT, ROUNDS>(schedule, &mut room, whole);
    let first = u.splat(*tweak);
    let mut tweaks = [first; 8];
    let short = whole < U::FLIGHT * U::BYTES;
    if !short {
        tweaks = first_tweaks(u, first, U::FLIGHT);
    }
    let mut mode = Xts::<U, ROUNDS, DECRYPT> { u, key, first, tweaks, next, short };
    run(&mut mode, data);
    if whole.is_multiple_of(U::FLIGHT * U::BYTES)
        && let Some(next) = mode.next
    {
        keep_block(u, mode.tweaks[0], 0, next);
    }
}

/// The last full block, which encryption has already processed, and the partial block after it: the
/// partial result is the head of the full block's; its missing end is encrypted along with the partial
/// input, in the full block's place. `tweak` is the next in line.
#[inline(always)]
fn steal<U: One, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    tweak: &Block,
    data: InOut<'_>,
) {
    let odd = data.len() - 16;
    let mut room = Room::EMPTY;
    let key = u.key::<DECRYPT, ROUNDS>(schedule, &mut room, 16);
    let tweak = u.splat(*tweak);
    // SAFETY: there are 16 + `odd` bytes, and all is read before it is written.
    unsafe {
        let head = if DECRYPT {
            block::<U, ROUNDS, DECRYPT>(u, key, u.load(data.source()), times_x(u, tweak, 1))
        } else {
            u.load(data.destination())
        };
        let partial = u.load_first(data.source().add(16), odd);
        let stolen = u.xor(head, u.keep_first(head, odd));
        let full = block::<U, ROUNDS, DECRYPT>(u, key, u.xor(partial, stolen), tweak);
        u.store(data.destination(), full);
        u.store_first(data.destination().add(16), head, odd);
    }
}

/// One block between two additions of its tweak.
#[inline(always)]
fn block<U: One, const ROUNDS: usize, const DECRYPT: bool>(
    u: U,
    key: U::Key<'_>,
    v: U::V,
    tweak: U::V,
) -> U::V {
    let [state] = u.rounds::<DECRYPT, ROUNDS, 1>(key, [u.xor(v, tweak)], &mut Idle);
    u.last_round::<DECRYPT, ROUNDS>(key, state, tweak)
}

//! ChaCha20's keystream (RFC 8439 §2.3): waves of sets of blocks, and the rounds that make them.

use std::mem::MaybeUninit;

use wirespeed_cipher::{Counter, StreamKey};
use zeroize::optimization_barrier;

use crate::{BLOCK, Rows};

/// What can be done between the rounds of a wave, in parts.
pub(crate) trait Work {
    /// Parts behind each double round.
    const EACH: usize;
    /// And behind every second one but the last.
    const MORE: usize;
    /// Parts in all.
    const PARTS: usize = Self::EACH * DOUBLE_ROUNDS + Self::MORE * PAIRS;

    /// Does so many parts.
    ///
    /// # Safety
    /// So many are left.
    unsafe fn parts(&mut self, count: usize);
}

/// Nothing to do between the rounds.
pub(crate) struct Idle;

impl Work for Idle {
    const EACH: usize = 0;
    const MORE: usize = 0;

    #[inline(always)]
    unsafe fn parts(&mut self, _count: usize) {}
}

/// Keystream of one wave.
#[repr(C, align(64))]
pub(crate) struct Keystream([MaybeUninit<u8>; Self::LONGEST]);

impl Keystream {
    /// Eight sets of four blocks.
    const LONGEST: usize = 32 * BLOCK;

    #[inline(always)]
    pub(crate) const fn new() -> Self {
        Self([MaybeUninit::uninit(); Self::LONGEST])
    }

    #[inline(always)]
    pub(crate) fn at(&mut self, place: usize) -> *mut u8 {
        debug_assert!(place <= self.0.len());
        // SAFETY: all callers stay inside, as they compute what they use from the same lengths.
        unsafe { self.0.as_mut_ptr().cast::<u8>().add(place) }
    }

    /// Wipes the sets that a call has made, with the stores that made them.
    #[inline(always)]
    pub(crate) fn wipe<U: Rows>(&mut self, unit: U, sets: usize) {
        let zero = unit.splat([0; 4]);
        // SAFETY: so many sets were here.
        unsafe {
            for i in 0..sets {
                let place = self.at(i * U::BLOCKS * BLOCK);
                unit.store::<false>([zero; 4], U::BLOCKS, place, place);
            }
        }
        optimization_barrier(self);
    }
}

/// RFC 8439 §2.3: "expand 32-byte k".
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The four rows of the first matrix.
#[inline(always)]
fn matrix(key: &StreamKey, counter: Counter) -> [[u32; 4]; 4] {
    let (words, _) = key.as_chunks::<4>();
    let word = |i: usize| u32::from_le_bytes(words[i]);
    let row = |i: usize| [word(i), word(i + 1), word(i + 2), word(i + 3)];
    [CONSTANTS, row(0), row(4), counter]
}

/// Double rounds (RFC 8439 §2.3).
const DOUBLE_ROUNDS: usize = 10;
/// All pairs of them but the last.
const PAIRS: usize = DOUBLE_ROUNDS / 2 - 1;

/// The steps of the quarter rounds of all sets: a sum, and another row that it is added to and turned. Two sets take
/// turns: with all sums before all else Zen 4 took 5 % longer.
macro_rules! steps {
    ($unit:ident, $x:ident, $n:ident: $($sum:literal $by:literal $other:literal $left:literal),*) => {
        $(
            for first in (0..$n).step_by(2) {
                let pair = first..$n.min(first + 2);
                for i in pair.clone() {
                    $x[i][$sum] = $unit.add($x[i][$sum], $x[i][$by]);
                }
                for i in pair.clone() {
                    $x[i][$other] = $unit.xor($x[i][$other], $x[i][$sum]);
                }
                for i in pair {
                    $x[i][$other] = $unit.rotate::<$left>($x[i][$other]);
                }
            }
        )*
    };
}

/// Brings diagonals below one another, or back: turns the first row of all matrices by `THREE` places, the third by `ONE`,
/// which with `THREE` makes four, and the fourth by two. The second row, which the others wait for, stays. Of columns it is
/// the vectors that change places.
#[inline(always)]
fn turn_rows<U: Rows, const N: usize, const ONE: i32, const THREE: i32>(
    unit: U,
    columns: usize,
    x: &mut [[U::V; 4]; N],
) {
    let before = *x;
    for i in 0..columns {
        let of_four = |places: usize| (i & !3) + (i + places) % 4;
        x[i][0] = before[of_four(THREE as usize)][0];
        x[i][2] = before[of_four(ONE as usize)][2];
        x[i][3] = before[of_four(2)][3];
    }
    for i in columns..N {
        x[i][0] = unit.turn::<THREE>(x[i][0]);
        x[i][2] = unit.turn::<ONE>(x[i][2]);
        x[i][3] = unit.turn::<2>(x[i][3]);
    }
}

/// A round on columns, and one on diagonals (RFC 8439 §2.3).
#[inline(always)]
fn double_round<U: Rows, const N: usize>(unit: U, columns: usize, x: &mut [[U::V; 4]; N]) {
    steps!(unit, x, N: 0 1 3 16, 2 3 1 12, 0 1 3 8, 2 3 1 7);
    turn_rows::<U, N, 1, 3>(unit, columns, x);
    steps!(unit, x, N: 0 1 3 16, 2 3 1 12, 0 1 3 8, 2 3 1 7);
    turn_rows::<U, N, 3, 1>(unit, columns, x);
}

/// Writes `N` sets of blocks to `to`; the final one is truncated to `last` blocks (RFC 8439 §2.3.1). With `ADD` what lies
/// at `from` is added.
///
/// # Safety
/// So many blocks are writable at `to`, and if `ADD` readable at `from`, which may be the same; `last` is no more than a
/// set's; no part of `work` is done.
#[inline(always)]
pub(crate) unsafe fn wave<U: Rows, W: Work, const N: usize, const ADD: bool>(
    unit: U,
    first: &[U::V; 4],
    number: u32,
    last: usize,
    from: *const u8,
    to: *mut u8,
    work: &mut W,
) {
    let columns = if U::COLUMNS { N & !3 } else { 0 };
    let mut x = [*first; N];
    for i in 0..N {
        x[i][3] = unit.number(first[3], number.wrapping_add((i * U::BLOCKS) as u32));
    }
    let mut counters = [first[3]; N];
    for i in 0..N {
        counters[i] = x[i][3];
    }
    for four in (0..columns).step_by(4) {
        for row in 0..4 {
            x[four][row] = unit.word::<0>(first[row]);
            x[four + 1][row] = unit.word::<1>(first[row]);
            x[four + 2][row] = unit.word::<2>(first[row]);
            x[four + 3][row] = unit.word::<3>(first[row]);
        }
        let number = number.wrapping_add((four * U::BLOCKS) as u32);
        x[four][3] = unit.number_columns(x[four][3], number);
    }
    let pairs = if W::MORE > 0 { PAIRS } else { 0 };
    for _ in 0..pairs {
        double_round(unit, columns, &mut x);
        // SAFETY: these and those below are all there are.
        unsafe { work.parts(W::EACH + W::MORE) };
        double_round(unit, columns, &mut x);
        // SAFETY: as above.
        unsafe { work.parts(W::EACH) };
    }
    for _ in 2 * pairs..DOUBLE_ROUNDS {
        double_round(unit, columns, &mut x);
        // SAFETY: as above.
        unsafe { work.parts(W::EACH) };
    }
    for four in (0..columns).step_by(4) {
        for row in 0..4 {
            let words = [x[four][row], x[four + 1][row], x[four + 2][row], x[four + 3][row]];
            let sets = unit.gather(words);
            for i in 0..4 {
                x[four + i][row] = sets[i];
            }
        }
    }
    for i in 0..N {
        let rows = [
            unit.add(x[i][0], first[0]),
            unit.add(x[i][1], first[1]),
            unit.add(x[i][2], first[2]),
            unit.add(x[i][3], counters[i]),
        ];
        let place = i * U::BLOCKS * BLOCK;
        let blocks = if i + 1 < N { U::BLOCKS } else { last };
        // SAFETY: set by set, within what the caller vouches for; `from` is only looked at if it counts.
        unsafe { unit.store::<ADD>(rows, blocks, from.wrapping_add(place), to.add(place)) };
    }
}

/// As many blocks as asked for, at most those of a flight.
///
/// # Safety
/// As for [`wave`].
#[inline(always)]
pub(crate) unsafe fn sets<U: Rows, const ADD: bool>(
    unit: U,
    blocks: usize,
    first: &[U::V; 4],
    number: u32,
    from: *const u8,
    to: *mut u8,
) {
    let count = blocks.div_ceil(U::BLOCKS);
    let last = blocks - count.saturating_sub(1) * U::BLOCKS;
    // SAFETY: the caller vouches for the room.
    unsafe {
        macro_rules! wave {
            ($sets:literal) => {
                wave::<U, _, $sets, ADD>(unit, first, number, last, from, to, &mut Idle)
            };
        }
        match count {
            0 => {}
            1 => wave!(1),
            2 if U::FLIGHT >= 2 => wave!(2),
            3 if U::FLIGHT >= 3 => wave!(3),
            4 if U::FLIGHT >= 4 => wave!(4),
            5 if U::FLIGHT >= 5 => wave!(5),
            6 if U::FLIGHT >= 6 => wave!(6),
            7 if U::FLIGHT >= 7 => wave!(7),
            8 if U::FLIGHT >= 8 => wave!(8),
            _ => unreachable!("more than a flight"),
        }
    }
}

/// A whole flight with work between its rounds.
///
/// # Safety
/// As for [`wave`].
#[inline(always)]
pub(crate) unsafe fn flight_with<U: Rows, const ADD: bool>(
    unit: U,
    first: &[U::V; 4],
    number: u32,
    from: *const u8,
    to: *mut u8,
    work: &mut impl Work,
) {
    // SAFETY: the caller vouches for it.
    unsafe {
        match U::FLIGHT {
            6 => wave::<U, _, 6, ADD>(unit, first, number, U::BLOCKS, from, to, work),
            _ => unreachable!("no other unit asks for it"),
        }
    }
}

/// How many of the blocks that are left go into the next wave. Up to three sets by themselves take nearly as long as four,
/// so where no more would be left for the last wave the last two share.
#[inline(always)]
pub(crate) fn flight<U: Rows>(left: usize) -> usize {
    let most = U::FLIGHT * U::BLOCKS;
    let shared = left > most && left <= most + 3 * U::BLOCKS && U::FLIGHT > 4;
    if shared { 4 * U::BLOCKS } else { left.min(most) }
}

/// The vectors that all waves of a call begin from.
#[inline(always)]
pub(crate) fn rows<U: Rows>(unit: U, key: &StreamKey, counter: Counter) -> [U::V; 4] {
    let [a, b, c, d] = matrix(key, counter);
    [unit.splat(a), unit.splat(b), unit.splat(c), unit.splat(d)]
}

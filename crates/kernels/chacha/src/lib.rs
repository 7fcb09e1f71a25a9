//! ChaCha20 and Poly1305 (RFC 8439), written once for every vector width.
//!
//! A vector holds one row of the matrices of several blocks, so a round needs no gathering, and a quarter of
//! all rows at once is the unit of work: a message of a few bytes costs one set of four vectors, a long one
//! keeps several sets in flight.
//!
//! Poly1305 runs before each wave: in eight lanes by IFMA, in four by products of 32 bits, or in integers. On ARM the
//! integers go between the rounds; on x86 that was no faster. Every four sets stand as columns, so that their rounds turn
//! nothing.

#![cfg_attr(
    not(target_feature = "sse2"),
    allow(dead_code, unused_imports, reason = "part of it is for vector units alone")
)]
#![allow(
    clippy::needless_range_loop,
    reason = "one index walks several arrays of vectors; an iterator's closures would miss the features"
)]

mod arch;
mod poly1305;
mod portable;
mod proof;
mod seal;

use std::mem::MaybeUninit;

use wirespeed_cipher::{Counter, InOut, Poly1305, Route, StreamBlock, StreamKernels, StreamKey};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;
use zeroize::optimization_barrier;

pub use proof::{prove_stream, self_test_stream};

/// ChaCha20 and Poly1305 by a route, if `features` allow it.
pub fn kernels(route: Route, features: Features) -> Result<&'static StreamKernels, Absent> {
    if route == Route::Portable { Ok(&portable::KERNELS) } else { arch::kernels(route, features) }
}

/// Bytes in a block of ChaCha20.
const BLOCK: usize = 64;

/// One machine's way to work on a row of the matrices of several blocks.
pub(crate) trait Rows: Copy {
    /// A row of [`Self::BLOCKS`] matrices.
    type V: Copy;
    /// How this machine hashes.
    type Hash: Hash;
    /// Matrices whose rows are in one vector.
    const BLOCKS: usize;
    /// Sets of four rows worked on side by side at most; 1 to 8.
    const FLIGHT: usize;
    /// Whether Poly1305 goes between the rounds of whole flights, as a core that looks ahead for few instructions wants it.
    const STITCHED: bool = false;
    /// The unit that makes one set of blocks, or less, in the least time: one with shorter vectors, or itself.
    type Narrow: Rows;

    /// The same machine's.
    fn narrow(self) -> Self::Narrow;

    /// The same row for each matrix.
    fn splat(self, row: [u32; 4]) -> Self::V;
    /// Adds `count` to the first word of each row, plus the place of its matrix.
    fn number(self, v: Self::V, count: u32) -> Self::V;
    /// Sums of words.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// Exclusive or.
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// Rotates each word to the left.
    fn rotate<const LEFT: i32>(self, v: Self::V) -> Self::V;
    /// Moves each row's words by so many places to the front; what falls out comes in behind.
    fn turn<const PLACES: i32>(self, v: Self::V) -> Self::V;
    /// Whether [`wave`] holds every four sets as columns: in a vector one word of all their matrices. A round then turns
    /// nothing, but the matrices must be brought together at its end.
    const COLUMNS: bool = false;
    /// The word at a place of each row in all of its places.
    fn word<const PLACE: i32>(self, _v: Self::V) -> Self::V {
        unreachable!("for columns")
    }
    /// Adds `count` to each word, plus the number of its matrix among those of four sets.
    fn number_columns(self, _v: Self::V, _count: u32) -> Self::V {
        unreachable!("for columns")
    }
    /// One row of four sets, as its four words in columns: as a vector for each set.
    fn gather(self, _words: [Self::V; 4]) -> [Self::V; 4] {
        unreachable!("for columns")
    }
    /// Writes the first matrices of a set, one after another; if `ADD`, what lies at `from` is added to them.
    ///
    /// # Safety
    /// `blocks` times 64 bytes are writable at `to`, and if `ADD` readable at `from`, which may be the same; there are so
    /// many in a set.
    unsafe fn store<const ADD: bool>(
        self,
        rows: [Self::V; 4],
        blocks: usize,
        from: *const u8,
        to: *mut u8,
    );
    /// Adds `count` bytes of keystream to as many bytes at `from`.
    ///
    /// # Safety
    /// `keystream` is readable up to the next multiple of 64; `from` is readable and `to` writable for
    /// `count` bytes. The last two may be the same.
    unsafe fn combine(self, keystream: *const u8, from: *const u8, to: *mut u8, count: usize);
}

/// Poly1305 by strides of several blocks.
pub(crate) trait Hash: Copy {
    /// Bytes in a stride: a power of two.
    const STRIDE: usize;
    /// From how many bytes on strides are worth their preparation; at least one stride.
    const WORTH: usize;
    /// Strides that it begins with: one or none.
    const FIRST: usize;

    /// Goes on from a hash, with [`Self::FIRST`] strides.
    ///
    /// # Safety
    /// So many are readable at `from`.
    unsafe fn open(poly1305: &Poly1305, from: *const u8) -> Self;
    /// Goes on with the strides at `from`, of which there are so many, at least one. Gives how many are done with, at least
    /// one.
    ///
    /// # Safety
    /// So many are readable at `from`.
    unsafe fn some(&mut self, from: *const u8, strides: usize) -> usize;
    /// Leaves the hash behind.
    fn close(&self, poly1305: &mut Poly1305);
}

/// What can be done between the rounds of a wave: behind so many of its double rounds.
pub(crate) trait Work {
    /// Double rounds that it follows.
    const ROUNDS: usize;
    /// Does a part of it.
    ///
    /// # Safety
    /// Not so many parts are done yet.
    unsafe fn after_round(&mut self);
}

/// Nothing to do between the rounds.
struct Idle;

impl Work for Idle {
    const ROUNDS: usize = 0;

    #[inline(always)]
    unsafe fn after_round(&mut self) {}
}

/// Keystream of one wave.
#[repr(C, align(64))]
struct Keystream([MaybeUninit<u8>; Self::LONGEST]);

impl Keystream {
    /// Eight sets of four blocks.
    const LONGEST: usize = 32 * BLOCK;

    #[inline(always)]
    const fn new() -> Self {
        Self([MaybeUninit::uninit(); Self::LONGEST])
    }

    #[inline(always)]
    fn at(&mut self, place: usize) -> *mut u8 {
        debug_assert!(place <= self.0.len());
        // SAFETY: all callers stay inside, as they compute what they use from the same lengths.
        unsafe { self.0.as_mut_ptr().cast::<u8>().add(place) }
    }

    /// Wipes the sets that a call has made, with the stores that made them.
    #[inline(always)]
    fn wipe<U: Rows>(&mut self, unit: U, sets: usize) {
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
unsafe fn wave<U: Rows, W: Work, const N: usize, const ADD: bool>(
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
    for _ in 0..W::ROUNDS {
        double_round(unit, columns, &mut x);
        // SAFETY: no more often than that.
        unsafe { work.after_round() };
    }
    for _ in W::ROUNDS..DOUBLE_ROUNDS {
        double_round(unit, columns, &mut x);
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
unsafe fn sets<U: Rows, const ADD: bool>(
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
unsafe fn flight_with<U: Rows, const ADD: bool>(
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
fn flight<U: Rows>(left: usize) -> usize {
    let most = U::FLIGHT * U::BLOCKS;
    let shared = left > most && left <= most + 3 * U::BLOCKS && U::FLIGHT > 4;
    if shared { 4 * U::BLOCKS } else { left.min(most) }
}

/// The vectors that all waves of a call begin from.
#[inline(always)]
fn rows<U: Rows>(unit: U, key: &StreamKey, counter: Counter) -> [U::V; 4] {
    let [a, b, c, d] = matrix(key, counter);
    [unit.splat(a), unit.splat(b), unit.splat(c), unit.splat(d)]
}

/// See [`wirespeed_cipher::ChaCha20Fn`].
#[inline(always)]
pub(crate) fn chacha20<U: Rows>(
    unit: U,
    key: &StreamKey,
    counter: &mut Counter,
    keystream: &mut StreamBlock,
    data: InOut<'_>,
) {
    if U::Narrow::BLOCKS < U::BLOCKS && data.len() <= U::BLOCKS * BLOCK {
        add_keystream(unit.narrow(), key, counter, keystream, data);
    } else {
        add_keystream(unit, key, counter, keystream, data);
    }
}

#[inline(always)]
fn add_keystream<U: Rows>(
    unit: U,
    key: &StreamKey,
    counter: &mut Counter,
    keystream: &mut StreamBlock,
    data: InOut<'_>,
) {
    let first = rows(unit, key, *counter);
    let (from, to, total) = (data.source(), data.destination(), data.len());
    let (set, mut done) = (U::BLOCKS * BLOCK, 0);
    if total <= set && total.is_multiple_of(BLOCK) {
        // Apart from the others, for whose columns much would be made ready.
        // SAFETY: the data are so many blocks of a set.
        unsafe { wave::<U, _, 1, true>(unit, &first, 0, total / BLOCK, from, to, &mut Idle) };
        done = total;
    }
    while total - done >= U::FLIGHT * set || (done < total && (total - done).is_multiple_of(BLOCK))
    {
        let blocks = flight::<U>((total - done) / BLOCK);
        // SAFETY: whole blocks of what is left of the data.
        unsafe {
            let (number, from, to) = ((done / BLOCK) as u32, from.add(done), to.add(done));
            sets::<U, true>(unit, blocks, &first, number, from, to);
        }
        done += blocks * BLOCK;
    }
    // A part of a block takes the way through memory, and what comes before it with it: two waves take longer than one.
    if done < total {
        let (mut buffer, bytes) = (Keystream::new(), total - done);
        let count = bytes.div_ceil(set);
        // SAFETY: a wave fits the buffer; bytes from `done` on are within the data.
        unsafe {
            let (room, number) = (buffer.at(0), (done / BLOCK) as u32);
            sets::<U, false>(unit, count * U::BLOCKS, &first, number, room, room);
            unit.combine(room, from.add(done), to.add(done), bytes);
            let last = buffer.at(bytes & !(BLOCK - 1));
            keystream.as_mut_ptr().copy_from(last, BLOCK);
        }
        buffer.wipe(unit, count);
    }
    counter[0] = counter[0].wrapping_add(total.div_ceil(BLOCK) as u32);
}

/// Defines `KERNELS` in the current module, compiled with the unit's target features.
///
/// The functions are safe to call because the table is only reached with the unit's proof in hand.
macro_rules! table_of {
    ($route:expr, $suits_every_call:literal, $unit:ty, $make:expr $(, $features:literal)?) => {
        use wirespeed_cipher::{Block, Counter, StreamBlock, StreamKernels};

        $crate::hashing_of!($unit, $make $(, $features)?);

        wirespeed_kernels_core::entries! { [$($features)?]
            fn chacha20[][]
                (key: &StreamKey, counter: &mut Counter, last: &mut StreamBlock, data: InOut<'_>)
                { $crate::chacha20::<$unit>($make, key, counter, last, data) }
            fn one_time_key[][](key: &StreamKey, state: &mut SealState)
                { $crate::seal::one_time_key::<$unit>($make, key, state) }
        }

        fn poly1305_tag(poly1305: &Poly1305, last: &[u8]) -> Block {
            $crate::poly1305::tag(poly1305, last)
        }

        pub(crate) static KERNELS: StreamKernels = StreamKernels {
            route: $route,
            suits_every_call: $suits_every_call,
            chacha20,
            one_time_key,
            poly1305,
            poly1305_tag,
            seal: [seal::<false>, seal::<true>],
        };
    };
}

pub(crate) use table_of;

/// Of those functions the ones that hash.
macro_rules! hashing_of {
    ($unit:ty, $make:expr $(, $features:literal)?) => {
        use wirespeed_cipher::{InOut, Poly1305, SealState, StreamKey};

        wirespeed_kernels_core::entries! { [$($features)?]
            fn poly1305[][](poly1305: &mut Poly1305, data: &[u8])
                { $crate::seal::hash::<<$unit as $crate::Rows>::Hash>(poly1305, data) }
            fn seal[const DECRYPT: bool][DECRYPT]
                (key: &StreamKey, state: &mut SealState, pending: bool, data: InOut<'_>)
                { $crate::seal::seal::<$unit, DECRYPT>($make, key, state, pending, data) }
        }
    };
}

pub(crate) use hashing_of;

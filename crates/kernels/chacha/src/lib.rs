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
mod waves;

use waves::{Idle, Keystream, flight, rows, sets, wave};
use wirespeed_cipher::{Counter, InOut, Poly1305, Route, StreamBlock, StreamKernels, StreamKey};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::Absent;

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
    /// The same row for each matrix.
    fn splat(self, row: [u32; 4]) -> Self::V;
    /// Adds `count` to the first word of each row, plus the place of its matrix.
    fn number(self, v: Self::V, count: u32) -> Self::V;
    /// The row of the first matrix.
    fn first_row(self, v: Self::V) -> [u32; 4];
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

/// See [`wirespeed_cipher::ChaCha20Fn`].
#[inline(always)]
pub(crate) fn chacha20<U: Rows>(
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
    // Written as a whole: the next call may begin before these blocks are ready, unless it must wait for its counter, which
    // no CPU gathers from stores of parts.
    *counter = unit.first_row(unit.number(first[3], total.div_ceil(BLOCK) as u32));
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

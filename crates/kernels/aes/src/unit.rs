//! What a vector width must be able to do for the modes to run on it.
//!
//! [`Unit`] is the seam between modes and machines: every mode is written once over it, and every
//! route is one implementation of it. A value of a unit is the proof that its instructions exist, so
//! its methods are safe except where they touch memory.

use wirespeed_cipher::{Block, Schedule};

use crate::modes::ghash::Run;

/// Registers of [`Vector::WIDTH`] blocks, and what can be done with them on this machine.
pub(crate) trait Vector: Copy {
    /// A vector of `WIDTH` blocks.
    type V: Copy + 'static;
    /// Blocks in a vector.
    const WIDTH: usize;
    /// Bytes in a vector.
    const BYTES: usize = Self::WIDTH * 16;

    /// Reads a vector.
    ///
    /// # Safety
    /// `BYTES` bytes are readable at `from`.
    unsafe fn load(self, from: *const u8) -> Self::V;

    /// Reads the first `count` bytes of a vector, 1 to `BYTES`; the rest is zero.
    ///
    /// # Safety
    /// `count` bytes are readable at `from`.
    unsafe fn load_first(self, from: *const u8, count: usize) -> Self::V;

    /// Writes a vector.
    ///
    /// # Safety
    /// `BYTES` bytes are writable at `to`.
    unsafe fn store(self, to: *mut u8, v: Self::V);

    /// Writes the first `count` bytes of a vector, 1 to `BYTES`.
    ///
    /// # Safety
    /// `count` bytes are writable at `to`.
    unsafe fn store_first(self, to: *mut u8, v: Self::V, count: usize);

    /// The first `count` bytes, 0 to `BYTES`; the rest is zero.
    fn keep_first(self, v: Self::V, count: usize) -> Self::V;

    /// One block in every place.
    fn splat(self, block: Block) -> Self::V;
    /// All bits zero.
    fn zero(self) -> Self::V;
    /// Exclusive or.
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// Exclusive or of three.
    #[inline(always)]
    fn xor3(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        self.xor(self.xor(a, b), c)
    }
    /// Reverses the bytes of each block.
    fn swap_bytes(self, v: Self::V) -> Self::V;
    /// Exchanges the 64-bit halves of each block.
    fn swap_halves(self, v: Self::V) -> Self::V;
    /// Shifts each block left by 8 bytes (towards the most significant, little-endian).
    fn low_to_high(self, v: Self::V) -> Self::V;
    /// Shifts each block right by 8 bytes.
    fn high_to_low(self, v: Self::V) -> Self::V;
    /// Shifts each block left by as many bits as blocks are in flight.
    fn shift_up(self, v: Self::V) -> Self::V;
    /// The bits of each block that [`shift_up`](Self::shift_up) loses, at the low end.
    fn shifted_out(self, v: Self::V) -> Self::V;
    /// Shifts each 64-bit half left by `bits`, which is below 61, plus its block's place.
    fn shift_left(self, v: Self::V, bits: u32) -> Self::V;
    /// Shifts each 64-bit half right by 64 less that.
    fn shift_right_rest(self, v: Self::V, bits: u32) -> Self::V;
    /// Adds `count` to the first 32 bits (little-endian) of each block, plus the block's place if
    /// `spread`.
    fn add(self, v: Self::V, count: u32, spread: bool) -> Self::V;
    /// Adds `count` to the last byte of each block; what carries out of it is unspecified.
    fn add_to_last_byte(self, v: Self::V, count: u8) -> Self::V;
    /// The last block of `previous`, then all but the last of `current`.
    fn shift_in(self, previous: Self::V, current: Self::V) -> Self::V;

    /// Whether XTS makes its tweaks by integers, each from the one before; else each from that in its place of the flight
    /// before.
    const TWEAKS_BY_INTEGERS: bool = false;

    /// A vector of one block as a number, its first byte the lowest.
    #[inline(always)]
    fn number(self, _v: Self::V) -> u128 {
        0
    }

    /// The same back.
    #[inline(always)]
    fn of_number(self, _number: u128) -> Self::V {
        self.zero()
    }

    /// The same vector, but instructions before and after keep their order. Costs nothing; it stops
    /// the compiler from sorting apart what is interleaved on purpose.
    #[inline(always)]
    fn pin(self, v: Self::V) -> Self::V {
        v
    }
}

/// One machine's way to run AES on its vectors.
pub(crate) trait Unit: Vector {
    /// The same machine, one block wide.
    type Single: One;
    /// Vectors worked on side by side: 8, or 1 where nothing is gained by more.
    const FLIGHT: usize = 8;
    /// Vector registers.
    const REGISTERS: usize = 16;
    /// Whether GHASH goes between the rounds of AES, because each leaves idle what the other needs.
    const STITCHED: bool = false;

    /// Where a call keeps [`Key`](Self::Key).
    type Room: Room;
    /// The round keys as the rounds want them.
    type Key<'k>: Copy;
    /// GHASH.
    type Hash<'k>: Run<'k, Self>;

    /// Makes the round keys ready for a call of so many bytes.
    fn key<'k, const DECRYPT: bool, const ROUNDS: usize>(
        self,
        schedule: &'k Schedule,
        room: &'k mut Self::Room,
        bytes: usize,
    ) -> Self::Key<'k>;

    /// The one-block unit.
    fn single(self) -> Self::Single;

    /// The exclusive or of all blocks.
    fn sum(self, v: Self::V) -> <Self::Single as Vector>::V;
    /// The block in the first place, zeros behind it.
    fn widen(self, v: <Self::Single as Vector>::V) -> Self::V;

    /// A 64-bit half of each block, of which the first 7 bits are zero, times x^7 + x^2 + x + 1: what is carried out
    /// of GF(2^128). The high half if `HIGH`, and else the low one, the other being zero. In the result the half is the
    /// low one, and the other is zero.
    fn carry<const HIGH: bool>(self, v: Self::V) -> Self::V;

    /// All rounds of AES but the last, or all of them, over `N` vectors side by side. `work` is done between the
    /// rounds, to fill the gaps: behind nine of them at least. `ROUNDS` is 0 where the schedule knows. With `DECRYPT` it is the inverse, with the schedule of the equivalent
    /// inverse cipher (FIPS 197 §5.3.5).
    fn rounds<const DECRYPT: bool, const ROUNDS: usize, const N: usize>(
        self,
        key: Self::Key<'_>,
        state: [Self::V; N],
        work: &mut impl Work,
    ) -> [Self::V; N];

    /// The last round; `fold` is added to its result, together with the last round key.
    fn last_round<const DECRYPT: bool, const ROUNDS: usize>(
        self,
        key: Self::Key<'_>,
        state: Self::V,
        fold: Self::V,
    ) -> Self::V;
}

/// A unit that multiplies without carries.
pub(crate) trait Carryless: Unit {
    /// Carry-less product of a 64-bit half of each: the high half of `a` if `A_HIGH`, and of `b`.
    fn multiply<const A_HIGH: bool, const B_HIGH: bool>(self, a: Self::V, b: Self::V) -> Self::V;
}

/// Memory for the round keys of a call.
pub(crate) trait Room {
    /// Nothing in it yet.
    const EMPTY: Self;
}

/// For units that take the schedule as it is.
impl Room for () {
    const EMPTY: Self = ();
}

/// What can be done between the rounds of AES.
///
/// This, like everything that runs inside a kernel, is a trait with `inline(always)` methods and not a
/// closure: only what is inlined gets the kernel's target features.
pub(crate) trait Work {
    /// Whether there is any, so that its order among the rounds matters.
    const BUSY: bool;
    /// Runs after round `round`, counted from 1, of all but the last.
    fn after(&mut self, round: usize);
}

/// Nothing to do between the rounds.
pub(crate) struct Idle;

impl Work for Idle {
    const BUSY: bool = false;

    #[inline(always)]
    fn after(&mut self, _round: usize) {}
}

/// A unit one block wide: what key expansion and chains need.
pub(crate) trait One: Unit<Single = Self> {
    /// What one block of a chain (CBC, CFB, OFB) leaves for the next: a sum, of which a unit whose rounds begin with a sum
    /// keeps the parts. The second is zero else.
    #[inline(always)]
    fn link(self, a: Self::V, b: Self::V) -> [Self::V; 2] {
        [self.xor(a, b), self.zero()]
    }

    /// One block of AES whose result feeds the next: `state` already holds the first round key, the `whitening`; `feed` is
    /// added together with the last. Gives the next state.
    #[inline(always)]
    fn chain<const ROUNDS: usize>(
        self,
        key: Self::Key<'_>,
        whitening: Self::V,
        [a, b]: [Self::V; 2],
        feed: Self::V,
    ) -> [Self::V; 2] {
        // `rounds` adds it again.
        let state = [self.xor3(a, b, whitening)];
        let [end] = self.rounds::<false, ROUNDS, 1>(key, state, &mut Idle);
        self.link(self.last_round::<false, ROUNDS>(key, end, feed), self.zero())
    }

    /// One column in every place, its bytes rotated by FIPS 197's RotWord if `ROTATE`.
    fn every_column<const COLUMN: usize, const ROTATE: bool>(self, v: Self::V) -> Self::V;
    /// FIPS 197 SubWord on a word that stands in every column, plus `constant` in every column.
    fn sub_columns(self, v: Self::V, constant: u32) -> Self::V;
    /// Each column becomes the sum of itself and all columns before it.
    fn running_sum(self, v: Self::V) -> Self::V;
    /// FIPS 197 InvMixColumns.
    fn inverse_mix(self, block: Self::V) -> Self::V;
}

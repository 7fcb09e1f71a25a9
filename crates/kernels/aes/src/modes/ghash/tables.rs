//! GHASH by shuffles: a table of sixteen bytes for each byte of a product and each half of a byte of data. No load
//! depends on data.
//!
//! With K·n for every n below 16, byte o of K·d is a look-up for the halves of d. All bytes d of a block are looked up
//! at once. The sixteen results, each a byte further up, add up to the product.

use std::array;

use wirespeed_cipher::{GcmForm, GcmKey};

use super::{Run, times_x};
use crate::permuted::Shuffles;
use crate::unit::{Unit, Vector};

/// Blocks in a run, and powers of H with tables.
const PLACES: usize = 2;

/// What this takes.
pub(crate) trait ByTables: Unit + Shuffles {}

impl<U: Unit + Shuffles> ByTables for U {}

/// A run of up to two blocks.
pub(crate) struct Looked<'k, U: Unit> {
    u: U,
    key: &'k GcmKey,
    /// The place of the first block's power.
    place: usize,
    vectors: [U::V; PLACES],
    taken: usize,
    /// GHASH before the run.
    before: <U::Single as Vector>::V,
}

impl<'k, U: ByTables<Single: ByTables>> Run<'k, U> for Looked<'k, U> {
    const LONGEST: usize = PLACES;

    #[inline(always)]
    fn prepare(u: U, key: &mut GcmKey, _blocks: usize) {
        if key.form != GcmForm::Tables {
            let one = u.single();
            make(key, 1, u128::from_le_bytes(key.first));
            let first = one.splat(key.first);
            let square = product(one, key, 1, &[first]);
            let mut block = [0; 16];
            // SAFETY: a block fits.
            unsafe { one.store(block.as_mut_ptr(), square) };
            make(key, 0, u128::from_le_bytes(block));
            key.form = GcmForm::Tables;
        }
    }

    #[inline(always)]
    fn new(u: U, key: &'k GcmKey, blocks: usize, before: <U::Single as Vector>::V) -> Self {
        assert!(blocks <= PLACES);
        Self { u, key, place: PLACES - blocks, vectors: [u.zero(); PLACES], taken: 0, before }
    }

    #[inline(always)]
    fn unit(&self) -> U {
        self.u
    }

    #[inline(always)]
    fn absorb_reversed(&mut self, x: U::V) {
        let x = if self.taken == 0 { self.u.xor(x, self.u.widen(self.before)) } else { x };
        self.vectors[self.taken] = x;
        self.taken += 1;
    }

    #[inline(always)]
    fn finish(self) -> <U::Single as Vector>::V {
        match self.taken {
            0 => self.before,
            1 => product(self.u, self.key, self.place, &[self.vectors[0]]),
            _ => product(self.u, self.key, self.place, &self.vectors),
        }
    }
}

/// The sum of the products of blocks and powers, the first with that at `place`.
#[inline(always)]
fn product<U: ByTables<Single: ByTables>, const N: usize>(
    u: U,
    key: &GcmKey,
    place: usize,
    vectors: &[U::V; N],
) -> <U::Single as Vector>::V {
    assert!(place + N * U::WIDTH < PLACES + U::WIDTH);
    let tables = key.memory.as_ptr();
    let (mut low, mut high) = (u.zero(), u.zero());
    for byte in (0..16).rev() {
        high = u.next_byte(high, low);
        low = u.next_byte(low, u.zero());
        for i in 0..N {
            // Both halves of a byte, each with a table for each place.
            let at = 2 * PLACES * byte + place + i * U::WIDTH;
            // SAFETY: the last table of the last place is block 63, and a vector has at most two of 70.
            let (of_low, of_high) =
                unsafe { (u.load(tables.add(at).cast()), u.load(tables.add(at + PLACES).cast())) };
            let of_low = u.shuffle(of_low, u.low_half(vectors[i]));
            let of_high = u.shuffle(of_high, u.high_half(vectors[i]));
            // The shortest way is that of the sum.
            low = u.xor(low, u.xor(of_low, of_high));
        }
    }
    reduce(u.single(), u.sum(low), u.sum(high))
}

/// The low half is a multiple of x^128 when multiples of the polynomial are added to it (RFC 8452 §3).
#[inline(always)]
fn reduce<U: ByTables>(u: U, low: U::V, high: U::V) -> U::V {
    let low = u.xor(low, u.low_to_high(carried(u, low)));
    let shifted =
        u.xor3(u.shift_right_by::<1>(low), u.shift_right_by::<2>(low), u.shift_right_by::<7>(low));
    u.xor3(high, u.xor(low, shifted), u.high_to_low(carried(u, low)))
}

/// What shifts to the right by 1, 2 and 7 lose of each half, at its upper end.
#[inline(always)]
fn carried<U: ByTables>(u: U, v: U::V) -> U::V {
    u.xor3(u.shift_left_by::<63>(v), u.shift_left_by::<62>(v), u.shift_left_by::<57>(v))
}

/// Makes the tables of a power.
fn make(key: &mut GcmKey, place: usize, power: u128) {
    let mut powers = [power; 8];
    for bit in 1..8 {
        powers[bit] = times_x(powers[bit - 1]);
    }
    for half in 0..2 {
        let [one, two, four, eight] = array::from_fn(|bit| powers[4 * half + bit]);
        let times = |n: usize| {
            let bit = |i: usize, power: u128| if n >> i & 1 == 1 { power } else { 0 };
            bit(0, one) ^ bit(1, two) ^ bit(2, four) ^ bit(3, eight)
        };
        let products: [[u8; 16]; 16] = array::from_fn(|n| times(n).to_le_bytes());
        for byte in 0..16 {
            key.memory[2 * PLACES * byte + PLACES * half + place] =
                array::from_fn(|n| products[n][byte]);
        }
    }
}

//! Vectors of bytes as the registers: as many blocks as eight vectors hold.
//!
//! A byte keeps its place, and its bits become those of eight blocks.

use std::ops::{BitAnd, BitXor};
use std::ptr;

use wirespeed_cipher::Block;
use wirespeed_kernels_core::eight;

use super::{Plane, Planes};
use crate::unit::Vector;

/// Logic and shifts.
pub(crate) trait Bits: Vector {
    /// And of all bits.
    fn and(self, a: Self::V, b: Self::V) -> Self::V;

    /// Shifts each 64-bit half of a block.
    fn shift_left_by<const BITS: i32>(self, v: Self::V) -> Self::V;

    /// Shifts each 64-bit half of a block.
    fn shift_right_by<const BITS: i32>(self, v: Self::V) -> Self::V;

    /// A byte in every place.
    fn splat_byte(self, byte: u8) -> Self::V;

    /// FFh for each byte that is equal, 00h else.
    fn equal(self, a: Self::V, b: Self::V) -> Self::V;

    /// Exchanges the bits of `a` outside the mask with those of `b` inside, which are `BITS` lower in each byte.
    #[inline(always)]
    fn exchange<const BITS: i32>(
        self,
        mask: Self::V,
        a: Self::V,
        b: Self::V,
    ) -> (Self::V, Self::V) {
        let moved = self.and(self.xor(self.shift_right_by::<BITS>(a), b), mask);
        (self.xor(a, self.shift_left_by::<BITS>(moved)), self.xor(b, moved))
    }
}

/// What vectors must be able to do to hold planes.
pub(crate) trait Turns: Bits {
    /// See [`Plane::turn`].
    fn turn(self, v: Self::V, rows: usize, columns: usize) -> Self::V;

    /// See [`Plane::shift_rows_twice`].
    fn shift_rows_twice(self, v: Self::V) -> Self::V;
}

/// A vector together with the proof of its unit.
#[derive(Clone, Copy)]
struct Proved<U: Vector>(U, U::V);

impl<U: Turns> BitAnd for Proved<U> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0, self.0.and(self.1, other.1))
    }
}

impl<U: Turns> BitXor for Proved<U> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0, self.0.xor(self.1, other.1))
    }
}

impl<U: Turns> Plane for Proved<U> {
    #[inline(always)]
    fn turn(self, rows: usize, columns: usize) -> Self {
        Self(self.0, self.0.turn(self.1, rows, columns))
    }

    #[inline(always)]
    fn shift_rows_twice(self) -> Self {
        Self(self.0, self.0.shift_rows_twice(self.1))
    }
}

/// Encrypts or decrypts eight vectors of blocks.
#[inline(always)]
pub(crate) fn crypt<U: Turns, const DECRYPT: bool>(
    u: U,
    keys: &[Planes<U::V>],
    blocks: &mut Planes<U::V>,
) {
    // SAFETY: `Proved` is a vector and a proof without size.
    let keys = unsafe {
        assert!(size_of::<Proved<U>>() == size_of::<U::V>());
        &*(ptr::from_ref(keys) as *const [Planes<Proved<U>>])
    };
    let mut state = eight!(|I| Proved(u, blocks[I]));
    transpose(u, &mut state);
    let mut state = super::crypt::<_, DECRYPT>(keys, state);
    transpose(u, &mut state);
    *blocks = eight!(|I| state[I].1);
}

/// Exchanges the number of the vector with that of the bit in each byte.
#[inline(always)]
fn transpose<U: Turns>(u: U, v: &mut Planes<Proved<U>>) {
    macro_rules! exchange {
        ($distance:literal, $mask:literal: $($a:literal $b:literal),*) => {
            let mask = u.splat_byte($mask);
            $(
                let (a, b) = u.exchange::<$distance>(mask, v[$a].1, v[$b].1);
                (v[$a], v[$b]) = (Proved(u, a), Proved(u, b));
            )*
        };
    }
    exchange!(1, 0x55: 0 1, 2 3, 4 5, 6 7);
    exchange!(2, 0x33: 0 2, 1 3, 4 6, 5 7);
    exchange!(4, 0x0f: 0 4, 1 5, 2 6, 3 7);
}

/// A block in every place, as planes.
#[inline(always)]
pub(crate) fn splat<U: Bits>(u: U, block: Block) -> Planes<U::V> {
    let v = u.splat(block);
    eight!(|I| {
        let bit = u.splat_byte(1 << I);
        u.equal(u.and(v, bit), bit)
    })
}

/// FIPS 197's InvMixColumns of whole bytes; see [`round`](super::round).
#[inline(always)]
pub(crate) fn inverse_mix<U: Turns>(u: U, v: U::V) -> U::V {
    let pair = u.xor(v, u.turn(v, 2, 0));
    let v = u.xor(v, times_x(u, times_x(u, pair)));
    let next = u.turn(v, 1, 0);
    let pair = u.xor(v, next);
    u.xor3(times_x(u, pair), next, u.turn(pair, 2, 0))
}

/// Multiplies every byte by x in GF(2^8).
#[inline(always)]
fn times_x<U: Bits>(u: U, v: U::V) -> U::V {
    let top = u.splat_byte(0x80);
    let carry = u.and(u.equal(u.and(v, top), top), u.splat_byte(0x1b));
    u.xor(u.and(u.shift_left_by::<1>(v), u.splat_byte(0xfe)), carry)
}

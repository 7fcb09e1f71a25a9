//! Blocks as planes: a unit of byte slices whose vector is eight registers.
//!
//! Each register holds one bit of a byte of every block. So an S-box is a circuit for as many blocks as a register has
//! bits, and where a cipher moves bits around, only the registers change their names.

use std::marker::PhantomData;

use wirespeed_cipher::{Block, InOut};
use wirespeed_kernels_core::bitslice::Plane;
use wirespeed_kernels_core::eight;

use crate::circuits::rotate;
use crate::waves::{Mode, Runs};
use crate::{Adder, Core, Linear, Slices, Wide};

/// Registers that hold planes. A value of the unit proves that their instructions are there.
pub(crate) trait Lanes: Copy {
    type V: Plane;
    /// Bytes in a register, of which each has a bit of eight blocks.
    const BYTES: usize = size_of::<Self::V>();
    /// The number of the block that each byte belongs to; see [`places`](crate::machine::places).
    const PLACES: &'static [u8];

    /// A byte everywhere.
    fn splat(self, byte: u8) -> Self::V;

    /// A word everywhere.
    fn splat_word(self, word: u32) -> Self::V;

    /// Sums of bytes as numbers.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;

    /// FFh for each byte that is equal, 00h else.
    fn equal(self, a: Self::V, b: Self::V) -> Self::V;

    /// Each word of 64 bits, or of fewer, to the right.
    fn shift_right<const BITS: i32>(self, v: Self::V) -> Self::V;

    /// The same to the left.
    fn shift_left<const BITS: i32>(self, v: Self::V) -> Self::V;

    /// # Safety
    /// A register's bytes are readable there.
    unsafe fn load(self, from: *const u8) -> Self::V;

    /// Rows of bytes, transposed in each 128-bit piece.
    fn transpose(self, rows: [Self::V; 16]) -> [Self::V; 16];

    // What is long is a function of its own, with the unit's target features.

    /// See [`Slices::substitute_sum`].
    fn substitute_sum<const BOX: usize>(
        self,
        v: &[Self::V; 8],
        key: u32,
        result: &mut [Self::V; 8],
    );

    /// See [`slice`].
    fn slice(self, state: &mut [[Self::V; 8]; 16]);

    /// See [`unslice`].
    fn unslice(self, state: &mut [[Self::V; 8]; 16]);

    /// See [`Slices::run`].
    fn run<C: Core>(self, keys: &[Wide], state: &mut [[Self::V; 8]; 16]);

    /// See [`waves::drive`].
    fn drive(
        self,
        mode: Mode,
        runs: &Runs<Planes<Self>>,
        round_keys: &[Block],
        chain: &mut Block,
        data: InOut<'_>,
    );
}

/// The unit.
#[derive(Clone, Copy)]
pub(crate) struct Planes<L>(pub(crate) L);

impl<L: Lanes> Planes<L> {
    /// Bytes in a wave.
    pub(crate) const WAVE: usize = 16 * Self::BLOCKS;

    /// Takes what is whole waves through the cipher; the rest is given back.
    #[inline(always)]
    pub(crate) fn whole_waves<'d, C: Core>(
        self,
        mode: Mode,
        round_keys: &[Block],
        chain: &mut Block,
        data: InOut<'d>,
    ) -> InOut<'d> {
        let whole = data.len() / Self::WAVE * Self::WAVE;
        let (waves, rest) = data.split_at(whole);
        self.0.drive(mode, &const { Runs::of::<C::Waves>() }, round_keys, chain, waves);
        rest
    }
}

impl<L: Lanes> Slices for Planes<L> {
    type V = [L::V; 8];
    type Narrow = Self;
    const BLOCKS: usize = 8 * L::BYTES;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    #[inline(always)]
    fn xor(self, a: Self::V, b: Self::V) -> Self::V {
        eight!(|I| a[I] ^ b[I])
    }

    #[inline(always)]
    fn and(self, a: Self::V, b: Self::V) -> Self::V {
        eight!(|I| a[I] & b[I])
    }

    #[inline(always)]
    fn or(self, a: Self::V, b: Self::V) -> Self::V {
        eight!(|I| or(a[I], b[I]))
    }

    #[inline(always)]
    fn select<const MASK: u8>(self, a: Self::V, b: Self::V) -> Self::V {
        eight!(|I| if MASK >> I & 1 != 0 { a[I] } else { b[I] })
    }

    #[inline(always)]
    fn rotate_by_one(self, v: Self::V) -> Self::V {
        rotate::<_, 1>(&v)
    }

    #[inline(always)]
    fn spread_top_bit(self, v: Self::V) -> Self::V {
        [v[7]; 8]
    }

    #[inline(always)]
    fn not_wrapped(self, count: Self::V, first: u8) -> Self::V {
        // Whether it is at least as large as the first, bit by bit from the lowest.
        let mut at_least = self.0.splat(0xff);
        for (i, plane) in count.into_iter().enumerate() {
            at_least = if first >> i & 1 != 0 { plane & at_least } else { or(plane, at_least) };
        }
        [at_least; 8]
    }

    #[inline(always)]
    fn splat(self, byte: u32) -> Self::V {
        let bytes = self.0.splat_word(byte);
        eight!(|I| {
            let bit = self.0.splat(1 << I);
            self.0.equal(bytes & bit, bit)
        })
    }

    #[inline(always)]
    fn count(self, from: u8) -> Self::V {
        let u = self.0;
        // SAFETY: there are as many places as bytes.
        let places = unsafe { u.load(L::PLACES.as_ptr()) };
        let mut bytes = eight!(|I| {
            let first = from.wrapping_add((I * L::BYTES) as u8);
            u.add(u.splat(first), places)
        });
        exchange(u, &mut bytes);
        bytes
    }

    #[inline(always)]
    fn substitute<const BOX: usize>(self, v: Self::V) -> Self::V {
        let mut result = v;
        self.substitute_sum::<BOX>(&v, 0, &mut result);
        result
    }

    #[inline(always)]
    fn substitute_sum<const BOX: usize>(self, v: &Self::V, key: u32, result: &mut Self::V) {
        self.0.substitute_sum::<BOX>(v, key, result);
    }

    #[inline(always)]
    fn rotated_box(self, _v: Self::V, substituted: Self::V) -> Self::V {
        rotate::<_, 2>(&substituted)
    }

    #[inline(always)]
    fn linear<M: Linear<N>, const N: usize>(self, from: &[Self::V; N], to: &mut [Self::V; N]) {
        by_plane::<_, M, N>(from, to);
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> Self::V {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { from.cast::<Self::V>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, row: Self::V) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { to.cast::<Self::V>().write_unaligned(row) };
    }

    #[inline(always)]
    fn slice(self, mut rows: [Self::V; 16]) -> [Self::V; 16] {
        self.0.slice(&mut rows);
        rows
    }

    #[inline(always)]
    fn unslice(self, mut slices: [Self::V; 16]) -> [Self::V; 16] {
        self.0.unslice(&mut slices);
        slices
    }

    #[inline(always)]
    fn run<C: Core>(self, keys: &[Wide], state: &mut [Self::V; 16]) {
        self.0.run::<C>(keys, state);
    }
}

/// A linear layer by one plane at a time: as many as can stay in registers.
#[inline(always)]
pub(crate) fn by_plane<T: Plane, M: Linear<N>, const N: usize>(
    from: &[[T; 8]; N],
    to: &mut [[T; 8]; N],
) {
    for i in 0..8 {
        let (mut planes, mut sums) = ([from[0][i]; N], [to[0][i]; N]);
        for n in 0..N {
            planes[n] = from[n][i];
            sums[n] = to[n][i];
        }
        sums = M::sums(One(PhantomData), planes, sums);
        for n in 0..N {
            to[n][i] = sums[n];
        }
    }
}

/// Adds single planes.
#[derive(Clone, Copy)]
struct One<T>(PhantomData<T>);

impl<T: Plane> Adder for One<T> {
    type Summand = T;

    #[inline(always)]
    fn sum(self, a: T, b: T) -> T {
        a ^ b
    }
}

/// Or, by what a plane has.
#[inline(always)]
fn or<T: Plane>(a: T, b: T) -> T {
    a ^ b ^ (a & b)
}

/// From blocks to planes. Sixteen registers of blocks give one of each of their bytes; eight such of the same byte give
/// its planes.
#[inline(always)]
pub(crate) fn slice<L: Lanes>(u: L, state: &mut [[L::V; 8]; 16]) {
    let blocks = *state;
    for (group, rows) in blocks.as_flattened().as_chunks().0.iter().enumerate() {
        let bytes = u.transpose(*rows);
        for i in 0..16 {
            state[i][group] = bytes[i];
        }
    }
    for planes in state {
        exchange(u, planes);
    }
}

/// The inverse of [`slice`].
#[inline(always)]
pub(crate) fn unslice<L: Lanes>(u: L, state: &mut [[L::V; 8]; 16]) {
    let mut bytes = *state;
    for planes in &mut bytes {
        exchange(u, planes);
    }
    for (group, rows) in state.as_flattened_mut().as_chunks_mut().0.iter_mut().enumerate() {
        *rows = u.transpose(sixteen!(|I| bytes[I][group]));
    }
}

/// Exchanges the number of the register with that of the bit in each byte.
#[inline(always)]
fn exchange<L: Lanes>(u: L, v: &mut [L::V; 8]) {
    macro_rules! exchange {
        ($distance:literal, $mask:literal: $($a:literal $b:literal),*) => {
            let mask = u.splat($mask);
            $(
                let moved = (u.shift_right::<$distance>(v[$a]) ^ v[$b]) & mask;
                v[$b] = v[$b] ^ moved;
                v[$a] = v[$a] ^ u.shift_left::<$distance>(moved);
            )*
        };
    }
    exchange!(1, 0x55: 0 1, 2 3, 4 5, 6 7);
    exchange!(2, 0x33: 0 2, 1 3, 4 6, 5 7);
    exchange!(4, 0x0f: 0 4, 1 5, 2 6, 3 7);
}

/// Defines a unit's functions of their own.
macro_rules! functions {
    ($features:literal) => {
        #[inline(always)]
        fn substitute_sum<const BOX: usize>(
            self,
            v: &[Self::V; 8],
            key: u32,
            result: &mut [Self::V; 8],
        ) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn with_features<L: Lanes, const BOX: usize>(
                u: L,
                v: &[L::V; 8],
                key: u32,
                result: &mut [L::V; 8],
            ) {
                wirespeed_kernels_core::align_stack!();
                let u = Planes(u);
                let sum = u.xor(*v, u.splat(key ^ const { in_front(BOX) as u32 * 0x0101_0101 }));
                *result = substitute_sum::<_, BOX>(sum, u.0.splat(0xff));
            }
            // SAFETY: the unit proves the features.
            unsafe { with_features::<Self, BOX>(self, v, key, result) }
        }

        #[inline(always)]
        fn slice(self, state: &mut [[Self::V; 8]; 16]) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn with_features<L: Lanes>(u: L, state: &mut [[L::V; 8]; 16]) {
                wirespeed_kernels_core::align_stack!();
                crate::planes::slice(u, state);
            }
            // SAFETY: the unit proves the features.
            unsafe { with_features(self, state) }
        }

        #[inline(always)]
        fn unslice(self, state: &mut [[Self::V; 8]; 16]) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn with_features<L: Lanes>(u: L, state: &mut [[L::V; 8]; 16]) {
                wirespeed_kernels_core::align_stack!();
                crate::planes::unslice(u, state);
            }
            // SAFETY: the unit proves the features.
            unsafe { with_features(self, state) }
        }

        #[inline(always)]
        fn run<C: Core>(self, keys: &[Wide], state: &mut [[Self::V; 8]; 16]) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn with_features<L: Lanes, C: Core>(
                u: L,
                keys: &[Wide],
                state: &mut [[L::V; 8]; 16],
            ) {
                wirespeed_kernels_core::align_stack!();
                C::run(Planes(u), keys, state);
            }
            // SAFETY: the unit proves the features.
            unsafe { with_features::<Self, C>(self, keys, state) }
        }

        #[inline(always)]
        fn drive(
            self,
            mode: Mode,
            runs: &Runs<Planes<Self>>,
            round_keys: &[Block],
            chain: &mut Block,
            data: InOut<'_>,
        ) {
            #[target_feature(enable = $features)]
            #[inline(never)]
            fn with_features<L: Lanes>(
                u: L,
                mode: Mode,
                runs: &Runs<Planes<L>>,
                round_keys: &[Block],
                chain: &mut Block,
                data: InOut<'_>,
            ) {
                wirespeed_kernels_core::align_stack!();
                waves::drive(Planes(u), mode, runs, round_keys, chain, data);
            }
            // SAFETY: the unit proves the features.
            unsafe { with_features(self, mode, runs, round_keys, chain, data) }
        }
    };
}

pub(crate) use functions;

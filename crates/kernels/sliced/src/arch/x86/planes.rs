//! Planes of 128 bits, for SSE2 alone: 128 blocks, as registers of planes.

use std::ops::{BitAnd, BitOr, BitXor};

use wirespeed_aes::arch::x86::galois_sse2;
use wirespeed_cipher::{BlockKernels, Route};
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::engine::Galois;
use wirespeed_kernels_core::{call, eight};

use crate::circuits::{self, rotate};
use crate::machine::{places, transpose};
use crate::planes;
use crate::portable::{self, Plain};
use crate::{Core, Linear, Slices, Wide};

/// The unit. It is compiled for nothing less than SSE2, so it needs no proof.
#[derive(Clone, Copy)]
struct Planes;

/// A plane.
#[derive(Clone, Copy)]
struct Bits(__m128i);

/// A byte of every block.
type V = [Bits; 8];

impl BitAnd for Bits {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(call!(_mm_and_si128(self.0, other.0)))
    }
}

impl BitOr for Bits {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(call!(_mm_or_si128(self.0, other.0)))
    }
}

impl BitXor for Bits {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(call!(_mm_xor_si128(self.0, other.0)))
    }
}

impl Bits {
    /// A byte everywhere.
    #[inline(always)]
    fn splat(byte: u8) -> Self {
        Self(call!(_mm_set1_epi8(byte as i8)))
    }
}

impl Slices for Planes {
    type V = V;
    type Narrow = Self;
    const BLOCKS: usize = 128;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    #[inline(always)]
    fn xor(self, a: V, b: V) -> V {
        eight!(|I| a[I] ^ b[I])
    }

    #[inline(always)]
    fn and(self, a: V, b: V) -> V {
        eight!(|I| a[I] & b[I])
    }

    #[inline(always)]
    fn or(self, a: V, b: V) -> V {
        eight!(|I| a[I] | b[I])
    }

    #[inline(always)]
    fn select<const MASK: u8>(self, a: V, b: V) -> V {
        eight!(|I| if MASK >> I & 1 != 0 { a[I] } else { b[I] })
    }

    #[inline(always)]
    fn rotate_by_one(self, v: V) -> V {
        rotate::<_, 1>(&v)
    }

    #[inline(always)]
    fn spread_top_bit(self, v: V) -> V {
        [v[7]; 8]
    }

    #[inline(always)]
    fn splat(self, byte: u32) -> V {
        let bytes = Bits(call!(_mm_set1_epi32(byte as i32)));
        eight!(|I| {
            let bit = Bits::splat(1 << I);
            let (masked, bit) = (bytes & bit, bit.0);
            Bits(call!(_mm_cmpeq_epi8(masked.0, bit)))
        })
    }

    #[inline(always)]
    fn count(self, from: u8) -> V {
        static PLACES: [u8; 16] = places();
        // SAFETY: there are as many places as bytes.
        let places = unsafe { _mm_loadu_si128(PLACES.as_ptr().cast()) };
        let mut bytes = eight!(|I| {
            let first = Bits::splat(from.wrapping_add(16 * I as u8)).0;
            Bits(call!(_mm_add_epi8(first, places)))
        });
        exchange(&mut bytes);
        bytes
    }

    #[inline(always)]
    fn substitute<const BOX: usize>(self, v: V) -> V {
        let mut result = v;
        self.substitute_sum::<BOX>(&v, 0, &mut result);
        result
    }

    #[inline(never)]
    fn substitute_sum<const BOX: usize>(self, v: &V, key: u32, result: &mut V) {
        let sum = self.xor(*v, self.splat(key ^ const { circuits::in_front(BOX) * 0x0101_0101 }));
        *result = circuits::substitute_sum::<_, BOX>(sum, Bits::splat(0xff));
    }

    #[inline(always)]
    fn rotated_box(self, _v: V, substituted: V) -> V {
        rotate::<_, 2>(&substituted)
    }

    #[inline(always)]
    fn linear<L: Linear<N>, const N: usize>(self, from: &[V; N], to: &mut [V; N]) {
        planes::linear::<_, L, N>(from, to);
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> V {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { from.cast::<V>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, row: V) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { to.cast::<V>().write_unaligned(row) };
    }

    /// Sixteen registers of blocks give one of each of their bytes; eight such of the same byte give its planes.
    #[inline(never)]
    fn slice(self, rows: [V; 16]) -> [V; 16] {
        let mut slices = rows;
        for (group, blocks) in rows.as_flattened().as_chunks().0.iter().enumerate() {
            let bytes = transpose_bytes(*blocks);
            for i in 0..16 {
                slices[i][group] = bytes[i];
            }
        }
        slices.iter_mut().for_each(exchange);
        slices
    }

    #[inline(never)]
    fn unslice(self, slices: [V; 16]) -> [V; 16] {
        let (mut bytes, mut rows) = (slices, slices);
        bytes.iter_mut().for_each(exchange);
        for (group, blocks) in rows.as_flattened_mut().as_chunks_mut().0.iter_mut().enumerate() {
            *blocks = transpose_bytes(sixteen!(|I| bytes[I][group]));
        }
        rows
    }

    #[inline(never)]
    fn run<C: Core>(self, keys: &[Wide], state: &mut [V; 16]) {
        C::run(self, keys, state);
    }
}

/// Rows of bytes, transposed.
#[inline(always)]
fn transpose_bytes(rows: [Bits; 16]) -> [Bits; 16] {
    let rows = sixteen!(|I| rows[I].0);
    let rows = transpose!(rows, _mm_unpacklo_epi8, _mm_unpackhi_epi8);
    sixteen!(|I| Bits(rows[I]))
}

/// Exchanges the number of the register with that of the bit in each byte.
#[inline(always)]
fn exchange(v: &mut V) {
    macro_rules! exchange {
        ($distance:literal, $mask:literal: $($a:literal $b:literal),*) => {
            let mask = Bits::splat($mask);
            $(
                let (from, to) = (v[$a].0, v[$b]);
                let moved = (Bits(call!(_mm_srli_epi64::<$distance>(from))) ^ to) & mask;
                let back = moved.0;
                v[$b] = to ^ moved;
                v[$a] = v[$a] ^ Bits(call!(_mm_slli_epi64::<$distance>(back)));
            )*
        };
    }
    exchange!(1, 0x55: 0 1, 2 3, 4 5, 6 7);
    exchange!(2, 0x33: 0 2, 1 3, 4 6, 5 7);
    exchange!(4, 0x0f: 0 4, 1 5, 2 6, 3 7);
}

impl Plain for Planes {
    const ROUTE: Route = Route::Sse2;
    // SAFETY: the table is only handed out for the proof.
    const GALOIS: Galois = unsafe { galois_sse2() };
    const HERE: Self = Self;

    fn clear() {
        wirespeed_kernels_core::clear_vectors!("sse2");
    }
}

/// The kernels of the route `sse2`.
pub(super) fn table_sse2(_proof: wirespeed_cpu::Sse2) -> &'static [BlockKernels] {
    &const { portable::of_plain::<Planes>() }
}

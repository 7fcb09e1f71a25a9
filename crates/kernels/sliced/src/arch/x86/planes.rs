//! Registers that hold planes: 128 bits anywhere, 256 with AVX2.

use std::ops::{BitAnd, BitXor};

use wirespeed_aes::arch::x86::galois_sse2;
use wirespeed_cipher::{Block, BlockKernels, InOut, Route};
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;
use wirespeed_kernels_core::engine::Galois;

use crate::circuits::{in_front, substitute_sum};
use crate::machine::{places, transpose};
use crate::planes::{Lanes, Planes, functions};
use crate::portable::{self, Plain};
use crate::waves::{self, Mode, Runs};
use crate::{Core, Slices, Wide};

/// Defines a unit and its registers.
macro_rules! lanes {
    (
        $(#[$doc:meta])*
        $name:ident: $register:ident($vector:ident) of $bytes:literal, $features:literal,
        $load:ident $xor:ident $and:ident $add:ident $equal:ident $right:ident $left:ident
        $splat8:ident $splat32:ident $low:ident $high:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(());

        impl $name {
            /// The unit, unproved.
            ///
            /// # Safety
            /// This CPU has its features.
            #[inline(always)]
            pub(super) const unsafe fn assume() -> Self {
                Self(())
            }
        }

        /// What the unit made, and so a proof of it.
        #[derive(Clone, Copy)]
        pub(super) struct $register($vector);

        impl BitAnd for $register {
            type Output = Self;

            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self(call!($and(self.0, other.0)))
            }
        }

        impl BitXor for $register {
            type Output = Self;

            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                Self(call!($xor(self.0, other.0)))
            }
        }

        impl Lanes for $name {
            type V = $register;
            const PLACES: &'static [u8] = &places::<$bytes>();

            #[inline(always)]
            fn splat(self, byte: u8) -> $register {
                $register(call!($splat8(byte as i8)))
            }

            #[inline(always)]
            fn splat_word(self, word: u32) -> $register {
                $register(call!($splat32(word as i32)))
            }

            #[inline(always)]
            fn add(self, a: $register, b: $register) -> $register {
                $register(call!($add(a.0, b.0)))
            }

            #[inline(always)]
            fn equal(self, a: $register, b: $register) -> $register {
                $register(call!($equal(a.0, b.0)))
            }

            #[inline(always)]
            fn shift_right<const BITS: i32>(self, v: $register) -> $register {
                $register(call!($right::<BITS>(v.0)))
            }

            #[inline(always)]
            fn shift_left<const BITS: i32>(self, v: $register) -> $register {
                $register(call!($left::<BITS>(v.0)))
            }

            #[inline(always)]
            unsafe fn load(self, from: *const u8) -> $register {
                // SAFETY: as much is there, by the caller's promise.
                $register(unsafe { $load(from.cast()) })
            }

            #[inline(always)]
            fn transpose(self, rows: [$register; 16]) -> [$register; 16] {
                let rows = sixteen!(|I| rows[I].0);
                let rows = transpose!(rows, $low, $high);
                sixteen!(|I| $register(rows[I]))
            }

            functions!($features);
        }
    };
}

lanes! {
    /// 128 bits.
    Lanes128: Bits128(__m128i) of 16, "sse2",
    _mm_loadu_si128 _mm_xor_si128 _mm_and_si128 _mm_add_epi8 _mm_cmpeq_epi8 _mm_srli_epi64 _mm_slli_epi64
    _mm_set1_epi8 _mm_set1_epi32 _mm_unpacklo_epi8 _mm_unpackhi_epi8
}

impl Plain for Planes<Lanes128> {
    const ROUTE: Route = Route::Sse2;
    // SAFETY: the table is only handed out for the proof.
    const GALOIS: Galois = unsafe { galois_sse2() };
    // SAFETY: this is compiled for nothing less.
    const HERE: Self = Self(unsafe { Lanes128::assume() });
}

/// The kernels of the route `sse2`.
pub(super) fn table_sse2(_proof: wirespeed_cpu::Sse2) -> &'static [BlockKernels] {
    &const { portable::of_plain::<Planes<Lanes128>>() }
}

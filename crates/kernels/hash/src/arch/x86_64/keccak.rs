//! Lanes of Keccak-f\[1600\]: in vectors, of which AVX-512 has more than there are lanes, with logic functions of three
//! operands; and in integers.

use std::arch::x86_64::*;

use wirespeed_kernels_core::call;

use super::integers::kept;
use crate::portable::Lane;

/// A lane in a vector. A value proves AVX-512 F and VL.
#[derive(Clone, Copy)]
pub(super) struct Vector(__m128i);

impl Lane for Vector {
    #[inline(always)]
    fn of(word: u64) -> Self {
        Self(call!(_mm_cvtsi64_si128(word as i64)))
    }

    #[inline(always)]
    fn word(self) -> u64 {
        call!(_mm_cvtsi128_si64(self.0)) as u64
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(call!(_mm_xor_si128(self.0, other.0)))
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        Self(call!(_mm_ternarylogic_epi64::<0x96>(self.0, b.0, c.0)))
    }

    #[inline(always)]
    fn turn<const LEFT: i32>(self) -> Self {
        Self(call!(_mm_rol_epi64::<LEFT>(self.0)))
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(call!(_mm_ternarylogic_epi64::<0xd2>(self.0, b.0, c.0)))
    }
}

/// A lane in an integer, and kept there: the compiler would turn some in pairs, in vectors, and wait for what it has
/// written in parts, which takes twice the time.
#[derive(Clone, Copy)]
pub(super) struct Integer(u64);

impl Lane for Integer {
    #[inline(always)]
    fn of(word: u64) -> Self {
        Self(word)
    }

    #[inline(always)]
    fn word(self) -> u64 {
        self.0
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn turn<const LEFT: i32>(self) -> Self {
        Self(kept!(self.0.rotate_left(LEFT as u32)))
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(self.0.chi(b.0, c.0))
    }
}

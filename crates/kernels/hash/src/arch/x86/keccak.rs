//! Lanes of Keccak-f\[1600\]: in vectors, of which AVX-512 has more than there are lanes, with logic functions of three
//! operands; and in integers.

use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

#[cfg(target_arch = "x86_64")]
use super::integers::kept;
use crate::portable::Lane;

/// A lane's 64 bits in the lower half of a vector.
#[inline(always)]
fn vector(word: u64) -> __m128i {
    call!(_mm_set_epi64x(0, word as i64))
}

/// The inverse.
#[inline(always)]
fn word(v: __m128i) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return call!(_mm_cvtsi128_si64(v)) as u64;
    #[cfg(target_arch = "x86")]
    {
        let mut word = 0;
        // SAFETY: there is room for half a vector.
        unsafe { _mm_storel_epi64((&raw mut word).cast(), v) };
        word
    }
}

/// A lane in a vector. A value proves AVX-512 F and VL.
#[derive(Clone, Copy)]
pub(super) struct Vector(__m128i);

impl Lane for Vector {
    #[inline(always)]
    fn of(word: u64) -> Self {
        Self(vector(word))
    }

    #[inline(always)]
    fn word(self) -> u64 {
        word(self.0)
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
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Integer(u64);

#[cfg(target_arch = "x86_64")]
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

/// A lane in a vector, turned by shifts. A value proves SSE2.
#[cfg(target_arch = "x86")]
#[derive(Clone, Copy)]
pub(super) struct Shifted(__m128i);

#[cfg(target_arch = "x86")]
impl Lane for Shifted {
    #[inline(always)]
    fn of(word: u64) -> Self {
        Self(vector(word))
    }

    #[inline(always)]
    fn word(self) -> u64 {
        word(self.0)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(call!(_mm_xor_si128(self.0, other.0)))
    }

    #[inline(always)]
    fn turn<const LEFT: i32>(self) -> Self {
        let left = call!(_mm_sll_epi64(self.0, _mm_cvtsi32_si128(LEFT)));
        let right = call!(_mm_srl_epi64(self.0, _mm_cvtsi32_si128(64 - LEFT)));
        Self(call!(_mm_xor_si128(left, right)))
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(call!(_mm_xor_si128(self.0, _mm_andnot_si128(b.0, c.0))))
    }
}

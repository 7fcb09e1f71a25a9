//! Registers that hold planes.

use std::arch::aarch64::*;
use std::ops::{BitAnd, BitXor};

use wirespeed_cipher::{Block, InOut};
use wirespeed_kernels_core::call;

use crate::circuits::{in_front, substitute_sum};
use crate::machine::{places, transpose};
use crate::planes::{Lanes, Planes, functions};
use crate::waves::{self, Mode, Runs};
use crate::{Core, Slices, Wide};

/// NEON, which a value proves.
#[derive(Clone, Copy)]
pub(super) struct Lanes128(());

impl Lanes128 {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has NEON.
    #[inline(always)]
    pub(super) const unsafe fn assume() -> Self {
        Self(())
    }
}

/// What the unit made, and so a proof of it.
#[derive(Clone, Copy)]
pub(super) struct Bits128(uint8x16_t);

impl BitAnd for Bits128 {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(call!(vandq_u8(self.0, other.0)))
    }
}

impl BitXor for Bits128 {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(call!(veorq_u8(self.0, other.0)))
    }
}

impl Lanes for Lanes128 {
    type V = Bits128;
    const PLACES: &'static [u8] = &places::<16>();

    #[inline(always)]
    fn splat(self, byte: u8) -> Bits128 {
        Bits128(call!(vdupq_n_u8(byte)))
    }

    #[inline(always)]
    fn splat_word(self, word: u32) -> Bits128 {
        Bits128(call!(vreinterpretq_u8_u32(vdupq_n_u32(word))))
    }

    #[inline(always)]
    fn add(self, a: Bits128, b: Bits128) -> Bits128 {
        Bits128(call!(vaddq_u8(a.0, b.0)))
    }

    #[inline(always)]
    fn equal(self, a: Bits128, b: Bits128) -> Bits128 {
        Bits128(call!(vceqq_u8(a.0, b.0)))
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(self, v: Bits128) -> Bits128 {
        Bits128(call!(vshrq_n_u8::<BITS>(v.0)))
    }

    #[inline(always)]
    fn shift_left<const BITS: i32>(self, v: Bits128) -> Bits128 {
        Bits128(call!(vshlq_n_u8::<BITS>(v.0)))
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> Bits128 {
        // SAFETY: as much is there, by the caller's promise.
        Bits128(unsafe { vld1q_u8(from) })
    }

    #[inline(always)]
    fn transpose(self, rows: [Bits128; 16]) -> [Bits128; 16] {
        let rows = sixteen!(|I| rows[I].0);
        let rows = transpose!(rows, vzip1q_u8, vzip2q_u8);
        sixteen!(|I| Bits128(rows[I]))
    }

    functions!("neon");
}

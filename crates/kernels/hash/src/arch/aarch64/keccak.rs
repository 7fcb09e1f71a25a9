//! Lanes of Keccak-f\[1600\] in vectors, by the instructions for SHA-3 (Arm ARM, "EOR3", "RAX1", "XAR" and "BCAX").

use std::arch::aarch64::*;

use wirespeed_kernels_core::call;

use crate::portable::Lane;

/// A lane in the lower half of a vector. A value proves the instructions.
#[derive(Clone, Copy)]
pub(super) struct Vector(uint64x2_t);

impl Lane for Vector {
    #[inline(always)]
    fn of(word: u64) -> Self {
        Self(call!(vcombine_u64(vcreate_u64(word), vcreate_u64(0))))
    }

    #[inline(always)]
    fn word(self) -> u64 {
        call!(vgetq_lane_u64::<0>(self.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(call!(veorq_u64(self.0, other.0)))
    }

    #[inline(always)]
    fn turn<const LEFT: i32>(self) -> Self {
        unreachable!("`theta` and `rho` turn")
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        Self(call!(vbcaxq_u64(self.0, c.0, b.0)))
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        Self(call!(veor3q_u64(self.0, b.0, c.0)))
    }

    #[inline(always)]
    fn theta(before: Self, after: Self) -> Self {
        Self(call!(vrax1q_u64(before.0, after.0)))
    }

    #[inline(always)]
    fn rho<const LEFT: i32, const RIGHT: i32>(self, _before: Self, theta: Self) -> Self {
        Self(call!(vxarq_u64::<RIGHT>(self.0, theta.0)))
    }
}

//! AES without its instructions: eight vectors as planes, fewer by shuffles.

use std::arch::aarch64::*;

use wirespeed_cipher::Route;
use wirespeed_cpu::Neon;
use wirespeed_kernels_core::call;
use wirespeed_kernels_core::engine::Galois;

use super::quad::{Plain, Quad};
use crate::bitsliced::Planes;
use crate::bitsliced::unit::ByPlanes;
use crate::bitsliced::vectors::{self, Bits};
use crate::modes::ghash::tables::Looked;
use crate::permuted::{self, Shuffles};
use crate::unit::{One, Vector};

crate::table::table!(
    Route::Neon,
    Quad<Plain>,
    // SAFETY: whoever reaches the table has the token.
    unsafe { Quad::assume() },
    ByKeySize::NONE,
    "neon"
);

/// The kernels by key size.
pub(super) fn table(_proof: Neon) -> &'static [BlockKernels; 3] {
    &TABLE
}

/// GCM's hash for the tables of other ciphers than AES.
///
/// # Safety
/// Its functions run only where [`Neon`] was proved.
pub const unsafe fn galois() -> Galois {
    crate::table::galois(&TABLE[0])
}

impl Bits for Quad<Plain> {
    #[inline(always)]
    fn and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(vandq_u8(a, b))
    }

    #[inline(always)]
    fn shift_left_by<const BITS: i32>(self, v: uint8x16_t) -> uint8x16_t {
        call!(vreinterpretq_u8_u64(vshlq_n_u64::<BITS>(vreinterpretq_u64_u8(v))))
    }

    #[inline(always)]
    fn shift_right_by<const BITS: i32>(self, v: uint8x16_t) -> uint8x16_t {
        call!(vreinterpretq_u8_u64(vshrq_n_u64::<BITS>(vreinterpretq_u64_u8(v))))
    }

    #[inline(always)]
    fn splat_byte(self, byte: u8) -> uint8x16_t {
        call!(vdupq_n_u8(byte))
    }

    #[inline(always)]
    fn equal(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(vceqq_u8(a, b))
    }

    /// A bit of either by its mask takes one instruction.
    #[inline(always)]
    fn exchange<const BITS: i32>(
        self,
        mask: uint8x16_t,
        a: uint8x16_t,
        b: uint8x16_t,
    ) -> (uint8x16_t, uint8x16_t) {
        (
            call!(vbslq_u8(mask, a, self.shift_left_by::<BITS>(b))),
            call!(vbslq_u8(mask, self.shift_right_by::<BITS>(a), b)),
        )
    }
}

impl Shuffles for Quad<Plain> {
    #[inline(always)]
    fn shuffle(self, table: uint8x16_t, places: uint8x16_t) -> uint8x16_t {
        call!(vqtbl1q_u8(table, places))
    }

    #[inline(always)]
    fn next_byte(self, high: uint8x16_t, low: uint8x16_t) -> uint8x16_t {
        call!(vextq_u8::<15>(low, high))
    }
}

impl ByPlanes for Quad<Plain> {
    type One = Self;
    type Hash<'k> = Looked<'k, Self>;
    const SHUFFLED: usize = 4;

    #[inline(always)]
    fn one(self) -> Self {
        self
    }

    #[inline(always)]
    fn sum_of_blocks(self, v: uint8x16_t) -> uint8x16_t {
        v
    }

    #[inline(always)]
    fn first_of_blocks(self, v: uint8x16_t) -> uint8x16_t {
        v
    }

    #[inline(never)]
    fn by_planes<const DECRYPT: bool>(
        self,
        keys: &[Planes<uint8x16_t>],
        state: &mut Planes<uint8x16_t>,
    ) {
        vectors::crypt::<_, DECRYPT>(self, keys, state);
    }

    #[inline(never)]
    fn by_shuffles<const DECRYPT: bool, const N: usize>(
        self,
        schedule: &Schedule,
        rounds: usize,
        state: &mut [uint8x16_t; N],
    ) {
        *state = permuted::crypt::<_, DECRYPT, N>(self, schedule, rounds, *state);
    }
}

impl One for Quad<Plain> {
    #[inline(always)]
    fn every_column<const COLUMN: usize, const ROTATE: bool>(self, v: uint8x16_t) -> uint8x16_t {
        self.column::<COLUMN, ROTATE>(v)
    }

    #[inline(always)]
    fn sub_columns(self, v: uint8x16_t, constant: u32) -> uint8x16_t {
        let constant = call!(vreinterpretq_u8_u32(vdupq_n_u32(constant)));
        self.xor(permuted::sub_bytes(self, v), constant)
    }

    #[inline(always)]
    fn running_sum(self, v: uint8x16_t) -> uint8x16_t {
        self.sum_so_far(v)
    }

    #[inline(always)]
    fn inverse_mix(self, block: uint8x16_t) -> uint8x16_t {
        vectors::inverse_mix(self, block)
    }
}

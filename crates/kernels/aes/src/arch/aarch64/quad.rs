//! 128-bit vectors: one block in a vector.

use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

use wirespeed_cipher::{Block, partial};
use wirespeed_kernels_core::call;

use crate::mask;
use crate::unit::Vector;

/// A 128-bit unit. A value proves NEON and what `K` stands for.
#[derive(Clone, Copy)]
pub(super) struct Quad<K>(PhantomData<K>);

/// AES and PMULL.
#[derive(Clone, Copy)]
pub(super) enum Ce {}

/// The same with sums of three, which the compiler makes of two.
#[derive(Clone, Copy)]
pub(super) enum CeSha3 {}

/// Nothing more.
#[derive(Clone, Copy)]
pub(super) enum Plain {}

impl<K> Quad<K> {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what `K` stands for.
    #[inline(always)]
    pub(super) const unsafe fn assume() -> Self {
        Self(PhantomData)
    }

    /// Words, the first in the lowest place.
    #[inline(always)]
    fn words(self, words: [u32; 4]) -> uint8x16_t {
        // SAFETY: the memory is as long as the vector.
        unsafe { vreinterpretq_u8_u32(vld1q_u32(words.as_ptr())) }
    }

    #[inline(always)]
    fn shift(self, v: uint8x16_t, bits: i64) -> uint8x16_t {
        call!(vreinterpretq_u8_u64(vshlq_u64(vreinterpretq_u64_u8(v), vdupq_n_s64(bits))))
    }
}

impl<K: Copy> Vector for Quad<K> {
    type V = uint8x16_t;
    const WIDTH: usize = 1;
    // What multiplies is busy with AES.
    const TWEAKS_BY_INTEGERS: bool = true;

    #[inline(always)]
    fn number(self, v: uint8x16_t) -> u128 {
        let v = call!(vreinterpretq_u64_u8(v));
        let (low, high) = (call!(vgetq_lane_u64::<0>(v)), call!(vgetq_lane_u64::<1>(v)));
        u128::from(high) << 64 | u128::from(low)
    }

    #[inline(always)]
    fn of_number(self, number: u128) -> uint8x16_t {
        let halves =
            call!(vcombine_u64(vcreate_u64(number as u64), vcreate_u64((number >> 64) as u64)));
        call!(vreinterpretq_u8_u64(halves))
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> uint8x16_t {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { vld1q_u8(from) }
    }

    #[inline(always)]
    unsafe fn load_first(self, from: *const u8, count: usize) -> uint8x16_t {
        if count == 16 {
            // SAFETY: as much is there, by the caller's promise.
            return unsafe { vld1q_u8(from) };
        }
        // SAFETY: the caller vouches for `count` bytes.
        self.of_number(unsafe { partial::load(from, count) })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, v: uint8x16_t) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { vst1q_u8(to, v) };
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut u8, v: uint8x16_t, count: usize) {
        if count == 16 {
            // SAFETY: as much is there, by the caller's promise.
            return unsafe { vst1q_u8(to, v) };
        }
        // SAFETY: the caller vouches for `count` bytes.
        unsafe { partial::store(to, self.number(v), count) };
    }

    #[inline(always)]
    fn keep_first(self, v: uint8x16_t, count: usize) -> uint8x16_t {
        // SAFETY: a mask is as long as the vector.
        unsafe { vandq_u8(v, vld1q_u8(mask::first(count))) }
    }

    #[inline(always)]
    fn splat(self, block: Block) -> uint8x16_t {
        // SAFETY: the memory is as long as the vector.
        unsafe { vld1q_u8(block.as_ptr()) }
    }

    #[inline(always)]
    fn zero(self) -> uint8x16_t {
        call!(vdupq_n_u8(0))
    }

    #[inline(always)]
    fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(veorq_u8(a, b))
    }

    #[inline(always)]
    fn swap_bytes(self, v: uint8x16_t) -> uint8x16_t {
        self.swap_halves(call!(vrev64q_u8(v)))
    }

    #[inline(always)]
    fn swap_halves(self, v: uint8x16_t) -> uint8x16_t {
        call!(vextq_u8::<8>(v, v))
    }

    #[inline(always)]
    fn low_to_high(self, v: uint8x16_t) -> uint8x16_t {
        call!(vextq_u8::<8>(self.zero(), v))
    }

    #[inline(always)]
    fn high_to_low(self, v: uint8x16_t) -> uint8x16_t {
        call!(vextq_u8::<8>(v, self.zero()))
    }

    #[inline(always)]
    fn shift_up(self, v: uint8x16_t) -> uint8x16_t {
        call!(vextq_u8::<15>(self.zero(), v))
    }

    #[inline(always)]
    fn shifted_out(self, v: uint8x16_t) -> uint8x16_t {
        call!(vextq_u8::<15>(v, self.zero()))
    }

    #[inline(always)]
    fn shift_left(self, v: uint8x16_t, bits: u32) -> uint8x16_t {
        self.shift(v, bits.into())
    }

    #[inline(always)]
    fn shift_right_rest(self, v: uint8x16_t, bits: u32) -> uint8x16_t {
        // To the left by a negative number (Arm ARM, "USHL").
        self.shift(v, i64::from(bits) - 64)
    }

    #[inline(always)]
    fn add(self, v: uint8x16_t, count: u32, _spread: bool) -> uint8x16_t {
        self.add_words(v, [count, 0, 0, 0])
    }

    #[inline(always)]
    fn add_to_last_byte(self, v: uint8x16_t, count: u8) -> uint8x16_t {
        self.add_words(v, [0, 0, 0, u32::from(count) << 24])
    }

    #[inline(always)]
    fn shift_in(self, previous: uint8x16_t, _current: uint8x16_t) -> uint8x16_t {
        previous
    }

    #[inline(always)]
    fn pin(self, mut v: uint8x16_t) -> uint8x16_t {
        // SAFETY: no instruction; not `pure`, so that it keeps its place among its like.
        unsafe {
            asm!("/* {0:v} */", inout(vreg) v, options(nomem, nostack, preserves_flags));
        };
        v
    }
}

impl<K: Copy> Quad<K> {
    #[inline(always)]
    fn add_words(self, v: uint8x16_t, words: [u32; 4]) -> uint8x16_t {
        let (v, words) = (call!(vreinterpretq_u32_u8(v)), self.words(words));
        call!(vreinterpretq_u8_u32(vaddq_u32(v, vreinterpretq_u32_u8(words))))
    }

    /// One column in every place, its bytes rotated by FIPS 197's RotWord if `ROTATE`.
    #[inline(always)]
    pub(super) fn column<const COLUMN: usize, const ROTATE: bool>(
        self,
        v: uint8x16_t,
    ) -> uint8x16_t {
        let first = 4 * COLUMN as u8;
        let order = if ROTATE { [1, 2, 3, 0] } else { [0, 1, 2, 3] };
        let order = u32::from_le_bytes(order) + 0x01010101 * u32::from(first);
        call!(vqtbl1q_u8(v, vreinterpretq_u8_u32(vdupq_n_u32(order))))
    }

    /// Each column becomes the sum of itself and all columns before it.
    #[inline(always)]
    pub(super) fn sum_so_far(self, v: uint8x16_t) -> uint8x16_t {
        let pairs = self.xor(v, call!(vextq_u8::<12>(self.zero(), v)));
        self.xor(pairs, call!(vextq_u8::<8>(self.zero(), pairs)))
    }
}

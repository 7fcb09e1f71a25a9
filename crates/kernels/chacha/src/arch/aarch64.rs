//! ChaCha20 with NEON: a row of one block in a vector, and four blocks as columns. Poly1305 goes in integers, whose units
//! the rounds leave free.

#![allow(
    inline_always_mismatching_target_features,
    reason = "a unit's methods become part of functions that have the features"
)]

use std::arch::aarch64::*;

use wirespeed_cipher::{Route, StreamKernels, partial};
use wirespeed_cpu::{Features, Neon, Token};
use wirespeed_kernels_core::{Absent, call};

use crate::Rows;
use crate::poly1305::Chain;

/// The kernels of a route.
pub(crate) fn kernels(route: Route, features: Features) -> Result<&'static StreamKernels, Absent> {
    match route {
        Route::Neon => Neon::probe(features).map(|_| &table::KERNELS).map_err(Absent::Missing),
        _ => Err(Absent::WithoutStream),
    }
}

/// The 128-bit unit. A value proves NEON.
#[derive(Clone, Copy)]
struct Quad(());

impl Quad {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has NEON.
    #[inline(always)]
    const unsafe fn assume() -> Self {
        Self(())
    }
}

impl Rows for Quad {
    type V = uint32x4_t;
    type Hash = Chain;
    const BLOCKS: usize = 1;
    const FLIGHT: usize = 6;
    const STITCHED: bool = true;

    #[inline(always)]
    fn splat(self, row: [u32; 4]) -> uint32x4_t {
        // SAFETY: the memory is as long as the vector.
        unsafe { vld1q_u32(row.as_ptr()) }
    }

    #[inline(always)]
    fn number(self, v: uint32x4_t, count: u32) -> uint32x4_t {
        self.add(v, self.splat([count, 0, 0, 0]))
    }

    #[inline(always)]
    fn first_row(self, v: uint32x4_t) -> [u32; 4] {
        let mut words = [0; 4];
        // SAFETY: so long is the array.
        unsafe { vst1q_u32((&raw mut words).cast(), v) };
        words
    }

    #[inline(always)]
    fn add(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        call!(vaddq_u32(a, b))
    }

    #[inline(always)]
    fn xor(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        call!(veorq_u32(a, b))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32>(self, v: uint32x4_t) -> uint32x4_t {
        /// Where the bytes of words that were rotated by eight bits come from.
        static BY_EIGHT: [u8; 16] = [3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14];
        match LEFT {
            16 => call!(vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(v)))),
            8 => {
                // SAFETY: the memory is as long as the vector.
                let order = unsafe { vld1q_u8(BY_EIGHT.as_ptr()) };
                call!(vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(v), order)))
            }
            12 => call!(vsriq_n_u32::<20>(vshlq_n_u32::<12>(v), v)),
            _ => call!(vsriq_n_u32::<25>(vshlq_n_u32::<7>(v), v)),
        }
    }

    #[inline(always)]
    fn turn<const PLACES: i32>(self, v: uint32x4_t) -> uint32x4_t {
        match PLACES {
            1 => call!(vextq_u32::<1>(v, v)),
            2 => call!(vextq_u32::<2>(v, v)),
            _ => call!(vextq_u32::<3>(v, v)),
        }
    }

    const COLUMNS: bool = true;

    #[inline(always)]
    fn word<const PLACE: i32>(self, v: uint32x4_t) -> uint32x4_t {
        call!(vdupq_laneq_u32::<PLACE>(v))
    }

    #[inline(always)]
    fn number_columns(self, v: uint32x4_t, count: u32) -> uint32x4_t {
        let places = self.splat([0, 1, 2, 3]);
        self.add(v, self.add(places, call!(vdupq_n_u32(count))))
    }

    #[inline(always)]
    fn gather(self, [a, b, c, d]: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
        let low = [call!(vzip1q_u32(a, b)), call!(vzip1q_u32(c, d))];
        let high = [call!(vzip2q_u32(a, b)), call!(vzip2q_u32(c, d))];
        [pairs::<false>(low), pairs::<true>(low), pairs::<false>(high), pairs::<true>(high)]
    }

    #[inline(always)]
    unsafe fn store<const ADD: bool>(
        self,
        rows: [uint32x4_t; 4],
        blocks: usize,
        from: *const u8,
        to: *mut u8,
    ) {
        if blocks == 0 {
            return;
        }
        for i in 0..4 {
            let mut row = call!(vreinterpretq_u8_u32(rows[i]));
            // SAFETY: a block is readable and writable, by the caller's promise.
            unsafe {
                if ADD {
                    row = veorq_u8(row, vld1q_u8(from.add(16 * i)));
                }
                vst1q_u8(to.add(16 * i), row);
            }
        }
    }

    #[inline(always)]
    unsafe fn combine(self, keystream: *const u8, from: *const u8, to: *mut u8, count: usize) {
        let whole = count & !15;
        for at in (0..whole).step_by(16) {
            // SAFETY: whole vectors, within what the caller vouches for.
            unsafe {
                let sum = veorq_u8(vld1q_u8(keystream.add(at)), vld1q_u8(from.add(at)));
                vst1q_u8(to.add(at), sum);
            }
        }
        // SAFETY: the rest of less is all that is touched.
        unsafe {
            let rest = count - whole;
            let key = partial::load(keystream.add(whole), rest);
            partial::store(to.add(whole), partial::load(from.add(whole), rest) ^ key, rest);
        }
    }
}

/// The lower halves of both, or the upper ones.
#[inline(always)]
fn pairs<const UPPER: bool>([a, b]: [uint32x4_t; 2]) -> uint32x4_t {
    let (a, b) = (call!(vreinterpretq_u64_u32(a)), call!(vreinterpretq_u64_u32(b)));
    let pairs = if UPPER { call!(vzip2q_u64(a, b)) } else { call!(vzip1q_u64(a, b)) };
    call!(vreinterpretq_u32_u64(pairs))
}

mod table {
    use super::*;

    crate::table_of!(
        Route::Neon,
        false,
        Quad,
        // SAFETY: `kernels` takes the token.
        unsafe { Quad::assume() },
        "neon"
    );
}

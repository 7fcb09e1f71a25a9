//! 128-bit vectors: a byte of each of sixteen blocks, or the bytes of one.

use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

use wirespeed_cipher::{Block, BlockKernels, InOut, Route, Schedule};
use wirespeed_kernels_core::engine::Galois;
use wirespeed_kernels_core::{Chain, call};

use crate::field::BOXES;
use crate::machine::{machine, places, transpose};
use crate::nibbles::{AROUND_AES, BY_INVERSION, LookUp, OF_AES, UNSHIFT};
use crate::serial::{self, In, Maps, Register};
use crate::waves::{self, Mode, Runs};
use crate::{Core, Machine, Slices, Wide, tables};

/// A 128-bit unit. A value proves NEON and what the kind stands for.
#[derive(Clone, Copy)]
struct Quad<K>(PhantomData<K>);

/// How a CPU gets through an S-box.
trait Kind: Copy {
    /// Whether by AES's S-box, or else by look-ups alone.
    const AES: bool;

    /// Takes blocks through a cipher, in a function with the features of this kind.
    fn run<S: Slices, C: Core>(u: S, keys: &[Wide], state: &mut [S::V; 16]);
}

/// Defines a kind.
macro_rules! kind {
    ($(#[$doc:meta])* $name:ident: $run:ident, $aes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        enum $name {}

        impl Kind for $name {
            const AES: bool = $aes;

            #[inline(always)]
            fn run<S: Slices, C: Core>(u: S, keys: &[Wide], state: &mut [S::V; 16]) {
                // SAFETY: the unit proves the features.
                unsafe { on::$run::<S, C>(u, keys, state) }
            }
        }
    };
}

kind! {
    /// AES.
    Ce: run_ce, true
}
kind! {
    /// AES, and sums of three, which the compiler makes of two.
    CeSha3: run_ce_sha3, true
}
kind! {
    /// Nothing more.
    Plain: run_neon, false
}

impl<K: Kind> Quad<K> {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what the kind stands for.
    #[inline(always)]
    const unsafe fn assume() -> Self {
        Self(PhantomData)
    }

    /// AES's S-box on every byte.
    #[inline(always)]
    fn s_box(self, v: uint8x16_t) -> uint8x16_t {
        if K::AES {
            call!(vaeseq_u8(self.shuffle(v, &UNSHIFT), vdupq_n_u8(0)))
        } else {
            self.invert(v, &OF_AES)
        }
    }
}

/// Sums stay as they were written: the compiler would add up what is known last among the first.
#[inline(always)]
fn pin(mut v: uint8x16_t) -> uint8x16_t {
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {0:v} */", inout(vreg) v, options(pure, nomem, nostack, preserves_flags));
    }
    v
}

impl<K: Kind> LookUp for Quad<K> {
    type V = uint8x16_t;

    #[inline(always)]
    fn sum(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(veorq_u8(a, b))
    }

    #[inline(always)]
    fn halves(self, v: uint8x16_t) -> [uint8x16_t; 2] {
        [call!(vandq_u8(v, vdupq_n_u8(0x0f))), call!(vshrq_n_u8::<4>(v))]
    }

    #[inline(always)]
    fn byte(self, byte: u8) -> uint8x16_t {
        call!(vdupq_n_u8(byte))
    }

    #[inline(always)]
    fn look_up(self, table: &'static Block, places: uint8x16_t) -> uint8x16_t {
        // SAFETY: the memory is as long as the vector.
        unsafe { vqtbl1q_u8(vld1q_u8(table.as_ptr()), places) }
    }
}

impl<K: Kind> Slices for Quad<K> {
    type V = uint8x16_t;
    type Narrow = Self;
    const BLOCKS: usize = 16;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
    }

    #[inline(always)]
    fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(veorq_u8(a, b))
    }

    #[inline(always)]
    fn and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(vandq_u8(a, b))
    }

    #[inline(always)]
    fn or(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(vorrq_u8(a, b))
    }

    #[inline(always)]
    fn select<const MASK: u8>(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(vbslq_u8(vdupq_n_u8(MASK), a, b))
    }

    #[inline(always)]
    fn rotate_by_one(self, v: uint8x16_t) -> uint8x16_t {
        call!(vsliq_n_u8::<1>(vshrq_n_u8::<7>(v), v))
    }

    #[inline(always)]
    fn spread_top_bit(self, v: uint8x16_t) -> uint8x16_t {
        call!(vreinterpretq_u8_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u8(v))))
    }

    #[inline(always)]
    fn splat(self, byte: u32) -> uint8x16_t {
        call!(vreinterpretq_u8_u32(vdupq_n_u32(byte)))
    }

    #[inline(always)]
    fn count(self, from: u8) -> uint8x16_t {
        static PLACES: Block = places();
        // SAFETY: the memory is as long as the vector.
        let places = unsafe { vld1q_u8(PLACES.as_ptr()) };
        call!(vaddq_u8(places, vdupq_n_u8(from)))
    }

    #[inline(always)]
    fn substitute<const BOX: usize>(self, mut v: uint8x16_t) -> uint8x16_t {
        if !K::AES {
            return self.invert(v, &BY_INVERSION[BOX]);
        }
        if !const { BOXES[BOX].before.is_identity() } {
            v = self.affine(v, &AROUND_AES[BOX][0]);
        }
        v = self.s_box(v);
        if const { BOXES[BOX].after_aes().is_identity() } {
            return v;
        }
        self.affine(v, &AROUND_AES[BOX][1])
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> uint8x16_t {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { vld1q_u8(from) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, row: uint8x16_t) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { vst1q_u8(to, row) };
    }

    #[inline(always)]
    fn slice(self, rows: [uint8x16_t; 16]) -> [uint8x16_t; 16] {
        transpose!(rows, vzip1q_u8, vzip2q_u8)
    }

    #[inline(always)]
    fn unslice(self, slices: [uint8x16_t; 16]) -> [uint8x16_t; 16] {
        transpose!(slices, vzip1q_u8, vzip2q_u8)
    }

    #[inline(always)]
    fn run<C: Core>(self, keys: &[Wide], state: &mut [uint8x16_t; 16]) {
        K::run::<Self, C>(self, keys, state);
    }
}

impl<K: Kind> Quad<K> {
    /// A map of the first half by two tables, and one of the second.
    #[inline(always)]
    fn by_nibbles(
        self,
        v: uint8x16_t,
        tables: &'static [[Block; 2]; 2],
        is_one: bool,
    ) -> uint8x16_t {
        let first = self.affine(v, &tables[0]);
        if is_one {
            return first;
        }
        let second = self.affine(v, &tables[1]);
        call!(vcombine_u8(vget_low_u8(first), vget_high_u8(second)))
    }
}

impl<K: Kind> Register for Quad<K> {
    type V = uint8x16_t;

    #[inline(always)]
    fn load(self, block: &Block) -> uint8x16_t {
        // SAFETY: the memory is as long as the vector.
        unsafe { vld1q_u8(block.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, v: uint8x16_t) -> Block {
        let mut block = [0; 16];
        // SAFETY: the memory is as long as the vector.
        unsafe { vst1q_u8(block.as_mut_ptr(), v) };
        block
    }

    #[inline(always)]
    fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(veorq_u8(a, b))
    }

    #[inline(always)]
    fn and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(vandq_u8(a, b))
    }

    #[inline(always)]
    fn or(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(vorrq_u8(a, b))
    }

    #[inline(always)]
    fn xor3(self, a: uint8x16_t, b: uint8x16_t, c: uint8x16_t) -> uint8x16_t {
        pin(call!(veorq_u8(pin(call!(veorq_u8(a, b))), c)))
    }

    #[inline(always)]
    fn rotate_words<const LEFT: i32>(self, v: uint8x16_t) -> uint8x16_t {
        let v = call!(vreinterpretq_u32_u8(v));
        // To the left by a negative number (Arm ARM, "USHL").
        let right = call!(vshlq_u32(v, vdupq_n_s32(LEFT - 32)));
        call!(vreinterpretq_u8_u32(vorrq_u32(vshlq_n_u32::<LEFT>(v), right)))
    }

    #[inline(always)]
    fn shuffle(self, v: uint8x16_t, from: &'static Block) -> uint8x16_t {
        // SAFETY: the memory is as long as the vector.
        unsafe { vqtbl1q_u8(v, vld1q_u8(from.as_ptr())) }
    }

    #[inline(always)]
    fn map(self, v: uint8x16_t, maps: &'static Maps) -> uint8x16_t {
        if maps.is_identity { v } else { self.by_nibbles(v, &maps.nibbles, maps.is_one) }
    }

    #[inline(always)]
    fn map_inverse(self, v: uint8x16_t, maps: &'static Maps) -> uint8x16_t {
        self.by_nibbles(self.s_box(v), &maps.nibbles_after_aes, maps.is_one)
    }

    #[inline(always)]
    fn sums(self, v: uint8x16_t, rows: &'static Block) -> uint8x16_t {
        serial::sums(self, v, rows)
    }
}

/// The machines.
mod on {
    use wirespeed_aes::arch::aarch64::{galois, galois_neon};

    use super::*;

    machine!(
        OnCe run_ce table_ce: Quad<Ce>, Quad<Ce>, FEW_BY_TABLES, Route::AesCe,
        wirespeed_cpu::AesCe, galois(), "neon,aes"
    );
    machine!(
        OnCeSha3 run_ce_sha3 table_ce_sha3: Quad<CeSha3>, Quad<CeSha3>, FEW_BY_TABLES, Route::AesCe,
        wirespeed_cpu::AesCeSha3, galois(), "neon,aes,sha3"
    );
    machine!(
        OnNeon run_neon table_neon: Quad<Plain>, Quad<Plain>, FEW_BY_TABLES, Route::Neon,
        wirespeed_cpu::Neon, galois_neon(), "neon"
    );
}

pub(super) use on::{table_ce, table_ce_sha3, table_neon};

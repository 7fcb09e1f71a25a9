//! Streams of AES, one to a vector.

use std::arch::aarch64::*;
use std::arch::asm;

use wirespeed_cipher::Block;
use wirespeed_cpu::AesCe;
use wirespeed_kernels_core::call;

use crate::ciphers::ChainMode;
use crate::ciphers::lanes::Rung;
use crate::ciphers::streams::{self, Streams};

/// The unit: only made where its features are.
#[derive(Clone, Copy)]
struct Quad;

stream_rungs!("neon,aes", Quad = Quad, [2 4 8]);

/// The kernels of a chain.
pub(super) fn aes_ce(_proof: AesCe, chain: ChainMode, key_size: usize) -> &'static [Rung] {
    &RUNGS[chain as usize][key_size]
}

impl Streams for Quad {
    type V = uint8x16_t;
    const LANES: usize = 1;
    const KEY_FIRST: bool = true;

    #[inline(always)]
    unsafe fn splat(self, from: *const Block) -> uint8x16_t {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { vld1q_u8(from.cast()) }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const Block) -> uint8x16_t {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { vld1q_u8(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut Block, v: uint8x16_t) {
        // SAFETY: as much is there, by the caller's promise.
        unsafe { vst1q_u8(to.cast(), v) };
    }

    #[inline(always)]
    unsafe fn gather(self, from: *const *const u8, offset: usize) -> uint8x16_t {
        // SAFETY: the caller vouches for a pointer, and for a block there.
        unsafe { vld1q_u8((*from).add(offset)) }
    }

    #[inline(always)]
    unsafe fn scatter(self, to: *const *mut u8, offset: usize, v: uint8x16_t) {
        // SAFETY: the caller vouches for a pointer, and for a block there.
        unsafe { vst1q_u8((*to).add(offset), v) };
    }

    #[inline(always)]
    fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        call!(veorq_u8(a, b))
    }

    #[inline(always)]
    fn round(self, v: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
        call!(vaesmcq_u8(vaeseq_u8(v, key)))
    }

    #[inline(always)]
    fn last_round(self, v: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
        call!(vaeseq_u8(v, key))
    }

    #[inline(always)]
    fn pin(self, mut v: uint8x16_t) -> uint8x16_t {
        // SAFETY: no instruction; not `pure`, so that it keeps its place among its like.
        unsafe {
            asm!("/* {0:v} */", inout(vreg) v, options(nomem, nostack, preserves_flags));
        }
        v
    }
}

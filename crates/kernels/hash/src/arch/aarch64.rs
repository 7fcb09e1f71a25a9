//! The functions of 64-bit ARM: by the instructions for SHA, and by those for SM3.

#![allow(
    inline_always_mismatching_target_features,
    reason = "a body becomes part of a function that has the features"
)]

mod keccak;
mod sha512;
mod sha_ce;
mod sm3;

use std::arch::aarch64::*;

use wirespeed_cipher::{Compression, HashKernels, Route};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::{Absent, call};

/// A compression function by a route.
pub(crate) fn kernels(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    match route {
        Route::ShaCe => sha_ce::hash(compression, features),
        Route::Sm4Ce => sm3::hash(compression, features),
        _ => Err(Absent::WithoutHash(compression)),
    }
}

/// Four words of the chaining value.
#[inline(always)]
fn pack(words: &[u64; 4]) -> uint32x4_t {
    // SAFETY: the memory is as long as two vectors.
    let [first, second] = unsafe { [vld1q_u64(words.as_ptr()), vld1q_u64(words[2..].as_ptr())] };
    call!(vuzp1q_u32(vreinterpretq_u32_u64(first), vreinterpretq_u32_u64(second)))
}

/// The same backwards.
#[inline(always)]
fn unpack(v: uint32x4_t, words: &mut [u64; 4]) {
    let (first, second) = (call!(vmovl_u32(vget_low_u32(v))), call!(vmovl_high_u32(v)));
    // SAFETY: the memory is as long as two vectors.
    unsafe {
        vst1q_u64(words.as_mut_ptr(), first);
        vst1q_u64(words[2..].as_mut_ptr(), second);
    }
}

/// The words of a block, four to a vector.
#[inline(always)]
fn message(block: &[u8; 64]) -> [uint32x4_t; 4] {
    let mut words = [call!(vdupq_n_u32(0)); 4];
    for (i, four) in words.iter_mut().enumerate() {
        // SAFETY: the block is as long as four vectors.
        let bytes = unsafe { vld1q_u8(block.as_ptr().add(16 * i)) };
        *four = call!(vreinterpretq_u32_u8(vrev32q_u8(bytes)));
    }
    words
}

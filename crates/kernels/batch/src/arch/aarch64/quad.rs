//! NEON: four lanes of 32 bits, or two of 64.

use std::arch::aarch64::*;
use std::arch::asm;

use wirespeed_cipher::Compression;
use wirespeed_cpu::Neon;
use wirespeed_kernels_core::call;

use crate::words::{Pair, Words};

/// Lanes of 32 bits. A value proves NEON.
#[derive(Clone, Copy)]
struct Quad32(());

/// Lanes of 64 bits. A value proves NEON.
#[derive(Clone, Copy)]
struct Quad64(());

/// Instructions for a function are faster than four lanes.
const NEVER: usize = usize::MAX;

rungs! { "neon":
    MD5: Md5 u32 [
        4 [2, 2], Quad32 = Quad32(());
        8 [5, 5], Pair<Quad32> = Pair(Quad32(()));
    ]
    SHA1: Sha1 u32 [4 [3, NEVER], Quad32 = Quad32(());]
    SHA256: Sha256 u32 [4 [3, NEVER], Quad32 = Quad32(());]
    SHA512: Sha512 u64 [2 [2, NEVER], Quad64 = Quad64(());]
}

/// The kernels of a function.
pub(super) fn rungs(_proof: Neon, compression: Compression) -> Option<Rungs> {
    Some(match compression {
        Compression::Md5 => Rungs::Narrow(MD5),
        Compression::Sha1 => Rungs::Narrow(SHA1),
        Compression::Sha256 => Rungs::Narrow(SHA256),
        Compression::Sha512 => Rungs::Wide(SHA512),
        _ => return None,
    })
}

/// What words of both sizes have, by the names of their instructions.
macro_rules! words {
    (
        $word:ident, $v:ident, $signed:ident: $splat:ident $add:ident $xor:ident $select:ident $or:ident
        $or_not:ident $shift:ident $count:ident $load:ident $store:ident
    ) => {
        type Word = $word;
        type V = $v;
        const LANES: usize = 16 / size_of::<$word>();

        #[inline(always)]
        fn splat(self, word: $word) -> $v {
            call!($splat(word))
        }

        #[inline(always)]
        fn add(self, a: $v, b: $v) -> $v {
            call!($add(a, b))
        }

        #[inline(always)]
        fn xor(self, a: $v, b: $v) -> $v {
            call!($xor(a, b))
        }

        #[inline(always)]
        fn xor3(self, a: $v, b: $v, c: $v) -> $v {
            self.xor(self.xor(a, b), c)
        }

        #[inline(always)]
        fn choose(self, a: $v, b: $v, c: $v) -> $v {
            call!($select(a, b, c))
        }

        #[inline(always)]
        fn majority(self, a: $v, b: $v, c: $v) -> $v {
            // Where both differ, the third decides.
            call!($select(self.xor(a, b), c, b))
        }

        #[inline(always)]
        fn or_not(self, a: $v, b: $v, c: $v) -> $v {
            self.xor(b, call!($or_not(a, c)))
        }

        /// The counts are constants after inlining.
        #[inline(always)]
        fn rotate<const LEFT: i32>(self, a: $v) -> $v {
            // To the left by a negative number (Arm ARM, "USHL").
            let right = call!($shift(a, $count((LEFT - <$word>::BITS as i32) as $signed)));
            call!($or($shift(a, $count(LEFT as $signed)), right))
        }

        #[inline(always)]
        fn shift<const RIGHT: i32>(self, a: $v) -> $v {
            call!($shift(a, $count(-RIGHT as $signed)))
        }

        #[inline(always)]
        fn pin(self, mut a: $v) -> $v {
            // SAFETY: no instruction.
            unsafe {
                asm!("/* {0:v} */", inout(vreg) a, options(pure, nomem, nostack, preserves_flags));
            }
            a
        }

        #[inline(always)]
        unsafe fn load(self, from: *const $word) -> $v {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { $load(from) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut $word, v: $v) {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { $store(to, v) };
        }
    };
}

/// 16 bytes from a lane, each word's in the order of the machine if it is big-endian and `BIG` says so.
macro_rules! row {
    ($from:ident, $lane:expr, $offset:expr, $reverse:ident, $cast:ident) => {{
        // SAFETY: the caller vouches for the pointer and what it points to.
        let bytes = unsafe { vld1q_u8((*$from.add($lane)).add($offset)) };
        call!($cast(if BIG { call!($reverse(bytes)) } else { bytes }))
    }};
}

impl Words for Quad32 {
    words!(
        u32, uint32x4_t, i32: vdupq_n_u32 vaddq_u32 veorq_u32 vbslq_u32 vorrq_u32
        vornq_u32 vshlq_u32 vdupq_n_s32 vld1q_u32 vst1q_u32
    );

    /// Four matrices of 4 by 4 words turned.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [uint32x4_t; 16] {
        let mut words = [self.splat(0); 16];
        for quarter in 0..4 {
            let offset = offset + 16 * quarter;
            let a = row!(from, 0, offset, vrev32q_u8, vreinterpretq_u32_u8);
            let b = row!(from, 1, offset, vrev32q_u8, vreinterpretq_u32_u8);
            let c = row!(from, 2, offset, vrev32q_u8, vreinterpretq_u32_u8);
            let d = row!(from, 3, offset, vrev32q_u8, vreinterpretq_u32_u8);
            let even = [call!(vtrn1q_u32(a, b)), call!(vtrn1q_u32(c, d))];
            let odd = [call!(vtrn2q_u32(a, b)), call!(vtrn2q_u32(c, d))];
            let [first, third] = halves(even);
            let [second, fourth] = halves(odd);
            words[4 * quarter] = first;
            words[4 * quarter + 1] = second;
            words[4 * quarter + 2] = third;
            words[4 * quarter + 3] = fourth;
        }
        words
    }
}

/// The lower halves of both, and the upper ones.
#[inline(always)]
fn halves([a, b]: [uint32x4_t; 2]) -> [uint32x4_t; 2] {
    let (a, b) = (call!(vreinterpretq_u64_u32(a)), call!(vreinterpretq_u64_u32(b)));
    [call!(vreinterpretq_u32_u64(vtrn1q_u64(a, b))), call!(vreinterpretq_u32_u64(vtrn2q_u64(a, b)))]
}

impl Words for Quad64 {
    words!(
        u64, uint64x2_t, i64: vdupq_n_u64 vaddq_u64 veorq_u64 vbslq_u64 vorrq_u64
        vornq_u64 vshlq_u64 vdupq_n_s64 vld1q_u64 vst1q_u64
    );

    /// Eight matrices of 2 by 2 words turned.
    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [uint64x2_t; 16] {
        let mut words = [self.splat(0); 16];
        for eighth in 0..8 {
            let offset = offset + 16 * eighth;
            let a = row!(from, 0, offset, vrev64q_u8, vreinterpretq_u64_u8);
            let b = row!(from, 1, offset, vrev64q_u8, vreinterpretq_u64_u8);
            words[2 * eighth] = call!(vtrn1q_u64(a, b));
            words[2 * eighth + 1] = call!(vtrn2q_u64(a, b));
        }
        words
    }
}

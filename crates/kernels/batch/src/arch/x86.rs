//! The routes of x86: lanes of AVX-512, of AVX2 and of SSE2.
//!
//! A unit's value is the proof that its instructions exist: it is only made inside functions compiled
//! with the unit's target features, and those are only reached through [`rungs()`], which asks for the CPU
//! token.

/// Asks for what lies `offset` bytes on in each lane, which may be behind its end.
///
/// # Safety
/// `LANES` pointers are readable at `from`.
#[inline(always)]
unsafe fn prefetch<const LANES: usize>(from: *const *const u8, offset: usize) {
    for lane in 0..LANES {
        // SAFETY: the caller vouches for the pointer; SSE is here, and asking faults nowhere.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((*from.add(lane)).wrapping_add(offset).cast()) };
    }
}

/// Whether there are eight registers of each kind.
const EIGHT_REGISTERS: bool = cfg!(target_arch = "x86");

/// More messages than there are lanes.
const NEVER: usize = usize::MAX;

/// What words of both sizes have where the unit shifts and does not rotate, by the names of its instructions.
macro_rules! words_by_shifts {
    ($vector:ident $register:ident $feature:literal, $word:ty, $signed:ty,
     $splat:ident $add:ident $left:ident $right:ident
     $xor:ident $and:ident $or:ident $bytes:ident $load:ident $store:ident) => {
        type Word = $word;
        type V = $vector;
        const LANES: usize = size_of::<$vector>() / size_of::<$word>();

        #[inline(always)]
        fn splat(self, word: $word) -> $vector {
            call!($splat(word as $signed))
        }

        #[inline(always)]
        fn add(self, a: $vector, b: $vector) -> $vector {
            call!($add(a, b))
        }

        #[inline(always)]
        fn xor(self, a: $vector, b: $vector) -> $vector {
            call!($xor(a, b))
        }

        #[inline(always)]
        fn xor3(self, a: $vector, b: $vector, c: $vector) -> $vector {
            self.xor(self.xor(a, b), c)
        }

        #[inline(always)]
        fn choose(self, a: $vector, b: $vector, c: $vector) -> $vector {
            self.xor(c, call!($and(a, self.xor(b, c))))
        }

        #[inline(always)]
        fn majority(self, a: $vector, b: $vector, c: $vector) -> $vector {
            let all = call!($and(a, b));
            call!($or(all, $and(c, $or(a, b))))
        }

        #[inline(always)]
        fn or_not(self, a: $vector, b: $vector, c: $vector) -> $vector {
            let not = self.xor(c, call!($bytes(-1)));
            self.xor(b, call!($or(a, not)))
        }

        /// The counts are constants after inlining.
        #[inline(always)]
        fn rotate<const LEFT: i32>(self, a: $vector) -> $vector {
            let right = <$word>::BITS as i32 - LEFT;
            let high = call!($left(a, _mm_cvtsi32_si128(LEFT)));
            call!($or(high, $right(a, _mm_cvtsi32_si128(right))))
        }

        #[inline(always)]
        fn shift<const RIGHT: i32>(self, a: $vector) -> $vector {
            call!($right(a, _mm_cvtsi32_si128(RIGHT)))
        }

        #[inline(always)]
        fn pin(self, a: $vector) -> $vector {
            #[inline]
            #[target_feature(enable = $feature)]
            fn pin(mut a: $vector) -> $vector {
                // SAFETY: no instruction.
                unsafe {
                    std::arch::asm!("/* {0} */", inout($register) a, options(pure, nomem, nostack, preserves_flags));
                }
                a
            }
            call!(pin(a))
        }

        #[inline(always)]
        unsafe fn load(self, from: *const $word) -> $vector {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { $load(from.cast()) }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut $word, v: $vector) {
            // SAFETY: as much is there, by the caller's promise.
            unsafe { $store(to.cast(), v) };
        }
    };
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod registers;
mod streams;
mod xmm;
#[allow(clippy::needless_range_loop, reason = "as in `compress`")]
mod ymm;
#[allow(clippy::needless_range_loop, reason = "as in `compress`")]
mod zmm;

use wirespeed_cipher::{BlockCipher, Compression, Route};
use wirespeed_cpu::{AesNi, Avx2, Avx512, Features, Sse2, Token, Vaes256};
use wirespeed_kernels::Absent;
use wirespeed_kernels_core::arch::x86::{_MM_HINT_T0, _mm_prefetch};

use crate::ciphers::ChainMode;
use crate::ciphers::lanes::Rung as StreamsRung;
use crate::lanes::Rungs;

/// A function's kernels by an x86 route.
pub(crate) fn rungs(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<Rungs, Absent> {
    let found = match route {
        Route::Avx512 => Avx512::probe(features).map(|proof| zmm::rungs(proof, compression)),
        Route::Avx2 => Avx2::probe(features).map(|proof| ymm::rungs(proof, compression)),
        Route::Sse2 => Sse2::probe(features).map(|proof| xmm::rungs(proof, compression)),
        _ => return Err(Absent::NotNative),
    };
    found.map_err(Absent::Missing)?.ok_or(Absent::WithoutHash(compression))
}

/// The kernels for streams of AES by a route that has its rounds.
pub(crate) fn chains(
    route: Route,
    cipher: BlockCipher,
    chain: ChainMode,
    features: Features,
) -> Option<&'static [StreamsRung]> {
    let key_size = BlockCipher::AES.iter().position(|it| *it == cipher)?;
    match route {
        #[cfg(target_arch = "x86_64")]
        Route::Vaes512 => {
            let proof = wirespeed_cpu::Vaes512::probe(features).ok()?;
            Some(streams::vaes512(proof, chain, key_size))
        }
        Route::Vaes256 => Some(streams::vaes256(Vaes256::probe(features).ok()?, chain, key_size)),
        Route::AesNi => Some(streams::aesni(AesNi::probe(features).ok()?, chain, key_size)),
        _ => None,
    }
}

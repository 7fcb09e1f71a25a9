//! GFNI on the bytes of one block.

use std::arch::asm;
use std::arch::x86_64::*;

use wirespeed_cipher::Block;

use crate::sliced::serial::{Maps, Register};

/// A 128-bit register; with `WIDE` in the company of AVX-512.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<const WIDE: bool>(());

impl<const WIDE: bool> Bytes<WIDE> {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what [`Gfni512`](wirespeed_cpu::Gfni512) stands for; if not `WIDE`, what
    /// [`Gfni256`](wirespeed_cpu::Gfni256) does.
    #[inline(always)]
    pub(crate) const unsafe fn assume() -> Self {
        Self(())
    }
}

/// The same, but sums stay as they were written: the compiler would add up what is known last among the first.
#[inline(always)]
fn pin(mut v: __m128i) -> __m128i {
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {0} */", inout(xmm_reg) v, options(pure, nomem, nostack, preserves_flags));
    }
    v
}

impl<const WIDE: bool> Register for Bytes<WIDE> {
    type V = __m128i;

    #[inline(always)]
    fn load(self, block: &Block) -> __m128i {
        call!(_mm_loadu_si128(block.as_ptr().cast()))
    }

    #[inline(always)]
    fn store(self, v: __m128i) -> Block {
        let mut block = [0; 16];
        call!(_mm_storeu_si128(block.as_mut_ptr().cast(), v));
        block
    }

    #[inline(always)]
    fn xor(self, a: __m128i, b: __m128i) -> __m128i {
        call!(_mm_xor_si128(a, b))
    }

    #[inline(always)]
    fn and(self, a: __m128i, b: __m128i) -> __m128i {
        call!(_mm_and_si128(a, b))
    }

    #[inline(always)]
    fn or(self, a: __m128i, b: __m128i) -> __m128i {
        call!(_mm_or_si128(a, b))
    }

    #[inline(always)]
    fn xor3(self, a: __m128i, b: __m128i, c: __m128i) -> __m128i {
        pin(if WIDE {
            call!(_mm_ternarylogic_epi64::<0x96>(a, b, c))
        } else {
            self.xor(pin(self.xor(a, b)), c)
        })
    }

    #[inline(always)]
    fn xor_or(self, a: __m128i, b: __m128i, c: __m128i) -> __m128i {
        if WIDE {
            call!(_mm_ternarylogic_epi64::<0x1e>(a, b, c))
        } else {
            self.xor(a, self.or(b, c))
        }
    }

    #[inline(always)]
    fn rotate_words<const LEFT: i32>(self, v: __m128i) -> __m128i {
        if WIDE {
            call!(_mm_rol_epi32::<LEFT>(v))
        } else {
            let right = call!(_mm_cvtsi32_si128(32 - LEFT));
            self.or(call!(_mm_slli_epi32::<LEFT>(v)), call!(_mm_srl_epi32(v, right)))
        }
    }

    #[inline(always)]
    fn shuffle(self, v: __m128i, from: &'static Block) -> __m128i {
        call!(_mm_shuffle_epi8(v, self.load(from)))
    }

    #[inline(always)]
    fn map(self, v: __m128i, maps: &'static Maps) -> __m128i {
        let matrices = call!(_mm_load_si128(maps.0.as_ptr().cast()));
        call!(_mm_gf2p8affine_epi64_epi8::<0>(v, matrices))
    }

    #[inline(always)]
    fn map_inverse(self, v: __m128i, maps: &'static Maps) -> __m128i {
        let matrices = call!(_mm_load_si128(maps.0.as_ptr().cast()));
        call!(_mm_gf2p8affineinv_epi64_epi8::<0>(v, matrices))
    }
}

//! GFNI: inversion between affine maps, for every byte of a vector, in two instructions.

use std::marker::PhantomData;

use wirespeed_cipher::{Block, BlockKernels, InOut, Route, Schedule};
use wirespeed_cpu::{Feature, Features, Gfni256, Gfni512, Token};

use super::bytes::{Bytes, Gfni};
use super::slices::common;
use crate::field::{Affine, BOXES};
use crate::machine::{machine, places, transpose};
use crate::serial::{self, In};
use crate::waves::{self, Mode, Runs};
use crate::{Core, Machine, Slices, Wide, tables};
use wirespeed_aes::arch::x86::galois;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::engine::Galois;
use wirespeed_kernels_core::{Chain, call};

/// Defines a unit: the intrinsics of one vector width.
macro_rules! unit {
    (
        $(#[$doc:meta])*
        $name:ident<$wide:ident>: $vector:ident of $blocks:literal, then $narrow:ty,
        $load:ident $store:ident $xor:ident $and:ident $or:ident $add:ident
        $splat8:ident $splat32:ident $splat64:ident $affine:ident $inverse:ident $low:ident $high:ident $logic:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name<const $wide: bool>(());

        impl<const $wide: bool> Slices for $name<$wide> {
            common!(
                $vector of $blocks, then $narrow,
                $load $store $xor $and $or $add $splat8 $splat32 $low $high
            );

            #[inline(always)]
            fn xor3(self, a: $vector, b: $vector, c: $vector) -> $vector {
                if $wide { call!($logic::<0x96>(a, b, c)) } else { self.xor(self.xor(a, b), c) }
            }

            #[inline(always)]
            fn select<const MASK: u8>(self, a: $vector, b: $vector) -> $vector {
                let mask = call!($splat8(MASK as i8));
                if $wide {
                    call!($logic::<0xca>(mask, a, b))
                } else {
                    self.xor(b, self.and(self.xor(a, b), mask))
                }
            }

            #[inline(always)]
            fn rotate_by_one(self, v: $vector) -> $vector {
                let matrix = call!($splat64(const { Affine::rotation(1).matrix() } as i64));
                call!($affine::<0>(v, matrix))
            }

            #[inline(always)]
            fn spread_top_bit(self, v: $vector) -> $vector {
                let matrix = call!($splat64(const { Affine::SPREAD_TOP_BIT.matrix() } as i64));
                call!($affine::<0>(v, matrix))
            }

            #[inline(always)]
            fn substitute<const BOX: usize>(self, v: $vector) -> $vector {
                // The constants are part of the instruction, which a generic number cannot be.
                macro_rules! by_number {
                    ($number:literal) => {{
                        const BEFORE: Affine = BOXES[$number].before;
                        const AFTER: Affine = BOXES[$number].after;
                        let v = if const { BEFORE.is_identity() } {
                            v
                        } else {
                            let matrix = call!($splat64(const { BEFORE.matrix() } as i64));
                            call!($affine::<{ BEFORE.constant as i32 }>(v, matrix))
                        };
                        let matrix = call!($splat64(const { AFTER.matrix() } as i64));
                        call!($inverse::<{ AFTER.constant as i32 }>(v, matrix))
                    }};
                }
                match BOX {
                    0 => by_number!(0),
                    1 => by_number!(1),
                    2 => by_number!(2),
                    3 => by_number!(3),
                    4 => by_number!(4),
                    5 => by_number!(5),
                    6 => by_number!(6),
                    7 => by_number!(7),
                    8 => by_number!(8),
                    _ => by_number!(9),
                }
            }

            #[inline(always)]
            fn run<C: Core>(self, keys: &[Wide], state: &mut [$vector; 16]) {
                // SAFETY: the unit proves the features.
                unsafe {
                    if $wide {
                        run_512::<Self, C>(self, keys, state);
                    } else {
                        run_256::<Self, C>(self, keys, state);
                    }
                }
            }
        }

        impl<const $wide: bool> $name<$wide> {
            /// The unit, unproved.
            ///
            /// # Safety
            /// This CPU has what [`Gfni512`] stands for; if not `WIDE`, what [`Gfni256`] does.
            #[inline(always)]
            const unsafe fn assume() -> Self {
                Self(())
            }
        }
    };
}

unit! {
    /// 128-bit vectors; with `WIDE` in the company of AVX-512, which has twice the registers.
    Xmm<WIDE>: __m128i of 16, then Self,
    _mm_loadu_si128 _mm_storeu_si128 _mm_xor_si128 _mm_and_si128 _mm_or_si128 _mm_add_epi8
    _mm_set1_epi8 _mm_set1_epi32 _mm_set1_epi64x _mm_gf2p8affine_epi64_epi8
    _mm_gf2p8affineinv_epi64_epi8 _mm_unpacklo_epi8 _mm_unpackhi_epi8 _mm_ternarylogic_epi64
}

unit! {
    /// 256-bit vectors.
    Ymm<WIDE>: __m256i of 32, then Xmm<WIDE>,
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_xor_si256 _mm256_and_si256 _mm256_or_si256
    _mm256_add_epi8 _mm256_set1_epi8 _mm256_set1_epi32 _mm256_set1_epi64x
    _mm256_gf2p8affine_epi64_epi8 _mm256_gf2p8affineinv_epi64_epi8 _mm256_unpacklo_epi8
    _mm256_unpackhi_epi8 _mm256_ternarylogic_epi64
}

unit! {
    /// 512-bit vectors.
    Zmm<WIDE>: __m512i of 64, then Ymm<WIDE>,
    _mm512_loadu_si512 _mm512_storeu_si512 _mm512_xor_si512 _mm512_and_si512 _mm512_or_si512
    _mm512_add_epi8 _mm512_set1_epi8 _mm512_set1_epi32 _mm512_set1_epi64
    _mm512_gf2p8affine_epi64_epi8 _mm512_gf2p8affineinv_epi64_epi8 _mm512_unpacklo_epi8
    _mm512_unpackhi_epi8 _mm512_ternarylogic_epi64
}

machine!(
    Narrow run_256 table_256: Ymm<false>, Bytes<Gfni<false>>, FEW, Route::Gfni256, Gfni256, galois(),
    "ssse3,sse4.1,avx,avx2,bmi2,gfni"
);
machine!(
    Wider run_512 table_512: Zmm<true>, Bytes<Gfni<true>>, FEW, Route::Gfni512, Gfni512, galois(),
    "ssse3,sse4.1,avx,avx2,bmi2,gfni,avx512f,avx512bw,avx512vl,avx512dq"
);

/// The kernels of a route, in the order that suits this CPU.
pub(super) fn table(route: Route, features: Features) -> Result<&'static [BlockKernels], Feature> {
    if route == Route::Gfni256 {
        return Gfni256::probe(features).map(table_256::<false>);
    }
    let gfni = Gfni512::probe(features)?;
    Ok(match features.has(Feature::Avx512Vp2intersect) {
        true => table_512::<true>(gfni),
        false => table_512::<false>(gfni),
    })
}

/// Also what another CPU would get.
#[cfg(test)]
pub(crate) fn in_every_order(
    cipher: wirespeed_cipher::BlockCipher,
    features: Features,
) -> Vec<&'static BlockKernels> {
    let Ok(gfni) = Gfni512::probe(features) else { return Vec::new() };
    let tables = [table_512::<false>(gfni), table_512::<true>(gfni)];
    tables.into_iter().flatten().filter(|kernels| kernels.cipher == cipher).collect()
}

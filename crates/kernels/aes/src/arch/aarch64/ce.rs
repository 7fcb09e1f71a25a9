//! AES and PMULL (Arm ARM, "AESE" and following), one block in a vector.

use std::arch::aarch64::*;

use wirespeed_cipher::{Block, BlockKernels, Schedule};
use wirespeed_cpu::{AesCe, AesCeSha3};
use wirespeed_kernels_core::call;
use wirespeed_kernels_core::engine::Galois;

use super::quad::{Ce, CeSha3, Quad};
use crate::rounds::{self, Rounds};
use crate::unit::{Carryless, One, Unit, Vector};

/// The kernels by key size.
pub(super) fn without_sha3(_proof: AesCe) -> &'static [BlockKernels; 3] {
    of_ce::KERNELS
}

/// The same with sums of three.
pub(super) fn with_sha3(_proof: AesCeSha3) -> &'static [BlockKernels; 3] {
    of_ce_sha3::KERNELS
}

/// GCM's hash for the tables of other ciphers than AES.
///
/// # Safety
/// Its functions run only where [`AesCe`] was proved.
pub const unsafe fn galois() -> Galois {
    crate::table::galois(&of_ce::KERNELS[0])
}

/// A table and its unit.
macro_rules! unit {
    ($module:ident, $kind:ident, $features:literal) => {
        mod $module {
            use wirespeed_cipher::Route;

            use super::*;

            crate::table::table!(
                Route::AesCe,
                Quad<$kind>,
                // SAFETY: whoever reaches the table has the token.
                unsafe { Quad::assume() },
                ByKeySize { gcm: true, short: true, others: true },
                $features
            );

            pub(super) static KERNELS: &[BlockKernels; 3] = &TABLE;
        }

        impl Unit for Quad<$kind> {
            type Single = Self;
            const REGISTERS: usize = 32;
            const STITCHED: bool = true;

            #[inline(always)]
            fn single(self) -> Self {
                self
            }

            #[inline(always)]
            fn sum(self, v: uint8x16_t) -> uint8x16_t {
                v
            }

            #[inline(always)]
            fn widen(self, v: uint8x16_t) -> uint8x16_t {
                v
            }

            #[inline(always)]
            fn carry<const HIGH: bool>(self, v: uint8x16_t) -> uint8x16_t {
                rounds::carry::<_, HIGH>(self, v)
            }

            rounds::unit_methods!();
        }

        impl Carryless for Quad<$kind> {
            #[inline(always)]
            fn multiply<const A_HIGH: bool, const B_HIGH: bool>(
                self,
                a: uint8x16_t,
                b: uint8x16_t,
            ) -> uint8x16_t {
                // One instruction takes both low halves, another both high ones.
                let (a, b) = match (A_HIGH, B_HIGH) {
                    (true, false) => (a, self.low_to_high(b)),
                    (false, true) => (self.low_to_high(a), b),
                    _ => (a, b),
                };
                let (a, b) = (call!(vreinterpretq_p64_u8(a)), call!(vreinterpretq_p64_u8(b)));
                let product = if A_HIGH || B_HIGH {
                    call!(vmull_high_p64(a, b))
                } else {
                    call!(vmull_p64(vgetq_lane_p64::<0>(a), vgetq_lane_p64::<0>(b)))
                };
                call!(vreinterpretq_u8_p128(product))
            }
        }

        impl One for Quad<$kind> {
            #[inline(always)]
            fn link(self, a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
                [a, b]
            }

            #[inline(always)]
            fn chain<const ROUNDS: usize>(
                self,
                key: Self::Key<'_>,
                _whitening: uint8x16_t,
                state: [uint8x16_t; 2],
                feed: uint8x16_t,
            ) -> [uint8x16_t; 2] {
                rounds::chain(self, key, state, feed)
            }

            #[inline(always)]
            fn every_column<const COLUMN: usize, const ROTATE: bool>(
                self,
                v: uint8x16_t,
            ) -> uint8x16_t {
                self.column::<COLUMN, ROTATE>(v)
            }

            #[inline(always)]
            fn sub_columns(self, v: uint8x16_t, constant: u32) -> uint8x16_t {
                // With the same word in every column ShiftRows changes nothing.
                let constant = call!(vreinterpretq_u8_u32(vdupq_n_u32(constant)));
                self.xor(call!(vaeseq_u8(v, vdupq_n_u8(0))), constant)
            }

            #[inline(always)]
            fn running_sum(self, v: uint8x16_t) -> uint8x16_t {
                self.sum_so_far(v)
            }

            #[inline(always)]
            fn inverse_mix(self, block: uint8x16_t) -> uint8x16_t {
                call!(vaesimcq_u8(block))
            }
        }

        impl Rounds for Quad<$kind> {
            const KEY_FIRST: bool = true;

            #[inline(always)]
            fn round_key(self, key: &Block) -> uint8x16_t {
                self.splat(*key)
            }

            #[inline(always)]
            fn encrypt_round(self, v: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
                call!(vaesmcq_u8(vaeseq_u8(v, key)))
            }

            #[inline(always)]
            fn encrypt_last(self, v: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
                call!(vaeseq_u8(v, key))
            }

            #[inline(always)]
            fn decrypt_round(self, v: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
                call!(vaesimcq_u8(vaesdq_u8(v, key)))
            }

            #[inline(always)]
            fn decrypt_last(self, v: uint8x16_t, key: uint8x16_t) -> uint8x16_t {
                call!(vaesdq_u8(v, key))
            }
        }
    };
}

unit!(of_ce, Ce, "neon,aes");
unit!(of_ce_sha3, CeSha3, "neon,aes,sha3");

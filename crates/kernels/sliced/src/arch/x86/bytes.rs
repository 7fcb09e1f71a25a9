//! The bytes of one block in a register: GFNI, or AES's S-box between tables for nibbles.

use std::arch::asm;
use std::marker::PhantomData;

use wirespeed_cipher::Block;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use crate::nibbles::{LookUp, OF_AES, UNSHIFT};
use crate::serial::{self, Maps, Register};

/// A 128-bit register, whose field is computed so.
#[derive(Clone, Copy)]
pub(super) struct Bytes<F>(PhantomData<F>);

impl<F: Field> Bytes<F> {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what the field stands for.
    #[inline(always)]
    pub(super) const unsafe fn assume() -> Self {
        Self(PhantomData)
    }
}

/// How bytes are inverted.
pub(super) trait Field: Copy {
    /// Whether AVX-512 is there.
    const WIDE: bool;

    /// See [`Register::map`].
    fn map(v: __m128i, maps: &'static Maps) -> __m128i;
    /// See [`Register::map_inverse`].
    fn map_inverse(v: __m128i, maps: &'static Maps) -> __m128i;

    /// See [`Register::sums`].
    #[inline(always)]
    fn sums(u: Bytes<Self>, v: __m128i, rows: &'static Block) -> __m128i {
        serial::sums(u, v, rows)
    }
}

/// Stands for [`Gfni512`](wirespeed_cpu::Gfni512); if not `WIDE`, for [`Gfni256`](wirespeed_cpu::Gfni256).
#[derive(Clone, Copy)]
pub(super) struct Gfni<const WIDE: bool>;

impl<const WIDE: bool> Field for Gfni<WIDE> {
    const WIDE: bool = WIDE;

    #[inline(always)]
    fn map(v: __m128i, maps: &'static Maps) -> __m128i {
        call!(_mm_gf2p8affine_epi64_epi8::<0>(v, matrices(maps)))
    }

    #[inline(always)]
    fn map_inverse(v: __m128i, maps: &'static Maps) -> __m128i {
        call!(_mm_gf2p8affineinv_epi64_epi8::<0>(v, matrices(maps)))
    }

    /// Here the bytes are the matrix. It is turned first, so that each row of it has a bit of every byte.
    #[inline(always)]
    fn sums(_: Bytes<Self>, v: __m128i, rows: &'static Block) -> __m128i {
        let columns = call!(_mm_set1_epi64x(0x0102_0408_1020_4080));
        let turned = call!(_mm_gf2p8affine_epi64_epi8::<0>(columns, v));
        // SAFETY: the memory is as long as the vector.
        let rows = unsafe { _mm_loadu_si128(rows.as_ptr().cast()) };
        call!(_mm_gf2p8affine_epi64_epi8::<0>(rows, turned))
    }
}

/// Word by word, which the compiler takes for the constant that it is, and need not keep in a register.
#[inline(always)]
fn matrices(maps: &'static Maps) -> __m128i {
    let [first, second] = maps.matrices;
    call!(_mm_set_epi64x(second as i64, first as i64))
}

/// AES's S-box of every byte.
pub(super) trait SBox: Copy {
    fn s_box(v: __m128i) -> __m128i;
}

/// Stands for [`AesNi`](wirespeed_cpu::AesNi).
#[derive(Clone, Copy)]
pub(super) struct Aes;

impl SBox for Aes {
    #[inline(always)]
    fn s_box(v: __m128i) -> __m128i {
        // SAFETY: it is a vector.
        let unshift = unsafe { _mm_loadu_si128(UNSHIFT.as_ptr().cast()) };
        call!(_mm_aesenclast_si128(_mm_shuffle_epi8(v, unshift), _mm_setzero_si128()))
    }
}

/// Stands for [`Ssse3`](wirespeed_cpu::Ssse3).
#[derive(Clone, Copy)]
pub(super) struct Shuffles;

impl SBox for Shuffles {
    #[inline(always)]
    fn s_box(v: __m128i) -> __m128i {
        ByShuffles.invert(v, &OF_AES)
    }
}

/// Look-ups, where PSHUFB was proved.
#[derive(Clone, Copy)]
struct ByShuffles;

impl LookUp for ByShuffles {
    type V = __m128i;

    #[inline(always)]
    fn sum(self, a: __m128i, b: __m128i) -> __m128i {
        call!(_mm_xor_si128(a, b))
    }

    #[inline(always)]
    fn halves(self, v: __m128i) -> [__m128i; 2] {
        let nibble = call!(_mm_set1_epi8(0x0f));
        [call!(_mm_and_si128(v, nibble)), call!(_mm_and_si128(_mm_srli_epi16::<4>(v), nibble))]
    }

    #[inline(always)]
    fn byte(self, byte: u8) -> __m128i {
        call!(_mm_set1_epi8(byte as i8))
    }

    #[inline(always)]
    fn look_up(self, table: &'static Block, places: __m128i) -> __m128i {
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm_shuffle_epi8(_mm_loadu_si128(table.as_ptr().cast()), places) }
    }
}

impl<S: SBox> Field for S {
    const WIDE: bool = false;

    #[inline(always)]
    fn map(v: __m128i, maps: &'static Maps) -> __m128i {
        if maps.is_identity { v } else { by_nibbles(v, &maps.nibbles, maps.is_one) }
    }

    #[inline(always)]
    fn map_inverse(v: __m128i, maps: &'static Maps) -> __m128i {
        by_nibbles(S::s_box(v), &maps.nibbles_after_aes, maps.is_one)
    }
}

/// A map of the first half by two tables, and one of the second.
#[inline(always)]
fn by_nibbles(v: __m128i, tables: &'static [[Block; 2]; 2], is_one: bool) -> __m128i {
    let first = ByShuffles.affine(v, &tables[0]);
    if is_one {
        return first;
    }
    let second = ByShuffles.affine(v, &tables[1]);
    let (first, second) = (call!(_mm_castsi128_pd(first)), call!(_mm_castsi128_pd(second)));
    call!(_mm_castpd_si128(_mm_move_sd(second, first)))
}

/// The same, but sums stay as they were written: the compiler would add up what is known last among the first.
#[inline(always)]
pub(super) fn pin(mut v: __m128i) -> __m128i {
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {0} */", inout(xmm_reg) v, options(pure, nomem, nostack, preserves_flags));
    }
    v
}

impl<F: Field> Register for Bytes<F> {
    type V = __m128i;

    #[inline(always)]
    fn load(self, block: &Block) -> __m128i {
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m128i) -> Block {
        let mut block = [0; 16];
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), v) };
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
        pin(if F::WIDE {
            call!(_mm_ternarylogic_epi64::<0x96>(a, b, c))
        } else {
            self.xor(pin(self.xor(a, b)), c)
        })
    }

    #[inline(always)]
    fn xor_or(self, a: __m128i, b: __m128i, c: __m128i) -> __m128i {
        if F::WIDE {
            call!(_mm_ternarylogic_epi64::<0x1e>(a, b, c))
        } else {
            self.xor(a, self.or(b, c))
        }
    }

    #[inline(always)]
    fn rotate_words<const LEFT: i32>(self, v: __m128i) -> __m128i {
        if F::WIDE {
            call!(_mm_rol_epi32::<LEFT>(v))
        } else {
            let right = call!(_mm_cvtsi32_si128(32 - LEFT));
            self.or(call!(_mm_slli_epi32::<LEFT>(v)), call!(_mm_srl_epi32(v, right)))
        }
    }

    #[inline(always)]
    fn shuffle(self, v: __m128i, from: &'static Block) -> __m128i {
        let order = self.load(from);
        call!(_mm_shuffle_epi8(v, order))
    }

    #[inline(always)]
    fn map(self, v: __m128i, maps: &'static Maps) -> __m128i {
        F::map(v, maps)
    }

    #[inline(always)]
    fn map_inverse(self, v: __m128i, maps: &'static Maps) -> __m128i {
        F::map_inverse(v, maps)
    }

    #[inline(always)]
    fn sums(self, v: __m128i, rows: &'static Block) -> __m128i {
        F::sums(self, v, rows)
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cpu::{Features, Gfni256, Token};

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "no such CPU")]
    fn sums_by_matrix_are_as_defined() {
        if let Err(missing) = Gfni256::probe(Features::detect()) {
            println!("skipped: this CPU has no {}", missing.name());
            return;
        }
        static ROWS: Block = *b"\x80\x01\x00\xff\x7e\xed\xdb\x42\xb7\xe3\xd6\xbc\x79\x18\x24\x81";
        for seed in 0..=255_u8 {
            let bytes: Block =
                std::array::from_fn(|i| seed.wrapping_mul(2 * i as u8 + 3) ^ (16 * i as u8));
            // SAFETY: its instructions were asked for; to load and store takes SSE2.
            let (ours, defined) = unsafe {
                let unit = Bytes::<Gfni<false>>::assume();
                let v = unit.load(&bytes);
                (unit.store(unit.sums(v, &ROWS)), unit.store(serial::sums(unit, v, &ROWS)))
            };
            assert_eq!(ours, defined);
        }
    }
}

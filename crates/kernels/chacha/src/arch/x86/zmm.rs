//! A row of four blocks in 512-bit vectors.

use std::marker::PhantomData;

use wirespeed_cipher::StreamKernels;
use wirespeed_cpu::{Avx512, Avx512Ifma};
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use crate::{Hash, Rows};

/// The 512-bit unit with a way to hash. A value proves AVX-512 F, BW, VL and DQ, and what hashing needs.
#[derive(Clone, Copy)]
struct Zmm<H>(PhantomData<H>);

impl<H> Zmm<H> {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what the type stands for.
    #[inline(always)]
    const unsafe fn assume() -> Self {
        Self(PhantomData)
    }
}

/// A mask of the first `count` bytes, 1 to 63.
#[inline(always)]
const fn first(count: usize) -> u64 {
    !0 >> (64 - count)
}

impl<H: Hash> Rows for Zmm<H> {
    type V = __m512i;
    type Hash = H;
    const BLOCKS: usize = 4;
    const FLIGHT: usize = 8;

    #[inline(always)]
    fn splat(self, row: [u32; 4]) -> __m512i {
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(row.as_ptr().cast())) }
    }

    #[inline(always)]
    fn number(self, v: __m512i, count: u32) -> __m512i {
        let places = call!(_mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0));
        let count = call!(_mm512_maskz_set1_epi32(0x1111, count as i32));
        self.add(v, self.add(places, count))
    }

    #[inline(always)]
    fn first_row(self, v: __m512i) -> [u32; 4] {
        let (row, mut words) = (call!(_mm512_castsi512_si128(v)), [0; 4]);
        // SAFETY: so long is the array.
        unsafe { _mm_storeu_si128((&raw mut words).cast(), row) };
        words
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_add_epi32(a, b))
    }

    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_xor_si512(a, b))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32>(self, v: __m512i) -> __m512i {
        call!(_mm512_rol_epi32::<LEFT>(v))
    }

    #[inline(always)]
    fn turn<const PLACES: i32>(self, v: __m512i) -> __m512i {
        super::turn!(_mm512_shuffle_epi32, PLACES, v)
    }

    const COLUMNS: bool = true;

    #[inline(always)]
    fn word<const PLACE: i32>(self, v: __m512i) -> __m512i {
        super::word!(_mm512_shuffle_epi32, PLACE, v)
    }

    #[inline(always)]
    fn number_columns(self, v: __m512i, count: u32) -> __m512i {
        let places = call!(_mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0));
        self.add(v, self.add(places, call!(_mm512_set1_epi32(count as i32))))
    }

    #[inline(always)]
    fn gather(self, [a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
        let low = [call!(_mm512_unpacklo_epi32(a, b)), call!(_mm512_unpacklo_epi32(c, d))];
        let high = [call!(_mm512_unpackhi_epi32(a, b)), call!(_mm512_unpackhi_epi32(c, d))];
        [
            call!(_mm512_unpacklo_epi64(low[0], low[1])),
            call!(_mm512_unpackhi_epi64(low[0], low[1])),
            call!(_mm512_unpacklo_epi64(high[0], high[1])),
            call!(_mm512_unpackhi_epi64(high[0], high[1])),
        ]
    }

    #[inline(always)]
    unsafe fn store<const ADD: bool>(
        self,
        [a, b, c, d]: [__m512i; 4],
        blocks: usize,
        from: *const u8,
        to: *mut u8,
    ) {
        // Rows become blocks: quarters change places, in two steps.
        let halves = [
            call!(_mm512_shuffle_i32x4::<0x44>(a, b)),
            call!(_mm512_shuffle_i32x4::<0x44>(c, d)),
            call!(_mm512_shuffle_i32x4::<0xee>(a, b)),
            call!(_mm512_shuffle_i32x4::<0xee>(c, d)),
        ];
        let vectors = [
            call!(_mm512_shuffle_i32x4::<0x88>(halves[0], halves[1])),
            call!(_mm512_shuffle_i32x4::<0xdd>(halves[0], halves[1])),
            call!(_mm512_shuffle_i32x4::<0x88>(halves[2], halves[3])),
            call!(_mm512_shuffle_i32x4::<0xdd>(halves[2], halves[3])),
        ];
        super::put!(self, ADD, vectors, blocks, from, to, _mm512_loadu_si512, _mm512_storeu_si512);
    }

    #[inline(always)]
    unsafe fn combine(self, keystream: *const u8, from: *const u8, to: *mut u8, count: usize) {
        let whole = count & !63;
        for at in (0..whole).step_by(64) {
            // SAFETY: whole vectors, within what the caller vouches for.
            let (key, from, to) = unsafe { (keystream.add(at), from.add(at), to.add(at)) };
            // SAFETY: as much is there, by the caller's promise.
            let key = unsafe { _mm512_loadu_si512(key.cast()) };
            // SAFETY: as much is there, by the caller's promise.
            let data = unsafe { _mm512_loadu_si512(from.cast()) };
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_storeu_si512(to.cast(), self.xor(data, key)) };
        }
        if whole < count {
            let mask = first(count - whole);
            // SAFETY: keystream to the next multiple of 64; of the rest nothing outside the mask is touched.
            let (key, from, to) = unsafe { (keystream.add(whole), from.add(whole), to.add(whole)) };
            // SAFETY: as much is there, by the caller's promise.
            let key = unsafe { _mm512_loadu_si512(key.cast()) };
            // SAFETY: as much is there, by the caller's promise.
            let data = unsafe { _mm512_maskz_loadu_epi8(mask, from.cast()) };
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_mask_storeu_epi8(to.cast(), mask, self.xor(data, key)) };
        }
    }
}

/// ChaCha20 of short data on shorter vectors: of one of these a whole set is not needed.
mod short {
    use wirespeed_cipher::{ChaCha20Fn, Counter, InOut, StreamBlock, StreamKey};

    use super::plain;
    use crate::arch::x86::ymm::Ymm;

    wirespeed_kernels_core::entries! {
        ["ssse3,sse4.1,avx,avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq"]
        fn chacha20[const LONGEST: usize][LONGEST]
            (key: &StreamKey, counter: &mut Counter, last: &mut StreamBlock, data: InOut<'_>)
            {
                if data.len() <= LONGEST {
                    // SAFETY: these features are what it stands for.
                    crate::chacha20(unsafe { Ymm::<true>::assume() }, key, counter, last, data);
                } else {
                    (plain::KERNELS.chacha20)(key, counter, last, data);
                }
            }
    }

    /// Where 512 bits take one turn.
    pub(super) const UP_TO_2_BLOCKS: ChaCha20Fn = chacha20::<128>;
    /// Where they take two: then a chain of them takes longer.
    pub(super) const UP_TO_4_BLOCKS: ChaCha20Fn = chacha20::<256>;
}

/// With multiply-adds; what does not hash is the same without.
mod fused {
    use wirespeed_cipher::{ChaCha20Fn, StreamKernels};

    use super::{Zmm, plain, short};
    use crate::arch::x86::ifma::Lanes;

    crate::hashing_of!(
        Zmm<Lanes>,
        // SAFETY: `with_ifma` takes the token.
        unsafe { Zmm::assume() },
        "ssse3,sse4.1,avx,avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma"
    );

    const fn table(chacha20: ChaCha20Fn) -> StreamKernels {
        StreamKernels {
            suits_every_call: true,
            chacha20,
            poly1305,
            seal: [seal::<false>, seal::<true>],
            ..plain::KERNELS
        }
    }

    /// For 512 bits in one turn, and in two.
    pub(super) static TABLES: [StreamKernels; 2] =
        [table(short::UP_TO_2_BLOCKS), table(short::UP_TO_4_BLOCKS)];
}

mod plain {
    use wirespeed_cipher::Route;

    use super::Zmm;
    use crate::arch::x86::muludq::Lanes;

    crate::table_of!(
        Route::Avx512,
        false,
        Zmm<Lanes>,
        // SAFETY: `without_ifma` takes the token.
        unsafe { Zmm::assume() },
        "ssse3,sse4.1,avx,avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq"
    );
}

/// The kernels where Poly1305 has multiply-adds.
pub(super) fn with_ifma(_proof: Avx512Ifma, two_turns: bool) -> &'static StreamKernels {
    &fused::TABLES[usize::from(two_turns)]
}

static WITHOUT_IFMA: StreamKernels =
    StreamKernels { chacha20: short::UP_TO_2_BLOCKS, ..plain::KERNELS };

/// The kernels where it has not.
pub(super) fn without_ifma(_proof: Avx512) -> &'static StreamKernels {
    &WITHOUT_IFMA
}

//! A row of two blocks in 256-bit vectors.

use std::arch::asm;

use wirespeed_cipher::{StreamKernels, partial};
use wirespeed_cpu::Avx2;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use super::muludq::Lanes;
use crate::Rows;

/// The 256-bit unit. A value proves AVX2, and AVX-512 VL if it `ROTATES`.
#[derive(Clone, Copy)]
pub(super) struct Ymm<const ROTATES: bool>(());

impl<const ROTATES: bool> Ymm<ROTATES> {
    /// The unit, unproved.
    ///
    /// # Safety
    /// This CPU has what the type stands for.
    #[inline(always)]
    pub(super) const unsafe fn assume() -> Self {
        Self(())
    }

    /// The order of bytes that rotates each word to the left by whole bytes.
    #[inline(always)]
    fn order<const BYTES: i32>(self) -> __m256i {
        let row = match BYTES {
            1 => call!(_mm_set_epi8(14, 13, 12, 15, 10, 9, 8, 11, 6, 5, 4, 7, 2, 1, 0, 3)),
            _ => call!(_mm_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2)),
        };
        // LLVM must not see what stands there: it would make two shuffles of one, where those need no constant.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn pin(mut order: __m256i) -> __m256i {
            // SAFETY: no instruction.
            unsafe {
                asm!("/* {0} */", inout(ymm_reg) order, options(pure, nomem, nostack, preserves_flags));
            }
            order
        }
        call!(pin(_mm256_broadcastsi128_si256(row)))
    }
}

impl<const ROTATES: bool> Rows for Ymm<ROTATES> {
    type V = __m256i;
    type Hash = Lanes;
    const BLOCKS: usize = 2;
    const FLIGHT: usize = 4;

    #[inline(always)]
    fn splat(self, row: [u32; 4]) -> __m256i {
        // SAFETY: the memory is as long as the vector.
        unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(row.as_ptr().cast())) }
    }

    #[inline(always)]
    fn number(self, v: __m256i, count: u32) -> __m256i {
        let next = count.wrapping_add(1) as i32;
        self.add(v, call!(_mm256_set_epi32(0, 0, 0, next, 0, 0, 0, count as i32)))
    }

    #[inline(always)]
    fn first_row(self, v: __m256i) -> [u32; 4] {
        let (row, mut words) = (call!(_mm256_castsi256_si128(v)), [0; 4]);
        // SAFETY: so long is the array.
        unsafe { _mm_storeu_si128((&raw mut words).cast(), row) };
        words
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        call!(_mm256_add_epi32(a, b))
    }

    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        call!(_mm256_xor_si256(a, b))
    }

    #[inline(always)]
    fn rotate<const LEFT: i32>(self, v: __m256i) -> __m256i {
        match LEFT {
            // On Intel's CPUs shuffles share their one port with those of the rows.
            _ if ROTATES => call!(_mm256_rol_epi32::<LEFT>(v)),
            16 => call!(_mm256_shuffle_epi8(v, self.order::<2>())),
            8 => call!(_mm256_shuffle_epi8(v, self.order::<1>())),
            12 => call!(_mm256_or_si256(_mm256_slli_epi32::<12>(v), _mm256_srli_epi32::<20>(v))),
            _ => call!(_mm256_or_si256(_mm256_slli_epi32::<7>(v), _mm256_srli_epi32::<25>(v))),
        }
    }

    #[inline(always)]
    fn turn<const PLACES: i32>(self, v: __m256i) -> __m256i {
        super::turn!(_mm256_shuffle_epi32, PLACES, v)
    }

    const COLUMNS: bool = true;

    #[inline(always)]
    fn word<const PLACE: i32>(self, v: __m256i) -> __m256i {
        super::word!(_mm256_shuffle_epi32, PLACE, v)
    }

    #[inline(always)]
    fn number_columns(self, v: __m256i, count: u32) -> __m256i {
        let places = call!(_mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
        self.add(v, self.add(places, call!(_mm256_set1_epi32(count as i32))))
    }

    #[inline(always)]
    fn gather(self, [a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
        let low = [call!(_mm256_unpacklo_epi32(a, b)), call!(_mm256_unpacklo_epi32(c, d))];
        let high = [call!(_mm256_unpackhi_epi32(a, b)), call!(_mm256_unpackhi_epi32(c, d))];
        [
            call!(_mm256_unpacklo_epi64(low[0], low[1])),
            call!(_mm256_unpackhi_epi64(low[0], low[1])),
            call!(_mm256_unpacklo_epi64(high[0], high[1])),
            call!(_mm256_unpackhi_epi64(high[0], high[1])),
        ]
    }

    #[inline(always)]
    unsafe fn store<const ADD: bool>(
        self,
        [a, b, c, d]: [__m256i; 4],
        blocks: usize,
        from: *const u8,
        to: *mut u8,
    ) {
        let halves = [
            call!(_mm256_permute2x128_si256::<0x20>(a, b)),
            call!(_mm256_permute2x128_si256::<0x20>(c, d)),
            call!(_mm256_permute2x128_si256::<0x31>(a, b)),
            call!(_mm256_permute2x128_si256::<0x31>(c, d)),
        ];
        super::put!(self, ADD, halves, blocks, from, to, _mm256_loadu_si256, _mm256_storeu_si256);
    }

    #[inline(always)]
    unsafe fn combine(self, keystream: *const u8, from: *const u8, to: *mut u8, count: usize) {
        let whole = count & !31;
        for at in (0..whole).step_by(32) {
            // SAFETY: whole vectors, within what the caller vouches for.
            let (key, from, to) = unsafe { (keystream.add(at), from.add(at), to.add(at)) };
            // SAFETY: as much is there, by the caller's promise.
            let key = unsafe { _mm256_loadu_si256(key.cast()) };
            // SAFETY: as much is there, by the caller's promise.
            let data = unsafe { _mm256_loadu_si256(from.cast()) };
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm256_storeu_si256(to.cast(), self.xor(data, key)) };
        }
        let mut at = whole;
        // SAFETY: 16 bytes if there are as many, then the rest of less, which is all that is touched.
        unsafe {
            if count - at >= 16 {
                let key = keystream.add(at).cast::<u128>().read_unaligned();
                let data = from.add(at).cast::<u128>().read_unaligned();
                to.add(at).cast::<u128>().write_unaligned(data ^ key);
                at += 16;
            }
            let rest = count - at;
            let key = partial::load(keystream.add(at), rest);
            partial::store(to.add(at), partial::load(from.add(at), rest) ^ key, rest);
        }
    }
}

mod table {
    use wirespeed_cipher::Route;

    use super::Ymm;

    crate::table_of!(
        Route::Avx2,
        false,
        Ymm<false>,
        // SAFETY: `kernels` takes the token.
        unsafe { Ymm::assume() },
        "ssse3,sse4.1,avx,avx2,bmi1,bmi2"
    );
}

/// The kernels.
pub(super) fn kernels(_proof: Avx2) -> &'static StreamKernels {
    &table::KERNELS
}

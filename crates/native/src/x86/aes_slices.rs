//! AES-NI: AES's S-box on every byte of a vector, between affine maps by tables for nibbles.

use std::arch::x86_64::*;

use wirespeed_cipher::{Block, BlockKernels, InOut, Route};
use wirespeed_cpu::AesNi;

use super::slices::{places, transpose};
use super::xmm;
use crate::engine::Galois;
use crate::modes::chain::Chain;
use crate::sliced::field::BOXES;
use crate::sliced::serial::{self, By};
use crate::sliced::waves::{self, Mode, Runs};
use crate::sliced::{Core, Machine, Slices, Wide, tables};

/// 128-bit vectors with AES-NI.
#[derive(Clone, Copy)]
struct Xmm(());

/// An affine map on every byte.
#[inline(always)]
fn map(u: Xmm, v: __m128i, tables: &'static [[u8; 16]; 2]) -> __m128i {
    let nibble = u.splat(0x0f0f_0f0f);
    // SAFETY: a table is a vector.
    let [low, high] = unsafe { [u.load(tables[0].as_ptr()), u.load(tables[1].as_ptr())] };
    let (lower, upper) = (u.and(v, nibble), u.and(call!(_mm_srli_epi16::<4>(v)), nibble));
    u.xor(call!(_mm_shuffle_epi8(low, lower)), call!(_mm_shuffle_epi8(high, upper)))
}

/// For each S-box the tables before AES's and behind it.
static TABLES: [[[[u8; 16]; 2]; 2]; BOXES.len()] = {
    let mut tables = [[[[0; 16]; 2]; 2]; BOXES.len()];
    let mut number = 0;
    while number < BOXES.len() {
        tables[number] = [BOXES[number].before.nibbles(), BOXES[number].after_aes().nibbles()];
        number += 1;
    }
    tables
};

impl Slices for Xmm {
    type V = __m128i;
    type Narrow = Self;
    const BLOCKS: usize = 16;

    #[inline(always)]
    fn narrow(self) -> Self {
        self
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
    fn select<const MASK: u8>(self, a: __m128i, b: __m128i) -> __m128i {
        let mask = call!(_mm_set1_epi8(MASK as i8));
        self.xor(b, self.and(self.xor(a, b), mask))
    }

    #[inline(always)]
    fn rotate_by_one(self, v: __m128i) -> __m128i {
        let top = self.and(call!(_mm_srli_epi16::<7>(v)), self.splat(0x0101_0101));
        self.or(call!(_mm_add_epi8(v, v)), top)
    }

    #[inline(always)]
    fn spread_top_bit(self, v: __m128i) -> __m128i {
        call!(_mm_cmpgt_epi8(self.splat(0), v))
    }

    #[inline(always)]
    fn splat(self, byte: u32) -> __m128i {
        call!(_mm_set1_epi32(byte as i32))
    }

    #[inline(always)]
    fn count(self, from: u8) -> __m128i {
        static PLACES: [u8; 16] = places();
        // SAFETY: there are as many bytes as blocks.
        let places = unsafe { self.load(PLACES.as_ptr()) };
        let first = call!(_mm_set1_epi8(from as i8));
        call!(_mm_add_epi8(first, places))
    }

    #[inline(always)]
    fn substitute<const BOX: usize>(self, mut v: __m128i) -> __m128i {
        if !const { BOXES[BOX].before.is_identity() } {
            v = map(self, v, &TABLES[BOX][0]);
        }
        // InvShiftRows (FIPS 197 §5.3.1) before AESENCLAST, whose ShiftRows must move no block.
        const UNSHIFT: [u8; 16] = [0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];
        // SAFETY: it is a vector.
        let unshift = unsafe { self.load(UNSHIFT.as_ptr()) };
        v = call!(_mm_shuffle_epi8(v, unshift));
        let no_key = call!(_mm_setzero_si128());
        v = call!(_mm_aesenclast_si128(v, no_key));
        if const { BOXES[BOX].after_aes().is_identity() } {
            return v;
        }
        map(self, v, &TABLES[BOX][1])
    }

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> __m128i {
        call!(_mm_loadu_si128(from.cast()))
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8, row: __m128i) {
        call!(_mm_storeu_si128(to.cast(), row));
    }

    #[inline(always)]
    fn slice(self, rows: [__m128i; 16]) -> [__m128i; 16] {
        transpose!(rows, _mm_unpacklo_epi8, _mm_unpackhi_epi8)
    }

    #[inline(always)]
    fn unslice(self, slices: [__m128i; 16]) -> [__m128i; 16] {
        transpose!(slices, _mm_unpacklo_epi8, _mm_unpackhi_epi8)
    }

    #[inline(always)]
    fn run<C: Core>(self, keys: &[Wide], state: &mut [__m128i; 16]) {
        #[target_feature(enable = "ssse3,sse4.1,aes")]
        #[inline(never)]
        fn with_features<C: Core>(u: Xmm, keys: &[Wide], state: &mut [__m128i; 16]) {
            C::run(u, keys, state);
        }
        // SAFETY: the unit proves the features.
        unsafe { with_features::<C>(self, keys, state) }
    }
}

struct Here;

impl Machine for Here {
    const ROUTE: Route = Route::AesNi;
    const GALOIS: Galois = xmm::GALOIS;

    fn drive<C: Core, M: Mode>(round_keys: &[Block], chain: &mut Block, data: InOut<'_>) {
        #[target_feature(enable = "ssse3,sse4.1,aes")]
        fn with_features<M: Mode>(
            runs: &Runs<Xmm>,
            round_keys: &[Block],
            chain: &mut Block,
            data: InOut<'_>,
        ) {
            waves::drive::<_, M>(Xmm(()), runs, round_keys, chain, data);
        }
        // SAFETY: the table is only handed out for the proof that these features are present.
        unsafe { with_features::<M>(&const { Runs::of::<C>() }, round_keys, chain, data) }
    }

    fn chain<C: Core>(kind: Chain, round_keys: &[Block], register: &mut Block, data: InOut<'_>) {
        serial::chain(By(serial::in_a_wave::<Self, C>), kind, round_keys, register, data);
    }
}

/// The kernels of the route.
pub(super) fn table(_proof: AesNi) -> &'static [BlockKernels] {
    static TABLE: [BlockKernels; 7] = tables::<Here>();
    &TABLE
}

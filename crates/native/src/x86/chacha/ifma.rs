//! Poly1305 in eight lanes by multiply-adds of 52-bit integers (Intel SDM vol. 2, "VPMADD52LUQ").
//!
//! A lane takes every eighth block, and its number is multiplied by r^8 before each. At the end the lanes
//! are multiplied by r^8 to r, by how far their last blocks are from the end, and added up.

use std::arch::x86_64::*;

use wirespeed_cipher::Poly1305;

use crate::chacha::Hash;
use crate::chacha::poly1305::{BEHIND, HIGH, LOW, Parts, multiply, normalise};

/// The block of each lane: as two vectors of four blocks come out of `_mm512_unpacklo_epi64`.
const ORDER: [usize; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

/// A number in every lane, in parts as in [`crate::chacha::poly1305`].
type Numbers = [__m512i; 3];

/// Eight lanes of a hash. A value proves AVX-512 with IFMA.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    hash: Numbers,
    /// r^8 in every lane.
    eighth: Factor,
    /// r^16 in every lane.
    sixteenth: Factor,
    /// For each lane the power that it is multiplied by at the end.
    last: Factor,
}

/// What numbers are multiplied by: with the second and the third part twenty times.
#[derive(Clone, Copy)]
struct Factor {
    parts: Numbers,
    around: [__m512i; 2],
}

/// Adds products' lower halves, or their upper ones.
macro_rules! sum {
    ($multiply:ident, $to:expr; $($a:expr, $b:expr);*) => {{
        let mut all = $to;
        $(all = call!($multiply(all, $a, $b));)*
        all
    }};
}

/// Products that are being added up: of each part the lower halves and the upper ones.
#[derive(Clone, Copy)]
struct Sums {
    low: Numbers,
    high: Numbers,
}

impl Sums {
    #[inline(always)]
    fn nothing() -> Self {
        let zero = call!(_mm512_setzero_si512());
        Self { low: [zero; 3], high: [zero; 3] }
    }

    /// The sum as numbers: what is above bit 44, or 42, goes to the next part; upper halves begin at bit 52.
    #[inline(always)]
    fn carry(self) -> Numbers {
        let Self { low, high } = self;
        let carry =
            add(call!(_mm512_srli_epi64::<44>(low[0])), call!(_mm512_slli_epi64::<8>(high[0])));
        let second = add(low[1], carry);
        let carry =
            add(call!(_mm512_srli_epi64::<44>(second)), call!(_mm512_slli_epi64::<8>(high[1])));
        let third = add(low[2], carry);
        let carry =
            add(call!(_mm512_srli_epi64::<42>(third)), call!(_mm512_slli_epi64::<10>(high[2])));
        let five = add(carry, call!(_mm512_slli_epi64::<2>(carry)));
        let first = add(and(low[0], LOW), five);
        let second = add(and(second, LOW), call!(_mm512_srli_epi64::<44>(first)));
        [and(first, LOW), second, and(third, HIGH)]
    }
}

#[inline(always)]
fn add(a: __m512i, b: __m512i) -> __m512i {
    call!(_mm512_add_epi64(a, b))
}

#[inline(always)]
fn and(a: __m512i, mask: u64) -> __m512i {
    call!(_mm512_and_si512(a, _mm512_set1_epi64(mask as i64)))
}

impl Factor {
    /// From the powers of each lane.
    #[inline(always)]
    fn new(powers: [Parts; 8]) -> Self {
        let part = |part: usize, times: u64| {
            let mut lanes = [0; 8];
            for lane in 0..8 {
                lanes[lane] = powers[lane][part] * times;
            }
            lanes
        };
        let (parts, around) = ([part(0, 1), part(1, 1), part(2, 1)], [part(1, 20), part(2, 20)]);
        let load = |lanes: &[u64; 8]| lanes.as_ptr();
        let (a, b, c) = (load(&parts[0]), load(&parts[1]), load(&parts[2]));
        let (d, e) = (load(&around[0]), load(&around[1]));
        Self {
            parts: [
                call!(_mm512_loadu_si512(a.cast())),
                call!(_mm512_loadu_si512(b.cast())),
                call!(_mm512_loadu_si512(c.cast())),
            ],
            around: [call!(_mm512_loadu_si512(d.cast())), call!(_mm512_loadu_si512(e.cast()))],
        }
    }

    /// Adds the products of all lanes.
    #[inline(always)]
    fn times(&self, [a, b, c]: Numbers, Sums { low, high }: Sums) -> Sums {
        let ([r0, r1, r2], [s1, s2]) = (self.parts, self.around);
        Sums {
            low: [
                sum!(_mm512_madd52lo_epu64, low[0]; a, r0; b, s2; c, s1),
                sum!(_mm512_madd52lo_epu64, low[1]; a, r1; b, r0; c, s2),
                sum!(_mm512_madd52lo_epu64, low[2]; a, r2; b, r1; c, r0),
            ],
            high: [
                sum!(_mm512_madd52hi_epu64, high[0]; a, r0; b, s2; c, s1),
                sum!(_mm512_madd52hi_epu64, high[1]; a, r1; b, r0; c, s2),
                sum!(_mm512_madd52hi_epu64, high[2]; a, r2; b, r1; c, r0),
            ],
        }
    }
}

/// Eight blocks as numbers, with the bit behind each.
///
/// # Safety
/// 128 bytes are readable at `from`.
#[inline(always)]
unsafe fn eight(from: *const u8) -> Numbers {
    // SAFETY: the caller vouches for the bytes.
    let second = unsafe { from.add(64) };
    let a = call!(_mm512_loadu_si512(from.cast()));
    let b = call!(_mm512_loadu_si512(second.cast()));
    let low = call!(_mm512_unpacklo_epi64(a, b));
    let high = call!(_mm512_unpackhi_epi64(a, b));
    let middle =
        call!(_mm512_or_si512(_mm512_srli_epi64::<44>(low), _mm512_slli_epi64::<20>(high)));
    let top = call!(_mm512_srli_epi64::<24>(high));
    let top = call!(_mm512_or_si512(top, _mm512_set1_epi64(BEHIND as i64)));
    [and(low, LOW), and(middle, LOW), top]
}

/// r to r^8, and r^16. By itself: inlined into the rounds it would move their vectors out of registers.
#[inline(never)]
fn powers(r: Parts) -> [Parts; 9] {
    let second = multiply(r, r);
    let (third, fourth) = (multiply(second, r), multiply(second, second));
    let eighth = multiply(fourth, fourth);
    [
        r,
        second,
        third,
        fourth,
        multiply(fourth, r),
        multiply(fourth, second),
        multiply(fourth, third),
        eighth,
        multiply(eighth, eighth),
    ]
}

impl Hash for Lanes {
    const IN_VECTORS: bool = true;
    const STRIDE: usize = 128;
    const WORTH: usize = 256;

    #[inline(always)]
    unsafe fn open(poly1305: &Poly1305, from: *const u8) -> Self {
        let powers = powers(poly1305.r);
        let mut last = [powers[0]; 8];
        for lane in 0..8 {
            last[lane] = powers[7 - ORDER[lane]];
        }
        // The first lane has the first block, which what was hashed before belongs to.
        // SAFETY: the caller vouches for the stride.
        let [a, b, c] = unsafe { eight(from) };
        let before = poly1305.hash;
        let hash = [
            add(a, call!(_mm512_maskz_set1_epi64(1, before[0] as i64))),
            add(b, call!(_mm512_maskz_set1_epi64(1, before[1] as i64))),
            add(c, call!(_mm512_maskz_set1_epi64(1, before[2] as i64))),
        ];
        let [.., eighth, sixteenth] = powers;
        Self {
            hash,
            eighth: Factor::new([eighth; 8]),
            sixteenth: Factor::new([sixteenth; 8]),
            last: Factor::new(last),
        }
    }

    #[inline(always)]
    unsafe fn step(&mut self, from: *const u8) {
        let [a, b, c] = self.eighth.times(self.hash, Sums::nothing()).carry();
        // SAFETY: the caller vouches for the stride.
        let block = unsafe { eight(from) };
        self.hash = [add(a, block[0]), add(b, block[1]), add(c, block[2])];
    }

    /// One carry for two strides, and one product in the chain.
    #[inline(always)]
    unsafe fn double_step(&mut self, from: *const u8) {
        // SAFETY: the caller vouches for both strides.
        let (first, second) = unsafe { (eight(from), eight(from.add(Self::STRIDE))) };
        let sums = self.eighth.times(first, Sums::nothing());
        let [a, b, c] = self.sixteenth.times(self.hash, sums).carry();
        self.hash = [add(a, second[0]), add(b, second[1]), add(c, second[2])];
    }

    #[inline(always)]
    fn close(&self, poly1305: &mut Poly1305) {
        let [a, b, c] = self.last.times(self.hash, Sums::nothing()).carry();
        let all = [
            call!(_mm512_reduce_add_epi64(a)) as u64,
            call!(_mm512_reduce_add_epi64(b)) as u64,
            call!(_mm512_reduce_add_epi64(c)) as u64,
        ];
        poly1305.hash = normalise(all);
    }
}

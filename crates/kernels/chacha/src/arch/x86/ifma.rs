//! Poly1305 in eight lanes by multiply-adds of 52-bit integers (Intel SDM vol. 2, "VPMADD52LUQ").
//!
//! A lane takes every eighth block, and its number is multiplied by r^8 before each. At the end the lanes
//! are multiplied by r^8 to r, by how far their last blocks are from the end, and added up.

use wirespeed_cipher::Poly1305;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::call;

use crate::Hash;
use crate::poly1305::{HIGH, LOW, Parts, leave, multiplier, multiply, so_far};

/// In the third part of a block of a message: the bit behind it.
const BEHIND: i64 = 1 << 40;

/// The block of each lane: as two vectors of four blocks come out of `_mm512_unpacklo_epi64`.
const ORDER: [usize; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

/// A number in every lane, in parts as in [`crate::poly1305`].
type Numbers = [__m512i; 3];

/// Eight lanes of a hash. A value proves AVX-512 with IFMA.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    hash: Numbers,
    /// r^8 and r^16 in every lane.
    near: [Factor; 2],
    /// r^24 and r^32, if they were worth making.
    far: Option<[Factor; 2]>,
    /// For each lane the power that it is multiplied by at the end: its parts, each of all lanes.
    last: [[u64; 8]; 3],
}

/// What numbers are multiplied by: with the second and the third part twenty times.
#[derive(Clone, Copy)]
struct Factor {
    parts: Numbers,
    around: [__m512i; 2],
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

#[inline(always)]
fn twenty_times(part: __m512i) -> __m512i {
    add(call!(_mm512_slli_epi64::<4>(part)), call!(_mm512_slli_epi64::<2>(part)))
}

impl Factor {
    #[inline(always)]
    fn new(parts: Numbers) -> Self {
        let [_, b, c] = parts;
        Self { parts, around: [twenty_times(b), twenty_times(c)] }
    }

    /// The same number in every lane.
    #[inline(always)]
    fn of_all([a, b, c]: Parts) -> Self {
        Self::new([
            call!(_mm512_set1_epi64(a as i64)),
            call!(_mm512_set1_epi64(b as i64)),
            call!(_mm512_set1_epi64(c as i64)),
        ])
    }

    /// The product of both.
    #[inline(always)]
    fn by(&self, other: &Self) -> Self {
        Self::new(self.times(other.parts, Sums::nothing()).carry())
    }

    /// Adds the products of all lanes.
    #[inline(always)]
    fn times(&self, numbers: Numbers, Sums { mut low, mut high }: Sums) -> Sums {
        let ([r0, r1, r2], [s1, s2]) = (self.parts, self.around);
        let factors = [[r0, s2, s1], [r1, r0, s2], [r2, r1, r0]];
        // The carry begins with the lowest part.
        for part in 0..3 {
            for i in 0..3 {
                low[part] = call!(_mm512_madd52lo_epu64(low[part], numbers[i], factors[part][i]));
            }
            for i in 0..3 {
                high[part] = call!(_mm512_madd52hi_epu64(high[part], numbers[i], factors[part][i]));
            }
        }
        Sums { low, high }
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
    // SAFETY: as much is there, by the caller's promise.
    let a = unsafe { _mm512_loadu_si512(from.cast()) };
    // SAFETY: as much is there, by the caller's promise.
    let b = unsafe { _mm512_loadu_si512(second.cast()) };
    let low = call!(_mm512_unpacklo_epi64(a, b));
    let high = call!(_mm512_unpackhi_epi64(a, b));
    let middle =
        call!(_mm512_or_si512(_mm512_srli_epi64::<44>(low), _mm512_slli_epi64::<20>(high)));
    let top = call!(_mm512_srli_epi64::<24>(high));
    let top = call!(_mm512_or_si512(top, _mm512_set1_epi64(BEHIND)));
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

/// Strides in one piece that are worth the further powers.
const MANY: usize = 12;

/// A hash gone on with as many strides as there are factors, the highest power first. Together they have one carry, and
/// one product in the chain.
///
/// # Safety
/// So many are readable at `from`.
#[inline(always)]
unsafe fn strides<const N: usize>(
    hash: Numbers,
    factors: [&Factor; N],
    mut from: *const u8,
) -> Numbers {
    let mut sums = Sums::nothing();
    for i in 1..N {
        // SAFETY: all but the last.
        unsafe {
            sums = factors[i].times(eight(from), sums);
            from = from.add(Lanes::STRIDE);
        }
    }
    let [a, b, c] = factors[0].times(hash, sums).carry();
    // SAFETY: the last.
    let last = unsafe { eight(from) };
    [add(a, last[0]), add(b, last[1]), add(c, last[2])]
}

impl Hash for Lanes {
    const STRIDE: usize = 128;
    const WORTH: usize = 384;
    const FIRST: usize = 1;

    #[inline(always)]
    unsafe fn open(poly1305: &Poly1305, from: *const u8) -> Self {
        let powers = powers(multiplier(poly1305));
        let mut last = [[0; 8]; 3];
        for lane in 0..8 {
            for part in 0..3 {
                last[part][lane] = powers[7 - ORDER[lane]][part];
            }
        }
        // The first lane has the first block, which what was hashed before belongs to.
        // SAFETY: the caller vouches for the stride.
        let [a, b, c] = unsafe { eight(from) };
        let before = so_far(poly1305);
        let hash = [
            add(a, call!(_mm512_maskz_set1_epi64(1, before[0] as i64))),
            add(b, call!(_mm512_maskz_set1_epi64(1, before[1] as i64))),
            add(c, call!(_mm512_maskz_set1_epi64(1, before[2] as i64))),
        ];
        let [.., eighth, sixteenth] = powers;
        let near = [Factor::of_all(eighth), Factor::of_all(sixteenth)];
        Self { hash, near, far: None, last }
    }

    #[inline(always)]
    unsafe fn some(&mut self, from: *const u8, left: usize) -> usize {
        let [r8, r16] = &self.near;
        if left >= MANY && self.far.is_none() {
            self.far = Some([r16.by(r8), r16.by(r16)]);
        }
        // SAFETY: the caller vouches for as many as are left.
        unsafe {
            let (hash, done) = match (left, &self.far) {
                (1, _) => (strides(self.hash, [r8], from), 1),
                (4.., Some([r24, r32])) => (strides(self.hash, [r32, r24, r16, r8], from), 4),
                _ => (strides(self.hash, [r16, r8], from), 2),
            };
            self.hash = hash;
            done
        }
    }

    #[inline(always)]
    fn close(&self, poly1305: &mut Poly1305) {
        let (a, b, c) = (self.last[0].as_ptr(), self.last[1].as_ptr(), self.last[2].as_ptr());
        let last = Factor::new([
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_loadu_si512(a.cast()) },
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_loadu_si512(b.cast()) },
            // SAFETY: as much is there, by the caller's promise.
            unsafe { _mm512_loadu_si512(c.cast()) },
        ]);
        let [a, b, c] = last.times(self.hash, Sums::nothing()).carry();
        let all = [
            call!(_mm512_reduce_add_epi64(a)) as u64,
            call!(_mm512_reduce_add_epi64(b)) as u64,
            call!(_mm512_reduce_add_epi64(c)) as u64,
        ];
        leave(poly1305, all);
    }
}

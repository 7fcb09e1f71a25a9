//! Poly1305 in four lanes by products of 32-bit integers (Intel SDM vol. 2, "PMULUDQ").
//!
//! As with [`ifma`](super::ifma) a lane takes every fourth block, and its number is multiplied by r^4 before each. At the
//! end the lanes are multiplied by r^4 to r, by how far their last blocks are from the end, and added up.

use wirespeed_cipher::Poly1305;
use wirespeed_kernels_core::arch::x86::*;
use wirespeed_kernels_core::{align_stack, call};

use crate::Hash;
use crate::poly1305::{Parts, leave, multiplier, multiply, so_far};

/// Bits of a limb: five of them are 130, and 2^130 is 5.
const BITS: i32 = 26;
const LIMB: u64 = (1 << BITS) - 1;
/// In the last limb of a block of a message: the bit behind it.
const BEHIND: i64 = 1 << 24;

/// The block of each lane: as two vectors of two blocks come out of `_mm256_unpacklo_epi64`.
const ORDER: [usize; 4] = [0, 2, 1, 3];

/// A number in every lane, in limbs, the lowest first; they may be a few bits longer.
type Numbers = [__m256i; 5];

/// Four lanes of a hash. A value proves AVX2.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    hash: Numbers,
    /// r^4 and r^8 in every lane.
    near: [Factor; 2],
    /// r^12 and r^16, if they were worth making.
    far: Option<[Factor; 2]>,
    /// For each lane the power that it is multiplied by at the end.
    last: [[u64; 4]; 5],
}

/// What numbers are multiplied by: its limbs, and five times as much for products beyond the last one.
#[derive(Clone, Copy)]
struct Factor {
    limbs: Numbers,
    around: Numbers,
}

#[inline(always)]
fn add(a: __m256i, b: __m256i) -> __m256i {
    call!(_mm256_add_epi64(a, b))
}

#[inline(always)]
fn limb(a: __m256i) -> __m256i {
    call!(_mm256_and_si256(a, _mm256_set1_epi64x(LIMB as i64)))
}

#[inline(always)]
fn five_times(a: __m256i) -> __m256i {
    add(a, call!(_mm256_slli_epi64::<2>(a)))
}

/// The limbs of a number in parts, of which the second may be longer than its 44 bits: it overlaps the third.
#[inline(always)]
fn limbs([a, b, c]: Parts) -> [u64; 5] {
    [a & LIMB, (a >> 26) + (b << 18 & LIMB), b >> 8 & LIMB, (b >> 34) + (c << 10 & LIMB), c >> 16]
}

/// The parts of a number in limbs, which may be a few bits longer.
#[inline(always)]
fn parts([a, b, c, d, e]: [u64; 5]) -> Parts {
    let (of_first, of_second) = (b & ((1 << 18) - 1), d & ((1 << 10) - 1));
    [a + (of_first << 26), (b >> 18) + (c << 8) + (of_second << 34), (d >> 10) + (e << 16)]
}

/// Sums of products as numbers: what is above a limb goes to the next one, from two of them at once.
#[inline(always)]
fn carry([a, b, c, d, e]: Numbers) -> Numbers {
    let above = |it: __m256i| call!(_mm256_srli_epi64::<BITS>(it));
    let (b, e) = (add(b, above(a)), add(e, above(d)));
    let (a, d) = (limb(a), limb(d));
    let (c, a) = (add(c, above(b)), add(a, five_times(above(e))));
    let (b, e) = (limb(b), limb(e));
    let (d, b) = (add(d, above(c)), add(b, above(a)));
    let (c, a) = (limb(c), limb(a));
    [a, b, c, limb(d), add(e, above(d))]
}

impl Factor {
    #[inline(always)]
    fn new(limbs: Numbers) -> Self {
        let mut around = limbs;
        for i in 1..5 {
            around[i] = five_times(limbs[i]);
        }
        Self { limbs, around }
    }

    /// The same number in every lane.
    #[inline(always)]
    fn of_all(number: Parts) -> Self {
        let [a, b, c, d, e] = limbs(number);
        Self::new([
            call!(_mm256_set1_epi64x(a as i64)),
            call!(_mm256_set1_epi64x(b as i64)),
            call!(_mm256_set1_epi64x(c as i64)),
            call!(_mm256_set1_epi64x(d as i64)),
            call!(_mm256_set1_epi64x(e as i64)),
        ])
    }

    /// The product of both.
    #[inline(always)]
    fn by(&self, other: &Self) -> Self {
        Self::new(carry(self.times(other.limbs, nothing())))
    }

    /// Adds the products of all lanes.
    #[inline(always)]
    fn times(&self, numbers: Numbers, mut sums: Numbers) -> Numbers {
        self.shifted::<0>(numbers, &mut sums);
        self.shifted::<1>(numbers, &mut sums);
        self.shifted::<2>(numbers, &mut sums);
        self.shifted::<3>(numbers, &mut sums);
        self.shifted::<4>(numbers, &mut sums);
        sums
    }

    /// Those with one of the factor's limbs, which is then loaded once.
    #[inline(always)]
    fn shifted<const BY: usize>(&self, numbers: Numbers, sums: &mut Numbers) {
        for i in 0..5 {
            let factor = if i + BY < 5 { self.limbs[BY] } else { self.around[BY] };
            let product = call!(_mm256_mul_epu32(numbers[i], factor));
            sums[(i + BY) % 5] = add(sums[(i + BY) % 5], product);
        }
    }
}

#[inline(always)]
fn nothing() -> Numbers {
    [call!(_mm256_setzero_si256()); 5]
}

/// Four blocks as numbers, with the bit behind each.
///
/// # Safety
/// 64 bytes are readable at `from`.
#[inline(always)]
unsafe fn four(from: *const u8) -> Numbers {
    // SAFETY: the caller vouches for the bytes.
    let second = unsafe { from.add(32) };
    // SAFETY: as much is there, by the caller's promise.
    let a = unsafe { _mm256_loadu_si256(from.cast()) };
    // SAFETY: as much is there, by the caller's promise.
    let b = unsafe { _mm256_loadu_si256(second.cast()) };
    let low = call!(_mm256_unpacklo_epi64(a, b));
    let high = call!(_mm256_unpackhi_epi64(a, b));
    let middle =
        call!(_mm256_or_si256(_mm256_srli_epi64::<52>(low), _mm256_slli_epi64::<12>(high)));
    let top = call!(_mm256_srli_epi64::<40>(high));
    [
        limb(low),
        limb(call!(_mm256_srli_epi64::<BITS>(low))),
        limb(middle),
        limb(call!(_mm256_srli_epi64::<14>(high))),
        call!(_mm256_or_si256(top, _mm256_set1_epi64x(BEHIND))),
    ]
}

/// r to r^4, and r^8.
#[inline(never)]
fn powers(r: Parts) -> [Parts; 5] {
    let second = multiply(r, r);
    let fourth = multiply(second, second);
    [r, second, multiply(second, r), fourth, multiply(fourth, fourth)]
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
    let mut sums = nothing();
    for i in 1..N {
        // SAFETY: all but the last.
        unsafe {
            sums = factors[i].times(four(from), sums);
            from = from.add(Lanes::STRIDE);
        }
    }
    let mut hash = carry(factors[0].times(hash, sums));
    // SAFETY: the last.
    let last = unsafe { four(from) };
    for place in 0..5 {
        hash[place] = add(hash[place], last[place]);
    }
    hash
}

impl Lanes {
    /// See [`Hash::some`].
    ///
    /// # Safety
    /// As there.
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    unsafe fn some(&mut self, from: *const u8, left: usize) -> usize {
        align_stack!();
        let [r4, r8] = &self.near;
        if left >= MANY && self.far.is_none() {
            self.far = Some([r8.by(r4), r8.by(r8)]);
        }
        // SAFETY: the caller vouches for as many as are left.
        unsafe {
            let (hash, done) = match (left, &self.far) {
                (1, _) => (strides(self.hash, [r4], from), 1),
                (4.., Some([r12, r16])) => (strides(self.hash, [r16, r12, r8, r4], from), 4),
                _ => (strides(self.hash, [r8, r4], from), 2),
            };
            self.hash = hash;
            done
        }
    }

    /// See [`Hash::close`].
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    fn close(&self, poly1305: &mut Poly1305) {
        let mut last = nothing();
        for place in 0..5 {
            // SAFETY: four words.
            last[place] = unsafe { _mm256_loadu_si256(self.last[place].as_ptr().cast()) };
        }
        let lanes = carry(Factor::new(last).times(self.hash, nothing()));
        let mut all = [0; 5];
        for place in 0..5 {
            let mut each = [0_u64; 4];
            // SAFETY: four words.
            unsafe { _mm256_storeu_si256(each.as_mut_ptr().cast(), lanes[place]) };
            all[place] = each.iter().sum();
        }
        leave(poly1305, parts(all));
    }
}

/// Strides by a call, because they take all registers: inlined into the rounds they took 7 % longer.
impl Hash for Lanes {
    const STRIDE: usize = 64;
    const WORTH: usize = 256;
    const FIRST: usize = 1;

    #[inline(always)]
    unsafe fn open(poly1305: &Poly1305, from: *const u8) -> Self {
        let powers = powers(multiplier(poly1305));
        let mut last = [[0; 4]; 5];
        for lane in 0..4 {
            let power = limbs(powers[3 - ORDER[lane]]);
            for place in 0..5 {
                last[place][lane] = power[place];
            }
        }
        // The first lane has the first block, which what was hashed before belongs to.
        // SAFETY: the caller vouches for the stride.
        let mut hash = unsafe { four(from) };
        let before = limbs(so_far(poly1305));
        for place in 0..5 {
            let before = call!(_mm256_set_epi64x(0, 0, 0, before[place] as i64));
            hash[place] = add(hash[place], before);
        }
        let [.., fourth, eighth] = powers;
        let near = [Factor::of_all(fourth), Factor::of_all(eighth)];
        Self { hash, near, far: None, last }
    }

    #[inline(always)]
    unsafe fn some(&mut self, from: *const u8, strides: usize) -> usize {
        // SAFETY: the type stands for AVX2, and the caller vouches for the strides.
        unsafe { Self::some(self, from, strides) }
    }

    #[inline(always)]
    fn close(&self, poly1305: &mut Poly1305) {
        // SAFETY: the type stands for AVX2.
        unsafe { Self::close(self, poly1305) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_and_parts_are_the_same_number() {
        let value = |places: &[(u64, u32)]| {
            // Modulo 2^128, which all carries reach.
            places.iter().fold(0_u128, |sum, (it, at)| {
                sum.wrapping_add(u128::from(*it).checked_shl(*at).unwrap_or(0))
            })
        };
        let ends = [0, 1, (1 << 44) - 1, 1 << 44, (1 << 44) + 63];
        for b in ends {
            for a in [0, (1 << 44) - 1] {
                for c in [0, 1, (1 << 42) - 1] {
                    let [p, q, r, s, t] = limbs([a, b, c]);
                    let number = value(&[(a, 0), (b, 44), (c, 88)]);
                    assert_eq!(number, value(&[(p, 0), (q, 26), (r, 52), (s, 78), (t, 104)]));
                    assert!([p, q, r, s].iter().all(|limb| *limb <= LIMB + 1));
                    let [a, b, c] = parts([p, q, r, s, t]);
                    assert_eq!(number, value(&[(a, 0), (b, 44), (c, 88)]));
                }
            }
        }
    }
}

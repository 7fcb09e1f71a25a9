//! Poly1305 (RFC 8439 §2.5) in integers of 64 bits: numbers modulo 2^130 - 5 in parts of 44, 44 and 42 bits.
//!
//! 2^132 is 4 · 2^130, and so 20 modulo 2^130 - 5: what a product has beyond the third part comes back twenty
//! times at the first.

use wirespeed_cipher::{Block, Poly1305};

use super::Hash;

/// A number in parts of 44, 44 and 42 bits, the lowest first; the parts may be a few bits longer.
pub(crate) type Parts = [u64; 3];

/// Bits of the first two parts.
pub(crate) const LOW: u64 = (1 << 44) - 1;
/// Bits of the third part.
pub(crate) const HIGH: u64 = (1 << 42) - 1;

/// The three parts of a product, before carries.
type Product = [u128; 3];

#[inline(always)]
fn products(a: Parts, b: Parts) -> Product {
    let of = |x: u64, y: u64| u128::from(x) * u128::from(y);
    let (around_1, around_2) = (b[1] * 20, b[2] * 20);
    [
        of(a[0], b[0]) + of(a[1], around_2) + of(a[2], around_1),
        of(a[0], b[1]) + of(a[1], b[0]) + of(a[2], around_2),
        of(a[0], b[2]) + of(a[1], b[1]) + of(a[2], b[0]),
    ]
}

#[inline(always)]
fn carry([a, b, c]: Product) -> Parts {
    let b = b + (a >> 44);
    let c = c + (b >> 44);
    let low = (a as u64 & LOW) + (c >> 42) as u64 * 5;
    [low & LOW, (b as u64 & LOW) + (low >> 44), c as u64 & HIGH]
}

/// The same number in parts of their lengths.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn normalise(parts: Parts) -> Parts {
    let [a, b, c] = parts;
    carry([a.into(), b.into(), c.into()])
}

/// A product.
#[inline(always)]
pub(crate) fn multiply(a: Parts, b: Parts) -> Parts {
    carry(products(a, b))
}

/// A sum, without carries.
#[inline(always)]
fn add(a: Parts, b: Parts) -> Parts {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// 16 bytes as a number.
#[inline(always)]
fn parts(block: &Block) -> Parts {
    let (low, high) = block.split_at(8);
    let low = u64::from_le_bytes(low.try_into().expect("8 bytes"));
    let high = u64::from_le_bytes(high.try_into().expect("8 bytes"));
    [low & LOW, (low >> 44 | high << 20) & LOW, high >> 24]
}

/// The bit behind a whole block.
pub(crate) const BEHIND: u64 = 1 << 40;

/// A whole block as a number, with the bit behind it.
#[inline(always)]
fn whole(block: &Block) -> Parts {
    let [a, b, c] = parts(block);
    [a, b, c | BEHIND]
}

/// Begins with the halves of a one-time key.
#[inline(always)]
pub(crate) fn begin(poly1305: &mut Poly1305, r: &Block, s: &Block) {
    let clamp = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff_u128;
    let r = u128::from_le_bytes(*r) & clamp;
    poly1305.r = parts(&r.to_le_bytes());
    poly1305.s = u128::from_le_bytes(*s);
    poly1305.hash = [0; 3];
}

/// Whole blocks, one after another.
#[inline(always)]
pub(crate) fn blocks(poly1305: &mut Poly1305, data: &[u8]) {
    let mut hash = poly1305.hash;
    for block in data.as_chunks::<16>().0 {
        hash = multiply(add(hash, whole(block)), poly1305.r);
    }
    poly1305.hash = hash;
}

/// See [`wirespeed_cipher::Poly1305TagFn`].
pub(crate) fn tag(poly1305: &Poly1305, last: &[u8]) -> Block {
    let mut hash = poly1305.hash;
    if !last.is_empty() {
        let mut block = [0; 16];
        block[..last.len()].copy_from_slice(last);
        block[last.len()] = 1;
        hash = multiply(add(hash, parts(&block)), poly1305.r);
    }
    // All carries, twice around, because the first time may leave one behind.
    for _ in 0..2 {
        hash[1] += hash[0] >> 44;
        hash[2] += hash[1] >> 44;
        hash = [(hash[0] & LOW) + (hash[2] >> 42) * 5, hash[1] & LOW, hash[2] & HIGH];
    }
    hash[1] += hash[0] >> 44;
    hash[0] &= LOW;
    // Less 2^130 - 5, that is, with 5 more and without the bit above, if there is one then.
    let mut less = [hash[0] + 5, hash[1], hash[2]];
    less[1] += less[0] >> 44;
    less[2] += less[1] >> 44;
    let above = (less[2] >> 42).wrapping_neg();
    let pick = |part: usize, mask: u64| (hash[part] & !above) | (less[part] & mask & above);
    let [a, b, c] = [pick(0, LOW), pick(1, LOW), pick(2, HIGH)];
    let number = u128::from(a).wrapping_add(u128::from(b) << 44).wrapping_add(u128::from(c) << 88);
    number.wrapping_add(poly1305.s).to_le_bytes()
}

/// Pairs of blocks: one by the square of the multiplier, the other by itself, so that two chains of
/// products run side by side.
#[derive(Clone, Copy)]
pub(crate) struct Pairs {
    hash: Parts,
    r: Parts,
    square: Parts,
}

impl Hash for Pairs {
    const IN_VECTORS: bool = false;
    const STRIDE: usize = 64;
    const WORTH: usize = 64;

    #[inline(always)]
    unsafe fn open(poly1305: &Poly1305, from: *const u8) -> Self {
        let Poly1305 { hash, r, .. } = poly1305;
        let mut pairs = Self { hash: *hash, r: *r, square: multiply(*r, *r) };
        // SAFETY: the caller vouches for the stride.
        unsafe { pairs.step(from) };
        pairs
    }

    #[inline(always)]
    unsafe fn step(&mut self, from: *const u8) {
        for pair in 0..2 {
            // SAFETY: four blocks of the caller's stride, one after another.
            let [first, second] = unsafe { *from.add(32 * pair).cast::<[Block; 2]>() };
            let [a, b, c] = products(add(self.hash, whole(&first)), self.square);
            let [d, e, f] = products(whole(&second), self.r);
            self.hash = carry([a + d, b + e, c + f]);
        }
    }

    #[inline(always)]
    fn close(&self, poly1305: &mut Poly1305) {
        poly1305.hash = self.hash;
    }
}

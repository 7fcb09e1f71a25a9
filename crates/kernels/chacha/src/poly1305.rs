//! Poly1305 (RFC 8439 §2.5) in integers of 64 bits, modulo 2^130 - 5.
//!
//! A chain multiplies by r alone, whose upper word is divisible by four: 2^128 times it is 5/4 of it at the bottom, so
//! products need no third word. Powers of r have no such word, and their products are taken in parts of 44, 44 and 42
//! bits: 2^132 is 4 · 2^130, and so 20, and what a product has beyond the third part comes back twenty times at the first.

use wirespeed_cipher::{Block, Poly1305};

use super::Hash;

/// A number in words: the lower 128 bits, and a few above them.
#[derive(Clone, Copy)]
struct Number {
    low: u128,
    high: u64,
}

/// The multiplier of a chain: its words, and 5/4 of the upper one.
#[derive(Clone, Copy)]
struct Key {
    words: [u64; 2],
    around: u64,
}

impl Key {
    #[inline(always)]
    fn new([low, high]: [u64; 2]) -> Self {
        Self { words: [low, high], around: high + (high >> 2) }
    }
}

#[inline(always)]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

impl Number {
    #[inline(always)]
    fn of(poly1305: &Poly1305) -> Self {
        let [a, b, high] = poly1305.hash;
        Self { low: u128::from(b) << 64 | u128::from(a), high }
    }

    #[inline(always)]
    fn leave(self, poly1305: &mut Poly1305) {
        poly1305.hash = [self.low as u64, (self.low >> 64) as u64, self.high];
    }

    /// A sum; `high` may grow by one more than what is added to it.
    #[inline(always)]
    fn plus(self, low: u128, high: u64) -> Self {
        let (low, carry) = self.low.overflowing_add(low);
        Self { low, high: self.high + high + u64::from(carry) }
    }

    /// The same with what is above 130 bits brought back, five times, as 2^130 is 5: `high` is at most 4.
    #[inline(always)]
    fn fold(self) -> Self {
        let above = (self.high >> 2) + (self.high & !3);
        Self { high: self.high & 3, ..self }.plus(above.into(), 0)
    }

    /// A block of a message more: the sum with it and the bit behind it, times the key. With `high` at most 4 before, it is
    /// again.
    #[inline(always)]
    fn block(self, block: &Block, key: Key) -> Self {
        self.plus(u128::from_le_bytes(*block), 1).times(key)
    }

    /// A product. Both words of a key are below 2^60: with `high` at most 8 nothing overflows.
    #[inline(always)]
    fn times(self, Key { words: [r0, r1], around }: Key) -> Self {
        let (h0, h1, h2) = (self.low as u64, (self.low >> 64) as u64, self.high);
        let first = product(h0, r0) + product(h1, around);
        let second = product(h0, r1) + product(h1, r0) + u128::from(h2 * around) + (first >> 64);
        let high = h2 * r0 + (second >> 64) as u64;
        Self { low: second << 64 | u128::from(first as u64), high }.fold()
    }

    /// The same in parts.
    #[inline(always)]
    fn parts(self) -> Parts {
        let Self { low, high } = self;
        [low as u64 & LOW, (low >> 44) as u64 & LOW, (low >> 88) as u64 | high << 40]
    }

    /// Of parts that are a few bits longer at most.
    #[inline(always)]
    fn from_parts([a, b, c]: Parts) -> Self {
        let low = u128::from(a) + (u128::from(b) << 44);
        Self { low, high: c >> 40 }.plus(u128::from(c) << 88, 0)
    }
}

/// A number in parts of 44, 44 and 42 bits, the lowest first; the parts may be a few bits longer.
pub(crate) type Parts = [u64; 3];

/// Bits of the first two parts.
pub(crate) const LOW: u64 = (1 << 44) - 1;
/// Bits of the third part.
pub(crate) const HIGH: u64 = (1 << 42) - 1;

/// A product of parts.
#[inline(always)]
pub(crate) fn multiply(a: Parts, b: Parts) -> Parts {
    let (around_1, around_2) = (b[1] * 20, b[2] * 20);
    carry([
        product(a[0], b[0]) + product(a[1], around_2) + product(a[2], around_1),
        product(a[0], b[1]) + product(a[1], b[0]) + product(a[2], around_2),
        product(a[0], b[2]) + product(a[1], b[1]) + product(a[2], b[0]),
    ])
}

#[inline(always)]
fn carry([a, b, c]: [u128; 3]) -> Parts {
    let b = b + (a >> 44);
    let c = c + (b >> 44);
    let low = (a as u64 & LOW) + (c >> 42) as u64 * 5;
    [low & LOW, (b as u64 & LOW) + (low >> 44), c as u64 & HIGH]
}

/// The multiplier in parts.
#[inline(always)]
pub(crate) fn multiplier(poly1305: &Poly1305) -> Parts {
    let [low, high] = poly1305.r;
    Number { low: u128::from(high) << 64 | u128::from(low), high: 0 }.parts()
}

/// The hash so far in parts.
#[inline(always)]
pub(crate) fn so_far(poly1305: &Poly1305) -> Parts {
    Number::of(poly1305).parts()
}

/// Leaves a hash behind that is in parts a few bits longer.
#[inline(always)]
pub(crate) fn leave(poly1305: &mut Poly1305, [a, b, c]: Parts) {
    Number::from_parts(carry([a.into(), b.into(), c.into()])).leave(poly1305);
}

/// Begins with the halves of a one-time key.
#[inline(always)]
pub(crate) fn begin(poly1305: &mut Poly1305, r: &Block, s: &Block) {
    let clamp = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff_u128;
    let r = u128::from_le_bytes(*r) & clamp;
    poly1305.r = [r as u64, (r >> 64) as u64];
    poly1305.s = u128::from_le_bytes(*s);
    poly1305.hash = [0; 3];
}

/// Whole blocks, one after another.
#[inline(always)]
pub(crate) fn blocks(poly1305: &mut Poly1305, data: &[u8]) {
    let (mut hash, key) = (Number::of(poly1305), Key::new(poly1305.r));
    for block in data.as_chunks::<16>().0 {
        hash = hash.block(block, key);
    }
    hash.leave(poly1305);
}

/// See [`wirespeed_cipher::Poly1305TagFn`].
pub(crate) fn tag(poly1305: &Poly1305, last: &[u8]) -> Block {
    let mut hash = Number::of(poly1305);
    if !last.is_empty() {
        let mut block = [0; 16];
        block[..last.len()].copy_from_slice(last);
        block[last.len()] = 1;
        hash = hash.plus(u128::from_le_bytes(block), 0).times(Key::new(poly1305.r));
    }
    // Twice, because the first time may leave a bit above 130 behind.
    let hash = hash.fold().fold();
    // Less 2^130 - 5, that is, with 5 more and without the bit above, if there is one then.
    let less = hash.plus(5, 0);
    let above = u128::from(less.high >> 2).wrapping_neg();
    let number = (hash.low & !above) | (less.low & above);
    number.wrapping_add(poly1305.s).to_le_bytes()
}

/// A block after another.
#[derive(Clone, Copy)]
pub(crate) struct Chain {
    hash: Number,
    key: Key,
}

impl Hash for Chain {
    const STRIDE: usize = size_of::<Block>();
    const WORTH: usize = Self::STRIDE;
    const FIRST: usize = 0;

    #[inline(always)]
    unsafe fn open(poly1305: &Poly1305, _from: *const u8) -> Self {
        Self { hash: Number::of(poly1305), key: Key::new(poly1305.r) }
    }

    #[inline(always)]
    unsafe fn some(&mut self, from: *const u8, strides: usize) -> usize {
        // SAFETY: the caller vouches for so many.
        for block in unsafe { std::slice::from_raw_parts(from.cast::<Block>(), strides) } {
            self.hash = self.hash.block(block, self.key);
        }
        strides
    }

    #[inline(always)]
    fn close(&self, poly1305: &mut Poly1305) {
        self.hash.leave(poly1305);
    }
}

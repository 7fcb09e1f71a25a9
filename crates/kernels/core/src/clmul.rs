//! Carry-less multiplication with ordinary multiplication, in constant time.
//!
//! Operands are split into four, every fourth bit in each, so that carries fall into the three empty bits between
//! (Pornin, "Constant-time multiplication", bearssl.org/constanttime.html, on GHASH). Up to fifteen terms fit there.

macro_rules! short_product {
    ($name:ident, $number:ty) => {
        /// The carry-less product of numbers of half as many bits, of which one has at most fifteen bits in each part.
        const fn $name(a: $number, b: $number) -> $number {
            const EVERY_FOURTH: $number = <$number>::MAX / 15;
            let mut product = 0;
            let mut place = 0;
            while place < 4 {
                let mut sum = 0;
                let mut i = 0;
                while i < 4 {
                    // The parts whose places add up to this one modulo 4.
                    let j = (4 + place - i) % 4;
                    sum ^= (a & EVERY_FOURTH << i) * (b & EVERY_FOURTH << j);
                    i += 1;
                }
                product |= sum & EVERY_FOURTH << place;
                place += 1;
            }
            product
        }
    };
}

/// The carry-less product.
#[cfg(not(target_pointer_width = "32"))]
#[inline]
pub const fn carryless_product(a: u64, b: u64) -> u128 {
    short_product!(product, u128);
    // The last bit of each part would be a sixteenth term.
    let mut whole = product((a & u64::MAX >> 4) as u128, b as u128);
    let mut bit = 60;
    while bit < 64 {
        let mask = ((a >> bit & 1) as u128).wrapping_neg();
        whole ^= ((b as u128) << bit) & mask;
        bit += 1;
    }
    whole
}

/// The carry-less product: of halves, which have eight bits in each part (Karatsuba).
#[cfg(target_pointer_width = "32")]
#[inline]
pub const fn carryless_product(a: u64, b: u64) -> u128 {
    short_product!(product, u64);
    const LOW: u64 = u32::MAX as u64;
    let (low, high) = (product(a & LOW, b & LOW), product(a >> 32, b >> 32));
    let middle = product((a ^ a >> 32) & LOW, (b ^ b >> 32) & LOW) ^ low ^ high;
    (high as u128) << 64 ^ (middle as u128) << 32 ^ low as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "numbers alone, in safe code")]
    fn agrees_with_shift_and_add() {
        let slow = |a: u64, b: u64| {
            (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ (u128::from(a) << i))
        };
        let mut x = 0x0123_4567_89ab_cdef_u64;
        for _ in 0..1000 {
            let a = x;
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            assert_eq!(carryless_product(a, x), slow(a, x));
        }
        for ones in [!0, 0x1111_1111_1111_1111, 0x8888_8888_8888_8888] {
            assert_eq!(carryless_product(!0, ones), slow(!0, ones));
            assert_eq!(carryless_product(ones, ones), slow(ones, ones));
        }
    }
}

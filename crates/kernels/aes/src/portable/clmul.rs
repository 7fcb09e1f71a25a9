//! Carry-less multiplication with ordinary multiplication, in constant time.
//!
//! Operands are split into four, every fourth bit in each, so that carries fall into the three empty
//! bits between (Pornin, "Constant-time multiplication", bearssl.org/constanttime.html, on GHASH).

/// Keeps every fourth bit, starting at `place`.
const fn every_fourth(x: u64, place: usize) -> u64 {
    x & (0x1111_1111_1111_1111 << place)
}

/// The low 64 bits of the carry-less product.
const fn low_product(a: u64, b: u64) -> u64 {
    let mut product = 0;
    let mut place = 0;
    while place < 4 {
        let mut sum = 0;
        let mut i = 0;
        while i < 4 {
            // The parts whose places add up to this one modulo 4.
            let j = (4 + place - i) % 4;
            sum ^= every_fourth(a, i).wrapping_mul(every_fourth(b, j));
            i += 1;
        }
        product |= every_fourth(sum, place);
        place += 1;
    }
    product
}

/// The whole carry-less product. Its high half is the low half of the product of the reversed
/// operands, reversed.
pub(super) const fn carryless_product(a: u64, b: u64) -> u128 {
    let low = low_product(a, b);
    let high = low_product(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    (high as u128) << 64 | low as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
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
        assert_eq!(carryless_product(!0, !0), slow(!0, !0));
    }
}

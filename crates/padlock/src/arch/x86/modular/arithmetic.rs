//! What is left to software around Montgomery products, in constant time: numbers are little-endian words.

/// The length of a big-endian number in bits.
pub(super) fn bit_length(bytes: &[u8]) -> usize {
    match bytes.iter().position(|byte| *byte != 0) {
        None => 0,
        Some(first) => 8 * (bytes.len() - first) - bytes[first].leading_zeros() as usize,
    }
}

/// Turns big-endian bytes into words; bytes that do not fit must be zero.
pub(super) fn take(bytes: &[u8], words: &mut [u32]) {
    words.fill(0);
    for (i, byte) in bytes.iter().rev().enumerate().take(4 * words.len()) {
        words[i / 4] |= u32::from(*byte) << (8 * (i % 4));
    }
}

/// Turns words into as many big-endian bytes as are wanted.
pub(super) fn give(words: &[u32], bytes: &mut [u8]) {
    for (i, byte) in bytes.iter_mut().rev().enumerate() {
        *byte = words.get(i / 4).map_or(0, |word| (word >> (8 * (i % 4))) as u8);
    }
}

/// Whether a big-endian number is below a number in words. It may be longer, with zeros in front.
pub(super) fn is_below(bytes: &[u8], modulus: &[u32]) -> bool {
    let fits = bytes.len().saturating_sub(4 * modulus.len());
    let beyond = bytes[..fits].iter().fold(0, |all, byte| all | byte);
    let mut borrow = 0;
    for (i, word) in modulus.iter().enumerate() {
        let at = |j: usize| bytes.len().checked_sub(4 * i + j + 1).map_or(0, |place| bytes[place]);
        let ours = u32::from_le_bytes([at(0), at(1), at(2), at(3)]);
        borrow = (i64::from(ours) - i64::from(*word) - borrow) >> 63 & 1;
    }
    beyond == 0 && borrow == 1
}

/// All ones if both are the same.
pub(super) const fn mask_if_equal(a: u32, b: u32) -> u32 {
    let difference = a ^ b;
    ((difference | difference.wrapping_neg()) >> 31).wrapping_sub(1)
}

/// -1/x modulo 2^32, for an odd x (Newton; Dumas, "On Newton-Raphson iteration for multiplicative
/// inverses modulo prime powers").
pub(super) const fn minus_inverse(x: u32) -> u32 {
    // Right in the lowest three bits, and in twice as many after every step.
    let mut inverse = x;
    let mut bits = 3;
    while bits < 32 {
        inverse = inverse.wrapping_mul(2_u32.wrapping_sub(x.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse.wrapping_neg()
}

/// Brings a number below twice the modulus below the modulus; `overflow` is the word above it.
pub(super) fn reduce_once(number: &mut [u32], overflow: u32, modulus: &[u32]) {
    let mut borrow = 0;
    for (word, other) in number.iter_mut().zip(modulus) {
        let difference = i64::from(*word) - i64::from(*other) - borrow;
        *word = difference as u32;
        borrow = difference >> 63 & 1;
    }
    // All ones if that was too much: then it is added again.
    let mask = ((i64::from(overflow) - borrow) >> 63) as u32;
    let mut carry = 0;
    for (word, other) in number.iter_mut().zip(modulus) {
        let sum = u64::from(*word) + u64::from(other & mask) + carry;
        *word = sum as u32;
        carry = sum >> 32;
    }
}

/// Twice a number that is below the modulus, modulo it.
pub(super) fn double(number: &mut [u32], modulus: &[u32]) {
    let mut carry = 0;
    for word in number.iter_mut() {
        (*word, carry) = (*word << 1 | carry, *word >> 31);
    }
    reduce_once(number, carry, modulus);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_words_are_the_same_number() {
        let bytes = [0, 0x12, 0x34, 0x56, 0x78, 0x9a];
        let mut words = [0; 3];
        take(&bytes, &mut words);
        assert_eq!(words, [0x3456_789a, 0x12, 0]);
        let mut back = [0xee; 6];
        give(&words, &mut back);
        assert_eq!(back, bytes);
        assert_eq!(bit_length(&bytes), 37);
        assert_eq!(bit_length(&[0, 0]), 0);
    }

    #[test]
    fn minus_inverses_are() {
        for x in [1, 3, 0xffff_ffff, 0x1234_5679, 0x8000_0001_u32] {
            assert_eq!(x.wrapping_mul(minus_inverse(x)), u32::MAX, "{x:#x}");
        }
    }

    #[test]
    fn numbers_are_compared_at_every_length() {
        let modulus = [5, 1];
        let below = |value: u128| is_below(&value.to_be_bytes(), &modulus);
        assert!(below(0) && below(0x1_0000_0004) && below(5));
        assert!(!below(0x1_0000_0005) && !below(0x2_0000_0000) && !below(1 << 64));
        assert!(is_below(&[4], &modulus) && is_below(&[], &modulus));
    }

    #[test]
    fn reduction_takes_the_modulus_off_once_or_not() {
        let modulus = [0xffff_fffb, 0xffff_ffff];
        let reduced = |low, overflow| {
            let mut number = [low, 0xffff_ffff];
            reduce_once(&mut number, overflow, &modulus);
            number
        };
        assert_eq!(reduced(0xffff_fffa, 0), [0xffff_fffa, 0xffff_ffff]);
        assert_eq!(reduced(0xffff_fffb, 0), [0, 0]);
        assert_eq!(reduced(0xffff_fff5, 1), [0xffff_fffa, 0xffff_ffff]);
        let mut number = [0x8000_0000, 0xc000_0000];
        double(&mut number, &modulus);
        assert_eq!(number, [5, 0x8000_0001]);
    }

    #[test]
    fn masks_are_for_equal_numbers_only() {
        for a in 0..16 {
            for b in 0..16 {
                assert_eq!(mask_if_equal(a, b), if a == b { !0 } else { 0 });
            }
        }
    }
}

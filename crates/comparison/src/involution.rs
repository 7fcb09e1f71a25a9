//! What Anubis and Khazad have in common: a substitution and a mixing that are their own inverses.
//!
//! P. Barreto, V. Rijmen, "The Anubis Block Cipher" and "The Khazad Legacy-Level Block Cipher", submissions to NESSIE,
//! in the tweaked versions of 2001: only the substitution differs from those of 2000.

/// The field's polynomial, x^8 + x^4 + x^3 + x^2 + 1.
const POLYNOMIAL: u8 = 0x1d;

/// The product of two elements of the field.
pub(crate) const fn times(mut element: u8, mut factor: u8) -> u8 {
    let mut product = 0;
    while factor != 0 {
        if factor & 1 != 0 {
            product ^= element;
        }
        element = element << 1 ^ if element & 0x80 == 0 { 0 } else { POLYNOMIAL };
        factor >>= 1;
    }
    product
}

/// The substitution, of three layers of two small ones with two bits exchanged between the layers.
pub(crate) const S: [u8; 256] = {
    const P: [u8; 16] =
        [0x3, 0xf, 0xe, 0x0, 0x5, 0x4, 0xb, 0xc, 0xd, 0xa, 0x9, 0x6, 0x7, 0x8, 0x2, 0x1];
    const Q: [u8; 16] =
        [0x9, 0xe, 0x5, 0x6, 0xa, 0x2, 0x3, 0xc, 0xf, 0x0, 0x4, 0xd, 0x7, 0xb, 0x1, 0x8];
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut high, mut low) = (P[byte >> 4], Q[byte & 15]);
        (high, low) = (high & 0xc | low >> 2, (high & 3) << 2 | low & 3);
        (high, low) = (Q[high as usize], P[low as usize]);
        (high, low) = (high & 0xc | low >> 2, (high & 3) << 2 | low & 3);
        table[byte] = P[high as usize] << 4 | Q[low as usize];
        byte += 1;
    }
    table
};

/// For each byte of a row of `WIDTH`, what it gives to the whole row when it is substituted and mixed by the
/// Hadamard matrix of `first`, whose element (i, j) is `first[i ^ j]`. The first byte is the highest.
pub(crate) const fn tables<const WIDTH: usize>(first: [u8; WIDTH]) -> [[u64; 256]; WIDTH] {
    let mut tables = [[0; 256]; WIDTH];
    let mut byte = 0;
    while byte < 256 {
        let mut products = [0; WIDTH];
        let mut place = 0;
        while place < WIDTH {
            products[place] = times(S[byte], first[place]) as u64;
            place += 1;
        }
        let mut from = 0;
        while from < WIDTH {
            let mut to = 0;
            while to < WIDTH {
                tables[from][byte] |= products[from ^ to] << (8 * (WIDTH - 1 - to));
                to += 1;
            }
            from += 1;
        }
        byte += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_substitution_is_its_own_inverse_without_a_fixed_point() {
        for byte in 0..=255u8 {
            let other = S[usize::from(byte)];
            assert_eq!(S[usize::from(other)], byte);
            assert_ne!(other, byte);
        }
    }

    #[test]
    fn the_mixings_are_their_own_inverses() {
        fn squared<const WIDTH: usize>(first: [u8; WIDTH]) -> Vec<u8> {
            let row = |column: usize| {
                (0..WIDTH).map(move |j| times(first[j], first[j ^ column])).fold(0, |a, b| a ^ b)
            };
            (0..WIDTH).map(row).collect()
        }
        assert_eq!(squared(crate::anubis::MIXING), [1, 0, 0, 0]);
        assert_eq!(squared(crate::khazad::MIXING), [1, 0, 0, 0, 0, 0, 0, 0]);
    }
}

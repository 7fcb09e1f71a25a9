//! GF(2^8) as AES has it (FIPS 197 §4), affine maps on its bytes, and S-boxes as inversion between two of
//! them; all of it is known when the crate is compiled.

use wirespeed_kernels_core::shuffles::Images;

/// Multiplication modulo x^8 + x^4 + x^3 + x + 1.
pub(crate) const fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 != 0 {
            product ^= a;
        }
        a = (a << 1) ^ ((a >> 7) * 0x1b);
        b >>= 1;
    }
    product
}

/// The inverse, and 0 for 0: the 254th power.
#[cfg(test)]
pub(crate) const fn invert(a: u8) -> u8 {
    let mut power = 1;
    let mut i = 0;
    while i < 254 {
        power = multiply(power, a);
        i += 1;
    }
    power
}

/// A linear map over GF(2) on the bits of a byte, and then the sum with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    /// The image of each bit, the lowest first.
    pub(crate) columns: [u8; 8],
    pub(crate) constant: u8,
}

impl Affine {
    pub(crate) const IDENTITY: Self = Self::rotation(0);

    /// AES's: what makes its S-box of the inverse (FIPS 197 §5.1.1).
    pub(crate) const AES: Self = {
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 8 {
            let bit = 1u8 << i;
            columns[i] = bit
                ^ bit.rotate_left(1)
                ^ bit.rotate_left(2)
                ^ bit.rotate_left(3)
                ^ bit.rotate_left(4);
            i += 1;
        }
        Self { columns, constant: 0x63 }
    };

    /// Every bit of the result is the highest of the argument.
    pub(crate) const SPREAD_TOP_BIT: Self =
        Self { columns: [0, 0, 0, 0, 0, 0, 0, 0xff], constant: 0 };

    /// A rotation to the left.
    pub(crate) const fn rotation(bits: u32) -> Self {
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 8 {
            columns[i] = (1u8 << i).rotate_left(bits);
            i += 1;
        }
        Self { columns, constant: 0 }
    }

    /// From the bits of the argument that make each bit of the result, the lowest first.
    pub(crate) const fn from_rows(rows: [u8; 8], constant: u8) -> Self {
        let mut columns = [0; 8];
        let mut row = 0;
        while row < 8 {
            let mut column = 0;
            while column < 8 {
                columns[column] |= (rows[row] >> column & 1) << row;
                column += 1;
            }
            row += 1;
        }
        Self { columns, constant }
    }

    /// The linear part. Nothing here depends on the bits of `x` but values: keys come this way.
    pub(crate) const fn linear(&self, x: u8) -> u8 {
        let mut sum = 0;
        let mut i = 0;
        while i < 8 {
            sum ^= self.columns[i] & 0u8.wrapping_sub(x >> i & 1);
            i += 1;
        }
        sum
    }

    pub(crate) const fn apply(&self, x: u8) -> u8 {
        self.linear(x) ^ self.constant
    }

    /// The map that does `first` and then this.
    pub(crate) const fn after(&self, first: &Self) -> Self {
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 8 {
            columns[i] = self.linear(first.columns[i]);
            i += 1;
        }
        Self { columns, constant: self.apply(first.constant) }
    }

    /// The sum of the images.
    pub(crate) const fn plus(&self, other: &Self) -> Self {
        let mut columns = self.columns;
        let mut i = 0;
        while i < 8 {
            columns[i] ^= other.columns[i];
            i += 1;
        }
        Self { columns, constant: self.constant ^ other.constant }
    }

    /// The map undone.
    pub(crate) const fn inverse(&self) -> Self {
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 8 {
            let mut x = 0;
            while self.linear(x) != 1 << i {
                x += 1;
            }
            columns[i] = x;
            i += 1;
        }
        let linear = Self { columns, constant: 0 };
        Self { columns, constant: linear.linear(self.constant) }
    }

    /// What added in front of the linear part is this map.
    pub(crate) const fn constant_in_front(&self) -> u8 {
        let linear = self.without_constant();
        linear.inverse().linear(self.constant)
    }

    pub(crate) const fn without_constant(&self) -> Self {
        Self { columns: self.columns, constant: 0 }
    }

    pub(crate) const fn is_identity(&self) -> bool {
        let mut i = 0;
        while i < 8 {
            if self.columns[i] != 1 << i {
                return false;
            }
            i += 1;
        }
        self.constant == 0
    }

    /// The operand of GF2P8AFFINEQB for the linear part: the row that makes bit i is byte 7 - i (Intel
    /// SDM vol. 2A).
    pub(crate) const fn matrix(&self) -> u64 {
        let mut matrix = 0;
        let mut row = 0;
        while row < 8 {
            let mut column = 0;
            while column < 8 {
                let bit = self.columns[column] >> row & 1;
                matrix |= (bit as u64) << (8 * (7 - row) + column);
                column += 1;
            }
            row += 1;
        }
        matrix
    }

    /// The images of all bytes.
    pub(crate) const fn images(&self) -> Images {
        let mut images = [0; 256];
        let mut x = 0;
        while x < 256 {
            images[x] = self.apply(x as u8);
            x += 1;
        }
        images
    }

    /// The map as two tables for nibbles, whose sum is the image of the byte: the low nibble's, with the
    /// constant, and the high nibble's.
    pub(crate) const fn nibbles(&self) -> [[u8; 16]; 2] {
        let mut tables = [[0; 16]; 2];
        let mut i = 0;
        while i < 16 {
            tables[0][i] = self.apply(i as u8);
            tables[1][i] = self.linear((i as u8) << 4);
            i += 1;
        }
        tables
    }
}

/// An S-box: `after` the inverse of `before`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substitution {
    pub(crate) before: Affine,
    pub(crate) after: Affine,
}

impl Substitution {
    /// What follows AES's S-box, where that takes the place of inversion.
    pub(crate) const fn after_aes(&self) -> Affine {
        self.after.after(&Affine::AES.inverse())
    }

    /// This one, and then a map.
    pub(crate) const fn then(&self, map: &Affine) -> Self {
        Self { before: self.before, after: map.after(&self.after) }
    }

    /// The inverse S-box.
    pub(crate) const fn inverse(&self) -> Self {
        Self { before: self.after.inverse(), after: self.before.inverse() }
    }
}

/// Every S-box that a unit must know, by its number.
pub(crate) const BOXES: [Substitution; 10] = {
    let camellia = super::camellia::BOXES;
    let aria = super::aria::BOXES;
    let sm4 = super::sm4::BOXES;
    [
        camellia[0],
        camellia[1],
        camellia[2],
        camellia[3],
        aria[0],
        aria[1],
        aria[2],
        aria[3],
        sm4[0],
        sm4[1],
    ]
};

/// The number of Camellia's first S-box.
pub(crate) const CAMELLIA: usize = 0;
/// The number of ARIA's first S-box.
pub(crate) const ARIA: usize = 4;
/// The number of SM4's S-box.
pub(crate) const SM4: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn table(number: usize) -> [u8; 256] {
        std::array::from_fn(|x| {
            let it = BOXES[number];
            it.after.apply(invert(it.before.apply(x as u8)))
        })
    }

    #[test]
    #[cfg_attr(miri, ignore = "numbers alone, in safe code, and by the hundred thousand")]
    fn the_field_and_the_map_make_the_s_box_of_aes() {
        let aes = |x| Affine::AES.apply(invert(x));
        assert_eq!([0, 1, 0x53, 0xff].map(aes), [0x63, 0x7c, 0xed, 0x16]);
        for it in BOXES {
            for x in 0..=255 {
                let y = it.after_aes().apply(aes(it.before.apply(x)));
                assert_eq!(y, it.after.apply(invert(it.before.apply(x))));
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "numbers alone, in safe code, and by the hundred thousand")]
    fn the_s_boxes_are_the_standards() {
        // RFC 3713 §2.4.1: the first and the last row of SBOX1, and how the others follow from it.
        let one = table(CAMELLIA);
        let first = [112, 130, 44, 236, 179, 39, 192, 229, 228, 133, 87, 53, 234, 12, 174, 65];
        let last = [64, 40, 211, 123, 187, 201, 67, 193, 21, 227, 173, 244, 119, 199, 128, 158];
        assert_eq!((&one[..16], &one[240..]), (&first[..], &last[..]));
        for x in 0..=255u8 {
            let of = |number: usize, x: u8| table(CAMELLIA + number)[usize::from(x)];
            if x % 16 == 5 {
                assert_eq!(of(1, x), one[usize::from(x)].rotate_left(1));
                assert_eq!(of(2, x), one[usize::from(x)].rotate_left(7));
                assert_eq!(of(3, x), one[usize::from(x.rotate_left(1))]);
            }
        }
        // RFC 5794 §2.4.2: SB2's first and last row; SB1 is AES's, and SB3 and SB4 are their inverses.
        let (sb1, sb2) = (table(ARIA), table(ARIA + 1));
        let first = [
            0xe2, 0x4e, 0x54, 0xfc, 0x94, 0xc2, 0x4a, 0xcc, 0x62, 0x0d, 0x6a, 0x46, 0x3c, 0x4d,
            0x8b, 0xd1,
        ];
        assert_eq!((sb1[0], &sb2[..16]), (0x63, &first[..]));
        let (sb3, sb4) = (table(ARIA + 2), table(ARIA + 3));
        for x in 0..=255u8 {
            assert_eq!(sb3[usize::from(sb1[usize::from(x)])], x);
            assert_eq!(sb4[usize::from(sb2[usize::from(x)])], x);
        }
        // GB/T 32907-2016, table 1: the first row and the last.
        let sm4 = table(SM4);
        let first = [
            0xd6, 0x90, 0xe9, 0xfe, 0xcc, 0xe1, 0x3d, 0xb7, 0x16, 0xb6, 0x14, 0xc2, 0x28, 0xfb,
            0x2c, 0x05,
        ];
        let last = [
            0x18, 0xf0, 0x7d, 0xec, 0x3a, 0xdc, 0x4d, 0x20, 0x79, 0xee, 0x5f, 0x3e, 0xd7, 0xcb,
            0x39, 0x48,
        ];
        assert_eq!((&sm4[..16], &sm4[240..]), (&first[..], &last[..]));
    }

    #[test]
    #[cfg_attr(miri, ignore = "numbers alone, in safe code, and by the hundred thousand")]
    fn every_s_box_is_a_permutation() {
        for number in 0..BOXES.len() {
            let mut seen = table(number);
            seen.sort_unstable();
            assert!(seen.iter().enumerate().all(|(i, x)| i == usize::from(*x)), "{number}");
        }
    }
}

//! The registers of any machine: four blocks in eight words of 64 bits, or two in eight of 32.
//!
//! A bit's place is (row, column, block), the row uppermost: then one rotation turns all rows.

use wirespeed_kernels_core::bitslice::sub_bytes_linear;
use wirespeed_kernels_core::eight;

use super::{Plane, Planes};

/// The register of this machine.
#[cfg(not(target_pointer_width = "32"))]
pub(crate) type Native = u64;
/// The register of this machine.
#[cfg(target_pointer_width = "32")]
pub(crate) type Native = u32;

/// FIPS 197's SubBytes of a block.
pub(crate) fn sub_bytes(block: u128) -> u128 {
    let mut planes = Native::pack(&[block]);
    sub_bytes_linear(&mut planes);
    let mut result = [0];
    Native::unpack(planes, &mut result);
    result[0] ^ u128::from_ne_bytes([0x63; 16])
}

/// An integer as a register of bits.
pub(crate) trait Word: Plane {
    /// Blocks in eight words.
    const BLOCKS: usize;

    /// Up to so many blocks, as little-endian numbers; the others are zero.
    fn pack(blocks: &[u128]) -> Planes<Self>;

    /// The inverse.
    fn unpack(planes: Planes<Self>, blocks: &mut [u128]);
}

/// Exchanges the bit of the place and of the word's number, and so moves rows, columns and blocks from one to the
/// other.
macro_rules! exchange {
    ($words:ident, $word:ty, $number:expr, $place:expr) => {{
        let distance = 1 << $place;
        // Places without the bit.
        let mask = <$word>::MAX / ((1 << distance) + 1);
        for low in (0..8).filter(|i| i >> $number & 1 == 0) {
            let high = low | 1 << $number;
            let moved = ($words[low] >> distance ^ $words[high]) & mask;
            $words[high] ^= moved;
            $words[low] ^= moved << distance;
        }
    }};
}

macro_rules! word {
    ($word:ty, $blocks:literal blocks, $row:literal bits a row, $column:literal a column,
        $in_a_block:literal words a block,
        exchanged $(($number:literal, $place:literal))*, back $(($number_back:literal, $place_back:literal))*,
        order $order:expr
    ) => {
        impl Plane for $word {
            #[inline(always)]
            fn turn(self, rows: usize, columns: usize) -> Self {
                let turned = self.rotate_right($row * rows as u32);
                if columns == 0 { turned } else { turn_columns(turned, $column * columns as u32) }
            }

            #[inline(always)]
            fn shift_rows_twice(self) -> Self {
                const ODD: $word = <$word>::MAX / ((1 << $row) + 1) << $row;
                self ^ (self ^ turn_columns(self, 2 * $column)) & ODD
            }
        }

        impl Word for $word {
            const BLOCKS: usize = $blocks;

            fn pack(blocks: &[u128]) -> Planes<Self> {
                let mut words = eight!(|I| {
                    let block = blocks.get(I / $in_a_block).copied().unwrap_or(0);
                    (block >> (I % $in_a_block * <$word>::BITS as usize)) as $word
                });
                $(exchange!(words, $word, $number, $place);)*
                eight!(|I| words[$order[I]])
            }

            fn unpack(planes: Planes<Self>, blocks: &mut [u128]) {
                let mut words = planes;
                for (place, plane) in $order.into_iter().zip(planes) {
                    words[place] = plane;
                }
                $(exchange!(words, $word, $number_back, $place_back);)*
                for (block, words) in blocks.iter_mut().zip(words.chunks_exact($in_a_block)) {
                    *block = words.iter().rev().fold(0, |block, word| {
                        block << (<$word>::BITS - 1) << 1 | u128::from(*word)
                    });
                }
            }
        }

        /// Rotates each row to the right by so many bits, not 0.
        #[inline(always)]
        fn turn_columns(x: $word, bits: u32) -> $word {
            let low = <$word>::MAX / ((1 << $row) - 1) * ((1 << ($row - bits)) - 1);
            x >> bits & low | x << ($row - bits) & !low
        }
    };
}

#[cfg(any(test, not(target_pointer_width = "32")))]
mod of_64_bits {
    use super::*;

    // A word begins as half a block: its number is (block, block, column / 2), a bit's place in it is (column % 2, row,
    // row, bit, bit, bit). In the end its number is the bits.
    word!(u64, 4 blocks, 16 bits a row, 4 a column, 2 words a block,
        exchanged (0, 3) (0, 4) (0, 5) (0, 2) (1, 0) (2, 1), back (2, 1) (1, 0) (0, 2) (0, 5) (0, 4) (0, 3),
        order [0, 2, 4, 6, 1, 3, 5, 7]);
}

#[cfg(any(test, target_pointer_width = "32"))]
mod of_32_bits {
    use super::*;

    // A word begins as a column: its number is (block, column, column), a bit's place in it is (row, row, bit, bit, bit).
    word!(u32, 2 blocks, 8 bits a row, 2 a column, 4 words a block,
        exchanged (1, 2) (0, 1) (2, 0), back (2, 0) (0, 1) (1, 2),
        order [0, 4, 1, 5, 2, 6, 3, 7]);
}

//! S-boxes by tables for the halves of a byte: of the affine maps before and behind AES's S-box, or before and behind
//! inversion in the coordinates of [`shuffles`].

use wirespeed_cipher::Block;
use wirespeed_kernels_core::shuffles;

use crate::field::{Affine, BOXES};

/// What looks bytes up in tables of sixteen.
pub(crate) trait LookUp: Copy {
    type V: Copy;

    fn sum(self, a: Self::V, b: Self::V) -> Self::V;

    /// The low half of each byte, and the high one.
    fn halves(self, v: Self::V) -> [Self::V; 2];

    /// A byte in every place.
    fn byte(self, byte: u8) -> Self::V;

    /// Each byte from where a number says, or zero where its highest bit is set.
    fn look_up(self, table: &'static Block, places: Self::V) -> Self::V;

    /// In a table for each.
    #[inline(always)]
    fn look_both_up(self, tables: &'static [Block; 2], [a, b]: [Self::V; 2]) -> Self::V {
        self.sum(self.look_up(&tables[0], a), self.look_up(&tables[1], b))
    }

    /// An affine map on every byte.
    #[inline(always)]
    fn affine(self, v: Self::V, tables: &'static [Block; 2]) -> Self::V {
        self.look_both_up(tables, self.halves(v))
    }

    /// An S-box.
    #[inline(always)]
    fn invert(self, v: Self::V, s_box: &'static ByInversion) -> Self::V {
        static INVERSE: Block = shuffles::INVERSE;
        static A_OVER: Block = shuffles::A_OVER;
        let [k, i] = self.halves(self.affine(v, &s_box.before));
        let j = self.sum(i, k);
        let over = self.look_up(&A_OVER, k);
        let first = self.sum(self.look_up(&INVERSE, i), over);
        let second = self.sum(self.look_up(&INVERSE, j), over);
        let first = self.sum(self.look_up(&INVERSE, first), j);
        let second = self.sum(self.look_up(&INVERSE, second), i);
        let linear = self.look_both_up(&s_box.behind, [first, second]);
        self.sum(linear, self.byte(s_box.constant))
    }
}

/// An S-box around inversion by shuffles.
pub(crate) struct ByInversion {
    before: [Block; 2],
    behind: [Block; 2],
    /// Added at the end.
    constant: u8,
}

impl ByInversion {
    const fn of(before: &Affine, after: &Affine) -> Self {
        let mut images = before.images();
        let mut x = 0;
        while x < 256 {
            images[x] = shuffles::into(images[x]);
            x += 1;
        }
        Self {
            before: shuffles::by_halves(&images),
            behind: shuffles::of_inverse(&after.images()),
            constant: after.constant,
        }
    }
}

/// AES's own.
pub(crate) static OF_AES: ByInversion = ByInversion::of(&Affine::IDENTITY, &Affine::AES);

/// Those of [`BOXES`].
pub(crate) static BY_INVERSION: [ByInversion; BOXES.len()] = {
    let mut all = [const { ByInversion::of(&Affine::IDENTITY, &Affine::IDENTITY) }; BOXES.len()];
    let mut number = 0;
    while number < BOXES.len() {
        all[number] = ByInversion::of(&BOXES[number].before, &BOXES[number].after);
        number += 1;
    }
    all
};

/// For each S-box the tables before AES's and behind it.
pub(crate) static AROUND_AES: [[[Block; 2]; 2]; BOXES.len()] = {
    let mut tables = [[[[0; 16]; 2]; 2]; BOXES.len()];
    let mut number = 0;
    while number < BOXES.len() {
        tables[number] = [BOXES[number].before.nibbles(), BOXES[number].after_aes().nibbles()];
        number += 1;
    }
    tables
};

/// InvShiftRows (FIPS 197 §5.3.1), before instructions whose ShiftRows must move nothing.
pub(crate) static UNSHIFT: Block = [0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];

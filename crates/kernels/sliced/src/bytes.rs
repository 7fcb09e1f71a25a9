//! The bytes of one block, as key schedules work on them, and ciphers without a register, in constant time.

use wirespeed_cipher::Block;

use super::field::{Affine, BOXES};
use super::serial::{Maps, NONE, Register};
use wirespeed_kernels_core::bitslice;

/// What a cipher needs of a machine to take one block after the other.
pub(crate) trait Bytes: Copy {
    /// Each byte through its S-box.
    fn substitute(self, block: Block, boxes: &'static Boxes) -> Block;

    /// Each byte as its sum.
    fn gather<const N: usize>(self, block: Block, sums: &'static Sums<N>) -> Block;
}

/// Which S-box each byte goes through: one of four that have neighbouring numbers in [`BOXES`].
pub(crate) struct Boxes {
    first: usize,
    /// For each of the four, the bytes that go through it.
    chosen: [Block; 4],
    /// What the S-boxes add, before inversion and behind it.
    added: [Block; 2],
    /// What is before AES's S-box, and behind it.
    around_aes: [PlaneMap; 2],
}

impl Boxes {
    /// For each byte its S-box, counted from the first.
    pub(crate) const fn of(first: usize, order: [usize; 16]) -> Self {
        let (mut chosen, mut added) = ([[0; 16]; 4], [[0; 16]; 2]);
        let mut around_aes = [PlaneMap { columns: [[0; 8]; 8], constant: [0; 8] }; 2];
        let mut i = 0;
        while i < 16 {
            let it = &BOXES[first + order[i]];
            chosen[order[i]][i] = 0xff;
            added[0][i] = it.before.constant;
            added[1][i] = it.after.constant;
            around_aes[0].put(i, &it.before);
            around_aes[1].put(i, &it.after_aes());
            i += 1;
        }
        Self { first, chosen, added, around_aes }
    }
}

/// An affine map for each of sixteen bytes, in planes of bits: for each bit of the argument, the bytes in which each
/// bit of the result has it as a summand.
#[derive(Clone, Copy)]
struct PlaneMap {
    columns: [[u16; 8]; 8],
    constant: [u16; 8],
}

impl PlaneMap {
    /// The map of a byte.
    const fn put(&mut self, byte: usize, map: &Affine) {
        let mut row = 0;
        while row < 8 {
            let mut column = 0;
            while column < 8 {
                self.columns[column][row] |= (map.columns[column] as u16 >> row & 1) << byte;
                column += 1;
            }
            self.constant[row] |= (map.constant as u16 >> row & 1) << byte;
            row += 1;
        }
    }

    fn apply(&self, planes: [u16; 8]) -> [u16; 8] {
        let mut result = self.constant;
        for (plane, column) in planes.iter().zip(&self.columns) {
            for (sum, summands) in result.iter_mut().zip(column) {
                *sum ^= plane & summands;
            }
        }
        result
    }
}

/// Bytes that are sums of bytes: as shuffles, and for each summand the bytes that have it.
pub(crate) struct Sums<const N: usize> {
    shuffles: [Block; N],
    of_each: [[u64; 2]; 16],
}

impl<const N: usize> Sums<N> {
    /// The sum of shuffles; see [`summands`](super::serial::summands).
    pub(crate) const fn of(shuffles: [Block; N]) -> Self {
        let mut of_each = [[0; 2]; 16];
        let mut n = 0;
        while n < N {
            let mut i = 0;
            while i < 16 {
                let from = shuffles[n][i];
                if from != NONE {
                    of_each[from as usize][i / 8] |= 0xff << (i % 8 * 8);
                }
                i += 1;
            }
            n += 1;
        }
        Self { shuffles, of_each }
    }
}

/// By logic operations alone.
#[derive(Clone, Copy)]
pub(crate) struct Anywhere;

impl Bytes for Anywhere {
    fn substitute(self, block: Block, boxes: &'static Boxes) -> Block {
        let planes = boxes.around_aes[0].apply(bitslice::pack_one(&block));
        let mut planes = planes.map(u64::from);
        bitslice::sub_bytes(&mut planes);
        bitslice::unpack_one(&boxes.around_aes[1].apply(planes.map(|plane| plane as u16)))
    }

    fn gather<const N: usize>(self, block: Block, sums: &'static Sums<N>) -> Block {
        let mut halves = [0; 2];
        for (byte, [low, high]) in block.iter().zip(&sums.of_each) {
            let everywhere = u64::from(*byte) * 0x0101_0101_0101_0101;
            halves[0] ^= everywhere & low;
            halves[1] ^= everywhere & high;
        }
        (u128::from(halves[1]) << 64 | u128::from(halves[0])).to_le_bytes()
    }
}

/// In a register.
#[derive(Clone, Copy)]
pub(crate) struct In<R>(pub(crate) R);

impl<R: Register> Bytes for In<R> {
    #[inline(always)]
    fn substitute(self, block: Block, boxes: &'static Boxes) -> Block {
        let (Self(u), [first, second, third, fourth]) = (self, &boxes.chosen);
        let v = u.load(&block);
        let before = u.load(&boxes.added[0]);
        let two = u.or(
            u.and(through(u, v, before, boxes.first), u.load(first)),
            u.and(through(u, v, before, boxes.first + 1), u.load(second)),
        );
        let others = u.or(
            u.and(through(u, v, before, boxes.first + 2), u.load(third)),
            u.and(through(u, v, before, boxes.first + 3), u.load(fourth)),
        );
        u.store(u.xor3(two, others, u.load(&boxes.added[1])))
    }

    #[inline(always)]
    fn gather<const N: usize>(self, block: Block, sums: &'static Sums<N>) -> Block {
        let Self(u) = self;
        let v = u.load(&block);
        let mut sum = u.shuffle(v, &sums.shuffles[0]);
        for shuffle in &sums.shuffles[1..] {
            sum = u.xor(sum, u.shuffle(v, shuffle));
        }
        u.store(sum)
    }
}

/// All bytes through one S-box, but for the constant behind it; the constant before it is given.
#[inline(always)]
fn through<R: Register>(u: R, v: R::V, before: R::V, number: usize) -> R::V {
    static MAPS: [[Maps; 2]; BOXES.len()] = {
        let mut maps = [const { [Maps::NONE; 2] }; BOXES.len()];
        let mut i = 0;
        while i < BOXES.len() {
            maps[i] = [Maps::both(&BOXES[i].before), Maps::both(&BOXES[i].after)];
            i += 1;
        }
        maps
    };
    u.map_inverse(u.xor(u.map(v, &MAPS[number][0]), before), &MAPS[number][1])
}

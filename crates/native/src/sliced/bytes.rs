//! The bytes of one block, as key schedules work on them, in constant time.

use wirespeed_cipher::Block;

use super::field::{Affine, BOXES};
use super::serial::{Maps, NONE, Register};
use crate::portable::bitslice;

/// What a key schedule needs of a machine.
pub(crate) trait Bytes: Copy {
    /// Each byte through its S-box.
    fn substitute(self, block: Block, boxes: &'static Boxes) -> Block;

    /// The sum of shuffles; see [`summands`](super::serial::summands).
    fn gather<const N: usize>(self, block: Block, shuffles: &'static [Block; N]) -> Block;
}

/// Which S-box each byte goes through: one of four that have neighbouring numbers in [`BOXES`].
pub(crate) struct Boxes {
    first: usize,
    /// For each of the four, the bytes that go through it.
    chosen: [Block; 4],
    /// What the S-boxes add, before inversion and behind it.
    added: [Block; 2],
}

impl Boxes {
    /// For each byte its S-box, counted from the first.
    pub(crate) const fn of(first: usize, order: [usize; 16]) -> Self {
        let (mut chosen, mut added) = ([[0; 16]; 4], [[0; 16]; 2]);
        let mut i = 0;
        while i < 16 {
            let it = &BOXES[first + order[i]];
            chosen[order[i]][i] = 0xff;
            added[0][i] = it.before.constant;
            added[1][i] = it.after.constant;
            i += 1;
        }
        Self { first, chosen, added }
    }

    fn number(&self, byte: usize) -> usize {
        let place = self.chosen.iter().position(|chosen| chosen[byte] != 0);
        self.first + place.expect("each byte has its S-box")
    }
}

/// By logic operations alone.
#[derive(Clone, Copy)]
pub(crate) struct Anywhere;

impl Bytes for Anywhere {
    fn substitute(self, mut block: Block, boxes: &'static Boxes) -> Block {
        for (i, byte) in block.iter_mut().enumerate() {
            *byte = BOXES[boxes.number(i)].before.apply(*byte);
        }
        let mut planes = bitslice::pack(&[block, [0; 16], [0; 16], [0; 16]]);
        bitslice::sub_bytes(&mut planes);
        [block, ..] = bitslice::unpack(&planes);
        for (i, byte) in block.iter_mut().enumerate() {
            *byte = AFTER[boxes.number(i)].apply(*byte);
        }
        block
    }

    fn gather<const N: usize>(self, block: Block, shuffles: &'static [Block; N]) -> Block {
        std::array::from_fn(|i| {
            let places = shuffles.iter().map(|shuffle| shuffle[i]).filter(|place| *place != NONE);
            places.fold(0, |sum, place| sum ^ block[usize::from(place)])
        })
    }
}

/// What follows AES's S-box.
const AFTER: [Affine; BOXES.len()] = {
    let mut all = [Affine::IDENTITY; BOXES.len()];
    let mut number = 0;
    while number < BOXES.len() {
        all[number] = BOXES[number].after_aes();
        number += 1;
    }
    all
};

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
    fn gather<const N: usize>(self, block: Block, shuffles: &'static [Block; N]) -> Block {
        let Self(u) = self;
        let v = u.load(&block);
        let mut sum = u.shuffle(v, &shuffles[0]);
        for shuffle in &shuffles[1..] {
            sum = u.xor(sum, u.shuffle(v, shuffle));
        }
        u.store(sum)
    }
}

/// All bytes through one S-box, but for the constant behind it; the constant before it is given.
#[inline(always)]
fn through<R: Register>(u: R, v: R::V, before: R::V, number: usize) -> R::V {
    static MAPS: [[Maps; 2]; BOXES.len()] = {
        let mut maps = [const { [const { Maps([0; 2]) }; 2] }; BOXES.len()];
        let mut i = 0;
        while i < BOXES.len() {
            maps[i] = [Maps::both(&BOXES[i].before), Maps::both(&BOXES[i].after)];
            i += 1;
        }
        maps
    };
    u.map_inverse(u.xor(u.map(v, &MAPS[number][0]), before), &MAPS[number][1])
}

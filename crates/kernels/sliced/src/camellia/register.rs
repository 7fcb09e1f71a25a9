//! Camellia on one block, in registers.

use wirespeed_cipher::Block;

use super::{BOXES, ORDER, P};
use crate::field::Affine;
use crate::serial::{Maps, NONE, One, Register};

/// Both halves of a block, each twice in a register of its own, in [`ORDERED`] places and in the coordinates of the
/// S-boxes that are next. One is known a round before the other, and needed a round before it in the block after.
#[derive(Clone, Copy)]
pub(crate) struct Halves<R: Register>([R::V; 2]);

impl<R: Register> One<R> for Halves<R> {
    #[inline(always)]
    fn load(u: R, block: &Block) -> Self {
        Self(both_inside(u, u.load(block)))
    }

    #[inline(always)]
    fn store(self, u: R) -> Block {
        let [left, right] = self.0;
        let left = u.shuffle(u.map(left, &TO_BYTES), &BLOCK[0]);
        let right = u.shuffle(u.map(right, &TO_BYTES), &BLOCK[1]);
        u.store(u.or(left, right))
    }

    #[inline(always)]
    fn xor(self, u: R, other: Self) -> Self {
        Self([u.xor(self.0[0], other.0[0]), u.xor(self.0[1], other.0[1])])
    }
}

/// See [`Core::one`](crate::Core::one).
#[inline(always)]
pub(super) fn one<R: Register, const SUMS: bool>(
    u: R,
    round_keys: &[Block],
    block: Halves<R>,
) -> Halves<R> {
    let [first, keys @ .., last] = round_keys else { return block };
    let Halves([mut left, mut right]) = block;
    for (number, group) in keys.chunks(4).enumerate() {
        let [a, b, c, between @ ..] = group else { break };
        let (a, b, c) = (u.load(a), u.load(b), u.load(c));
        if number == 0 {
            let keys = both_inside(u, u.xor3(u.load(first), a, u.load(&ENTRY)));
            (left, right) = (u.xor(left, keys[0]), u.xor(right, keys[1]));
        }
        // Each half has its first key by now, and gives back its last one; in between it is differences that are added.
        let (ab, bc) = (both_inside(u, u.xor(a, b)), both_inside(u, u.xor(b, c)));
        let behind = u.load(&BEHIND);
        right = step::<_, SUMS>(u, left, right, &INSIDE);
        left = step::<_, SUMS>(u, right, u.xor3(left, ab[0], behind), &INSIDE);
        right = step::<_, SUMS>(u, left, u.xor3(right, ab[1], behind), &INSIDE);
        left = step::<_, SUMS>(u, right, u.xor3(left, bc[0], behind), &INSIDE);
        right = step::<_, SUMS>(u, left, u.xor3(right, bc[1], behind), &INSIDE);
        let exit = u.xor(c, u.load(&EXIT));
        match (between, keys.get(4 * (number + 1))) {
            ([key], Some(next)) => {
                let exit = both(u, exit);
                left = step::<_, SUMS>(u, right, u.xor(outside(u, left), exit[0]), &OUTSIDE);
                right = u.xor(outside(u, right), exit[1]);
                let key = both(u, u.load(key));
                let entry = both(u, u.xor(u.load(next), u.load(&ENTRY)));
                left = masked(u, left, key[0], entry[0]);
                right = unmasked(u, right, key[1], entry[1]);
            }
            _ => {
                // The halves change places.
                let (exit, last) = (both_inside(u, exit), both_inside(u, u.load(last)));
                left = step::<_, SUMS>(u, right, u.xor3(left, exit[0], last[1]), &INSIDE);
                right = u.xor3(right, exit[1], last[0]);
            }
        }
    }
    Halves([right, left])
}

/// Two rounds, whose keys are the halves of `keys`.
#[inline(always)]
pub(super) fn two<R: Register, const SUMS: bool>(
    u: R,
    keys: &Block,
    Halves([left, right]): Halves<R>,
) -> Halves<R> {
    let keys = u.load(keys);
    let entry = both_inside(u, u.xor(keys, u.load(&ENTRY)));
    let exit = both_inside(u, u.xor(keys, u.load(&EXIT)));
    let left = u.xor(left, entry[0]);
    let right = step::<_, SUMS>(u, left, u.xor(right, entry[1]), &INSIDE);
    let left = step::<_, SUMS>(u, right, u.xor(left, exit[0]), &INSIDE);
    Halves([left, u.xor(right, exit[1])])
}

/// The halves of a block or of a pair of keys.
#[inline(always)]
fn both<R: Register>(u: R, block: R::V) -> [R::V; 2] {
    [u.shuffle(block, &HALF[0]), u.shuffle(block, &HALF[1])]
}

#[inline(always)]
fn both_inside<R: Register>(u: R, block: R::V) -> [R::V; 2] {
    let [left, right] = both(u, block);
    [inside(u, left), inside(u, right)]
}

/// A half from bytes as they are to the coordinates of the S-boxes that are next, and back.
#[inline(always)]
fn inside<R: Register>(u: R, half: R::V) -> R::V {
    u.shuffle(u.map(half, &FROM_BYTES), &OWN)
}

#[inline(always)]
fn outside<R: Register>(u: R, half: R::V) -> R::V {
    u.shuffle(u.map(half, &TO_BYTES), &OWN)
}

static FROM_BYTES: Maps = Maps::of(&BOXES[0].before, &BOXES[3].before);
static TO_BYTES: Maps = Maps::of(&BOXES[0].before.inverse(), &BOXES[3].before.inverse());

/// A round's diffusion into some coordinates: sums of what maps make of the inverses, two in the halves of a register.
struct Round {
    /// The two that stand for most.
    maps: Maps,
    /// The same, the second in the first half.
    swapped: Maps,
    /// The other two.
    others: Maps,
    /// What the first two give, summand by summand, and what the others do.
    shuffles: ([Block; 6], [Block; 2]),
    /// The summands by the first two in rows for [`Register::sums`], and where they are swapped.
    rows: [Block; 2],
}

/// F of the half that its key was added to, without the constants behind the S-boxes, and something else.
#[inline(always)]
fn step<R: Register, const SUMS: bool>(u: R, half: R::V, addend: R::V, to: &'static Round) -> R::V {
    let ([c, d, e, f, g, h], [i, j]) = &to.shuffles;
    let a = u.map_inverse(half, &to.maps);
    if SUMS {
        let swapped = u.map_inverse(half, &to.swapped);
        let b = u.map_inverse(half, &to.others);
        let (a, swapped) = (u.sums(a, &to.rows[0]), u.sums(swapped, &to.rows[1]));
        return u.xor3(u.xor3(addend, u.shuffle(b, i), u.shuffle(b, j)), a, swapped);
    }
    // What is shuffled first is added first: all shuffles wait for the same two ports.
    let b = u.map_inverse(half, &to.others);
    let sum = u.xor3(addend, u.shuffle(a, c), u.shuffle(a, d));
    let more = u.xor3(u.shuffle(a, e), u.shuffle(a, f), u.shuffle(b, i));
    let sum = u.xor3(sum, u.shuffle(b, j), u.shuffle(a, g));
    u.xor3(more, sum, u.shuffle(a, h))
}

/// FL (§2.4.2) of a half, and something else, to coordinates: of its words the second takes the first, masked and
/// rotated, and then the first the second. What the first takes of itself goes beside the rest.
#[inline(always)]
fn masked<R: Register>(u: R, half: R::V, key: R::V, addend: R::V) -> R::V {
    let closed = u.shuffle(key, &TO_FIRST);
    let open = u.xor(closed, u.load(&FIRST));
    let old = u.xor_or(u.xor(half, addend), u.shuffle(half, &TO_FIRST), closed);
    let second = u.rotate_words::<1>(u.and(half, key));
    let first = u.rotate_words::<1>(u.and(half, u.and(key, u.rotate_words::<31>(open))));
    let second = u.shuffle(u.map(second, &FROM_BYTES), &OWN_TO_SECOND);
    u.xor3(inside(u, old), inside(u, first), second)
}

/// The inverse of FL, likewise.
#[inline(always)]
fn unmasked<R: Register>(u: R, half: R::V, key: R::V, addend: R::V) -> R::V {
    let half = u.xor_or(half, u.shuffle(half, &TO_FIRST), u.shuffle(key, &TO_FIRST));
    let second = u.rotate_words::<1>(u.and(half, key));
    let second = u.shuffle(u.map(second, &FROM_BYTES), &OWN_TO_SECOND);
    u.xor(inside(u, u.xor(half, addend)), second)
}

/// The places of a half's bytes: as words of four, of which the lowest comes first.
const ORDERED: [usize; 8] = [3, 2, 1, 0, 7, 6, 5, 4];

const fn place(byte: usize) -> u8 {
    let mut at = 0;
    while ORDERED[at] != byte {
        at += 1;
    }
    at as u8
}

/// Each byte by the map of its own S-box: the first three's stands in a register's first half, the fourth's in the second.
static OWN: Block = {
    let mut shuffle = [0; 16];
    let mut i = 0;
    while i < 16 {
        let byte = ORDERED[i % 8];
        shuffle[i] = place(byte) + if ORDER[byte] == 3 { 8 } else { 0 };
        i += 1;
    }
    shuffle
};

/// The halves of a block, each twice.
static HALF: [Block; 2] = {
    let mut shuffles = [[0; 16]; 2];
    let mut i = 0;
    while i < 16 {
        shuffles[0][i] = ORDERED[i % 8] as u8;
        shuffles[1][i] = 8 + ORDERED[i % 8] as u8;
        i += 1;
    }
    shuffles
};
/// And back, of what each S-box's map has made of them.
static BLOCK: [Block; 2] = {
    let mut shuffles = [[NONE; 16]; 2];
    let mut byte = 0;
    while byte < 8 {
        let from = OWN[place(byte) as usize];
        (shuffles[0][byte], shuffles[1][8 + byte]) = (from, from);
        byte += 1;
    }
    shuffles
};
/// A half's second word to the first's place.
static TO_FIRST: Block = {
    let mut shuffle = [NONE; 16];
    let mut i = 0;
    while i < 16 {
        if i % 8 < 4 {
            shuffle[i] = i as u8 + 4;
        }
        i += 1;
    }
    shuffle
};
/// [`OWN`], and the first word to the second's place.
static OWN_TO_SECOND: Block = {
    let mut shuffle = [NONE; 16];
    let mut i = 0;
    while i < 16 {
        if i % 8 >= 4 {
            shuffle[i] = OWN[i] - 4;
        }
        i += 1;
    }
    shuffle
};
/// Where first words are.
static FIRST: Block = {
    let mut mask = [0; 16];
    let mut i = 0;
    while i < 16 {
        mask[i] = if i % 8 < 4 { 0xff } else { 0 };
        i += 1;
    }
    mask
};

static INSIDE: Round = round(&BOXES[0].before, true);
static OUTSIDE: Round = round(&Affine::IDENTITY, false);

/// The diffusion to coordinates: those of the first three S-boxes, and either of the fourth or the
/// same for all. The fourth's are the first's, turned by a bit: all that is needed from all S-boxes are four maps.
const fn round(first: &Affine, fourth: bool) -> Round {
    let turned = first.after(&Affine::rotation(1));
    let [a, b, c] = [&BOXES[0].after, &BOXES[1].after, &BOXES[2].after];
    let mut shuffles = ([[NONE; 16]; 6], [[NONE; 16]; 2]);
    let mut i = 0;
    while i < 16 {
        let byte = ORDERED[i % 8];
        let (mut n, mut m) = (0, 0);
        let mut from = 0;
        while from < 8 {
            let place = place(from);
            if P[byte] >> from & 1 != 0 {
                // The fourth S-box has the first's map. The second's is that turned by a bit, the third's back by one.
                match (ORDER[from], fourth && ORDER[byte] == 3) {
                    (0 | 3, false) | (2, true) => (shuffles.0[n][i], n) = (place, n + 1),
                    (0 | 3, true) | (1, false) => (shuffles.0[n][i], n) = (place + 8, n + 1),
                    (2, false) => (shuffles.1[m][i], m) = (place, m + 1),
                    _ => (shuffles.1[m][i], m) = (place + 8, m + 1),
                }
            }
            from += 1;
        }
        i += 1;
    }
    let mut rows = [[0; 16]; 2];
    let mut i = 0;
    while i < 8 {
        let mut n = 0;
        while n < 6 {
            let from = shuffles.0[n][i];
            if from != NONE {
                let (map, summand) = (from as usize / 8, 0x80 >> (from % 8));
                rows[map][i] |= summand;
                rows[1 - map][8 + i] |= summand;
            }
            n += 1;
        }
        i += 1;
    }
    Round {
        maps: Maps::of(&first.after(a), &turned.after(a)),
        swapped: Maps::of(&turned.after(a), &first.after(a)),
        others: Maps::of(&first.after(c), &turned.after(b)),
        shuffles,
        rows,
    }
}

/// What a block takes before a group of rounds: the constants before the S-boxes, and in the second half, to which the
/// first round adds, those behind them.
static ENTRY: Block = around(1);
/// And after it.
static EXIT: Block = around(0);

const fn around(added_to: usize) -> Block {
    let mut constants = [0; 16];
    let mut i = 0;
    while i < 16 {
        let byte = i % 8;
        let before = &BOXES[ORDER[byte]].before;
        constants[i] = before.inverse().linear(before.constant);
        if i / 8 == added_to {
            constants[i] ^= behind(byte);
        }
        i += 1;
    }
    constants
}

/// The constants behind the S-boxes, between rounds.
static BEHIND: Block = {
    let mut constants = [0; 16];
    let mut i = 0;
    while i < 16 {
        let byte = ORDERED[i % 8];
        constants[i] = BOXES[ORDER[byte]].before.linear(behind(byte));
        i += 1;
    }
    constants
};

/// The constants behind the S-boxes, through P.
const fn behind(byte: usize) -> u8 {
    let (mut sum, mut from) = (0, 0);
    while from < 8 {
        if P[byte] >> from & 1 != 0 {
            sum ^= BOXES[ORDER[from]].after.constant;
        }
        from += 1;
    }
    sum
}

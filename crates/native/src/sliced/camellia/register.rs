//! Camellia on one block, in a register.

use wirespeed_cipher::Block;

use super::{BOXES, ORDER, P, SUMS};
use crate::sliced::field::Affine;
use crate::sliced::serial::{Maps, NONE, Register, summands};

/// See [`Core::one`](crate::sliced::Core::one).
#[inline(always)]
pub(super) fn one<R: Register>(u: R, round_keys: &[Block], block: R::V) -> R::V {
    let [first, keys @ .., last] = round_keys else { return block };
    let [mut left, mut right] = halves(u, u.xor(block, u.load(first)));
    for group in keys.chunks(4) {
        let [a, b, c, between @ ..] = group else { break };
        let a = halves(u, u.load(a));
        let b = halves(u, u.load(b));
        let c = halves(u, u.load(c));
        left = u.xor3(left, a[0], u.load(&BEFORE));
        right = step(u, left, u.xor3(right, a[1], u.load(&BOTH)), &AFTER);
        left = step(u, right, u.xor3(left, u.xor(a[0], b[0]), u.load(&BEHIND)), &AFTER);
        right = step(u, left, u.xor3(right, u.xor(a[1], b[1]), u.load(&BEHIND)), &AFTER);
        left = step(u, right, u.xor3(left, u.xor(b[0], c[0]), u.load(&BEHIND)), &AFTER);
        right = step(u, left, u.xor3(right, u.xor(b[1], c[1]), u.load(&BEHIND)), &AFTER);
        // FL, and whoever gets the block, want bytes.
        left = mapped(u, u.xor3(left, c[0], u.load(&BOTH)), &BACK);
        left = step(u, right, left, &AFTER_TO_BYTES);
        right = mapped(u, u.xor3(right, c[1], u.load(&BEFORE)), &BACK);
        if let [key] = between {
            let key = u.load(key);
            left = mapped(u, masked(u, left, u.shuffle(key, &HALF[0])), &COORDINATES);
            right = mapped(u, unmasked(u, right, u.shuffle(key, &HALF[1])), &COORDINATES);
        }
    }
    // The halves change places.
    let (left, right) = (u.and(left, u.load(&WHERE[1])), u.and(right, u.load(&WHERE[0])));
    u.xor3(u.load(last), right, left)
}

/// Two rounds, whose keys are the halves of `keys`; the halves of the block stay in their places.
#[inline(always)]
pub(super) fn two<R: Register>(u: R, keys: &Block, block: R::V) -> R::V {
    let keys = u.load(keys);
    let [left, right] = halves(u, u.xor(block, keys));
    let keys = halves(u, keys);
    let left = u.xor(left, u.load(&BEFORE));
    let right = step(u, left, u.xor(right, u.load(&BOTH)), &AFTER);
    let left = mapped(u, u.xor3(left, keys[0], u.load(&BOTH)), &BACK);
    let left = step(u, right, left, &AFTER_TO_BYTES);
    let right = mapped(u, u.xor3(right, keys[1], u.load(&BEFORE)), &BACK);
    u.or(u.and(left, u.load(&WHERE[0])), u.and(right, u.load(&WHERE[1])))
}

/// Both halves of a block or of a pair of keys, each twice in a register of its own, and each byte in the coordinates of
/// its S-box: the fourth has its own, the others the first's.
#[inline(always)]
fn halves<R: Register>(u: R, block: R::V) -> [R::V; 2] {
    let first = u.and(u.map(block, &OF_FIRST), u.load(&WHERE_FIRST));
    let fourth = u.and(u.map(block, &OF_FOURTH), u.load(&WHERE_FOURTH));
    let block = u.or(first, fourth);
    [u.shuffle(block, &HALF[0]), u.shuffle(block, &HALF[1])]
}

/// F of the half that its key was added to, without the constants behind the S-boxes, and something else. What is
/// shuffled first is added first: all shuffles wait for the same two ports.
#[inline(always)]
fn step<R: Register>(u: R, half: R::V, addend: R::V, after: &'static [Maps; 3]) -> R::V {
    let a = u.map_inverse(half, &after[0]);
    let b = u.map_inverse(half, &after[1]);
    let c = u.map_inverse(half, &after[2]);
    let [[d, e, f, g], [h, i, ..], [j, k, ..]] = &DIFFUSION;
    let sum = u.xor3(addend, u.shuffle(a, d), u.shuffle(a, e));
    let sum = u.xor3(sum, u.shuffle(b, h), u.shuffle(b, i));
    let sum = u.xor3(sum, u.shuffle(a, f), u.shuffle(a, g));
    u.xor3(sum, u.shuffle(c, j), u.shuffle(c, k))
}

/// FL (§2.4.2) of a half, in bytes.
#[inline(always)]
fn masked<R: Register>(u: R, half: R::V, key: R::V) -> R::V {
    let half = u.xor(half, rotated(u, u.and(half, key)));
    u.xor(half, u.shuffle(u.or(half, key), &RIGHT_TO_LEFT))
}

/// The inverse of FL.
#[inline(always)]
fn unmasked<R: Register>(u: R, half: R::V, key: R::V) -> R::V {
    let half = u.xor(half, u.shuffle(u.or(half, key), &RIGHT_TO_LEFT));
    u.xor(half, rotated(u, u.and(half, key)))
}

/// Each byte of a half by its own S-box's map.
#[inline(always)]
fn mapped<R: Register>(u: R, half: R::V, maps: &'static Maps) -> R::V {
    u.shuffle(u.map(half, maps), &OWN)
}

/// The left word rotated by one bit, as the right; zero as the left.
#[inline(always)]
fn rotated<R: Register>(u: R, half: R::V) -> R::V {
    let (up, carried) = (u.map(half, &UP), u.map(half, &CARRIED));
    u.xor(u.shuffle(up, &LEFT_TO_RIGHT), u.shuffle(carried, &LEFT_TO_RIGHT_BY_ONE))
}

/// Shuffles that do the same in both halves of a register, except where they say otherwise.
const fn twice(first: [u8; 8], in_second: u8) -> Block {
    let mut shuffle = [NONE; 16];
    let mut i = 0;
    while i < 16 {
        if first[i % 8] != NONE {
            shuffle[i] = first[i % 8] + if i < 8 { 0 } else { in_second };
        }
        i += 1;
    }
    shuffle
}

/// One half of a register in both.
static HALF: [Block; 2] =
    [twice([0, 1, 2, 3, 4, 5, 6, 7], 0), twice([8, 9, 10, 11, 12, 13, 14, 15], 0)];
/// Of what was mapped for the first S-box in the first half of a register, and for the fourth in the second, each
/// byte's own, in both.
static OWN: Block = {
    let mut shuffle = [0; 16];
    let mut i = 0;
    while i < 16 {
        shuffle[i] = if ORDER[i % 8] == 3 { 8 } else { 0 } + i as u8 % 8;
        i += 1;
    }
    shuffle
};
/// Where each half is.
static WHERE: [Block; 2] = [(u64::MAX as u128).to_le_bytes(), (!(u64::MAX as u128)).to_le_bytes()];
/// Where the bytes of the first three S-boxes are, and those of the fourth.
static WHERE_FIRST: Block = {
    let mut mask = [0xff; 16];
    let mut i = 0;
    while i < 16 {
        mask[i] ^= WHERE_FOURTH[i];
        i += 1;
    }
    mask
};
static WHERE_FOURTH: Block = {
    let mut mask = [0; 16];
    let mut i = 0;
    while i < 16 {
        if ORDER[i % 8] == 3 {
            mask[i] = 0xff;
        }
        i += 1;
    }
    mask
};
static RIGHT_TO_LEFT: Block = twice([4, 5, 6, 7, NONE, NONE, NONE, NONE], 8);
static LEFT_TO_RIGHT: Block = twice([NONE, NONE, NONE, NONE, 0, 1, 2, 3], 8);
static LEFT_TO_RIGHT_BY_ONE: Block = twice([NONE, NONE, NONE, NONE, 1, 2, 3, 0], 8);

/// Each byte up by a bit, and the highest bit as the lowest.
static UP: Maps = Maps::both(&Affine::from_rows([0, 1, 2, 4, 8, 16, 32, 64], 0));
static CARRIED: Maps = Maps::both(&Affine::from_rows([128, 0, 0, 0, 0, 0, 0, 0], 0));

/// From bytes to both coordinates, and back.
static COORDINATES: Maps = Maps::of(&BOXES[0].before, &BOXES[3].before);
static BACK: Maps = Maps::of(&BOXES[0].before.inverse(), &BOXES[3].before.inverse());
/// To those of the first three S-boxes alone, and to the fourth's.
static OF_FIRST: Maps = Maps::both(&BOXES[0].before);
static OF_FOURTH: Maps = Maps::both(&BOXES[3].before);

/// Behind the inversion of the first three S-boxes, to both coordinates; the fourth's is the first's.
static AFTER: [Maps; 3] = after(&BOXES[0].before, &BOXES[3].before);
/// The same to bytes.
static AFTER_TO_BYTES: [Maps; 3] = after(&Affine::IDENTITY, &Affine::IDENTITY);

const fn after(first: &Affine, second: &Affine) -> [Maps; 3] {
    let [a, b, c] = [&BOXES[0].after, &BOXES[1].after, &BOXES[2].after];
    [
        Maps::of(&first.after(a), &second.after(a)),
        Maps::of(&first.after(b), &second.after(b)),
        Maps::of(&first.after(c), &second.after(c)),
    ]
}

/// The diffusion from each register of [`step`], in both halves, to each byte's own coordinates.
static DIFFUSION: [[Block; 4]; 3] = {
    /// From the bytes whose S-box is one of two.
    const fn from(box_of: usize, or: usize) -> [Block; 4] {
        let (mut present, mut i) = (0, 0);
        while i < 8 {
            if ORDER[i] == box_of || ORDER[i] == or {
                present |= 0x101 << i;
            }
            i += 1;
        }
        let mut shuffles = summands(&SUMS, present);
        let mut n = 0;
        while n < 4 {
            let mut i = 0;
            while i < 16 {
                if shuffles[n][i] != NONE {
                    shuffles[n][i] = shuffles[n][i] % 8 + OWN[i] / 8 * 8;
                }
                i += 1;
            }
            n += 1;
        }
        shuffles
    }
    [from(0, 3), from(1, 1), from(2, 2)]
};

/// The constant before the S-boxes, which is the same for all.
static BEFORE: Block = {
    assert!(BOXES[0].before.constant == BOXES[3].before.constant);
    [BOXES[0].before.constant; 16]
};

/// The constants behind the S-boxes, through P, in each byte's coordinates.
static BEHIND: Block = BEHIND_BOXES;
const BEHIND_BOXES: Block = {
    let mut constants = [0; 16];
    let mut i = 0;
    while i < 8 {
        let (mut sum, mut from) = (0, 0);
        while from < 8 {
            if P[i] >> from & 1 != 0 {
                sum ^= BOXES[ORDER[from]].after.constant;
            }
            from += 1;
        }
        constants[i] = BOXES[if ORDER[i] == 3 { 3 } else { 0 }].before.linear(sum);
        constants[8 + i] = constants[i];
        i += 1;
    }
    constants
};

/// Both.
static BOTH: Block = {
    let mut constants = BEHIND_BOXES;
    let mut i = 0;
    while i < 16 {
        constants[i] ^= BOXES[0].before.constant;
        i += 1;
    }
    constants
};

//! SM4, GB/T 32907-2016 and ISO/IEC 18033-3.

use wirespeed_cipher::{Block, BlockCipher, Schedule};

use super::field::{Affine, SM4, Substitution};
use super::serial::{Maps, Register};
use super::{Cipher, Core, Slices, Wide};
use crate::portable::sm4::{self, AFTER, BEFORE};

/// The S-box, and the S-box with its value rotated by two bits.
pub(super) const BOXES: [Substitution; 2] = {
    let (before, after) =
        (Affine::from_rows(BEFORE.0, BEFORE.1), Affine::from_rows(AFTER.0, AFTER.1));
    let plain = Substitution { before, after: after.after(&Affine::AES) };
    [plain, plain.then(&Affine::rotation(2))]
};

/// The cipher over slices. A round key is a word.
pub(crate) struct Sm4;

impl Core for Sm4 {
    #[inline(always)]
    fn run<S: Slices>(u: S, keys: &[Wide], state: &mut [S::V; 16]) {
        for four in keys {
            round::<S, 0>(u, state, four);
            round::<S, 4>(u, state, four);
            round::<S, 8>(u, state, four);
            round::<S, 12>(u, state, four);
        }
        // §7.1.2: the words in reverse.
        for i in 0..4 {
            state.swap(i, 12 + i);
            state.swap(4 + i, 8 + i);
        }
    }

    #[inline(always)]
    fn one<R: Register>(u: R, round_keys: &[Block], block: R::V) -> R::V {
        let block = u.map(block, &COORDINATES);
        let mut words = [
            u.shuffle(block, &WORD[0]),
            u.shuffle(block, &WORD[1]),
            u.shuffle(block, &WORD[2]),
            u.shuffle(block, &WORD[3]),
        ];
        // What goes through the S-box next.
        let mut next = u.xor3(words[1], words[2], words[3]);
        let mut four = key_of(u, round_keys, 0);
        next = u.xor(next, u.shuffle(four, &WORD[0]));
        for group in 0..round_keys.len() {
            let [a, b, c, d] = words;
            let e = step(u, &mut next, a, u.xor3(c, d, u.shuffle(four, &WORD[1])));
            let f = step(u, &mut next, b, u.xor3(d, e, u.shuffle(four, &WORD[2])));
            let g = step(u, &mut next, c, u.xor3(e, f, u.shuffle(four, &WORD[3])));
            four = key_of(u, round_keys, group + 1);
            let h = step(u, &mut next, d, u.xor3(f, g, u.shuffle(four, &WORD[0])));
            words = [e, f, g, h];
        }
        let [a, b, c, d] = words;
        let first = u.or(u.and(d, u.load(&PLACE[0])), u.and(c, u.load(&PLACE[1])));
        let second = u.or(u.and(b, u.load(&PLACE[2])), u.and(a, u.load(&PLACE[3])));
        u.map(u.or(first, second), &BACK)
    }
}

/// The round keys of a group of four; after the last there is no round that would need one.
#[inline(always)]
fn key_of<R: Register>(u: R, round_keys: &[Block], group: usize) -> R::V {
    let key = u.load(&round_keys[group.min(round_keys.len() - 1)]);
    u.xor(u.map(key, &COORDINATES), u.load(&CONSTANTS[group % 2]))
}

/// One round of a block in words of which each stands everywhere in its register: the word that comes of the oldest
/// one. What goes through the next round's S-box is that and `others`.
#[inline(always)]
fn step<R: Register>(u: R, next: &mut R::V, oldest: R::V, others: R::V) -> R::V {
    let same = u.map_inverse(*next, &LAYER[0]);
    let behind = u.map_inverse(*next, &LAYER[1]);
    let before = u.map_inverse(*next, &LAYER[2]);
    let sum = u.xor3(
        u.shuffle(behind, &TURN[0]),
        u.shuffle(behind, &TURN[1]),
        u.shuffle(before, &TURN[2]),
    );
    *next = u.xor3(same, u.xor(oldest, others), sum);
    u.xor3(same, oldest, sum)
}

/// From the block's bytes to the S-box's coordinates, and back.
static COORDINATES: Maps = Maps::both(&BOXES[0].before);
static BACK: Maps = Maps::both(&BOXES[0].before.inverse());

/// Each word everywhere.
static WORD: [Block; 4] = {
    let mut words = [[0; 16]; 4];
    let mut i = 0;
    while i < 64 {
        words[i / 16][i % 16] = (i / 16 * 4 + i % 4) as u8;
        i += 1;
    }
    words
};

/// Each word where it belongs.
static PLACE: [Block; 4] = {
    let mut places = [[0; 16]; 4];
    let mut i = 0;
    while i < 16 {
        places[i / 4][i] = 0xff;
        i += 1;
    }
    places
};

/// The bytes of each word turned by one, two and three places.
static TURN: [Block; 3] = {
    let mut turns = [[0; 16]; 3];
    let mut i = 0;
    while i < 48 {
        turns[i / 16][i % 16] = (i % 16 / 4 * 4 + (i + i / 16 + 1) % 4) as u8;
        i += 1;
    }
    turns
};

/// L (§6.2) after the S-box's second map: a byte of the result is the sum of maps of the byte in the same place, of
/// the next and the one after that, which are the same, and of the one before it. A rotation by two bits shifts a
/// byte up by two and takes the two highest bits of the byte behind it.
static LAYER: [Maps; 3] = {
    let up = Affine::from_rows([0, 0, 1, 2, 4, 8, 16, 32], 0);
    let carried = Affine::from_rows([64, 128, 0, 0, 0, 0, 0, 0], 0);
    let maps = [up.plus(&Affine::IDENTITY), Affine::rotation(2), carried.plus(&Affine::IDENTITY)];
    let mut layer = [const { Maps([0; 2]) }; 3];
    let mut i = 0;
    while i < 3 {
        layer[i] = Maps::both(&BOXES[0].before.after(&maps[i]).after(&BOXES[0].after));
        i += 1;
    }
    layer
};

/// What is added to the round keys of a group of four, by turns: the constant before the S-box, and what the words
/// lack because the one behind it is left out. Through L that is the same in all four bytes; words of even groups
/// lack it an even number of times.
static CONSTANTS: [Block; 2] = {
    let before = BOXES[0].before.constant;
    let lacking = before ^ BOXES[0].before.linear(BOXES[0].after.constant.rotate_left(2));
    let (mut even, mut odd) = ([before; 16], [lacking; 16]);
    let mut i = 0;
    while i < 4 {
        // The second and the fourth round of a group see one or three words of the next.
        even[4 + i] = lacking;
        even[12 + i] = lacking;
        odd[4 + i] = before;
        odd[12 + i] = before;
        i += 1;
    }
    [even, odd]
};

/// One round (§6.1), in which the word at `WORD` is the oldest and becomes the newest.
#[inline(always)]
fn round<S: Slices, const WORD: usize>(u: S, state: &mut [S::V; 16], key: &Wide) {
    let mut plain = [state[0]; 4];
    let mut rotated = [state[0]; 4];
    for i in 0..4 {
        let others = u.xor3(
            state[(WORD + 4) % 16 + i],
            state[(WORD + 8) % 16 + i],
            state[(WORD + 12) % 16 + i],
        );
        let x = u.xor(others, u.splat(key[WORD + i]));
        plain[i] = u.substitute::<{ SM4 }>(x);
        rotated[i] = u.substitute::<{ SM4 + 1 }>(x);
    }
    // L: the word, itself rotated by 24 bits, and by 2, 10 and 18. Rotations by whole bytes only say where to
    // look; in the one by two bits, the two lowest of each byte are those of the byte behind it.
    let mut sums = [state[0]; 4];
    for i in 0..4 {
        sums[i] = u.xor3(rotated[i], rotated[(i + 1) % 4], rotated[(i + 2) % 4]);
    }
    for i in 0..4 {
        let shifted = u.select::<0xfc>(sums[i], sums[(i + 1) % 4]);
        let bytes = u.xor3(state[WORD + i], plain[i], plain[(i + 3) % 4]);
        state[WORD + i] = u.xor(bytes, shifted);
    }
}

impl Cipher for Sm4 {
    type Core = Self;
    const CIPHER: BlockCipher = BlockCipher::Sm4;

    fn round_keys(key: &Schedule) -> &[Block] {
        &key.round_keys[1..9]
    }

    fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule) {
        sm4::expand::<DECRYPT>(key, out);
    }
}

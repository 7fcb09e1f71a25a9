//! SM4, GB/T 32907-2016 and ISO/IEC 18033-3.

use wirespeed_cipher::{Block, BlockCipher, Schedule};

use super::field::{Affine, SM4, Substitution};
use super::serial::{Maps, Register, Whole};
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
#[derive(Clone, Copy)]
pub(crate) struct Sm4;

impl Core for Sm4 {
    type Waves = Self;

    const FEW: usize = 2;
    const FEW_BY_TABLES: usize = 2;

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

    type One<R: Register> = Whole<R>;

    #[inline(always)]
    fn one<R: Register>(u: R, round_keys: &[Block], block: Whole<R>) -> Whole<R> {
        let mut rounds = Rounds::new(u, &L, block.0, &round_keys[0]);
        for group in 0..round_keys.len() {
            // After the last there is no round that would need a key.
            let following = &round_keys[(group + 1).min(round_keys.len() - 1)];
            rounds.four(following, group + 1);
        }
        let [a, b, c, d] = rounds.words;
        Whole(together(u, [d, c, b, a]))
    }

    fn plain(round_keys: &[Block], block: Block) -> Block {
        sm4::encrypt(round_keys, &block)
    }

    fn expand(key: &[u8], decrypt: bool, out: &mut Schedule) {
        sm4::expand(key, decrypt, out);
    }

    #[inline(always)]
    fn expand_in<R: Register>(u: R, key: &[u8], decrypt: bool, out: &mut Schedule) {
        let [block, round_keys @ ..] = &mut out.round_keys;
        block.copy_from_slice(key);
        let key = u.xor(u.load(block), u.load(&FAMILY));
        let mut rounds = Rounds::new(u, &L_OF_KEYS, key, &CONSTANTS[0]);
        for group in 0..8 {
            rounds.four(&CONSTANTS[(group + 1) % 8], group + 1);
            let [a, b, c, d] = rounds.words;
            let words = together(u, if decrypt { [d, c, b, a] } else { [a, b, c, d] });
            // Words of odd groups lack something; the key itself is group 0.
            let lacking = [if group % 2 == 0 { L_OF_KEYS.lacking } else { 0 }; 16];
            let place = if decrypt { 7 - group } else { group };
            round_keys[place] = u.store(u.xor(words, u.load(&lacking)));
        }
    }
}

/// Rounds of one block, in words of which each stands everywhere in its register.
struct Rounds<R: Register> {
    u: R,
    layer: &'static Layer,
    words: [R::V; 4],
    /// What goes through the S-box next.
    next: R::V,
    /// The round keys of a group of four.
    keys: R::V,
}

impl<R: Register> Rounds<R> {
    /// Before the first group.
    #[inline(always)]
    fn new(u: R, layer: &'static Layer, block: R::V, keys: &Block) -> Self {
        let block = u.map(block, &COORDINATES);
        let words = [
            u.shuffle(block, &WORD[0]),
            u.shuffle(block, &WORD[1]),
            u.shuffle(block, &WORD[2]),
            u.shuffle(block, &WORD[3]),
        ];
        let keys = u.xor(u.map(u.load(keys), &COORDINATES), u.load(&layer.added[0]));
        let next = u.xor(u.xor3(words[1], words[2], words[3]), u.shuffle(keys, &WORD[0]));
        Self { u, layer, words, next, keys }
    }

    /// Four rounds, with the keys of the next group, which has that number.
    #[inline(always)]
    fn four(&mut self, following: &Block, number: usize) {
        let (u, [a, b, c, d]) = (self.u, self.words);
        let e = self.step(a, u.xor3(c, d, u.shuffle(self.keys, &WORD[1])));
        let f = self.step(b, u.xor3(d, e, u.shuffle(self.keys, &WORD[2])));
        let g = self.step(c, u.xor3(e, f, u.shuffle(self.keys, &WORD[3])));
        let keys = u.map(u.load(following), &COORDINATES);
        self.keys = u.xor(keys, u.load(&self.layer.added[number % 2]));
        let h = self.step(d, u.xor3(f, g, u.shuffle(self.keys, &WORD[0])));
        self.words = [e, f, g, h];
    }

    /// One round: the word that comes of the oldest one. What goes through the next round's S-box is that and
    /// `others`.
    #[inline(always)]
    fn step(&mut self, oldest: R::V, others: R::V) -> R::V {
        let (u, [a, b, c, d]) = (self.u, &self.layer.maps);
        let same = u.map_inverse(self.next, a);
        let sum = u.xor3(
            u.shuffle(u.map_inverse(self.next, b), &TURN[0]),
            u.shuffle(u.map_inverse(self.next, c), &TURN[1]),
            u.shuffle(u.map_inverse(self.next, d), &TURN[2]),
        );
        self.next = u.xor3(same, u.xor(oldest, others), sum);
        u.xor3(same, oldest, sum)
    }
}

/// Words as a block.
#[inline(always)]
fn together<R: Register>(u: R, [a, b, c, d]: [R::V; 4]) -> R::V {
    let first = u.or(u.and(a, u.load(&PLACE[0])), u.and(b, u.load(&PLACE[1])));
    let second = u.or(u.and(c, u.load(&PLACE[2])), u.and(d, u.load(&PLACE[3])));
    u.map(u.or(first, second), &BACK)
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

/// A sum of rotations, after the S-box's second map and in its coordinates: for each byte of the result the maps of
/// the byte in the same place and of the three behind it. A rotation by bits shifts a byte up and takes the highest bits
/// of the byte behind it.
struct Layer {
    maps: [Maps; 4],
    /// What is added to the round keys of a group of four, by turns: the constant before the S-box, and what the words
    /// lack because the one behind it is left out. Words of even groups lack it an even number of times.
    added: [Block; 2],
    /// What words of odd groups lack, as plain bytes; it is the same in all four.
    lacking: u8,
}

impl Layer {
    const fn of(rotations: &[u32]) -> Self {
        let none = Affine { columns: [0; 8], constant: 0 };
        let mut sums = [none; 4];
        let mut i = 0;
        while i < rotations.len() {
            let (place, bits) = (rotations[i] as usize / 8, rotations[i] % 8);
            let (mut up, mut carried) = (none, none);
            let mut bit = 0;
            while bit < 8 {
                let image = (1 << bit) << bits;
                up.columns[bit] = image as u8;
                carried.columns[bit] = (image >> 8) as u8;
                bit += 1;
            }
            sums[place] = sums[place].plus(&up);
            sums[(place + 1) % 4] = sums[(place + 1) % 4].plus(&carried);
            i += 1;
        }
        let (before, after) = (&BOXES[0].before, &BOXES[0].after);
        let mut maps = [Maps::NONE; 4];
        let mut lacking = 0;
        let mut i = 0;
        while i < 4 {
            maps[i] = Maps::both(&before.after(&sums[i]).after(after));
            lacking ^= sums[i].linear(after.constant);
            i += 1;
        }
        let mut added = [[before.constant; 16]; 2];
        let mut i = 0;
        while i < 16 {
            // The second and the fourth round of a group see one or three words of the next.
            added[1 - i / 4 % 2][i] ^= before.linear(lacking);
            i += 1;
        }
        Self { maps, added, lacking }
    }
}

/// §6.2, and §7.3 for key schedules.
static L: Layer = Layer::of(&[0, 2, 10, 18, 24]);
static L_OF_KEYS: Layer = Layer::of(&[0, 13, 23]);

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
        rotated[i] = u.rotated_box(x, plain[i]);
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
}

/// FK (§7.3) and CK, of which byte j of word i is 7·(4i + j).
pub(crate) static FAMILY: Block = 0xa3b1_bac6_56aa_3350_677d_9197_b270_22dc_u128.to_be_bytes();
pub(crate) static CONSTANTS: [Block; 8] = {
    let mut constants = [[0; 16]; 8];
    let mut i = 0;
    while i < 128 {
        constants[i / 16][i % 16] = (i as u8).wrapping_mul(7);
        i += 1;
    }
    constants
};

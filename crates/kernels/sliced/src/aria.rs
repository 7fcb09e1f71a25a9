//! ARIA, RFC 5794.

use wirespeed_cipher::{Block, BlockCipher, Schedule};
use zeroize::Zeroize;

use super::bytes::{self, Boxes, Bytes, Sums};
use super::field::{ARIA, Affine, Substitution, multiply};
use super::serial::{Maps, NONE, Register, Whole, summands};
use super::{Adder, Cipher, Core, Linear, Slices, Wide, add_key};

/// SB1 to SB4 (§2.4.2): AES's S-box, the 247th power and an affine map, and the inverses of both.
pub(super) const BOXES: [Substitution; 4] = {
    let first = Substitution { before: Affine::IDENTITY, after: Affine::AES };
    // Kwon et al., "New block cipher: ARIA" (2003), §2.2; the lowest bit is the first.
    let map = Affine::from_rows([0x7a, 0xbc, 0xeb, 0xb9, 0x34, 0x81, 0xba, 0xcb], 0xe2);
    // The 247th power is the eighth of the inverse: three times a square, which is linear.
    let mut power = Affine::IDENTITY;
    let mut i = 0;
    while i < 8 {
        let mut squarings = 0;
        while squarings < 3 {
            power.columns[i] = multiply(power.columns[i], power.columns[i]);
            squarings += 1;
        }
        i += 1;
    }
    let second = Substitution { before: Affine::IDENTITY, after: map.after(&power) };
    [first, second, first.inverse(), second.inverse()]
};

/// The cipher over slices. There is a round key for each round and one for the end.
#[derive(Clone, Copy)]
pub(crate) struct Aria;

impl Core for Aria {
    type Waves = Self;

    const FEW: usize = 3;
    const FEW_BY_TABLES: usize = 4;

    #[inline(always)]
    fn run<S: Slices>(u: S, keys: &[Wide], state: &mut [S::V; 16]) {
        let [first, second, keys @ .., last] = keys else { return };
        let mut t = *state;
        odd(u, state, first, &mut t);
        u.linear::<Diffusion, 16>(&t, state);
        even(u, state, second, &mut t);
        for pair in keys.chunks_exact(2) {
            u.linear::<Diffusion, 16>(&t, state);
            odd(u, state, &pair[0], &mut t);
            u.linear::<Diffusion, 16>(&t, state);
            even(u, state, &pair[1], &mut t);
        }
        add_key(u, &mut t, last);
        *state = t;
    }

    type One<R: Register> = Whole<R>;

    #[inline(always)]
    fn one<R: Register>(u: R, round_keys: &[Block], block: Whole<R>) -> Whole<R> {
        let [first, second, keys @ .., last] = round_keys else { return block };
        let block = u.shuffle(u.xor(block.0, u.load(first)), &BY_BOX);
        let mut state = u.xor(block, u.load(&FIRST));
        state = layer::<R, 0>(u, state, key_of::<R, 1>(u, second));
        for pair in keys.chunks_exact(2) {
            state = layer::<R, 1>(u, state, key_of::<R, 0>(u, &pair[0]));
            state = layer::<R, 0>(u, state, key_of::<R, 1>(u, &pair[1]));
        }
        let [first, second] = substituted::<R, 1>(u, state);
        let key = u.xor(u.load(last), u.load(&LAST));
        Whole(u.xor3(u.shuffle(first, &TOGETHER[0]), key, u.shuffle(second, &TOGETHER[1])))
    }

    fn plain(round_keys: &[Block], block: Block) -> Block {
        let [keys @ .., before_last, last] = round_keys else { return block };
        let add =
            |a: Block, b: &Block| (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(*b)).to_ne_bytes();
        let it = bytes::Anywhere;
        let mut state = block;
        for (i, key) in keys.iter().enumerate() {
            state = it.gather(it.substitute(add(state, key), &LAYERS[i % 2]), &DIFFUSED);
        }
        // The last round, an even one, has no diffusion.
        add(it.substitute(add(state, before_last), &LAYERS[1]), last)
    }

    fn expand(key: &[u8], decrypt: bool, out: &mut Schedule) {
        expand(bytes::Anywhere, key, decrypt, out);
    }

    #[inline(always)]
    fn expand_in<R: Register>(u: R, key: &[u8], decrypt: bool, out: &mut Schedule) {
        expand(bytes::In(u), key, decrypt, out);
    }
}

/// A substitution layer, of odd rounds or of even ones, and the diffusion layer, on a block whose bytes are ordered
/// by their S-boxes; the key is of the next round.
#[inline(always)]
fn layer<R: Register, const EVEN: usize>(u: R, state: R::V, key: R::V) -> R::V {
    let [a, b] = substituted::<R, EVEN>(u, state);
    let [k, l, m, n] = &DIFFUSION[0];
    let early = u.xor3(u.shuffle(a, k), u.shuffle(a, l), key);
    let [o, p, q, r] = &DIFFUSION[1];
    let middle = u.xor3(u.shuffle(a, m), u.shuffle(a, n), u.shuffle(b, o));
    u.xor3(early, middle, u.xor3(u.shuffle(b, p), u.shuffle(b, q), u.shuffle(b, r)))
}

/// The S-boxes, without the constants behind them: those of the first and the third kind of byte, and those of the
/// others.
#[inline(always)]
fn substituted<R: Register, const EVEN: usize>(u: R, state: R::V) -> [R::V; 2] {
    [
        u.map_inverse(u.map(state, &MAPS[EVEN][0][0]), &MAPS[EVEN][0][1]),
        u.map_inverse(u.map(state, &MAPS[EVEN][1][0]), &MAPS[EVEN][1][1]),
    ]
}

/// A round key in the order of the state, with the constants of its round before the S-boxes and of the round before
/// behind them.
#[inline(always)]
fn key_of<R: Register, const EVEN: usize>(u: R, round_key: &Block) -> R::V {
    u.xor(u.shuffle(u.load(round_key), &BY_BOX), u.load(&CONSTANTS[EVEN]))
}

/// Bytes ordered by their places in words, which decide about the S-box; and back, as the order is that of a matrix
/// transposed.
static BY_BOX: Block = ORDER;
const ORDER: Block = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];

/// For rounds of each kind and the two S-boxes that the maps of one instruction serve, the maps before inversion and
/// behind it. In even rounds the inverse S-boxes come first.
static MAPS: [[[Maps; 2]; 2]; 2] = {
    const fn of(straight: usize) -> [[Maps; 2]; 2] {
        let (straight, inverse) = (&BOXES[straight], &BOXES[straight + 2]);
        [
            [
                Maps::of(&Affine::IDENTITY, &inverse.before),
                Maps::of(&straight.after, &Affine::IDENTITY),
            ],
            [
                Maps::of(&inverse.before, &Affine::IDENTITY),
                Maps::of(&Affine::IDENTITY, &straight.after),
            ],
        ]
    }
    let [[a, b], [c, d]] = [of(0), of(1)];
    [[a, c], [b, d]]
};

/// What an S-box adds to its value, and its inverse to its argument: for the bytes of a block, ordered by S-boxes, that
/// go through an inverse in odd rounds, and in even ones. In the other rounds they go through the S-box.
const ADDED: [Block; 2] = {
    let mut added = [[0; 16]; 2];
    let mut i = 0;
    while i < 8 {
        added[0][8 + i] = BOXES[i / 4].after.constant;
        added[1][i] = BOXES[i / 4].after.constant;
        i += 1;
    }
    added
};

/// What is added to the first round key.
static FIRST: Block = ADDED[0];

/// What is added to the other keys of odd rounds, and of even ones: the constants before the S-boxes of the round and,
/// through the diffusion layer, behind those of the round before.
static CONSTANTS: [Block; 2] = {
    let mut constants = ADDED;
    let mut i = 0;
    while i < 16 {
        let mut from = 0;
        while from < 16 {
            if SUMS[i] >> from & 1 != 0 {
                // Behind the S-boxes of an even round stands what stands before those of an odd one.
                constants[0][i] ^= ADDED[0][from];
                constants[1][i] ^= ADDED[1][from];
            }
            from += 1;
        }
        i += 1;
    }
    constants
};

/// What is added to the last key.
static LAST: Block = {
    let mut last = [0; 16];
    let mut i = 0;
    while i < 16 {
        last[i] = ADDED[0][ORDER[i] as usize];
        i += 1;
    }
    last
};

/// The bytes that are sums of the diffusion layer, ordered by S-boxes.
const SUMS: [u16; 16] = {
    let mut sums = [0; 16];
    let mut i = 0;
    while i < 16 {
        let mut n = 0;
        while n < 7 {
            sums[i] |= 1 << ORDER[A[ORDER[i] as usize][n]];
            n += 1;
        }
        i += 1;
    }
    sums
};

/// The bytes whose S-boxes stand in the first register of [`substituted`]: of the first and the third kind.
const IN_FIRST: u16 = 0x0f0f;

/// The diffusion layer from both.
static DIFFUSION: [[Block; 4]; 2] = [summands(&SUMS, IN_FIRST), summands(&SUMS, !IN_FIRST)];

/// The block from both, in its own order.
static TOGETHER: [Block; 2] = {
    let mut shuffles = [[NONE; 16]; 2];
    let mut i = 0;
    while i < 16 {
        let from = ORDER[i];
        shuffles[if IN_FIRST >> from & 1 != 0 { 0 } else { 1 }][i] = from;
        i += 1;
    }
    shuffles
};

/// What is done to each word of the state, by its first byte. Not a loop, which would keep the vectors in memory.
macro_rules! for_each_word {
    (|$word:ident| $each:expr) => {
        for_each_word!(@ $word $each; 0 4 8 12)
    };
    (@ $word:ident $each:expr; $($first:literal)*) => {
        $({
            const $word: usize = $first;
            $each
        })*
    };
}

/// A key and the substitution layer of odd rounds (§2.4.2).
#[inline(always)]
fn odd<S: Slices>(u: S, state: &[S::V; 16], key: &Wide, t: &mut [S::V; 16]) {
    for_each_word!(|WORD| {
        substitute::<S, ARIA>(u, state, key, WORD, t);
        substitute::<S, { ARIA + 1 }>(u, state, key, WORD + 1, t);
        substitute::<S, { ARIA + 2 }>(u, state, key, WORD + 2, t);
        substitute::<S, { ARIA + 3 }>(u, state, key, WORD + 3, t);
    });
}

/// A key and the substitution layer of even rounds.
#[inline(always)]
fn even<S: Slices>(u: S, state: &[S::V; 16], key: &Wide, t: &mut [S::V; 16]) {
    for_each_word!(|WORD| {
        substitute::<S, { ARIA + 2 }>(u, state, key, WORD, t);
        substitute::<S, { ARIA + 3 }>(u, state, key, WORD + 1, t);
        substitute::<S, ARIA>(u, state, key, WORD + 2, t);
        substitute::<S, { ARIA + 1 }>(u, state, key, WORD + 3, t);
    });
}

#[inline(always)]
fn substitute<S: Slices, const BOX: usize>(
    u: S,
    state: &[S::V; 16],
    key: &Wide,
    i: usize,
    t: &mut [S::V; 16],
) {
    u.substitute_sum::<BOX>(&state[i], key[i], &mut t[i]);
}

/// The diffusion layer A (§2.4.3), whose sums of seven are shared: bytes of a word are mixed, then words, and
/// after the bytes of three words have changed places, words again (the specification's implementation with
/// 32-bit words: M, P, M after the mixing of bytes).
enum Diffusion {}

impl Linear<16> for Diffusion {
    #[inline(always)]
    fn sums<A: Adder>(u: A, from: [A::Summand; 16], _to: [A::Summand; 16]) -> [A::Summand; 16] {
        let mut state = from;
        for_each_word!(|WORD| mix(u, &mut state, [WORD, WORD + 1, WORD + 2, WORD + 3]));
        for i in 0..4 {
            mix_words(u, &mut state, i);
        }
        // Word 1: bytes change places in pairs. Word 2: halves do. Word 3: the order is reversed. Written as new
        // names: a compiler may swap what it takes for memory.
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = state;
        let mut state = [a, b, c, d, f, e, h, g, k, l, i, j, p, o, n, m];
        for i in 0..4 {
            mix_words(u, &mut state, i);
        }
        state
    }
}

/// Of four, each becomes the sum of the three others.
#[inline(always)]
fn mix<A: Adder>(u: A, state: &mut [A::Summand; 16], [a, b, c, d]: [usize; 4]) {
    let old = [state[a], state[b], state[c], state[d]];
    state[a] = u.sum_of_three(old[1], old[2], old[3]);
    state[b] = u.sum_of_three(old[0], old[2], old[3]);
    state[c] = u.sum_of_three(old[0], old[1], old[3]);
    state[d] = u.sum_of_three(old[0], old[1], old[2]);
}

/// The same byte of four words: each becomes the sum of three.
#[inline(always)]
fn mix_words<A: Adder>(u: A, state: &mut [A::Summand; 16], i: usize) {
    let old = [state[i], state[4 + i], state[8 + i], state[12 + i]];
    state[i] = u.sum_of_three(old[0], old[1], old[2]);
    state[4 + i] = u.sum_of_three(old[0], old[2], old[3]);
    state[8 + i] = u.sum_of_three(old[0], old[1], old[3]);
    state[12 + i] = u.sum_of_three(old[1], old[2], old[3]);
}

/// ARIA with a key of so many bytes.
pub(crate) struct OfKey<const BYTES: usize>;

/// For twelve rounds, fourteen or sixteen, and the end.
const fn round_keys(key_bytes: usize) -> usize {
    9 + key_bytes / 4
}

impl<const BYTES: usize> Cipher for OfKey<BYTES> {
    type Core = Aria;
    const CIPHER: BlockCipher = match BYTES {
        16 => BlockCipher::Aria128,
        24 => BlockCipher::Aria192,
        _ => BlockCipher::Aria256,
    };

    fn round_keys(key: &Schedule) -> &[Block] {
        &key.round_keys[..round_keys(BYTES)]
    }
}

/// The key schedule of §2.2 and §2.3.
#[inline(always)]
fn expand(it: impl Bytes, key: &[u8], decrypt: bool, out: &mut Schedule) {
    expand_forward(it, key, &mut out.round_keys);
    if decrypt {
        let round_keys = &mut out.round_keys[..round_keys(key.len())];
        // In reverse, and all but the first and the last through A.
        round_keys.reverse();
        if let [_, between @ .., _] = round_keys {
            for round_key in between {
                *round_key = it.gather(*round_key, &DIFFUSED);
            }
        }
    }
}

/// For encryption. Shorter keys have no use for the last of the round keys; but where there is always the same number of
/// them, the rotations are by constants.
#[inline(always)]
fn expand_forward(it: impl Bytes, key: &[u8], round_keys: &mut [Block; 17]) {
    /// The first digits of 1/pi.
    const C: [u128; 3] = [
        0x517c_c1b7_2722_0a94_fe13_abe8_fa9a_6ee0,
        0x6db1_4acc_9e21_c820_ff28_b1d5_ef5d_e2b0,
        0xdb92_371d_2126_e970_0324_9775_04e8_c90e,
    ];
    let (left, right) = key.split_first_chunk().expect("sixteen bytes at least");
    let left = u128::from_be_bytes(*left);
    let word = |at: usize| match right.get(at..at + 8) {
        Some(word) => u128::from(u64::from_be_bytes(word.try_into().expect("eight"))),
        None => 0,
    };
    let right = word(0) << 64 | word(8);
    let constant = |i: usize| C[(i + key.len() / 8 - 2) % 3];
    let mut w = [left; 4];
    w[1] = function(it, w[0] ^ constant(0), &LAYERS[0]) ^ right;
    w[2] = function(it, w[1] ^ constant(1), &LAYERS[1]) ^ w[0];
    w[3] = function(it, w[2] ^ constant(2), &LAYERS[0]) ^ w[1];
    let [round_keys @ .., last] = round_keys;
    // To the right by 19 and 31, to the left by 61, 31 and 19.
    sums(&w, 19, &mut round_keys[..4]);
    sums(&w, 31, &mut round_keys[4..8]);
    sums(&w, 67, &mut round_keys[8..12]);
    sums(&w, 97, &mut round_keys[12..]);
    sums(&w, 109, std::slice::from_mut(last));
    w.zeroize();
}

/// Round keys of one rotation (§2.2).
#[inline(always)]
fn sums(w: &[u128; 4], by: u32, round_keys: &mut [Block]) {
    for (i, round_key) in round_keys.iter_mut().enumerate() {
        *round_key = (w[i] ^ w[(i + 1) % 4].rotate_right(by)).to_be_bytes();
    }
}

/// FO or FE (§2.4.1) of a value to which its key is added.
#[inline(always)]
fn function(it: impl Bytes, x: u128, layer: &'static Boxes) -> u128 {
    u128::from_be_bytes(it.gather(it.substitute(x.to_be_bytes(), layer), &DIFFUSED))
}

/// The substitution layers of odd rounds and of even ones.
static LAYERS: [Boxes; 2] = [
    Boxes::of(ARIA, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]),
    Boxes::of(ARIA, [2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1]),
];

/// The diffusion layer.
static DIFFUSED: Sums<7> = {
    let mut shuffles = [[0; 16]; 7];
    let mut i = 0;
    while i < 7 * 16 {
        shuffles[i / 16][i % 16] = A[i % 16][i / 16] as u8;
        i += 1;
    }
    Sums::of(shuffles)
};

/// The diffusion layer as §2.4.3 lists it: the bytes that each is the sum of.
const A: [[usize; 7]; 16] = [
    [3, 4, 6, 8, 9, 13, 14],
    [2, 5, 7, 8, 9, 12, 15],
    [1, 4, 6, 10, 11, 12, 15],
    [0, 5, 7, 10, 11, 13, 14],
    [0, 2, 5, 8, 11, 14, 15],
    [1, 3, 4, 9, 10, 14, 15],
    [0, 2, 7, 9, 10, 12, 13],
    [1, 3, 6, 8, 11, 12, 13],
    [0, 1, 4, 7, 10, 13, 15],
    [0, 1, 5, 6, 11, 12, 14],
    [2, 3, 5, 6, 8, 13, 15],
    [2, 3, 4, 7, 9, 12, 14],
    [1, 2, 6, 7, 9, 11, 12],
    [0, 3, 6, 7, 8, 10, 13],
    [0, 3, 4, 5, 9, 11, 14],
    [1, 2, 4, 5, 8, 10, 15],
];

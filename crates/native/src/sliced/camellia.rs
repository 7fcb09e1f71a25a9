//! Camellia, RFC 3713.

use wirespeed_cipher::{Block, BlockCipher, Schedule};
use zeroize::Zeroize;

use super::bytes::{self, Boxes, Bytes, Sums};
use super::field::{Affine, CAMELLIA, Substitution, multiply};
use super::serial::{Maps, NONE, Register, summands};
use super::{Cipher, Core, Slices, Wide, add_key};

/// SBOX1 to SBOX4 (§2.4.1). The first is inversion in a tower of fields between two linear maps: Aoki et al.,
/// "Specification of Camellia" (2001), §4.4, whose bits are numbered from 1 for the highest.
pub(super) const BOXES: [Substitution; 4] = {
    /// The bits of the argument that make each of the result, in the specification's order.
    const fn map(rows: [&[u32]; 8]) -> Affine {
        let mut columns = [0; 8];
        let mut row = 0;
        while row < 8 {
            let mut i = 0;
            while i < rows[row].len() {
                columns[8 - rows[row][i] as usize] |= 0x80 >> row;
                i += 1;
            }
            row += 1;
        }
        Affine { columns, constant: 0 }
    }
    const F: Affine =
        map([&[6, 2], &[7, 1], &[8, 5, 3], &[8, 3], &[7, 4], &[5, 2], &[8, 1], &[6, 4]]);
    const H: Affine =
        map([&[5, 6, 2], &[6, 2], &[7, 4], &[8, 2], &[7, 3], &[8, 1], &[5, 1], &[6, 3]]);
    /// From the tower to AES's field: beta is a root of x^8 + x^6 + x^5 + x^3 + 1, and alpha is
    /// beta^6 + beta^5 + beta^3 + beta^2.
    const TO_AES: Affine = {
        let mut beta = 2;
        let alpha = loop {
            let second = multiply(beta, beta);
            let third = multiply(second, beta);
            let (fifth, sixth) = (multiply(third, second), multiply(third, third));
            if multiply(fifth, third) ^ sixth ^ fifth ^ third == 1 {
                break sixth ^ fifth ^ third ^ second;
            }
            beta += 1;
        };
        let second = multiply(alpha, alpha);
        let third = multiply(second, alpha);
        let low = [1, alpha, second, third];
        let mut columns = [0; 8];
        let mut i = 0;
        while i < 4 {
            columns[i] = low[i];
            columns[4 + i] = multiply(low[i], beta);
            i += 1;
        }
        Affine { columns, constant: 0 }
    };
    let input = Affine { constant: 0xc5, ..Affine::IDENTITY };
    let output = Affine { constant: 0x6e, ..Affine::IDENTITY };
    let first = Substitution {
        before: TO_AES.after(&F).after(&input),
        after: output.after(&H).after(&TO_AES.inverse()),
    };
    [
        first,
        first.then(&Affine::rotation(1)),
        first.then(&Affine::rotation(7)),
        Substitution { before: first.before.after(&Affine::rotation(1)), after: first.after },
    ]
};

/// The cipher over slices. Round keys are words of eight bytes in the order of use: kw1 kw2, six of rounds, two
/// of FL, six of rounds, …, kw3 kw4.
#[derive(Clone, Copy)]
pub(crate) struct Camellia;

impl Core for Camellia {
    const FEW: usize = 1;

    #[inline(always)]
    fn run<S: Slices>(u: S, keys: &[Wide], state: &mut [S::V; 16]) {
        let [first, keys @ .., last] = keys else { return };
        add_key(u, state, first);
        for group in keys.chunks(4) {
            for pair in group.iter().take(3) {
                round::<S, 0, 8, 0>(u, state, pair);
                round::<S, 8, 0, 8>(u, state, pair);
            }
            if let [_, _, _, pair] = group {
                // FL of the left half, and its inverse, with the same steps in reverse, of the right.
                rotate_into_right::<S, 0, 0>(u, state, pair);
                or_into_left::<S, 0, 4>(u, state, pair);
                or_into_left::<S, 8, 12>(u, state, pair);
                rotate_into_right::<S, 8, 8>(u, state, pair);
            }
        }
        // The halves change places.
        for i in 0..8 {
            state.swap(i, 8 + i);
        }
        add_key(u, state, last);
    }

    #[inline(always)]
    fn one<R: Register>(u: R, round_keys: &[Block], block: R::V) -> R::V {
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

    fn plain(round_keys: &[Block], block: Block) -> Block {
        let [first, keys @ .., last] = round_keys else { return block };
        let words = |pair: &Block| {
            let pair = u128::from_be_bytes(*pair);
            [(pair >> 64) as u64, pair as u64]
        };
        let ([mut left, mut right], [a, b]) = (words(&block), words(first));
        (left, right) = (left ^ a, right ^ b);
        for group in keys.chunks(4) {
            for pair in group.iter().take(3) {
                let [a, b] = words(pair);
                right ^= f(bytes::Anywhere, left ^ a);
                left ^= f(bytes::Anywhere, right ^ b);
            }
            if let [_, _, _, pair] = group {
                let [a, b] = words(pair);
                left = either(rotated_word(left, a), a);
                right = rotated_word(either(right, b), b);
            }
        }
        let [a, b] = words(last);
        (u128::from(right ^ a) << 64 | u128::from(left ^ b)).to_be_bytes()
    }
}

/// The first step of FL (§2.4.2): the right word takes the left, masked and rotated by one bit.
fn rotated_word(half: u64, key: u64) -> u64 {
    half ^ u64::from((((half & key) >> 32) as u32).rotate_left(1))
}

/// The second: the left word takes what is in the right or in the key.
fn either(half: u64, key: u64) -> u64 {
    half ^ (half | key) << 32
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

/// P (§2.4.1): the bytes of each sum, from the lowest bit on.
const P: [u8; 8] = [0xed, 0xdb, 0xb7, 0x7e, 0xe3, 0xd6, 0xbc, 0x79];
/// The S-box of each byte.
const ORDER: [usize; 8] = [0, 1, 2, 3, 1, 2, 3, 0];

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

/// P in both halves.
const SUMS: [u16; 16] = {
    let mut sums = [0; 16];
    let mut i = 0;
    while i < 8 {
        sums[i] = P[i] as u16;
        sums[8 + i] = (P[i] as u16) << 8;
        i += 1;
    }
    sums
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

/// One round (§2.4.1): F of the half at `FROM` is added to the half at `TO`; its key is at `KEY`.
#[inline(always)]
fn round<S: Slices, const FROM: usize, const TO: usize, const KEY: usize>(
    u: S,
    state: &mut [S::V; 16],
    key: &Wide,
) {
    let mut x = [state[FROM]; 8];
    for i in 0..8 {
        x[i] = u.xor(state[FROM + i], u.splat(key[KEY + i]));
    }
    let t = [
        u.substitute::<{ CAMELLIA }>(x[0]),
        u.substitute::<{ CAMELLIA + 1 }>(x[1]),
        u.substitute::<{ CAMELLIA + 2 }>(x[2]),
        u.substitute::<{ CAMELLIA + 3 }>(x[3]),
        u.substitute::<{ CAMELLIA + 1 }>(x[4]),
        u.substitute::<{ CAMELLIA + 2 }>(x[5]),
        u.substitute::<{ CAMELLIA + 3 }>(x[6]),
        u.substitute::<{ CAMELLIA }>(x[7]),
    ];
    // P: of the last four bytes three are in every sum, and of the first four two neighbours.
    let three = [
        u.xor3(t[5], t[6], t[7]),
        u.xor3(t[4], t[6], t[7]),
        u.xor3(t[4], t[5], t[7]),
        u.xor3(t[4], t[5], t[6]),
    ];
    let two = [u.xor(t[0], t[1]), u.xor(t[1], t[2]), u.xor(t[2], t[3]), u.xor(t[3], t[0])];
    let more = [u.xor(t[0], two[2]), u.xor(t[3], two[0]), u.xor(t[2], two[0]), u.xor(t[3], two[1])];
    for i in 0..4 {
        state[TO + i] = u.xor3(state[TO + i], more[i], three[i]);
        state[TO + 4 + i] = u.xor3(state[TO + 4 + i], two[i], three[i]);
    }
}

/// The first step of FL (§2.4.2): the right word takes the left, masked and rotated by one bit.
#[inline(always)]
fn rotate_into_right<S: Slices, const HALF: usize, const KEY: usize>(
    u: S,
    state: &mut [S::V; 16],
    key: &Wide,
) {
    let mut rotated = [state[HALF]; 4];
    for i in 0..4 {
        rotated[i] = u.rotate_by_one(u.and(state[HALF + i], u.splat(key[KEY + i])));
    }
    for i in 0..4 {
        // The lowest bit of each byte comes from the byte behind it.
        let word = u.select::<0xfe>(rotated[i], rotated[(i + 1) % 4]);
        state[HALF + 4 + i] = u.xor(state[HALF + 4 + i], word);
    }
}

/// The second: the left word takes what is in the right or in the key.
#[inline(always)]
fn or_into_left<S: Slices, const HALF: usize, const KEY: usize>(
    u: S,
    state: &mut [S::V; 16],
    key: &Wide,
) {
    for i in 0..4 {
        let either = u.or(state[HALF + 4 + i], u.splat(key[KEY + i]));
        state[HALF + i] = u.xor(state[HALF + i], either);
    }
}

/// Camellia with a key of so many bytes.
pub(crate) struct OfKey<const BYTES: usize>;

impl<const BYTES: usize> Cipher for OfKey<BYTES> {
    type Core = Camellia;
    const CIPHER: BlockCipher = match BYTES {
        16 => BlockCipher::Camellia128,
        24 => BlockCipher::Camellia192,
        _ => BlockCipher::Camellia256,
    };

    fn round_keys(key: &Schedule) -> &[Block] {
        &key.round_keys[..Schedule::camellia_pairs(Self::CIPHER.key_bits())]
    }

    fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule) {
        expand(bytes::Anywhere, key, out);
        Self::directed::<DECRYPT>(out);
    }

    #[inline(always)]
    fn expand_in<R: Register, const DECRYPT: bool>(u: R, key: &[u8], out: &mut Schedule) {
        expand(bytes::In(u), key, out);
        Self::directed::<DECRYPT>(out);
    }
}

impl<const BYTES: usize> OfKey<BYTES> {
    /// A schedule that encrypts, as one that decrypts if `DECRYPT`.
    fn directed<const DECRYPT: bool>(out: &mut Schedule) {
        if DECRYPT {
            out.turn_camellia(Self::CIPHER.key_bits());
        }
    }
}

/// Where a subkey comes from: one of KL, KR, KA and KB, rotated to the left; its high half or its low one.
type Origin = (usize, u32);
const KL: usize = 0;
const KR: usize = 1;
const KA: usize = 2;
const KB: usize = 3;

/// Both halves of one.
const fn both(key: usize, rotation: u32) -> [Origin; 2] {
    [(key, rotation), (key, rotation)]
}

/// §2.2, for keys of 128 bits; of two words the first is a high half and the second a low one.
const SHORT: [[Origin; 2]; 13] = [
    both(KL, 0),
    both(KA, 0),
    both(KL, 15),
    both(KA, 15),
    both(KA, 30),
    both(KL, 45),
    [(KA, 45), (KL, 60)],
    both(KA, 60),
    both(KL, 77),
    both(KL, 94),
    both(KA, 94),
    both(KL, 111),
    both(KA, 111),
];

/// For keys of 192 and 256 bits.
const LONG: [[Origin; 2]; 17] = [
    both(KL, 0),
    both(KB, 0),
    both(KR, 15),
    both(KA, 15),
    both(KR, 30),
    both(KB, 30),
    both(KL, 45),
    both(KA, 45),
    both(KL, 60),
    both(KR, 60),
    both(KB, 60),
    both(KL, 77),
    both(KA, 77),
    both(KR, 94),
    both(KA, 94),
    both(KL, 111),
    both(KB, 111),
];

/// The key schedule of §2.2, for encryption.
#[inline(always)]
fn expand(it: impl Bytes, key: &[u8], out: &mut Schedule) {
    /// The first digits of square roots of primes.
    const SIGMA: [u64; 6] = [
        0xa09e_667f_3bcc_908b,
        0xb67a_e858_4caa_73b2,
        0xc6ef_372f_e94f_82be,
        0x54ff_53a5_f1d3_6f1c,
        0x10e5_27fa_de68_2d1d,
        0xb056_88c2_b3e6_c1fd,
    ];
    let word = |i: usize| u64::from_be_bytes(key[8 * i..8 * i + 8].try_into().expect("eight"));
    let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
    let left = join(word(0), word(1));
    let right = match key.len() {
        16 => 0,
        24 => join(word(2), !word(2)),
        _ => join(word(2), word(3)),
    };
    let a = mix(it, mix(it, left ^ right, [SIGMA[0], SIGMA[1]]) ^ left, [SIGMA[2], SIGMA[3]]);
    let b = if key.len() == 16 { 0 } else { mix(it, a ^ right, [SIGMA[4], SIGMA[5]]) };
    let mut sources = [left, right, a, b];
    let plan: &[[Origin; 2]] = if key.len() == 16 { &SHORT } else { &LONG };
    for (block, [(high, by), (low, by_too)]) in out.round_keys.iter_mut().zip(plan) {
        let (high, low) = (sources[*high].rotate_left(*by), sources[*low].rotate_left(*by_too));
        *block = (high >> 64 << 64 | u128::from(low as u64)).to_be_bytes();
    }
    sources.zeroize();
}

/// A Feistel network of two rounds.
#[inline(always)]
fn mix(it: impl Bytes, x: u128, sigma: [u64; 2]) -> u128 {
    let (mut high, mut low) = ((x >> 64) as u64, x as u64);
    low ^= f(it, high ^ sigma[0]);
    high ^= f(it, low ^ sigma[1]);
    u128::from(high) << 64 | u128::from(low)
}

/// F (§2.4.1) of a word to which its key is added.
#[inline(always)]
fn f(it: impl Bytes, x: u64) -> u64 {
    static BOXES_OF_F: Boxes =
        Boxes::of(CAMELLIA, [0, 1, 2, 3, 1, 2, 3, 0, 0, 1, 2, 3, 1, 2, 3, 0]);
    static DIFFUSED: Sums<6> = Sums::of(summands(&SUMS, 0xff));
    let block = u128::from(x.swap_bytes()).to_le_bytes();
    let block = it.gather(it.substitute(block, &BOXES_OF_F), &DIFFUSED);
    (u128::from_le_bytes(block) as u64).swap_bytes()
}

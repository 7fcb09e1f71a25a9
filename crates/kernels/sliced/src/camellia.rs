//! Camellia, RFC 3713.

mod register;
mod schedule;

use std::marker::PhantomData;

use wirespeed_cipher::{Block, BlockCipher, Schedule};

use super::bytes::{self, Boxes, Bytes, Sums};
use super::field::{Affine, CAMELLIA, Substitution, multiply};
use super::serial::{In, Register, summands};
use super::{Adder, Cipher, Core, Linear, Slices, Wide, add_key};
use register::Halves;

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
///
/// With `SUMS` one block goes by [`Register::sums`]: where a vector addition takes two clocks, four of them less are
/// worth more than the two maps.
#[derive(Clone, Copy)]
pub(crate) struct Camellia<const SUMS: bool>;

impl<const SUMS: bool> Core for Camellia<SUMS> {
    type Waves = Camellia<false>;

    const FEW: usize = 1;
    const FEW_BY_TABLES: usize = 2;

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

    type One<R: Register> = Halves<R>;

    #[inline(always)]
    fn one<R: Register>(u: R, round_keys: &[Block], block: Halves<R>) -> Halves<R> {
        register::one::<_, SUMS>(u, round_keys, block)
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
        join(right ^ a, left ^ b).to_be_bytes()
    }

    fn expand(key: &[u8], decrypt: bool, out: &mut Schedule) {
        schedule::expand(bytes::Anywhere, key, decrypt, out);
    }

    #[inline(always)]
    fn expand_in<R: Register>(u: R, key: &[u8], decrypt: bool, out: &mut Schedule) {
        schedule::expand(In(u, PhantomData::<Self>), key, decrypt, out);
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

/// P (§2.4.1): the bytes of each sum, from the lowest bit on.
const P: [u8; 8] = [0xed, 0xdb, 0xb7, 0x7e, 0xe3, 0xd6, 0xbc, 0x79];
/// The S-box of each byte.
const ORDER: [usize; 8] = [0, 1, 2, 3, 1, 2, 3, 0];

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

/// One round (§2.4.1): F of the half at `FROM` is added to the half at `TO`; its key is at `KEY`.
#[inline(always)]
fn round<S: Slices, const FROM: usize, const TO: usize, const KEY: usize>(
    u: S,
    state: &mut [S::V; 16],
    key: &Wide,
) {
    let mut t = [state[FROM]; 8];
    u.substitute_sum::<{ CAMELLIA }>(&state[FROM], key[KEY], &mut t[0]);
    u.substitute_sum::<{ CAMELLIA + 1 }>(&state[FROM + 1], key[KEY + 1], &mut t[1]);
    u.substitute_sum::<{ CAMELLIA + 2 }>(&state[FROM + 2], key[KEY + 2], &mut t[2]);
    u.substitute_sum::<{ CAMELLIA + 3 }>(&state[FROM + 3], key[KEY + 3], &mut t[3]);
    u.substitute_sum::<{ CAMELLIA + 1 }>(&state[FROM + 4], key[KEY + 4], &mut t[4]);
    u.substitute_sum::<{ CAMELLIA + 2 }>(&state[FROM + 5], key[KEY + 5], &mut t[5]);
    u.substitute_sum::<{ CAMELLIA + 3 }>(&state[FROM + 6], key[KEY + 6], &mut t[6]);
    u.substitute_sum::<{ CAMELLIA }>(&state[FROM + 7], key[KEY + 7], &mut t[7]);
    let half = (&mut state[TO..TO + 8]).try_into().expect("eight bytes");
    u.linear::<Diffusion, 8>(&t, half);
}

/// P (§2.4.1).
enum Diffusion {}

impl Linear<8> for Diffusion {
    #[inline(always)]
    fn sums<A: Adder>(u: A, t: [A::Summand; 8], to: [A::Summand; 8]) -> [A::Summand; 8] {
        // Of the last four bytes three are in every sum, and of the first four two neighbours.
        let three = [
            u.sum_of_three(t[5], t[6], t[7]),
            u.sum_of_three(t[4], t[6], t[7]),
            u.sum_of_three(t[4], t[5], t[7]),
            u.sum_of_three(t[4], t[5], t[6]),
        ];
        let two = [u.sum(t[0], t[1]), u.sum(t[1], t[2]), u.sum(t[2], t[3]), u.sum(t[3], t[0])];
        let more =
            [u.sum(t[0], two[2]), u.sum(t[3], two[0]), u.sum(t[2], two[0]), u.sum(t[3], two[1])];
        let mut sums = to;
        for i in 0..4 {
            sums[i] = u.sum_of_three(to[i], more[i], three[i]);
            sums[4 + i] = u.sum_of_three(to[4 + i], two[i], three[i]);
        }
        sums
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
pub(crate) struct OfKey<const BYTES: usize, const SUMS: bool>;

impl<const BYTES: usize, const SUMS: bool> Cipher for OfKey<BYTES, SUMS> {
    type Core = Camellia<SUMS>;
    const CIPHER: BlockCipher = match BYTES {
        16 => BlockCipher::Camellia128,
        24 => BlockCipher::Camellia192,
        _ => BlockCipher::Camellia256,
    };

    fn round_keys(key: &Schedule) -> &[Block] {
        &key.round_keys[..Schedule::camellia_pairs(Self::CIPHER.key_bits())]
    }
}

const fn join(high: u64, low: u64) -> u128 {
    (high as u128) << 64 | low as u128
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

//! AES by shuffles of bytes: tables of sixteen entries in registers. No load depends on data.
//!
//! Between two rounds the bytes stand in the coordinates of [`shuffles`], where inversion is. The bytes are never moved
//! to their rows: see [`bitsliced`](crate::bitsliced).

use wirespeed_cipher::{Block, Schedule};
use wirespeed_kernels_core::shuffles::{self, Images, into, times};

use crate::bitsliced::vectors::{Bits, Turns};

/// What vectors must be able to do for this.
pub(crate) trait Shuffles: Bits {
    /// For each byte of `places` the byte of the table's block at its low half; 0 where its highest bit is set.
    fn shuffle(self, table: Self::V, places: Self::V) -> Self::V;
    /// Shifts each block left by a byte (towards the most significant, little-endian) and lets in the last of `low`.
    fn next_byte(self, high: Self::V, low: Self::V) -> Self::V;

    /// The low half of each byte.
    #[inline(always)]
    fn low_half(self, v: Self::V) -> Self::V {
        self.and(v, self.splat_byte(0x0f))
    }

    /// The high half of each byte, as a low one.
    #[inline(always)]
    fn high_half(self, v: Self::V) -> Self::V {
        self.low_half(self.shift_right_by::<4>(v))
    }

    /// Looks up the same table for each block.
    #[inline(always)]
    fn look_up(self, table: &Table, places: Self::V) -> Self::V {
        self.shuffle(self.splat(table.0), places)
    }

    /// The bytes of each block in another order.
    #[inline(always)]
    fn reorder(self, v: Self::V, order: &Table) -> Self::V {
        self.shuffle(v, self.splat(order.0))
    }
}

/// Sixteen bytes, where vectors can read them.
#[repr(align(16))]
#[derive(Clone, Copy)]
pub(crate) struct Table(pub(crate) Block);

/// A linear map of bytes as two tables.
#[derive(Clone, Copy)]
struct Pair([Table; 2]);

/// The S-box's linear map (FIPS 197 §5.1.1), less its constant.
const fn linear(byte: u8) -> u8 {
    byte ^ byte.rotate_left(1) ^ byte.rotate_left(2) ^ byte.rotate_left(3) ^ byte.rotate_left(4)
}

/// Its inverse (§5.3.2).
const fn inverse_linear(byte: u8) -> u8 {
    byte.rotate_left(1) ^ byte.rotate_left(3) ^ byte.rotate_left(6)
}

/// What is looked up.
#[derive(Clone, Copy)]
enum Map {
    /// AES bytes into the coordinates of encryption.
    Into,
    /// Those of decryption are behind the S-box's linear map undone: the inverse S-box begins with it.
    IntoInverse,
    /// The S-box times a factor, for encryption's next round.
    Box(u8),
    /// The inverse S-box times a factor, for decryption's next round.
    InverseBox(u8),
    /// The S-box as AES writes it.
    LastBox,
    /// The inverse S-box as AES writes it.
    LastInverseBox,
}

impl Map {
    /// The image of an AES byte; for the boxes that of the inverse.
    const fn of(self, byte: u8) -> u8 {
        match self {
            Self::Into => into(byte),
            Self::IntoInverse => into(inverse_linear(byte)),
            Self::Box(factor) => into(times(factor, linear(byte))),
            Self::InverseBox(factor) => into(inverse_linear(times(factor, byte))),
            Self::LastBox => linear(byte),
            Self::LastInverseBox => byte,
        }
    }

    const fn images(self) -> Images {
        let mut images = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            images[byte] = self.of(byte as u8);
            byte += 1;
        }
        images
    }

    /// The tables for the halves of a byte.
    const fn by_halves(self) -> Pair {
        Pair::of(shuffles::by_halves(&self.images()))
    }

    /// The tables for both chains of inversion.
    const fn by_chains(self) -> Pair {
        Pair::of(shuffles::of_inverse(&self.images()))
    }
}

impl Pair {
    const fn of([first, second]: [Block; 2]) -> Self {
        Self([Table(first), Table(second)])
    }
}

static INVERSE: Table = Table(shuffles::INVERSE);
static A_OVER: Table = Table(shuffles::A_OVER);

static INTO: [Pair; 2] = [Map::Into.by_halves(), Map::IntoInverse.by_halves()];
static BOX: [Pair; 2] = [Map::Box(1).by_chains(), Map::Box(2).by_chains()];
/// In the order of use: InvMixColumns takes the row three below first.
static INVERSE_BOX: [Pair; 4] = [
    Map::InverseBox(9).by_chains(),
    Map::InverseBox(13).by_chains(),
    Map::InverseBox(11).by_chains(),
    Map::InverseBox(14).by_chains(),
];
static LAST: [Pair; 2] = [Map::LastBox.by_chains(), Map::LastInverseBox.by_chains()];

/// Orders of bytes: each becomes the one `rows` below and `columns` to the right.
const fn turned(rows: usize, columns: usize) -> Table {
    let mut order = [0; 16];
    let mut at = 0;
    while at < 16 {
        order[at] = (4 * ((at / 4 + columns) % 4) + (at + rows) % 4) as u8;
        at += 1;
    }
    Table(order)
}

/// Orders of bytes: row r moves r·`times` columns to the left.
const fn shifted(times: usize) -> Table {
    let mut order = [0; 16];
    let mut at = 0;
    while at < 16 {
        order[at] = (4 * ((at / 4 + times * (at % 4)) % 4) + at % 4) as u8;
        at += 1;
    }
    Table(order)
}

/// [`shifted`] by 0 to 3.
static SHIFTED: [Table; 4] = [shifted(0), shifted(1), shifted(2), shifted(3)];
/// The row below after so many rounds, and the row above.
static BELOW: [Table; 4] = [turned(1, 0), turned(1, 1), turned(1, 2), turned(1, 3)];
static OPPOSITE: [Table; 2] = [turned(2, 0), turned(2, 2)];
static ABOVE: [Table; 4] = [turned(3, 0), turned(3, 3), turned(3, 2), turned(3, 1)];

impl<U: Shuffles> Turns for U {
    // One row or two is all that is asked for.
    #[inline(always)]
    fn turn(self, v: U::V, rows: usize, columns: usize) -> U::V {
        self.reorder(v, if rows == 1 { &BELOW[columns] } else { &OPPOSITE[columns / 2] })
    }

    #[inline(always)]
    fn shift_rows_twice(self, v: U::V) -> U::V {
        self.reorder(v, &SHIFTED[2])
    }
}

/// A linear map of each byte.
#[inline(always)]
fn map<U: Shuffles>(u: U, tables: &Pair, v: U::V) -> U::V {
    let [low, high] = &tables.0;
    u.xor(u.look_up(low, u.low_half(v)), u.look_up(high, u.high_half(v)))
}

/// Both chains of inversion.
#[inline(always)]
fn chains<U: Shuffles>(u: U, z: U::V) -> [U::V; 2] {
    let (i, k) = (u.high_half(z), u.low_half(z));
    let j = u.xor(i, k);
    let a_over_k = u.look_up(&A_OVER, k);
    let first = u.xor(u.look_up(&INVERSE, i), a_over_k);
    let second = u.xor(u.look_up(&INVERSE, j), a_over_k);
    [u.xor(u.look_up(&INVERSE, first), j), u.xor(u.look_up(&INVERSE, second), i)]
}

/// A map of 1/z.
#[inline(always)]
fn end<U: Shuffles>(u: U, tables: &Pair, chains: [U::V; 2]) -> U::V {
    let [first, second] = &tables.0;
    u.xor(u.look_up(first, chains[0]), u.look_up(second, chains[1]))
}

/// A round key where this module wants its bytes, with the S-box's constant if `constant`.
#[inline(always)]
fn moved<U: Shuffles, const DECRYPT: bool>(
    u: U,
    schedule: &Schedule,
    round: usize,
    constant: bool,
) -> U::V {
    let key = u.splat(schedule.round_keys[round]);
    let key = if constant { u.xor(key, u.splat([0x63; 16])) } else { key };
    u.reorder(key, &SHIFTED[if DECRYPT { round % 4 } else { (4 - round % 4) % 4 }])
}

/// All of AES over `N` vectors side by side.
#[inline(always)]
pub(crate) fn crypt<U: Shuffles, const DECRYPT: bool, const N: usize>(
    u: U,
    schedule: &Schedule,
    rounds: usize,
    mut state: [U::V; N],
) -> [U::V; N] {
    let into = &INTO[DECRYPT as usize];
    let key = moved::<U, DECRYPT>(u, schedule, 0, DECRYPT);
    for v in &mut state {
        *v = map(u, into, u.xor(*v, key));
    }
    for round in 1..rounds {
        let key = map(u, into, moved::<U, DECRYPT>(u, schedule, round, true));
        let columns = if DECRYPT { (4 - round % 4) % 4 } else { round % 4 };
        let (below, above) = (&BELOW[columns], &ABOVE[columns]);
        for v in &mut state {
            let chains = chains(u, *v);
            *v = if DECRYPT {
                let [nine, thirteen, eleven, fourteen] = &INVERSE_BOX;
                let sum = u.reorder(end(u, nine, chains), below);
                let sum = u.reorder(u.xor(sum, end(u, thirteen, chains)), below);
                let sum = u.reorder(u.xor(sum, end(u, eleven, chains)), below);
                u.xor3(sum, end(u, fourteen, chains), key)
            } else {
                // 2·a + 3·b + c + d, b being the row below a.
                let [once, twice] = &BOX;
                let a = end(u, once, chains);
                let ab = u.xor(u.reorder(a, below), end(u, twice, chains));
                let abd = u.xor(u.reorder(a, above), ab);
                u.xor3(u.reorder(ab, below), abd, key)
            };
        }
    }
    let key = moved::<U, DECRYPT>(u, schedule, rounds, !DECRYPT);
    let last = &LAST[DECRYPT as usize];
    for v in &mut state {
        *v = u.xor(end(u, last, chains(u, *v)), key);
        // After so many rounds rows 1 and 3 stand two columns from their places, or all stand there.
        if !rounds.is_multiple_of(4) {
            *v = u.reorder(*v, &SHIFTED[2]);
        }
    }
    state
}

/// FIPS 197's SubBytes.
#[inline(always)]
pub(crate) fn sub_bytes<U: Shuffles>(u: U, v: U::V) -> U::V {
    let inverse = chains(u, map(u, &INTO[0], v));
    u.xor(end(u, &LAST[0], inverse), u.splat([0x63; 16]))
}

//! AES by shuffles of bytes: tables of sixteen entries in registers (Hamburg, "Accelerating AES with Vector Permute
//! Instructions", CHES 2009). No load depends on data.
//!
//! A byte is written as z = k + i·θ over GF(16), where θ² + aθ + a = 0, i in the high half and k in the low one. With
//! j = i + k two chains give io = 1/(1/i + a/k) + j and jo = 1/(1/j + a/k) + i. Both are the norm of z over a sum, and
//! 1/z is linear in 1/io and 1/jo. So two more tables give any linear map of 1/z. Infinity is 80h, which a shuffle
//! turns into 0.
//!
//! Between two rounds the bytes stand in these coordinates. The bytes are never moved to their rows: see
//! [`bitsliced`](crate::bitsliced).

use wirespeed_cipher::{Block, Schedule};

use crate::unit::Vector;

/// What vectors must be able to do for this.
pub(crate) trait Shuffles: Vector {
    /// For each byte of `places` the byte of the table's block at its low half; 0 where its highest bit is set.
    fn shuffle(self, table: Self::V, places: Self::V) -> Self::V;
    /// The low half of each byte.
    fn low_half(self, v: Self::V) -> Self::V;
    /// The high half of each byte, as a low one.
    fn high_half(self, v: Self::V) -> Self::V;
    /// Shifts each block left by a byte (towards the most significant, little-endian) and lets in the last of `low`.
    fn next_byte(self, high: Self::V, low: Self::V) -> Self::V;

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

/// A linear map of bytes as two tables, one for each half.
#[derive(Clone, Copy)]
struct Halves([Table; 2]);

/// GF(16) as polynomials modulo x^4 + x + 1.
mod small {
    pub(super) const fn product(a: u8, b: u8) -> u8 {
        let mut sum = 0;
        let mut bit = 4;
        while bit > 0 {
            bit -= 1;
            sum = (sum << 1) ^ ((sum >> 3 & 1) * 0b1_0011);
            sum ^= (b >> bit & 1) * a;
        }
        sum
    }

    /// The inverse, or infinity.
    pub(super) const fn inverse(a: u8) -> u8 {
        let mut candidate = 1;
        while candidate < 16 {
            if product(a, candidate) == 1 {
                return candidate;
            }
            candidate += 1;
        }
        super::INFINITY
    }
}

/// What a shuffle turns into 0.
const INFINITY: u8 = 0x80;

/// The first a for which θ² + aθ + a has no root: the norm of k + i·θ is 0 only for 0.
const A: u8 = {
    let mut a = 1;
    loop {
        let mut x = 0;
        while x < 16 && small::product(x, x) ^ small::product(a, x) ^ a != 0 {
            x += 1;
        }
        if x == 16 {
            break a;
        }
        a += 1;
    }
};

/// Products in the coordinates of this module.
const fn product(x: u8, y: u8) -> u8 {
    let (i, k, m, n) = (x >> 4, x & 15, y >> 4, y & 15);
    let both = small::product(i, m);
    let high = small::product(i, n) ^ small::product(k, m) ^ small::product(A, both);
    let low = small::product(k, n) ^ small::product(A, both);
    high << 4 | low
}

/// Where each bit of an AES byte goes: the powers of a root of AES's polynomial.
const BASIS: [u8; 8] = {
    let mut root = 2;
    loop {
        let mut powers = [1; 8];
        let mut i = 1;
        while i < 8 {
            powers[i] = product(powers[i - 1], root);
            i += 1;
        }
        // x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
        if product(powers[7], root) ^ powers[4] ^ powers[3] ^ powers[1] ^ 1 == 0 {
            break powers;
        }
        root += 1;
    }
};

/// The image of a byte under the map that takes bit i to `images[i]`.
const fn image(images: &[u8; 8], byte: u8) -> u8 {
    let mut sum = 0;
    let mut i = 0;
    while i < 8 {
        sum ^= (byte >> i & 1) * images[i];
        i += 1;
    }
    sum
}

/// An AES byte in these coordinates.
const fn into(byte: u8) -> u8 {
    image(&BASIS, byte)
}

/// A byte of these coordinates as AES writes it.
const fn out_of(byte: u8) -> u8 {
    OUT_OF[byte as usize]
}

const OUT_OF: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[into(byte as u8) as usize] = byte as u8;
        byte += 1;
    }
    table
};

/// The S-box's linear map (FIPS 197 §5.1.1), less its constant, of AES bytes.
const fn linear(byte: u8) -> u8 {
    byte ^ byte.rotate_left(1) ^ byte.rotate_left(2) ^ byte.rotate_left(3) ^ byte.rotate_left(4)
}

/// Its inverse (§5.3.2).
const fn inverse_linear(byte: u8) -> u8 {
    byte.rotate_left(1) ^ byte.rotate_left(3) ^ byte.rotate_left(6)
}

/// Multiplication of AES bytes.
const fn times(factor: u8, byte: u8) -> u8 {
    out_of(product(into(factor), into(byte)))
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

    /// The tables for the halves of a byte.
    const fn by_halves(self) -> Halves {
        let mut tables = [Table([0; 16]); 2];
        let mut n = 0;
        while n < 16 {
            tables[0].0[n as usize] = self.of(n);
            tables[1].0[n as usize] = self.of(n << 4);
            n += 1;
        }
        Halves(tables)
    }

    /// The tables for io and jo. With u = 1/io and w = 1/jo, 1/z = k/N + (i/N)(θ + a) and N the norm:
    /// k/N = (u + w)/a and i/N = (u + k/N)/a.
    const fn by_chains(self) -> Halves {
        let mut tables = [Table([0; 16]); 2];
        let by_a = small::inverse(A);
        let mut n = 1;
        while n < 16 {
            let reciprocal = small::inverse(n);
            let k = small::product(reciprocal, by_a);
            let of_u = small::product(reciprocal ^ k, by_a);
            let of_w = small::product(k, by_a);
            // i·(θ + a) + k.
            let u = of_u << 4 | (small::product(of_u, A) ^ k);
            let w = of_w << 4 | (small::product(of_w, A) ^ k);
            tables[0].0[n as usize] = self.of(out_of(u));
            tables[1].0[n as usize] = self.of(out_of(w));
            n += 1;
        }
        Halves(tables)
    }
}

/// 1/n, and a/n.
static INVERSE: Table = reciprocals(1);
static A_OVER: Table = reciprocals(A);

const fn reciprocals(of: u8) -> Table {
    let mut table = [INFINITY; 16];
    let mut n = 1;
    while n < 16 {
        table[n as usize] = small::product(of, small::inverse(n));
        n += 1;
    }
    Table(table)
}

static INTO: [Halves; 2] = [Map::Into.by_halves(), Map::IntoInverse.by_halves()];
static BOX: [Halves; 2] = [Map::Box(1).by_chains(), Map::Box(2).by_chains()];
/// In the order of use: InvMixColumns takes the row three below first.
static INVERSE_BOX: [Halves; 4] = [
    Map::InverseBox(9).by_chains(),
    Map::InverseBox(13).by_chains(),
    Map::InverseBox(11).by_chains(),
    Map::InverseBox(14).by_chains(),
];
static LAST: [Halves; 2] = [Map::LastBox.by_chains(), Map::LastInverseBox.by_chains()];

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

/// See [`Plane::turn`](crate::bitsliced::Plane::turn), for one row or two.
#[inline(always)]
pub(crate) fn turn<U: Shuffles>(u: U, v: U::V, rows: usize, columns: usize) -> U::V {
    u.reorder(v, if rows == 1 { &BELOW[columns] } else { &OPPOSITE[columns / 2] })
}

/// See [`Plane::shift_rows_twice`](crate::bitsliced::Plane::shift_rows_twice).
#[inline(always)]
pub(crate) fn shift_rows_twice<U: Shuffles>(u: U, v: U::V) -> U::V {
    u.reorder(v, &SHIFTED[2])
}

/// A linear map of each byte.
#[inline(always)]
fn map<U: Shuffles>(u: U, tables: &Halves, v: U::V) -> U::V {
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
fn end<U: Shuffles>(u: U, tables: &Halves, chains: [U::V; 2]) -> U::V {
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

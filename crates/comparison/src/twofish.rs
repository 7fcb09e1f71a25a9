//! Twofish with what the key makes of its S-boxes in tables, as Linux keeps it: the crate `twofish` computes them
//! anew for every block, and so says nothing about what the cipher costs.
//!
//! Section numbers are those of "Twofish: A 128-Bit Block Cipher" (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson,
//! 1998).

use cipher::array::Array;
use cipher::consts::U16;

use crate::keyed::{Scheme, part};

/// §4.3.2, the field of the MDS matrix: x^8 + x^6 + x^5 + x^3 + 1.
const MDS_FIELD: u16 = 0x169;
/// §4.3, that of the Reed-Solomon code: x^8 + x^6 + x^3 + x^2 + 1.
const RS_FIELD: u16 = 0x14d;

const MDS: [[u8; 4]; 4] = [
    [0x01, 0xef, 0x5b, 0x5b],
    [0x5b, 0xef, 0xef, 0x01],
    [0xef, 0x5b, 0x01, 0xef],
    [0xef, 0x01, 0xef, 0x5b],
];

const RS: [[u8; 8]; 4] = [
    [0x01, 0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e],
    [0xa4, 0x56, 0x82, 0xf3, 0x1e, 0xc6, 0x68, 0xe5],
    [0x02, 0xa1, 0xfc, 0xc1, 0x47, 0xae, 0x3d, 0x19],
    [0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e, 0x03],
];

const fn times(field: u16, factor: u8, element: u8) -> u8 {
    let (mut product, mut element, mut factor) = (0, element as u16, factor);
    while factor != 0 {
        if factor & 1 != 0 {
            product ^= element;
        }
        element <<= 1;
        if element & 0x100 != 0 {
            element ^= field;
        }
        factor >>= 1;
    }
    product as u8
}

/// §4.3.5, the two fixed permutations.
static Q: [[u8; 256]; 2] = [
    permutation([
        [0x8, 0x1, 0x7, 0xd, 0x6, 0xf, 0x3, 0x2, 0x0, 0xb, 0x5, 0x9, 0xe, 0xc, 0xa, 0x4],
        [0xe, 0xc, 0xb, 0x8, 0x1, 0x2, 0x3, 0x5, 0xf, 0x4, 0xa, 0x6, 0x7, 0x0, 0x9, 0xd],
        [0xb, 0xa, 0x5, 0xe, 0x6, 0xd, 0x9, 0x0, 0xc, 0x8, 0xf, 0x3, 0x2, 0x4, 0x7, 0x1],
        [0xd, 0x7, 0xf, 0x4, 0x1, 0x2, 0x6, 0xe, 0x9, 0xb, 0x3, 0x0, 0x8, 0x5, 0xc, 0xa],
    ]),
    permutation([
        [0x2, 0x8, 0xb, 0xd, 0xf, 0x7, 0x6, 0xe, 0x3, 0x1, 0x9, 0x4, 0x0, 0xa, 0xc, 0x5],
        [0x1, 0xe, 0x2, 0xb, 0x4, 0xc, 0x3, 0x7, 0x6, 0xd, 0xa, 0x5, 0xf, 0x9, 0x0, 0x8],
        [0x4, 0xc, 0x7, 0x5, 0x1, 0x6, 0x9, 0xa, 0x0, 0xe, 0xd, 0x8, 0x2, 0xb, 0x3, 0xf],
        [0xb, 0x9, 0x5, 0x1, 0xc, 0x3, 0xd, 0xe, 0x6, 0x4, 0x7, 0xf, 0x2, 0x0, 0x8, 0xa],
    ]),
];

const fn permutation(t: [[u8; 16]; 4]) -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut a, mut b) = (byte as u8 >> 4, byte as u8 & 15);
        let mut half = 0;
        while half < 2 {
            let rotated = (b >> 1) | (b << 3) & 15;
            (a, b) = (a ^ b, a ^ rotated ^ (a << 3) & 15);
            (a, b) = (t[2 * half][a as usize], t[2 * half + 1][b as usize]);
            half += 1;
        }
        table[byte] = b << 4 | a;
        byte += 1;
    }
    table
}

/// §4.3.2: which permutation a byte goes through at the last step, and before each part of the key, the last part
/// first.
const LAST: [usize; 4] = [1, 0, 1, 0];
const BEFORE: [[usize; 4]; 4] = [[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 0, 0], [1, 0, 0, 1]];

/// §4.3.2, the function h of one byte at its place: what that gives to the word.
fn column(place: usize, byte: u8, list: &[[u8; 4]]) -> u32 {
    let through = list
        .iter()
        .zip(BEFORE)
        .rev()
        .fold(byte, |byte, (part, before)| Q[before[place]][usize::from(byte)] ^ part[place]);
    let last = Q[LAST[place]][usize::from(through)];
    u32::from_le_bytes(MDS.map(|row| times(MDS_FIELD, row[place], last)))
}

/// §4.3.2, the function h of a word whose bytes are all the same.
fn h(byte: u8, list: &[[u8; 4]]) -> u32 {
    (0..4).fold(0, |sum, place| sum ^ column(place, byte, list))
}

/// The words of the key schedule, and the function g as four tables.
#[derive(Clone)]
pub struct Twofish {
    words: [u32; 40],
    tables: Box<[[u32; 256]; 4]>,
}

impl Twofish {
    #[inline(always)]
    fn g(&self, word: u32) -> u32 {
        let [a, b, c, d] = word.to_le_bytes().map(usize::from);
        self.tables[0][a] ^ self.tables[1][b] ^ self.tables[2][c] ^ self.tables[3][d]
    }

    /// §4.2, the function F of a round.
    #[inline(always)]
    fn f(&self, round: usize, first: u32, second: u32) -> [u32; 2] {
        let (t0, t1) = (self.g(first), self.g(second.rotate_left(8)));
        let sum = t0.wrapping_add(t1);
        [
            sum.wrapping_add(self.words[8 + 2 * round]),
            sum.wrapping_add(t1).wrapping_add(self.words[9 + 2 * round]),
        ]
    }

    fn whitened(&self, block: &Array<u8, U16>, from: usize) -> [u32; 4] {
        let word = |place| u32::from_le_bytes(part(block, place)) ^ self.words[from + place];
        [0, 1, 2, 3].map(word)
    }

    fn write(&self, state: [u32; 4], from: usize, block: &mut Array<u8, U16>) {
        let word = |place: usize| (state[place] ^ self.words[from + place]).to_le_bytes();
        block.copy_from_slice([0, 1, 2, 3].map(word).as_flattened());
    }
}

impl Scheme for Twofish {
    type BlockSize = U16;

    /// §4.3.
    fn schedule(key: &[u8]) -> Option<Self> {
        if ![16, 24, 32].contains(&key.len()) {
            return None;
        }
        let words = key.as_chunks::<4>().0;
        let every_second = |from| words.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
        let (even, odd) = (every_second(0), every_second(1));
        let coded = |bytes: &[u8; 8]| {
            RS.map(|row| {
                row.iter().zip(bytes).fold(0, |sum, (m, byte)| sum ^ times(RS_FIELD, *m, *byte))
            })
        };
        let boxes: Vec<[u8; 4]> = key.as_chunks().0.iter().rev().map(coded).collect();
        let mut expanded = [0; 40];
        for (pair, place) in expanded.as_chunks_mut().0.iter_mut().zip((0u8..).step_by(2)) {
            let a = h(place, &even);
            let b = h(place + 1, &odd).rotate_left(8);
            let sum = a.wrapping_add(b);
            *pair = [sum, sum.wrapping_add(b).rotate_left(9)];
        }
        let mut tables = Box::new([[0; 256]; 4]);
        for (place, table) in tables.iter_mut().enumerate() {
            for (entry, byte) in table.iter_mut().zip(0..=255) {
                *entry = column(place, byte, &boxes);
            }
        }
        Some(Self { words: expanded, tables })
    }

    #[inline]
    fn encrypt(&self, block: &mut Array<u8, U16>) {
        let [mut a, mut b, mut c, mut d] = self.whitened(block, 0);
        for round in 0..16 {
            let [f0, f1] = self.f(round, a, b);
            (a, b, c, d) = ((c ^ f0).rotate_right(1), d.rotate_left(1) ^ f1, a, b);
        }
        self.write([c, d, a, b], 4, block);
    }

    #[inline]
    fn decrypt(&self, block: &mut Array<u8, U16>) {
        let [mut a, mut b, mut c, mut d] = self.whitened(block, 4);
        for round in (0..16).rev() {
            let [f0, f1] = self.f(round, a, b);
            (a, b, c, d) = (c.rotate_left(1) ^ f0, (d ^ f1).rotate_right(1), a, b);
        }
        self.write([c, d, a, b], 0, block);
    }
}

//! Anubis: twelve to eighteen rounds over 128 bits, the same for both directions but for the round keys.
//!
//! Section numbers are those of "The Anubis Block Cipher" (NESSIE, tweaked version).

use cipher::array::Array;
use cipher::consts::U16;

use crate::involution::{S, tables, times};
use crate::keyed::{Scheme, part};

/// §3.3, the first row of the matrix.
pub(crate) const MIXING: [u8; 4] = [0x1, 0x2, 0x4, 0x6];

/// §3.5, the row of the Vandermonde matrix that is not all ones.
const EXTRACTION: [u8; 4] = [0x1, 0x2, 0x6, 0x8];

/// The words of the longest key, and its rounds.
const WORDS: usize = 10;
const ROUNDS: usize = 8 + WORDS;

static TABLES: [[u32; 256]; 4] = {
    let wide = tables(MIXING);
    let mut tables = [[0; 256]; 4];
    let mut place = 0;
    while place < 4 * 256 {
        tables[place / 256][place % 256] = wide[place / 256][place % 256] as u32;
        place += 1;
    }
    tables
};

/// Rows of four bytes, the first the highest.
type State = [u32; 4];

/// Byte `place` of a row.
#[inline(always)]
const fn byte(row: u32, place: usize) -> usize {
    (row >> (24 - 8 * place)) as usize & 0xff
}

/// Substitution, transposition and mixing.
#[inline(always)]
fn mixed(state: State) -> State {
    std::array::from_fn(|row| {
        (0..4).fold(0, |sum, place| sum ^ TABLES[place][byte(state[place], row)])
    })
}

/// Substitution and transposition alone.
fn turned(state: State) -> State {
    std::array::from_fn(|row| {
        u32::from_be_bytes(std::array::from_fn(|place| S[byte(state[place], row)]))
    })
}

fn add(state: State, key: &State) -> State {
    std::array::from_fn(|row| state[row] ^ key[row])
}

/// The round keys of both directions.
#[derive(Clone)]
pub struct Anubis {
    encryption: [State; ROUNDS + 1],
    decryption: [State; ROUNDS + 1],
    rounds: usize,
}

impl Anubis {
    /// §3.9.
    #[inline(always)]
    fn run(&self, keys: &[State; ROUNDS + 1], block: &mut Array<u8, U16>) {
        let rows = [0, 1, 2, 3].map(|row| u32::from_be_bytes(part(block, row)));
        let state = keys[1..self.rounds]
            .iter()
            .fold(add(rows, &keys[0]), |state, key| add(mixed(state), key));
        let state = add(turned(state), &keys[self.rounds]);
        block.copy_from_slice(state.map(u32::to_be_bytes).as_flattened());
    }
}

/// §3.7, the key selection: what `key` gives to a round.
fn selected(key: &[u32]) -> State {
    std::array::from_fn(|column| {
        // The rows' powers by Horner's rule.
        let bytes = key.iter().rev().fold([0; 4], |sum, row| {
            std::array::from_fn(|power| {
                times(sum[power], EXTRACTION[power]) ^ S[byte(*row, column)]
            })
        });
        u32::from_be_bytes(bytes)
    })
}

/// §3.6, the key evolution: substitution, a cyclic shift of each column, mixing, and a constant out of the
/// substitution.
fn evolved(key: &[u32], round: usize) -> Vec<u32> {
    let count = key.len();
    let row = |row: usize| {
        (0..4).fold(0, |sum, column| {
            sum ^ TABLES[column][byte(key[(row + count - column) % count], column)]
        })
    };
    let mut next: Vec<u32> = (0..count).map(row).collect();
    next[0] ^= u32::from_be_bytes(part(&S, round));
    next
}

impl Scheme for Anubis {
    type BlockSize = U16;

    fn schedule(key: &[u8]) -> Option<Self> {
        let (words, rest) = key.as_chunks();
        if !rest.is_empty() || !(4..=WORDS).contains(&words.len()) {
            return None;
        }
        let rounds = 8 + words.len();
        let mut key: Vec<u32> = words.iter().copied().map(u32::from_be_bytes).collect();
        let mut encryption = [[0; 4]; ROUNDS + 1];
        for (round, round_key) in encryption[..=rounds].iter_mut().enumerate() {
            *round_key = selected(&key);
            key = evolved(&key, round);
        }
        let mut decryption = encryption;
        decryption[..=rounds].reverse();
        for round_key in &mut decryption[1..rounds] {
            *round_key = mixed(turned(*round_key));
        }
        Some(Self { encryption, decryption, rounds })
    }

    #[inline]
    fn encrypt(&self, block: &mut Array<u8, U16>) {
        self.run(&self.encryption, block);
    }

    #[inline]
    fn decrypt(&self, block: &mut Array<u8, U16>) {
        self.run(&self.decryption, block);
    }
}

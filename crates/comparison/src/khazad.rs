//! Khazad: eight rounds over 64 bits, the same for both directions but for the round keys.
//!
//! Section numbers are those of "The Khazad Legacy-Level Block Cipher" (NESSIE, tweaked version).

use cipher::array::Array;
use cipher::consts::U8;

use crate::involution::{S, tables};
use crate::keyed::{Scheme, part};

const ROUNDS: usize = 8;

/// §3.3, the first row of the matrix.
pub(crate) const MIXING: [u8; 8] = [0x1, 0x3, 0x4, 0x5, 0x6, 0x8, 0xb, 0x7];

static TABLES: [[u64; 256]; 8] = tables(MIXING);

/// Substitution and mixing.
#[inline(always)]
fn mixed(state: u64) -> u64 {
    let bytes = state.to_be_bytes();
    (0..8).fold(0, |sum, place| sum ^ TABLES[place][usize::from(bytes[place])])
}

/// Substitution alone.
fn substituted(state: u64) -> u64 {
    u64::from_be_bytes(state.to_be_bytes().map(|byte| S[usize::from(byte)]))
}

/// The round keys of both directions.
#[derive(Clone)]
pub struct Khazad {
    encryption: [u64; ROUNDS + 1],
    decryption: [u64; ROUNDS + 1],
}

/// §3.8.
#[inline(always)]
fn rounds(keys: &[u64; ROUNDS + 1], block: &mut Array<u8, U8>) {
    let [first, middle @ .., last] = keys;
    let state = middle
        .iter()
        .fold(u64::from_be_bytes(part(block, 0)) ^ first, |state, key| mixed(state) ^ key);
    block.copy_from_slice(&(substituted(state) ^ last).to_be_bytes());
}

impl Scheme for Khazad {
    type BlockSize = U8;

    /// §3.7: a Feistel network whose round keys are constants out of the substitution.
    fn schedule(key: &[u8]) -> Option<Self> {
        let key: &[u8; 16] = key.try_into().ok()?;
        let [mut before, mut last] = [0, 1].map(|half| u64::from_be_bytes(part(key, half)));
        let encryption = std::array::from_fn(|round| {
            let next = mixed(last) ^ u64::from_be_bytes(part(&S, round)) ^ before;
            (before, last) = (last, next);
            next
        });
        let mut decryption = encryption;
        decryption.reverse();
        for key in &mut decryption[1..ROUNDS] {
            *key = mixed(substituted(*key));
        }
        Some(Self { encryption, decryption })
    }

    #[inline]
    fn encrypt(&self, block: &mut Array<u8, U8>) {
        rounds(&self.encryption, block);
    }

    #[inline]
    fn decrypt(&self, block: &mut Array<u8, U8>) {
        rounds(&self.decryption, block);
    }
}

//! TEA, and what Linux called XETA.
//!
//! TEA: D. Wheeler, R. Needham, "TEA, a Tiny Encryption Algorithm", Fast Software Encryption 1994. XTEA: the same,
//! "Tea extensions", 1997. XETA is how Linux once computed XTEA, kept by that name for the disks that had been
//! written with it: C's precedence put the additions of the round before its exclusive or. The papers speak of
//! words; in Linux (`crypto/tea.c`) their bytes are little-endian.

use cipher::array::Array;
use cipher::consts::U8;

use crate::keyed::{Scheme, part, with_halves};

/// The golden ratio's part after the point.
const DELTA: u32 = 0x9e37_79b9;

/// Each round does both halves.
const ROUNDS: u32 = 32;

fn words(key: &[u8]) -> Option<[u32; 4]> {
    let key: &[u8; 16] = key.try_into().ok()?;
    Some([0, 1, 2, 3].map(|place| u32::from_le_bytes(part(key, place))))
}

/// TEA.
#[derive(Clone)]
pub struct Tea([u32; 4]);

impl Tea {
    /// What is added to the one half, from the other.
    #[inline(always)]
    const fn mixed(&self, half: u32, sum: u32, keys: usize) -> u32 {
        let (above, below) = (self.0[keys], self.0[keys + 1]);
        (half << 4).wrapping_add(above) ^ half.wrapping_add(sum) ^ (half >> 5).wrapping_add(below)
    }
}

impl Scheme for Tea {
    type BlockSize = U8;

    fn schedule(key: &[u8]) -> Option<Self> {
        words(key).map(Self)
    }

    #[inline]
    fn encrypt(&self, block: &mut Array<u8, U8>) {
        with_halves(block, |[mut y, mut z]| {
            for round in 1..=ROUNDS {
                let sum = DELTA.wrapping_mul(round);
                y = y.wrapping_add(self.mixed(z, sum, 0));
                z = z.wrapping_add(self.mixed(y, sum, 2));
            }
            [y, z]
        });
    }

    #[inline]
    fn decrypt(&self, block: &mut Array<u8, U8>) {
        with_halves(block, |[mut y, mut z]| {
            for round in (1..=ROUNDS).rev() {
                let sum = DELTA.wrapping_mul(round);
                z = z.wrapping_sub(self.mixed(y, sum, 2));
                y = y.wrapping_sub(self.mixed(z, sum, 0));
            }
            [y, z]
        });
    }
}

/// XETA.
#[derive(Clone)]
pub struct Xeta([u32; 4]);

impl Xeta {
    /// XTEA has `((half << 4 ^ half >> 5) + half) ^ (sum + key)`.
    #[inline(always)]
    const fn mixed(&self, half: u32, sum: u32, key: u32) -> u32 {
        let shifted = half << 4 ^ half >> 5;
        shifted.wrapping_add(half ^ sum).wrapping_add(self.0[(key & 3) as usize])
    }
}

impl Scheme for Xeta {
    type BlockSize = U8;

    fn schedule(key: &[u8]) -> Option<Self> {
        words(key).map(Self)
    }

    #[inline]
    fn encrypt(&self, block: &mut Array<u8, U8>) {
        with_halves(block, |[mut y, mut z]| {
            for round in 0..ROUNDS {
                let sum = DELTA.wrapping_mul(round);
                y = y.wrapping_add(self.mixed(z, sum, sum));
                let sum = sum.wrapping_add(DELTA);
                z = z.wrapping_add(self.mixed(y, sum, sum >> 11));
            }
            [y, z]
        });
    }

    #[inline]
    fn decrypt(&self, block: &mut Array<u8, U8>) {
        with_halves(block, |[mut y, mut z]| {
            for round in (0..ROUNDS).rev() {
                let sum = DELTA.wrapping_mul(round + 1);
                z = z.wrapping_sub(self.mixed(y, sum, sum >> 11));
                let sum = sum.wrapping_sub(DELTA);
                y = y.wrapping_sub(self.mixed(z, sum, sum));
            }
            [y, z]
        });
    }
}

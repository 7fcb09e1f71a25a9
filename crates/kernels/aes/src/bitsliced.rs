//! AES on registers of which each holds one bit of every byte of several blocks.
//!
//! ShiftRows is never done: each round leaves the bytes where they are, and MixColumns looks for them
//! there (Adomnicai and Peyrin, "Fixslicing AES-like Ciphers", TCHES 2021). After `n` rounds row r
//! stands n·r columns from its place. So the byte one row below is `n` columns aside for every row.
//! The round keys are moved likewise, and the S-box's constant 63h is added to them: MixColumns leaves
//! it alone.

pub(crate) mod unit;
pub(crate) mod vectors;
pub(crate) mod words;

use std::mem::MaybeUninit;

use wirespeed_cipher::{Block, Schedule};
use wirespeed_kernels_core::bitslice::{self, inverse_sub_bytes_linear, sub_bytes_linear};
use wirespeed_kernels_core::eight;
use zeroize::optimization_barrier;

use crate::unit::Room;

/// A register that holds one bit of every byte.
pub(crate) trait Plane: bitslice::Plane {
    /// Each byte becomes the one `rows` below and `columns` to the right; both wrap at four.
    fn turn(self, rows: usize, columns: usize) -> Self;

    /// Each row moves to the left by twice its number (FIPS 197 §5.1.2, two times).
    fn shift_rows_twice(self) -> Self;
}

/// The state of AES, bit i of every byte in register i.
pub(crate) type Planes<P> = [P; 8];

/// FIPS 197 §5.1, or with `DECRYPT` the equivalent inverse cipher of §5.3.5, with the keys of [`moved`].
#[inline(always)]
pub(crate) fn crypt<P: Plane, const DECRYPT: bool>(
    keys: &[Planes<P>],
    state: Planes<P>,
) -> Planes<P> {
    let last = keys.len() - 1;
    let mut state = add(&state, &keys[0]);
    let mut rounds = keys[1..last].iter();
    // The number of full rounds is 9, 11 or 13, so it ends behind the first or the third of four.
    macro_rules! round {
        ($number:literal) => {
            let Some(key) = rounds.next() else { break };
            state = round::<P, DECRYPT>(&state, key, $number);
        };
    }
    while let Some(key) = rounds.next() {
        state = round::<P, DECRYPT>(&state, key, 1);
        round!(2);
        round!(3);
        round!(0);
    }
    substitute::<P, DECRYPT>(&mut state);
    state = add(&state, &keys[last]);
    if last.is_multiple_of(4) { state } else { eight!(|I| state[I].shift_rows_twice()) }
}

/// One of all rounds but the last. `number` is its number, modulo four.
#[inline(always)]
fn round<P: Plane, const DECRYPT: bool>(
    state: &Planes<P>,
    key: &Planes<P>,
    number: usize,
) -> Planes<P> {
    let columns = if DECRYPT { (4 - number) % 4 } else { number };
    let mut state = *state;
    substitute::<P, DECRYPT>(&mut state);
    if DECRYPT {
        // InvMixColumns is MixColumns after multiplication by 04·x^2 + 05 (Daemen and Rijmen, "The Design of
        // Rijndael", §4.1.3).
        let pair = eight!(|I| state[I] ^ state[I].turn(2, 2 * columns % 4));
        let four = times_x(&times_x(&pair));
        state = add(&state, &four);
    }
    // MixColumns (FIPS 197 §5.1.3): 2·a + 3·(next) + the other two.
    let next = eight!(|I| state[I].turn(1, columns));
    let pair = add(&state, &next);
    let double = times_x(&pair);
    eight!(|I| double[I] ^ next[I] ^ pair[I].turn(2, 2 * columns % 4) ^ key[I])
}

/// The S-box, or with `DECRYPT` its inverse, less their constant.
#[inline(always)]
fn substitute<P: Plane, const DECRYPT: bool>(state: &mut Planes<P>) {
    if DECRYPT { inverse_sub_bytes_linear(state) } else { sub_bytes_linear(state) }
}

/// Multiplies every byte by x in GF(2^8).
#[inline(always)]
fn times_x<P: Plane>(p: &Planes<P>) -> Planes<P> {
    let top = p[7];
    [top, p[0] ^ top, p[1], p[2] ^ top, p[3] ^ top, p[4], p[5], p[6]]
}

#[inline(always)]
fn add<P: Plane>(a: &Planes<P>, b: &Planes<P>) -> Planes<P> {
    eight!(|I| a[I] ^ b[I])
}

/// A round key, moved to where [`crypt`] wants its bytes, with the S-box's constant.
#[inline(always)]
pub(crate) fn moved<const DECRYPT: bool>(schedule: &Schedule, round: usize) -> Block {
    const ROW: u128 = 0xff << 96 | 0xff << 64 | 0xff << 32 | 0xff;
    let key = u128::from_le_bytes(schedule.round_keys[round]);
    let columns = if DECRYPT { round } else { 4 - round % 4 };
    let mut moved = 0;
    for row in 0..4 {
        moved |= key.rotate_right(32 * (columns * row % 4) as u32) & ROW << (8 * row);
    }
    // Encryption adds it behind the S-box, decryption before.
    let substituted = if DECRYPT { round < schedule.rounds.into() } else { round > 0 };
    let constant = if substituted { u128::MAX / 255 * 0x63 } else { 0 };
    (moved ^ constant).to_le_bytes()
}

/// A key, with its planes if they are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Key<'k, P> {
    pub(crate) schedule: &'k Schedule,
    pub(crate) planes: &'k [Planes<P>],
}

/// Round keys as planes, for the length of a call. They are wiped afterwards.
pub(crate) struct Keys<P: Copy> {
    planes: [MaybeUninit<Planes<P>>; 15],
    used: usize,
}

impl<P: Copy> Room for Keys<P> {
    const EMPTY: Self = Self { planes: [MaybeUninit::uninit(); 15], used: 0 };
}

impl<P: Copy> Keys<P> {
    /// Adds the next round key.
    #[inline(always)]
    pub(crate) fn push(&mut self, planes: Planes<P>) {
        self.planes[self.used].write(planes);
        self.used += 1;
    }

    /// Those that were added.
    #[inline(always)]
    pub(crate) fn planes(&self) -> &[Planes<P>] {
        // SAFETY: as many were written.
        unsafe { std::slice::from_raw_parts(self.planes.as_ptr().cast(), self.used) }
    }
}

impl<P: Copy> Drop for Keys<P> {
    #[inline(always)]
    fn drop(&mut self) {
        self.planes[..self.used].fill(MaybeUninit::zeroed());
        optimization_barrier(self);
    }
}

//! What the self-tests of all families share.

use std::fmt;

use wirespeed_cipher::{Algorithm, Digest, Direction};

use crate::Absent;

/// A passed proof.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    /// Comparisons made, all equal.
    pub checks: usize,
}

/// Why a route is not to be used.
#[derive(Clone, Debug)]
pub enum Failure {
    /// It cannot run here.
    Absent(Absent),
    /// It gave wrong bytes.
    Wrong {
        /// The algorithm that came out wrong.
        algorithm: Algorithm,
        /// The direction.
        direction: Direction,
        /// Bytes in the message.
        bytes: usize,
    },
    /// It gave a wrong hash.
    WrongHash {
        /// The hash function that came out wrong.
        digest: Digest,
        /// Bytes in the message.
        bytes: usize,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(absent) => absent.fmt(f),
            Self::Wrong { algorithm, direction, bytes } => {
                write!(f, "wrong bytes: {algorithm} {direction} of {bytes} bytes")
            }
            Self::WrongHash { digest, bytes } => write!(f, "wrong hash: {digest} of {bytes} bytes"),
        }
    }
}

impl std::error::Error for Failure {}

/// Message lengths around every border the kernels have, in bytes.
pub const LENGTHS: [usize; 24] = [
    16, 32, 48, 64, 65, 79, 112, 127, 128, 129, 192, 255, 256, 257, 400, 496, 511, 512, 513, 767,
    1024, 1420, 1536, 2100,
];

/// What messages are the beginnings of: a cycle of 251 bytes, into which no power of two fits, so that exchanged blocks
/// show. It is made beforehand, because whoever makes a first context waits for its proof.
pub static CYCLE: [u8; 4200] = {
    let mut cycle = [0; _];
    let mut place = 0;
    while place < cycle.len() {
        cycle[place] = (place % 251) as u8;
        place += 1;
    }
    cycle
};

/// A number that any change to the bytes changes: every step can be undone, so two messages that differ
/// in one word never meet again.
pub fn digest((data, tag): &(Vec<u8>, [u8; 16])) -> u64 {
    let words = data.chunks(8).chain(tag.chunks(8)).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.fold(0xcbf2_9ce4_8422_2325, |all, word| {
        (all ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
    })
}

//! SHA-1, FIPS 180-4 §6.1.2.

use super::{Compress, each};
use crate::words::Words;

pub(crate) struct Sha1;

impl Compress for Sha1 {
    type Word = u32;
    const WORDS: usize = 5;
    const BIG: bool = true;

    #[inline(always)]
    fn block<U: Words<Word = u32>>(u: U, chain: &mut [U::V; 8], message: [U::V; 16]) {
        let mut w = message;
        let [mut a, mut b, mut c, mut d, mut e, ..] = *chain;
        macro_rules! step {
            ($i:literal, $function:expr, $constant:expr) => {
                // E and the word are there long before the function of B, C and D, and that before A.
                let early = u.pin(u.add(e, u.add(w[$i], $constant)));
                let next = u.add(u.pin(u.add(early, $function)), u.rotate::<5>(a));
                (e, d, c, b, a) = (d, c, u.rotate::<30>(b), a, next);
            };
        }
        // For sixteen steps on, while these wait for one another.
        macro_rules! schedule {
            ($i:literal) => {
                let sum = u.xor3(w[($i + 13) % 16], w[($i + 8) % 16], w[($i + 2) % 16]);
                w[$i] = u.rotate::<1>(u.xor(sum, w[$i]));
            };
        }
        let constant = u.splat(0x5a82_7999);
        macro_rules! choose {
            ($i:literal) => {
                step!($i, u.choose(b, c, d), constant);
                schedule!($i);
            };
        }
        each! { choose 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 }
        let constant = u.splat(0x6ed9_eba1);
        macro_rules! parity {
            ($i:literal) => {
                step!($i, u.xor3(b, c, d), constant);
                schedule!($i);
            };
        }
        each! { parity 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 }
        let constant = u.splat(0x8f1b_bcdc);
        macro_rules! majority {
            ($i:literal) => {
                step!($i, u.majority(b, c, d), constant);
                schedule!($i);
            };
        }
        each! { majority 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11 }
        let constant = u.splat(0xca62_c1d6);
        macro_rules! parity {
            ($i:literal) => {
                step!($i, u.xor3(b, c, d), constant);
                schedule!($i);
            };
        }
        each! { parity 12 13 14 15 }
        macro_rules! last {
            ($i:literal) => {
                step!($i, u.xor3(b, c, d), constant);
            };
        }
        each! { last 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 }
        chain[..5].copy_from_slice(&[a, b, c, d, e]);
    }
}

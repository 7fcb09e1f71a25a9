//! SHA-256 and SHA-512, FIPS 180-4 §6.2.2 and §6.4.2: the same steps on words of two sizes.

use wirespeed_cipher::{SHA256_CONSTANTS, SHA512_CONSTANTS};

use super::{Compress, sixteen};
use crate::words::Words;

pub(crate) struct Sha256;
pub(crate) struct Sha512;

/// The rotations are to the left, so each is the standard's taken from the bits of a word.
macro_rules! sha2 {
    ($name:ident $word:ident $rounds:literal $constants:ident,
     $sum0:tt $sum1:tt, $small0:tt $small1:tt) => {
        impl Compress for $name {
            type Word = $word;
            const WORDS: usize = 8;
            const BIG: bool = true;

            #[inline(always)]
            fn block<U: Words<Word = $word>>(u: U, chain: &mut [U::V; 8], message: [U::V; 16]) {
                let mut w = message;
                let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *chain;
                /// §4.1.2, §4.1.3: three rotations.
                macro_rules! sum {
                    ($x:expr, [$p:literal $q:literal $r:literal]) => {
                        u.xor3(
                            u.rotate::<{ $word::BITS as i32 - $p }>($x),
                            u.rotate::<{ $word::BITS as i32 - $q }>($x),
                            u.rotate::<{ $word::BITS as i32 - $r }>($x),
                        )
                    };
                }
                /// The same: two rotations and a shift.
                macro_rules! small {
                    ($x:expr, [$p:literal $q:literal $r:literal]) => {
                        u.xor3(
                            u.rotate::<{ $word::BITS as i32 - $p }>($x),
                            u.rotate::<{ $word::BITS as i32 - $q }>($x),
                            u.shift::<$r>($x),
                        )
                    };
                }
                macro_rules! step {
                            ($i:literal, $t:expr) => {
                                // What is there first is added first: the next step waits for the sums over A and E.
                                let known = u.pin(u.add(u.add(h, u.splat($constants[$t])), w[$i]));
                                let first = u.pin(u.add(u.pin(u.add(known, u.choose(e, f, g))), sum!(e, $sum1)));
                                let next = u.add(d, first);
                                let second = u.pin(u.add(first, u.majority(a, b, c)));
                                (h, g, f, e) = (g, f, e, next);
                                (d, c, b, a) = (c, b, a, u.add(second, sum!(a, $sum0)));
                            };
                        }
                for sixteenth in 0..$rounds / 16 - 1 {
                    // Each word is replaced by that of sixteen steps on, while the steps wait for one another.
                    macro_rules! early {
                        ($i:literal) => {
                            step!($i, sixteenth * 16 + $i);
                            let near = small!(w[($i + 1) % 16], $small0);
                            let far = small!(w[($i + 14) % 16], $small1);
                            w[$i] = u.add(u.add(w[$i], w[($i + 9) % 16]), u.add(near, far));
                        };
                    }
                    sixteen!(early);
                }
                macro_rules! last {
                    ($i:literal) => {
                        step!($i, $rounds - 16 + $i)
                    };
                }
                sixteen!(last);
                *chain = [a, b, c, d, e, f, g, h];
            }
        }
    };
}

sha2!(Sha256 u32 64 SHA256_CONSTANTS, [2 13 22] [6 11 25], [7 18 3] [17 19 10]);
sha2!(Sha512 u64 80 SHA512_CONSTANTS, [28 34 39] [14 18 41], [1 8 7] [19 61 6]);

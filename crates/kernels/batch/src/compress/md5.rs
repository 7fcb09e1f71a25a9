//! MD5, RFC 1321 §3.4.

use wirespeed_cipher::MD5_CONSTANTS;

use super::Compress;
use crate::words::Words;

pub(crate) struct Md5;

impl Compress for Md5 {
    type Word = u32;
    const WORDS: usize = 4;
    const BIG: bool = false;

    #[inline(always)]
    fn block<U: Words<Word = u32>>(u: U, chain: &mut [U::V; 8], message: [U::V; 16]) {
        let w = message;
        let [mut a, mut b, mut c, mut d, ..] = *chain;
        macro_rules! step {
            ($function:expr, $t:expr, $word:expr, $left:literal) => {
                // A and the word are there long before the function of B, C and D.
                let early = u.add(a, u.add(w[($word) % 16], u.splat(MD5_CONSTANTS[$t])));
                let turned = u.rotate::<$left>(u.add(early, $function));
                (a, d, c, b) = (d, c, b, u.add(b, turned));
            };
        }
        /// Four steps, whose words lie `by` apart.
        macro_rules! four {
            ($function:expr, $t:expr, $word:expr, $by:literal, [$p:literal $q:literal $r:literal $s:literal]) => {
                step!($function, $t, $word, $p);
                step!($function, $t + 1, $word + $by, $q);
                step!($function, $t + 2, $word + 2 * $by, $r);
                step!($function, $t + 3, $word + 3 * $by, $s);
            };
        }
        macro_rules! round {
            ($function:expr, $t:literal, $word:literal, $by:literal, $left:tt) => {
                four!($function, $t, $word, $by, $left);
                four!($function, $t + 4, $word + 4 * $by, $by, $left);
                four!($function, $t + 8, $word + 8 * $by, $by, $left);
                four!($function, $t + 12, $word + 12 * $by, $by, $left);
            };
        }
        round!(u.choose(b, c, d), 0, 0, 1, [7 12 17 22]);
        round!(u.choose(d, b, c), 16, 1, 5, [5 9 14 20]);
        round!(u.xor3(b, c, d), 32, 5, 3, [4 11 16 23]);
        round!(u.or_not(b, c, d), 48, 0, 7, [6 10 15 21]);
        chain[..4].copy_from_slice(&[a, b, c, d]);
    }
}

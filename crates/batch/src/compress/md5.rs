//! MD5, RFC 1321 §3.4.

use super::Compress;
use crate::words::Words;

pub(crate) struct Md5;

/// The table T: the first 32 bits of |sin 1| to |sin 64|, in radians, behind the point.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

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
                let early = u.add(a, u.add(w[($word) % 16], u.splat(SINES[$t])));
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

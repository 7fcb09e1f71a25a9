//! SHA-256 and SHA-512, FIPS 180-4 §6.2.2 and §6.4.2: the same steps on words of two sizes.

use wirespeed_cipher::{SHA256_CONSTANTS, SHA512_CONSTANTS};

use super::Step;

pub(super) struct Sha256;
pub(super) struct Sha512;

macro_rules! sha2 {
    ($name:ident $word:ident $rounds:literal, $constants:expr,
     $sum0:expr, $sum1:expr, $small0:expr, $small1:expr) => {
        impl Step for $name {
            type Word = $word;

            fn block(chain: &mut [$word; 8], block: &[$word; 16]) {
                /// FIPS 180-4 §4.1: three rotations, or two and a shift.
                fn mix(x: $word, [a, b, c]: [u32; 3], shift: bool) -> $word {
                    let last = if shift { x >> c } else { x.rotate_right(c) };
                    x.rotate_right(a) ^ x.rotate_right(b) ^ last
                }
                let mut w = *block;
                let mut s = *chain;
                for t in 0..$rounds {
                    if t >= 16 {
                        w[t % 16] = w[t % 16]
                            .wrapping_add(mix(w[(t + 1) % 16], $small0, true))
                            .wrapping_add(w[(t + 9) % 16])
                            .wrapping_add(mix(w[(t + 14) % 16], $small1, true));
                    }
                    let [a, b, c, d, e, f, g, h] = s;
                    let first = h
                        .wrapping_add(mix(e, $sum1, false))
                        .wrapping_add((e & f) ^ (!e & g))
                        .wrapping_add($constants[t])
                        .wrapping_add(w[t % 16]);
                    let second = mix(a, $sum0, false).wrapping_add((a & b) ^ (a & c) ^ (b & c));
                    let (top, middle) = (first.wrapping_add(second), d.wrapping_add(first));
                    s = [top, a, b, c, middle, e, f, g];
                }
                for (word, step) in chain.iter_mut().zip(s) {
                    *word = word.wrapping_add(step);
                }
            }
        }
    };
}

sha2!(Sha256 u32 64, SHA256_CONSTANTS, [2, 13, 22], [6, 11, 25], [7, 18, 3], [17, 19, 10]);
sha2!(Sha512 u64 80, SHA512_CONSTANTS, [28, 34, 39], [14, 18, 41], [1, 8, 7], [19, 61, 6]);

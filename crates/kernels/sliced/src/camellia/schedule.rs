//! Camellia's key schedule (RFC 3713 §2.2), in plain integers or in registers.

use wirespeed_cipher::{Block, Schedule};

use super::register::{self, Halves};
use super::{Camellia, f, join};
use crate::bytes::Anywhere;
use crate::serial::{Holder, In, Register};
use wirespeed_kernels_core::Wiped;

/// Where a subkey comes from: a key, rotated to the left; its high half or its low one.
type Origin = (usize, u32);
const KL: usize = 0;
const KR: usize = 1;
const KA: usize = 2;
const KB: usize = 3;

/// Both halves of one.
const fn both(key: usize, rotation: u32) -> [Origin; 2] {
    [(key, rotation), (key, rotation)]
}

/// §2.2, for keys of 128 bits; of two words the first is a high half and the second a low one.
const SHORT: [[Origin; 2]; 13] = [
    both(KL, 0),
    both(KA, 0),
    both(KL, 15),
    both(KA, 15),
    both(KA, 30),
    both(KL, 45),
    [(KA, 45), (KL, 60)],
    both(KA, 60),
    both(KL, 77),
    both(KL, 94),
    both(KA, 94),
    both(KL, 111),
    both(KA, 111),
];

/// For keys of 192 and 256 bits.
const LONG: [[Origin; 2]; 17] = [
    both(KL, 0),
    both(KB, 0),
    both(KR, 15),
    both(KA, 15),
    both(KR, 30),
    both(KB, 30),
    both(KL, 45),
    both(KA, 45),
    both(KL, 60),
    both(KR, 60),
    both(KB, 60),
    both(KL, 77),
    both(KA, 77),
    both(KR, 94),
    both(KA, 94),
    both(KL, 111),
    both(KB, 111),
];

/// A subkey: a word among those of the keys, each of which is there twice, and by how much it is shifted.
#[derive(Clone, Copy)]
struct Part {
    word: u8,
    by: u8,
}

/// The subkeys in order; for decryption in reverse, as [`Schedule::turn_camellia`] has it.
const fn parts<const N: usize, const DECRYPT: bool>(origins: &[[Origin; 2]; N]) -> [[Part; 2]; N] {
    let mut parts = [[Part { word: 0, by: 0 }; 2]; N];
    let mut i = 0;
    while i < N {
        let mut half = 0;
        while half < 2 {
            let (key, rotation) = origins[i][half];
            let word = 4 * key + rotation as usize / 64 % 2 + half;
            let part = Part { word: word as u8, by: (rotation % 64) as u8 };
            // Those that whiten stay in order.
            let turned = DECRYPT && i != 0 && i != N - 1;
            let to = if DECRYPT { N - 1 - i } else { i };
            parts[to][if turned { 1 - half } else { half }] = part;
            half += 1;
        }
        i += 1;
    }
    parts
}

/// Sets the round keys.
#[inline(always)]
pub(super) fn expand<M: Mix>(it: M, key: &[u8], decrypt: bool, out: &mut Schedule) {
    /// The first digits of square roots of primes.
    const SIGMA: [Block; 3] = [
        0xa09e_667f_3bcc_908b_b67a_e858_4caa_73b2_u128.to_be_bytes(),
        0xc6ef_372f_e94f_82be_54ff_53a5_f1d3_6f1c_u128.to_be_bytes(),
        0x10e5_27fa_de68_2d1d_b056_88c2_b3e6_c1fd_u128.to_be_bytes(),
    ];
    let word = |i: usize| u64::from_be_bytes(key[8 * i..8 * i + 8].try_into().expect("eight"));
    let right = match key.len() {
        16 => 0,
        24 => join(word(2), !word(2)),
        _ => join(word(2), word(3)),
    };
    let left = it.load(&join(word(0), word(1)).to_be_bytes());
    let right = it.load(&right.to_be_bytes());
    let a = it.mix(it.xor(it.mix(it.xor(left, right), &SIGMA[0]), left), &SIGMA[1]);
    let b = if key.len() == 16 { right } else { it.mix(it.xor(a, right), &SIGMA[2]) };
    let keys = Wiped([twice(it, left), twice(it, right), twice(it, a), twice(it, b)]);
    let parts: &[[Part; 2]] = match (key.len(), decrypt) {
        (16, false) => &const { parts::<_, false>(&SHORT) },
        (16, true) => &const { parts::<_, true>(&SHORT) },
        (_, false) => &const { parts::<_, false>(&LONG) },
        (_, true) => &const { parts::<_, true>(&LONG) },
    };
    for (pair, [high, low]) in out.round_keys.iter_mut().zip(parts) {
        *pair = join(rotated(&keys.0, *high), rotated(&keys.0, *low)).to_be_bytes();
    }
}

/// Both halves of a key, twice: its rotations are neighbours in it.
#[inline(always)]
fn twice<M: Mix>(it: M, key: M::V) -> [u64; 4] {
    let key = u128::from_be_bytes(it.store(key));
    let (high, low) = ((key >> 64) as u64, key as u64);
    [high, low, high, low]
}

/// Half of a rotated key. SHLD, which this is for one instruction, takes many of AMD's.
#[inline(always)]
fn rotated(keys: &[[u64; 4]; 4], Part { word, by }: Part) -> u64 {
    let words = &keys.as_flattened()[usize::from(word)..];
    words[0] << (by % 64) ^ words[1] >> 1 >> (63 - by % 64)
}

/// What the key schedule needs of a machine.
pub(super) trait Mix: Holder {
    /// A Feistel network of two rounds, whose keys are the halves of `sigma`.
    fn mix(self, x: Self::V, sigma: &Block) -> Self::V;
}

impl Holder for Anywhere {
    type V = u128;

    fn load(self, block: &Block) -> u128 {
        u128::from_be_bytes(*block)
    }

    fn store(self, v: u128) -> Block {
        v.to_be_bytes()
    }

    fn xor(self, a: u128, b: u128) -> u128 {
        a ^ b
    }
}

impl Mix for Anywhere {
    fn mix(self, x: u128, sigma: &Block) -> u128 {
        let keys = u128::from_be_bytes(*sigma);
        let (mut high, mut low) = ((x >> 64) as u64, x as u64);
        low ^= f(self, high ^ (keys >> 64) as u64);
        high ^= f(self, low ^ keys as u64);
        join(high, low)
    }
}

impl<R: Register, const SUMS: bool> Mix for In<R, Camellia<SUMS>> {
    #[inline(always)]
    fn mix(self, x: Halves<R>, sigma: &Block) -> Halves<R> {
        register::two::<_, SUMS>(self.0, sigma, x)
    }
}

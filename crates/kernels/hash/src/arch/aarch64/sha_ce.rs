//! The route `sha-ce`: SHA-1 and SHA-256 by their instructions (Arm ARM, "SHA1C" and following), and where the CPU has those
//! of SHA-512 and SHA-3, these too.

use std::arch::aarch64::*;
use std::arch::asm;

use wirespeed_cipher::{Chain, Compression, HashKernels, Route, SHA256_CONSTANTS};
use wirespeed_cpu::{Features, ShaCe, ShaCe512, Token};
use wirespeed_kernels_core::{Absent, call};

use super::keccak::Vector;
use super::sha512::four_vectors;
use super::{message, pack, unpack};
use crate::{of, portable};

/// A compression function of this route.
pub(super) fn hash(
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    ShaCe::probe(features).map_err(Absent::Missing)?;
    if let Some(hash) = SHA.iter().find(|kernels| kernels.compression == compression) {
        return Ok(hash);
    }
    let hash = SHA512_AND_SHA3.iter().find(|kernels| kernels.compression == compression);
    let hash = hash.ok_or(Absent::WithoutHash(compression))?;
    ShaCe512::probe(features).map(|_| hash).map_err(Absent::Missing)
}

/// With [`ShaCe`].
static SHA: [HashKernels; 2] =
    [of(Route::ShaCe, Compression::Sha1, sha1), of(Route::ShaCe, Compression::Sha256, sha256)];
/// With [`ShaCe512`].
static SHA512_AND_SHA3: [HashKernels; 6] = [
    of(Route::ShaCe, Compression::Sha512, sha512),
    of(Route::ShaCe, Compression::Keccak168, keccak::<168>),
    of(Route::ShaCe, Compression::Keccak144, keccak::<144>),
    of(Route::ShaCe, Compression::Keccak136, keccak::<136>),
    of(Route::ShaCe, Compression::Keccak104, keccak::<104>),
    of(Route::ShaCe, Compression::Keccak72, keccak::<72>),
];

wirespeed_kernels_core::entries! { ["neon,sha2"]
    fn sha1[][](chain: &mut Chain, data: &[u8]) { five_words(chain, data) }
    fn sha256[][](chain: &mut Chain, data: &[u8]) { eight_words(chain, data) }
}

wirespeed_kernels_core::entries! { ["neon,sha3"]
    fn sha512[][](chain: &mut Chain, data: &[u8]) { four_vectors(chain, data) }
    fn keccak[const RATE: usize][RATE](chain: &mut Chain, data: &[u8])
        { portable::absorb::<Vector, RATE>(chain, data) }
}

/// SHA-1, FIPS 180-4 §6.1.2.
#[inline(always)]
fn five_words(chain: &mut Chain, data: &[u8]) {
    let (first, rest) = chain.split_first_chunk_mut::<4>().expect("five words");
    let mut abcd = pack(first);
    let mut e = rest[0] as u32;
    for block in data.as_chunks::<64>().0 {
        let mut m = message(block);
        let (first_abcd, first_e) = (abcd, e);
        /// Four rounds, and the words of the message sixteen further on.
        macro_rules! four {
            ($function:ident $constant:literal: $($i:literal)*) => {$(
                let [w0, w1, w2, w3] =
                    [m[$i % 4], m[($i + 1) % 4], m[($i + 2) % 4], m[($i + 3) % 4]];
                let words = call!(vaddq_u32(w0, vdupq_n_u32($constant)));
                let next_e = call!(vsha1h_u32(vgetq_lane_u32::<0>(abcd)));
                abcd = call!($function(abcd, e, words));
                e = next_e;
                if $i < 16 {
                    m[$i % 4] = call!(vsha1su1q_u32(vsha1su0q_u32(w0, w1, w2), w3));
                }
            )*};
        }
        four!(vsha1cq_u32 0x5a82_7999: 0 1 2 3 4);
        four!(vsha1pq_u32 0x6ed9_eba1: 5 6 7 8 9);
        four!(vsha1mq_u32 0x8f1b_bcdc: 10 11 12 13 14);
        four!(vsha1pq_u32 0xca62_c1d6: 15 16 17 18 19);
        abcd = call!(vaddq_u32(abcd, first_abcd));
        e = e.wrapping_add(first_e);
    }
    unpack(abcd, first);
    rest[0] = e.into();
}

/// What the second instruction of four rounds takes, because the first one overwrites it. The compiler would have that one
/// overwrite the copy: then every four rounds wait for a copy that the half of them need not wait for.
#[inline(always)]
fn copy(v: uint32x4_t) -> uint32x4_t {
    let copy: uint32x4_t;
    // SAFETY: a move from register to register.
    unsafe {
        asm!("mov {0:v}.16b, {1:v}.16b", out(vreg) copy, in(vreg) v,
            options(pure, nomem, nostack, preserves_flags));
    }
    copy
}

/// SHA-256, FIPS 180-4 §6.2.2.
#[inline(always)]
fn eight_words(chain: &mut Chain, data: &[u8]) {
    let [first, second, ..] = chain.as_chunks_mut::<4>().0 else { unreachable!("eight words") };
    let (mut abcd, mut efgh) = (pack(first), pack(second));
    for block in data.as_chunks::<64>().0 {
        let mut m = message(block);
        let (first_abcd, first_efgh) = (abcd, efgh);
        /// Four rounds, and the words of the message sixteen further on.
        macro_rules! four {
            ($($i:literal)*) => {$(
                let [w0, w1, w2, w3] =
                    [m[$i % 4], m[($i + 1) % 4], m[($i + 2) % 4], m[($i + 3) % 4]];
                let constants = SHA256_CONSTANTS.as_ptr().wrapping_add(4 * $i);
                // SAFETY: the table has 64 words, and the last four begin at 4 * 15.
                let words = unsafe { vaddq_u32(w0, vld1q_u32(constants)) };
                let before = copy(abcd);
                abcd = call!(vsha256hq_u32(abcd, efgh, words));
                efgh = call!(vsha256h2q_u32(efgh, before, words));
                if $i < 12 {
                    m[$i % 4] = call!(vsha256su1q_u32(vsha256su0q_u32(w0, w1), w2, w3));
                }
            )*};
        }
        four!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        abcd = call!(vaddq_u32(abcd, first_abcd));
        efgh = call!(vaddq_u32(efgh, first_efgh));
    }
    unpack(abcd, first);
    unpack(efgh, second);
}

#[cfg(test)]
mod tests {
    use wirespeed_cpu::Feature;

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "no such CPU")]
    fn a_lesser_cpu_has_sha_1_and_sha_256_alone() {
        let features = Features::detect().without(Feature::Sha512);
        if ShaCe::probe(features).is_err() {
            println!("skipped: no SHA instructions here");
            return;
        }
        for compression in Compression::ALL {
            let absent = match compression {
                Compression::Sha1 | Compression::Sha256 => None,
                Compression::Md5 | Compression::Sm3 => Some(Absent::WithoutHash(compression)),
                _ => Some(Absent::Missing(Feature::Sha512)),
            };
            assert_eq!(hash(compression, features).err(), absent, "{compression}");
        }
    }
}

//! The proof of a route's lanes: the standards' answers, then differences against plain integers.

use wirespeed_cipher::Digest;
use wirespeed_cpu::Features;

use crate::{Lanes, hash_all};

/// A quick proof before the first use: "abc" in every lane, and lengths around the borders of padding.
pub fn self_test(lanes: &Lanes) -> bool {
    let digest = lanes.digest();
    let known = hash_all(lanes, &vec![b"abc".as_slice(); 2 * lanes.width()]);
    let bytes: [u8; 400] = std::array::from_fn(|i| (i % 251) as u8);
    let messages: Vec<&[u8]> = (0..3 * lanes.width()).map(|i| &bytes[..(i * 37) % 400]).collect();
    let portable = Lanes::new(wirespeed_cipher::Route::Portable, digest, Features::NONE);
    known.iter().all(|hash| hash.as_ref()[..16] == abc(digest).to_be_bytes())
        && portable.is_ok_and(|portable| {
            let right = messages.iter().flat_map(|message| hash_all(&portable, &[message]));
            hash_all(lanes, &messages).into_iter().eq(right)
        })
}

/// The first 16 bytes of the hash of "abc": RFC 1321 appendix A.5, and FIPS 180-4's examples.
const fn abc(digest: Digest) -> u128 {
    match digest {
        Digest::Md5 => 0x9001_5098_3cd2_4fb0_d696_3f7d_28e1_7f72,
        Digest::Sha1 => 0xa999_3e36_4706_816a_ba3e_2571_7850_c26c,
        Digest::Sha224 => 0x2309_7d22_3405_d822_8642_a477_bda2_55b3,
        Digest::Sha256 => 0xba78_16bf_8f01_cfea_4141_40de_5dae_2223,
        Digest::Sha384 => 0xcb00_753f_45a3_5e8b_b5a0_3d69_9ac6_5007,
        Digest::Sha512 => 0xddaf_35a1_9361_7aba_cc41_7349_ae20_4131,
        _ => panic!("one of those that run in lanes"),
    }
}

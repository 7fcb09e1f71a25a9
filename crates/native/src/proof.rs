//! The proof of a route on this machine: known answers, then differences against the portable route.

use std::fmt;

use wirespeed_cipher::modes::{Feedback, Gcm, Xts};
use wirespeed_cipher::{AesKernels, AesKey, Algorithm, Direction, InOut, Mode, Route};
use wirespeed_cpu::Features;

use crate::{Absent, aes, portable};

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
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(absent) => absent.fmt(f),
            Self::Wrong { algorithm, direction, bytes } => {
                write!(f, "wrong bytes: {algorithm} {direction} of {bytes} bytes")
            }
        }
    }
}

impl std::error::Error for Failure {}

/// Message lengths around every border the kernels have, in bytes.
const LENGTHS: [usize; 24] = [
    16, 32, 48, 64, 65, 79, 112, 127, 128, 129, 192, 255, 256, 257, 400, 496, 511, 512, 513, 767,
    1024, 1420, 1536, 2100,
];

/// Compares every algorithm of `route` with the portable route, in and out of place, at lengths
/// around every border, with a counter about to wrap.
pub fn prove(route: Route, features: Features) -> Result<Proof, Failure> {
    let mut checks = 0;
    for &algorithm in Algorithm::ALL {
        let kernels = aes(route, algorithm.key_bits(), features).map_err(Failure::Absent)?;
        if !(known_answer(kernels) && known_gcm_message(kernels)) {
            let direction = Direction::Encrypt;
            return Err(Failure::Wrong { algorithm, direction, bytes: 16 });
        }
        let reference = portable_for(algorithm);
        for &bytes in &LENGTHS {
            let bytes = if algorithm.mode().takes_partial_blocks() { bytes } else { bytes & !15 };
            for &direction in algorithm.directions() {
                if message(kernels, algorithm, direction, bytes)
                    != message(reference, algorithm, direction, bytes)
                {
                    return Err(Failure::Wrong { algorithm, direction, bytes });
                }
                checks += 1;
            }
        }
    }
    Ok(Proof { checks })
}

fn portable_for(algorithm: Algorithm) -> &'static AesKernels {
    let table = portable::table();
    table.iter().find(|kernels| kernels.key_bits == algorithm.key_bits()).expect("all key sizes")
}

/// One message with a key and data that any length and place makes different, and its tag.
fn message(
    kernels: &'static AesKernels,
    algorithm: Algorithm,
    direction: Direction,
    bytes: usize,
) -> (Vec<u8>, [u8; 16]) {
    // A cycle of 251 bytes: no power of two fits into it, so exchanged blocks show.
    let mut data: Vec<u8> = (0..bytes).map(|i| (i % 251) as u8).collect();
    let key_bytes: Vec<u8> = (0..algorithm.key_bytes()).map(|i| (i * 7 + bytes) as u8).collect();
    // The last 32 bits of the counter wrap after seven blocks.
    let mut iv = [0xff; 16];
    iv[15] = 0xf9;
    let mut key = AesKey::empty(kernels);
    let mut tag = [0; 16];
    match algorithm.mode() {
        Mode::Ecb => {
            key.set(&key_bytes, direction);
            (kernels.ecb[direction as usize])(key.schedule(), InOut::in_place(&mut data));
        }
        Mode::Cbc => {
            key.set(&key_bytes, direction);
            let run = kernels.cbc[direction as usize];
            run(key.schedule(), &mut iv, InOut::in_place(&mut data));
            tag = iv;
        }
        mode @ (Mode::Cfb | Mode::Ofb | Mode::Ctr) => {
            key.set(&key_bytes, Direction::Encrypt);
            let mut stream = Feedback::default();
            stream.start(&iv);
            let (first, second) = data.split_at_mut(bytes / 3);
            stream.update(mode, direction, &key, InOut::in_place(first));
            stream.update(mode, direction, &key, InOut::in_place(second));
            tag = stream.register;
        }
        Mode::Xts => {
            let mut xts = Xts::new(kernels);
            xts.set_key(&key_bytes, direction);
            xts.start(&iv);
            xts.unit(direction, InOut::in_place(&mut data)).expect("at least a block");
        }
        Mode::Gcm => {
            let mut gcm = Gcm::new(kernels);
            gcm.set_key(&key_bytes);
            // 16 bytes are hashed to the first counter, 12 are not.
            gcm.start(&iv[..if bytes.is_multiple_of(2) { 12 } else { 16 }]);
            gcm.aad(&key_bytes[..13]).expect("before the data");
            gcm.crypt(direction, InOut::in_place(&mut data)).expect("a short message");
            tag = gcm.tag();
        }
    }
    (data, tag)
}

/// A quick proof of one table of kernels, for the moment of loading: known answers, among them one
/// message of every mode that is longer than the longest wave.
pub fn self_test(kernels: &'static AesKernels) -> bool {
    let mut known = KNOWN_MESSAGES.iter();
    let mut messages = cases().filter_map(|(algorithm, direction)| {
        let right = *known.next()?;
        (algorithm.key_bits() == kernels.key_bits)
            .then(|| digest(&long_message(kernels, algorithm, direction)) == right)
    });
    known_answer(kernels) && known_gcm_message(kernels) && messages.all(|right| right)
}

/// Every algorithm in the directions that differ.
fn cases() -> impl Iterator<Item = (Algorithm, Direction)> {
    Algorithm::ALL.iter().flat_map(|algorithm| {
        algorithm.directions().iter().map(move |direction| (*algorithm, *direction))
    })
}

fn long_message(
    kernels: &'static AesKernels,
    algorithm: Algorithm,
    direction: Direction,
) -> (Vec<u8>, [u8; 16]) {
    let bytes = if algorithm.mode().takes_partial_blocks() { 667 } else { 656 };
    message(kernels, algorithm, direction, bytes)
}

/// A number that any change to the bytes changes: every step can be undone, so two messages that differ
/// in one word never meet again.
fn digest((data, tag): &(Vec<u8>, [u8; 16])) -> u64 {
    let words = data.chunks(8).chain(tag.chunks(8)).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.fold(0xcbf2_9ce4_8422_2325, |all, word| {
        (all ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
    })
}

/// The digests of the messages that the portable route gives, which tests hold against independent
/// implementations.
#[rustfmt::skip]
const KNOWN_MESSAGES: [u64; 34] = [
    0xc11b_0dac_b68d_ca0a, 0x5b93_f805_6f07_f228, 0x970b_d6fd_de1b_2bb4, 0xbe9b_46c6_f7b7_b51c,
    0x3a5d_d44c_d4dc_3305, 0x5bbd_10cb_2c42_8fe1, 0x752a_daac_6efd_f2d4, 0x1b23_00e0_8585_3ecf,
    0x00f3_e0cb_f344_2ee5, 0xba29_df9e_4ea5_3601, 0x9502_3c3d_7ac6_2974, 0x38fd_8ec7_432c_01d3,
    0x0741_de9c_ff2a_911b, 0xb31a_db84_52a6_b164, 0x56b3_4c3e_b25b_5dd4, 0x48ab_f2f5_6d2d_d705,
    0x4b54_67c5_621d_8a7e, 0x22d8_f9f3_f577_9af7, 0x07ff_0487_8db8_be8f, 0xc137_3484_d6d7_470d,
    0x723b_9590_5a7c_2415, 0x2e50_c7cb_b6e7_c703, 0x976e_5f7a_48b5_1a2e, 0x8f70_79ef_f0b2_81d1,
    0xbf1b_030b_6a3c_aec4, 0xa954_ac47_702f_aa52, 0x4ba8_4d35_ccbc_9636, 0xcb85_a559_31e3_6323,
    0x9b17_2178_7649_df3f, 0xcc9f_abe7_7f41_c339, 0xb7ad_6be9_3210_20b7, 0xbdc6_2e6f_1f60_2726,
    0x45a5_9302_bdf1_3e8d, 0x095d_014e_c25f_db3e,
];

/// FIPS 197 appendices C.1 to C.3.
fn known_answer(kernels: &'static AesKernels) -> bool {
    let ciphertext: [u8; 16] = match kernels.key_bits {
        128 => 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128,
        192 => 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191,
        _ => 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089,
    }
    .to_be_bytes();
    let plaintext: [u8; 16] = std::array::from_fn(|i| (i * 0x11) as u8);
    let key_bytes: Vec<u8> = (0..kernels.key_bits / 8).map(|i| i as u8).collect();
    // Nine blocks: more than one vector of every width.
    Direction::BOTH.into_iter().all(|direction| {
        let (from, to) = match direction {
            Direction::Encrypt => (plaintext, ciphertext),
            Direction::Decrypt => (ciphertext, plaintext),
        };
        let mut key = AesKey::empty(kernels);
        key.set(&key_bytes, direction);
        let mut blocks = [from; 9];
        (kernels.ecb[direction as usize])(
            key.schedule(),
            InOut::in_place(blocks.as_flattened_mut()),
        );
        blocks == [to; 9]
    })
}

/// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 4, 10 and 16: 60 bytes of data
/// and 20 of associated data.
fn known_gcm_message(kernels: &'static AesKernels) -> bool {
    let tag: u128 = match kernels.key_bits {
        128 => 0x5bc9_4fbc_3221_a5db_94fa_e95a_e712_1a47,
        192 => 0x2519_498e_80f1_478f_37ba_55bd_6d27_618c,
        _ => 0x76fc_6ece_0f4e_1768_cddf_8853_bb2d_551b,
    };
    let half: u128 = 0xfeff_e992_8665_731c_6d6a_8f94_6730_8308;
    let key: Vec<u8> = [half.to_be_bytes(), half.to_be_bytes()].concat();
    let mut data = [
        0xd931_3225_f884_06e5_a559_09c5_aff5_269a_u128,
        0x86a7_a953_1534_f7da_2e4c_303d_8a31_8a72,
        0x1c3c_0c95_9568_0953_2fcf_0e24_49a6_b525,
        0xb16a_edf5_aa0d_e657_ba63_7b39_1aaf_d255,
    ]
    .map(u128::to_be_bytes)
    .concat();
    let aad = [
        &0xfeed_face_dead_beef_feed_face_dead_beef_u128.to_be_bytes()[..],
        &[0xab, 0xad, 0xda, 0xd2],
    ]
    .concat();
    let mut gcm = Gcm::new(kernels);
    gcm.set_key(&key[..usize::from(kernels.key_bits) / 8]);
    let plaintext = data.clone();
    Direction::BOTH.into_iter().all(|direction| {
        gcm.start(&0xcafe_babe_face_dbad_deca_f888_u128.to_be_bytes()[4..]);
        gcm.aad(&aad).is_ok()
            && gcm.crypt(direction, InOut::in_place(&mut data[..60])).is_ok()
            && gcm.tag() == tag.to_be_bytes()
    }) && data == plaintext
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;
    use crate::ROUTES;

    /// What is here; Miri has no CPU to ask.
    fn features() -> Features {
        if cfg!(miri) { Features::NONE } else { Features::detect() }
    }

    #[test]
    fn every_route_here_is_proved() {
        for route in ROUTES {
            match prove(route, Features::detect()) {
                Ok(proof) => assert!(proof.checks > 500, "{route}"),
                Err(Failure::Absent(absent)) => println!("skipped {route}: {absent}"),
                Err(failure) => panic!("{route}: {failure}"),
            }
            for bits in [128, 192, 256] {
                if let Ok(kernels) = aes(route, bits, Features::detect()) {
                    assert_eq!(kernels.route, route);
                    assert!(self_test(kernels), "{route} {bits}");
                }
            }
        }
    }

    #[test]
    fn known_messages_are_those_of_the_portable_route() {
        let digests: Vec<u64> = cases()
            .map(|(algorithm, direction)| {
                digest(&long_message(portable_for(algorithm), algorithm, direction))
            })
            .collect();
        assert_eq!(digests, KNOWN_MESSAGES, "{digests:#x?}");
    }

    #[test]
    fn a_missing_key_is_no_trap() {
        for route in ROUTES {
            let Ok(kernels) = aes(route, 256, features()) else { continue };
            let mut gcm = Gcm::new(kernels);
            let mut data = [0; 100];
            gcm.crypt(Direction::Encrypt, InOut::in_place(&mut data)).expect("a short message");
            assert_eq!(gcm.tag(), [0; 16], "H and the mask are zero");
        }
    }

    #[test]
    fn a_wrong_kernel_is_found() {
        let right = aes(Route::Portable, 128, Features::NONE).expect("everywhere");
        static WRONG: OnceLock<AesKernels> = OnceLock::new();
        let wrong = WRONG.get_or_init(|| AesKernels {
            route: Route::Portable,
            key_bits: 128,
            expand: right.expand,
            ecb: right.ecb,
            // Encrypts where it should decrypt.
            cbc: [right.cbc[0]; 2],
            cfb: right.cfb,
            ofb: right.ofb,
            ctr: right.ctr,
            xts: right.xts,
            gcm_key: right.gcm_key,
            ghash: right.ghash,
            gcm_start: right.gcm_start,
            gcm: right.gcm,
            gcm_tag: right.gcm_tag,
        });
        assert!(self_test(right));
        assert!(!self_test(wrong));
    }
}

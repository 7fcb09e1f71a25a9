//! The proof of a route on this machine: known answers, then differences against the portable route.

use wirespeed_cipher::modes::{Ccm, Feedback, Gcm, GcmSiv, Ocb, Standard, Stealing, Xts};
use wirespeed_cipher::{
    Algorithm, BlockCipher, BlockKernels, BlockKey, Compression, Direction, InOut, Mode, Route,
};
use wirespeed_cpu::Features;
use wirespeed_kernels_core::proof::{CYCLE, Failure, LENGTHS, Proof, digest};

use crate::kernels;

/// Proves every cipher that `route` has here, which may be none: then it has hash functions.
pub fn prove(route: Route, features: Features) -> Result<Proof, Failure> {
    crate::presence(route, features).map_err(Failure::Absent)?;
    let mut checks = 0;
    for cipher in BlockCipher::ALL {
        if let Ok(kernels) = kernels(route, cipher, features) {
            checks += prove_table(kernels)?.checks;
        }
    }
    if let Ok(kernels) = crate::stream(route, features) {
        checks += crate::prove_stream(kernels)?.checks;
    }
    Ok(Proof { checks })
}

/// Proves every compression function that `route` has here; none is no failure.
pub fn prove_hashes(route: Route, features: Features) -> Result<Proof, Failure> {
    let mut checks = 0;
    for compression in Compression::ALL {
        if let Ok(kernels) = crate::hash(route, compression, features) {
            checks += crate::prove_hash(kernels)?.checks;
        }
    }
    Ok(Proof { checks })
}

/// The portable kernels, which every machine has.
pub(crate) fn portable(cipher: BlockCipher) -> &'static BlockKernels {
    kernels(Route::Portable, cipher, Features::NONE).expect("it has every cipher")
}

/// Compares every algorithm of one table with the portable route, in place, at lengths around every
/// border, with a counter about to wrap.
pub fn prove_table(kernels: &'static BlockKernels) -> Result<Proof, Failure> {
    let mut checks = 0;
    let reference = portable(kernels.cipher);
    for (algorithm, direction) in
        cases().filter(|(it, _)| it.block_cipher() == Some(kernels.cipher))
    {
        if !known_answers(kernels) {
            return Err(Failure::Wrong { algorithm, direction, bytes: 16 });
        }
        for &bytes in &LENGTHS {
            let bytes = fitting(algorithm, bytes);
            if message(kernels, algorithm, direction, bytes)
                != message(reference, algorithm, direction, bytes)
            {
                return Err(Failure::Wrong { algorithm, direction, bytes });
            }
            checks += 1;
        }
    }
    Ok(Proof { checks })
}

/// One message with a key and data that any length and place makes different, and its tag.
fn message(
    kernels: &'static BlockKernels,
    algorithm: Algorithm,
    direction: Direction,
    bytes: usize,
) -> (Vec<u8>, [u8; 16]) {
    let mut data = CYCLE[..bytes].to_vec();
    let key_bytes: Vec<u8> = (0..algorithm.key_bytes()).map(|i| (i * 7 + bytes) as u8).collect();
    // The last 32 bits of the counter wrap after seven blocks.
    let mut iv = [0xff; 16];
    iv[15] = 0xf9;
    let mut key = BlockKey::empty(kernels);
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
        Mode::Cts => {
            key.set(&key_bytes, direction);
            let order = Stealing::ALL[bytes % 3];
            order.crypt(&key, direction, &mut iv, InOut::in_place(&mut data));
            tag = iv;
        }
        mode @ (Mode::Cfb | Mode::Cfb8 | Mode::Ofb | Mode::Ctr) => {
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
            // What there are kernels for.
            xts.set_standard(Standard::Ieee);
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
        Mode::Ocb => {
            let mut ocb = Ocb::new(kernels);
            ocb.set_key(&key_bytes);
            ocb.set_tag_bytes(1 + bytes % 16);
            ocb.start(&iv[1 + bytes % 15..]);
            ocb.aad(&key_bytes);
            ocb.aad(&key_bytes[..13]);
            let (first, second) = data.split_at_mut((bytes / 3) & !15);
            ocb.crypt(direction, InOut::in_place(first));
            ocb.crypt(direction, InOut::in_place(second));
            tag = ocb.tag();
        }
        Mode::GcmSiv => {
            let mut siv = GcmSiv::new(kernels);
            siv.set_key(&key_bytes);
            siv.start(iv.first_chunk().expect("a nonce"));
            // The counter is at the other end.
            iv.reverse();
            let (aad, data) = (&key_bytes[..13], InOut::in_place(&mut data));
            tag = siv.crypt(direction, aad, &iv, data);
        }
        Mode::Ccm => {
            let mut ccm = Ccm::new(kernels);
            ccm.set_key(&key_bytes, 4 + 2 * (bytes % 7), 7 + bytes % 7);
            ccm.start(&iv, bytes as u64);
            ccm.aad(&key_bytes[..bytes % 16]);
            ccm.crypt(direction, InOut::in_place(&mut data)).expect("as long as announced");
            tag = ccm.state.tag();
        }
        Mode::Stream | Mode::Poly1305 => unreachable!("no mode of a block cipher"),
    }
    (data, tag)
}

/// A quick proof of one table of kernels, before a first context: known answers, among them one
/// message of every mode that is longer than the longest wave.
pub fn self_test(kernels: &'static BlockKernels) -> bool {
    let mut known = KNOWN_MESSAGES.iter();
    let mut messages = kernel_cases().filter_map(|(algorithm, direction)| {
        let right = *known.next()?;
        (algorithm.block_cipher() == Some(kernels.cipher))
            .then(|| digest(&long_message(kernels, algorithm, direction)) == right)
    });
    known_answers(kernels) && messages.all(|right| right)
}

/// Every algorithm of a block cipher in the directions that differ.
fn cases() -> impl Iterator<Item = (Algorithm, Direction)> {
    Algorithm::ALL.iter().filter(|it| it.block_cipher().is_some()).flat_map(|algorithm| {
        algorithm.directions().iter().map(move |direction| (*algorithm, *direction))
    })
}

/// Those that have kernels of their own: what proves these proves the others.
fn kernel_cases() -> impl Iterator<Item = (Algorithm, Direction)> {
    cases().filter(|(algorithm, _)| algorithm.mode().has_kernels())
}

/// About so many bytes, or as many blocks of work.
fn fitting(algorithm: Algorithm, bytes: usize) -> usize {
    match algorithm.mode() {
        mode if mode.has_byte_segments() => bytes / 16 + 1,
        mode if mode.takes_partial_blocks() => bytes,
        _ => bytes & !15,
    }
}

fn long_message(
    kernels: &'static BlockKernels,
    algorithm: Algorithm,
    direction: Direction,
) -> (Vec<u8>, [u8; 16]) {
    message(kernels, algorithm, direction, fitting(algorithm, 667))
}

/// The digests of the messages that the portable route gives, which tests hold against independent
/// implementations.
#[rustfmt::skip]
const KNOWN_MESSAGES: [u64; 112] = [
    0xc11b_0dac_b68d_ca0a, 0x5b93_f805_6f07_f228, 0x970b_d6fd_de1b_2bb4, 0xbe9b_46c6_f7b7_b51c,
    0x3a5d_d44c_d4dc_3305, 0x5bbd_10cb_2c42_8fe1, 0x752a_daac_6efd_f2d4, 0x1b23_00e0_8585_3ecf,
    0x00f3_e0cb_f344_2ee5, 0xba29_df9e_4ea5_3601, 0x9502_3c3d_7ac6_2974, 0x38fd_8ec7_432c_01d3,
    0x0741_de9c_ff2a_911b, 0xb31a_db84_52a6_b164, 0x56b3_4c3e_b25b_5dd4, 0x48ab_f2f5_6d2d_d705,
    0x4b54_67c5_621d_8a7e, 0x22d8_f9f3_f577_9af7, 0x07ff_0487_8db8_be8f, 0xc137_3484_d6d7_470d,
    0x723b_9590_5a7c_2415, 0x2e50_c7cb_b6e7_c703, 0x976e_5f7a_48b5_1a2e, 0x8f70_79ef_f0b2_81d1,
    0xbf1b_030b_6a3c_aec4, 0xa954_ac47_702f_aa52, 0x4ba8_4d35_ccbc_9636, 0xcb85_a559_31e3_6323,
    0x9b17_2178_7649_df3f, 0xcc9f_abe7_7f41_c339, 0xb7ad_6be9_3210_20b7, 0xbdc6_2e6f_1f60_2726,
    0x45a5_9302_bdf1_3e8d, 0x095d_014e_c25f_db3e,
    0x8c97_ab8f_e682_aa4a, 0x4bd2_4302_1958_73ba, 0x52ba_691e_30b1_a6a4, 0x1ccb_4508_ad66_ad6c,
    0xef66_8561_7394_f95f, 0x3270_1881_6775_3a08,
    0x0244_83bf_a5ff_964c, 0xb64f_bd93_54ae_11d1, 0x1d7f_c466_b178_50ac, 0x31dc_c3bc_c342_cba3,
    0x66c4_ad8a_7ad7_7a27, 0xef28_c3ea_a0ce_faac,
    0xd74b_6fb2_80af_8949, 0x7f16_5767_b279_bbe6, 0x14fb_db66_c58c_ef91, 0xce35_f843_801b_ff3c,
    0x2d75_53fd_d2f4_7348, 0x3b13_b53a_0f4f_ec32, 0xd072_9c53_f379_d79d, 0x0d88_b975_8d67_fe29,
    0x6f6a_6640_5e54_297e, 0xf54f_db81_5d33_6d8e,
    0xec70_f307_cd10_49bf, 0xdf9d_37ee_42a7_502f,
    0x0b47_5134_d82f_cb51, 0x3494_ddf7_18c7_8ca4, 0x2e98_fbbb_54bd_6bcb, 0x5ff7_faf2_a2ad_0b69,
    0xe3c9_1193_c1af_aedb, 0x3274_bf16_f420_6a11, 0x2ceb_3544_d56e_3f0d, 0x8c78_8585_65cc_d7cc,
    0x2980_9b08_0ca4_9bb9, 0xb7dd_f1d0_5d71_03e5, 0x46be_534f_b13d_9a40, 0xb0e0_cf86_8fa2_8468,
    0x07c1_7163_35a4_f00b, 0x5213_5614_50c6_1e89, 0x0f37_ea43_5179_cb6c, 0x07cd_7507_55dc_3a2c,
    0x3ab3_bdd7_08fc_ba24, 0x466c_9523_26d1_2233, 0x2c77_a19f_9420_c6ac, 0xbcc8_01d6_5a8f_0913,
    0xf1eb_da14_c1db_23db, 0x259e_cc1b_8b03_7376, 0xd4d5_289f_cbc4_fd5b, 0xa6fd_7e37_523e_6824,
    0x21cc_2c04_11df_6b15, 0x1b19_f5f1_213b_a118, 0x6303_1b8d_a397_cd34, 0x2094_15fa_ae55_8585,
    0x9b93_6c11_1193_1914, 0xf599_b939_78d1_dd4a, 0x4e55_f4d1_52b9_b545, 0x8e6e_fb9b_9f03_cdd3,
    0x681f_f765_7264_12a7, 0xa152_f2f5_9cbf_75b3, 0xbc17_4320_6d26_15b3, 0xc9a4_6e48_f49f_8354,
    0xf383_4d44_4953_a924, 0xf33c_3dba_21d5_e08d, 0xc38a_d90d_0cbe_7936, 0x0131_5ae4_85f3_5fc2,
    0x7a2b_0d10_b716_4f9f, 0x840b_001f_5c0c_9035, 0x3e18_c39c_0893_2c63, 0x5e5b_b5b6_31fd_2ea4,
    0x7cb7_1ad3_a2e5_4f32, 0x1219_a838_341f_46a4, 0x4dea_cb2a_d7ee_9ccb, 0xc0bc_117b_14ce_bb7b,
    0x6b1e_8c67_2a60_d8a0, 0x05f0_ba57_bbad_f6b1, 0xc58c_1ffb_ac38_7062, 0x5b4a_8a10_fb25_068d,
    0x52bd_4b63_cb68_300c, 0xa03c_b89f_6fad_23a1,
];

/// The answers that standards publish.
fn known_answers(kernels: &'static BlockKernels) -> bool {
    known_block(kernels)
        && (!BlockCipher::AES.contains(&kernels.cipher) || known_gcm_message(kernels))
}

/// FIPS 197 appendices C.1 to C.3; GB/T 32907 appendix A.1; RFC 3713 appendix A; RFC 5794 appendix A.
fn known_block(kernels: &'static BlockKernels) -> bool {
    const CLIMB: [u8; 16] = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210_u128.to_be_bytes();
    let cipher = kernels.cipher;
    let ciphertext: [u8; 16] = match cipher {
        BlockCipher::Aes128 => 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128,
        BlockCipher::Aes192 => 0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191,
        BlockCipher::Aes256 => 0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089,
        BlockCipher::Sm4 => 0x681e_df34_d206_965e_86b3_e94f_536e_4246,
        BlockCipher::Camellia128 => 0x6767_3138_5496_6973_0857_0656_48ea_be43,
        BlockCipher::Camellia192 => 0xb499_3401_b3e9_96f8_4ee5_cee7_d79b_09b9,
        BlockCipher::Camellia256 => 0x9acc_237d_ff16_d76c_20ef_7c91_9e3a_7509,
        BlockCipher::Aria128 => 0xd718_fbd6_ab64_4c73_9da9_5f3b_e645_1778,
        BlockCipher::Aria192 => 0x2644_9c18_05db_e7aa_25a4_68ce_263a_9e79,
        BlockCipher::Aria256 => 0xf92b_d7c7_9fb7_2e2f_2b8f_80c1_972d_24fc,
    }
    .to_be_bytes();
    let steps: [u8; 16] = std::array::from_fn(|i| (i * 0x11) as u8);
    let (plaintext, key_bytes) = match cipher {
        BlockCipher::Sm4
        | BlockCipher::Camellia128
        | BlockCipher::Camellia192
        | BlockCipher::Camellia256 => {
            let key = [CLIMB, steps].concat();
            (CLIMB, key[..usize::from(cipher.key_bits()) / 8].to_vec())
        }
        _ => (steps, (0..cipher.key_bits() / 8).map(|i| i as u8).collect()),
    };
    // Nine blocks: more than one vector of every width.
    Direction::BOTH.into_iter().all(|direction| {
        let (from, to) = match direction {
            Direction::Encrypt => (plaintext, ciphertext),
            Direction::Decrypt => (ciphertext, plaintext),
        };
        let mut key = BlockKey::empty(kernels);
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
fn known_gcm_message(kernels: &'static BlockKernels) -> bool {
    let tag: u128 = match kernels.cipher.key_bits() {
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
    gcm.set_key(&key[..usize::from(kernels.cipher.key_bits()) / 8]);
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

    use wirespeed_cipher::Schedule;
    use wirespeed_cpu::Feature;
    use wirespeed_kernels_core::engine::{self, Engine, Galois};

    use super::*;
    use crate::ROUTES;

    /// AES of the portable route with nothing but its ECB.
    struct Bare;

    impl Engine for Bare {
        const ROUTE: Route = Route::Portable;
        const CIPHER: BlockCipher = BlockCipher::Aes192;
        const GALOIS: Galois = wirespeed_aes::portable::GALOIS;

        fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule) {
            (portable(Self::CIPHER).expand[usize::from(DECRYPT)])(key, out);
        }

        fn ecb<const DECRYPT: bool>(key: &Schedule, data: InOut<'_>) {
            (portable(Self::CIPHER).ecb[usize::from(DECRYPT)])(key, data);
        }
    }

    static BARE: BlockKernels = engine::table::<Bare>();

    #[test]
    #[cfg_attr(miri, ignore = "thousands of single blocks, in safe code")]
    fn every_mode_follows_from_ecb() {
        assert!(self_test(&BARE));
        assert!(prove_table(&BARE).is_ok());
    }

    /// What is here; Miri has no CPU to ask.
    fn features() -> Features {
        if cfg!(miri) { Features::NONE } else { Features::detect() }
    }

    /// Whether there is anything but hash functions on a route.
    fn has_data(route: Route) -> bool {
        let mut ciphers = BlockCipher::ALL.into_iter();
        ciphers.any(|cipher| kernels(route, cipher, features()).is_ok())
            || crate::stream(route, features()).is_ok()
    }

    #[test]
    fn every_route_here_is_proved() {
        let here = Features::detect();
        // AES-NI has other kernels where AVX2 is.
        let lesser = (Route::AesNi, here.without(Feature::Avx2));
        for (route, features) in ROUTES.iter().map(|route| (*route, here)).chain([lesser]) {
            match prove(route, features) {
                Ok(proof) if has_data(route) => assert!(proof.checks > 200, "{route}"),
                Ok(proof) => assert_eq!(proof.checks, 0, "{route} has hash functions alone"),
                Err(Failure::Absent(absent)) => println!("skipped {route}: {absent}"),
                Err(failure) => panic!("{route}: {failure}"),
            }
            for cipher in BlockCipher::ALL {
                if let Ok(kernels) = kernels(route, cipher, features) {
                    assert_eq!((kernels.route, kernels.cipher), (route, cipher));
                    assert!(self_test(kernels), "{route} {cipher}");
                }
            }
        }
    }

    #[test]
    fn known_messages_are_those_of_the_portable_route() {
        let digests: Vec<u64> = kernel_cases()
            .map(|(algorithm, direction)| {
                let cipher = algorithm.block_cipher().expect("of a block cipher");
                let kernels = portable(cipher);
                digest(&long_message(kernels, algorithm, direction))
            })
            .collect();
        assert_eq!(digests, KNOWN_MESSAGES, "{digests:#x?}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "hundreds of messages; the self-test below is the same code")]
    fn every_hash_here_is_proved() {
        for &route in ROUTES {
            let proof = prove_hashes(route, Features::detect());
            let proof = proof.unwrap_or_else(|failure| panic!("{route}: {failure}"));
            match proof.checks {
                0 => println!("skipped {route}: it has no hash functions here"),
                checks => assert!(checks >= 40, "{route}: {checks}"),
            }
        }
    }

    #[test]
    fn a_missing_key_is_no_trap() {
        for &route in ROUTES {
            let kernels = kernels(route, BlockCipher::Aes256, features());
            let Ok(kernels) = kernels else { continue };
            let mut gcm = Gcm::new(kernels);
            let mut data = [0; 100];
            gcm.crypt(Direction::Encrypt, InOut::in_place(&mut data)).expect("a short message");
            assert_eq!(gcm.tag(), [0; 16], "H and the mask are zero");
        }
    }

    /// For Miri, which fails where anything is undefined; the self-test's longer messages would take it minutes.
    #[test]
    #[cfg(miri)]
    fn a_wave_of_every_mode_is_defined() {
        let kernels = portable(BlockCipher::Aes128);
        assert!(known_answers(kernels));
        for (algorithm, direction) in kernel_cases() {
            if algorithm.block_cipher() == Some(kernels.cipher) {
                let bytes = fitting(algorithm, 150);
                assert_ne!(message(kernels, algorithm, direction, bytes).0, CYCLE[..bytes]);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "long messages; the wave above is the same code")]
    fn a_wrong_kernel_is_found() {
        let right = portable(BlockCipher::Aes128);
        static WRONG: OnceLock<BlockKernels> = OnceLock::new();
        let wrong = WRONG.get_or_init(|| BlockKernels {
            route: Route::Portable,
            cipher: right.cipher,
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
            polyval_key: right.polyval_key,
            polyval: right.polyval,
            little_ctr: right.little_ctr,
            ocb: right.ocb,
            ocb_hash: right.ocb_hash,
        });
        assert!(self_test(right));
        assert!(!self_test(wrong));
    }
}

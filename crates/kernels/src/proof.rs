//! The proof of a route on this machine: known answers, then differences against the portable route.

use wirespeed_cipher::modes::{Gcm, Kernels, Message, Standard};
use wirespeed_cipher::{
    Algorithm, Block, BlockCipher, BlockKernels, BlockKey, Compression, Direction, InOut, Route,
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
    let known = known_answers(kernels);
    for (algorithm, direction) in
        cases().filter(|(it, _)| it.block_cipher() == Some(kernels.cipher))
    {
        if !known {
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

/// One message with a key and data that any length and place makes different, and its tag. Where a message may have more
/// than one call, another follows: what a kernel leaves behind counts, too.
fn message(
    kernels: &'static BlockKernels,
    algorithm: Algorithm,
    direction: Direction,
    bytes: usize,
) -> (Vec<u8>, Block) {
    let mode = algorithm.mode();
    let is_whole = mode.takes_whole_messages();
    let cut = if mode.waits_for_blocks() { bytes & !15 } else { bytes };
    let mut data = CYCLE[..if is_whole { bytes } else { bytes + 16 }].to_vec();
    let key: Vec<u8> = (0..algorithm.key_bytes()).map(|i| (i * 7 + bytes) as u8).collect();
    // The last 32 bits of the counter wrap after seven blocks.
    let mut iv = [0xff; 16];
    iv[15] = 0xf9;
    // GCM hashes 16 bytes to the first counter, 12 it does not.
    let longest = iv.len().min(*algorithm.iv_lengths().end());
    let iv_bytes = if bytes.is_multiple_of(2) { algorithm.iv_bytes() } else { longest };
    let mut message = Message::new(Kernels::Block(kernels), mode, direction);
    // What there are kernels for.
    message.set_standard(Standard::Ieee);
    message.set_key(&key, iv_bytes, 16);
    message.start(&iv[16 - iv_bytes..]).expect("an IV of the mode's length");
    if mode.has_tag() {
        // Where the tag is the counter, its other end wraps.
        iv.reverse();
        message.expect(iv);
        for aad in [&key[..], &key[..13]] {
            message.aad(aad).expect("before the data");
        }
    }
    let (first, second) = data.split_at_mut(cut);
    for part in [first, second] {
        if !part.is_empty() {
            message.crypt(InOut::in_place(part)).expect("a length that fits the mode");
        }
    }
    (data, message.tag().unwrap_or_default())
}

/// A quick proof of one table of kernels, before a first context: known answers, among them one
/// message of every mode that is longer than the longest wave.
pub fn self_test(kernels: &'static BlockKernels) -> bool {
    known_answers(kernels) && long_messages(kernels) == KNOWN_MESSAGES[kernels.cipher as usize]
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

/// Twice the blocks that most routes take at once, as many as the widest takes, and some bytes more.
const LONG: usize = 128 * 16 + 155;

/// The digest of a long message of every mode that has kernels.
fn long_messages(kernels: &'static BlockKernels) -> u64 {
    let own = kernel_cases().filter(|(it, _)| it.block_cipher() == Some(kernels.cipher));
    // One after the other: together they would be more memory than a full process has to spare.
    own.fold(0, |all: u64, (algorithm, direction)| {
        let bytes = fitting(algorithm, LONG);
        all.rotate_left(1) ^ digest(&message(kernels, algorithm, direction, bytes))
    })
}

/// What the portable route gives, in the order of [`BlockCipher::ALL`]; tests hold it against independent
/// implementations.
const KNOWN_MESSAGES: [u64; BlockCipher::ALL.len()] = [
    0x1958_0320_d297_9404,
    0xe79f_22ad_3a08_d81c,
    0x4af8_9474_815c_ce6a,
    0x475a_652d_592f_0acf,
    0x937a_fa4a_6a2a_b7d0,
    0x373f_f6c8_ca4f_e500,
    0x6efa_4969_a56a_aeb1,
    0x824e_09f0_59a5_40e1,
    0x4dbd_130e_529b_6463,
    0x361e_6f64_d40b_2e11,
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
        // AES-NI has other kernels where AVX2 is, and SM4's instructions another hash of GCM where PMULL is.
        let lesser = [
            (Route::AesNi, here.without(Feature::Avx2)),
            (Route::Sm4Ce, here.without(Feature::Pmull)),
        ];
        for (route, features) in ROUTES.iter().map(|route| (*route, here)).chain(lesser) {
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
        let digests = BlockCipher::ALL.map(|cipher| long_messages(portable(cipher)));
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
                let (data, _) = message(kernels, algorithm, direction, bytes);
                assert_ne!(data[..bytes], CYCLE[..bytes]);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "long messages; the wave above is the same code")]
    fn a_wrong_kernel_is_found() {
        let right = portable(BlockCipher::Aes128);
        static WRONG: OnceLock<BlockKernels> = OnceLock::new();
        // Encrypts where it should decrypt.
        let wrong = WRONG.get_or_init(|| BlockKernels { cbc: [right.cbc[0]; 2], ..*right });
        assert!(self_test(right));
        assert!(!self_test(wrong));
    }
}

//! libcrypto on 32-bit ARM: which code serves AES, `include/crypto/aes_platform.h` says.
//!
//! - With AES no code for AES has tables.
//! - With NEON `bsaes` (crypto/aes/asm/bsaes-armv7.pl) takes eight blocks, where a mode has so many.
//! - Without either all is tables, and in builds whose `__ARM_MAX_ARCH__` is less than 7, whatever the CPU has: in armel's.

use wirespeed_cipher::BlockCipher;
use wirespeed_cpu::Feature;

use crate::arch::bsaes;
use crate::look_ups::{ALL, ALWAYS, Entry, LookUp, Otherwise};

pub(crate) const IS_ARMEL: bool = cfg!(all(target_arch = "arm", not(target_abi = "eabihf")));

const AES: &[Otherwise] = if IS_ARMEL { &[] } else { &[(ALWAYS, &[Feature::Aes])] };

/// What serves in place of tables, for some modes in part.
const AES_OR_VECTORS: &[Otherwise] =
    if IS_ARMEL { &[] } else { &[(ALWAYS, &[Feature::Aes]), (ALWAYS, &[Feature::Asimd])] };

/// In 3.0 the hash beside `bsaes` is by vectors, and since then it has tables.
const BY_VERSION: &[Otherwise] = &[(ALWAYS, &[])];

const PRODUCTS: &[Otherwise] = if IS_ARMEL { &[] } else { &[(ALWAYS, &[Feature::Pmull])] };

const BY_TABLES: LookUp = LookUp {
    what: ALL,
    source: "AES_encrypt in crypto/aes/asm/aes-armv4.pl, by cipher_hw_aes_initkey in \
             providers/implementations/ciphers/cipher_aes_hw.c",
};

/// The first that fits counts.
pub(crate) const LOOK_UPS: &[&[Entry]] = &[
    &[Entry { unless: AES_OR_VECTORS, look_up: BY_TABLES, ..Entry::OF_AES }],
    &bsaes::look_ups(ALWAYS, AES, BY_VERSION),
    &[
        Entry { unless: AES, look_up: BY_TABLES, ..Entry::OF_AES },
        Entry { unless: PRODUCTS, ..Entry::OF_GCMS_HASH },
        Entry {
            ciphers: &[BlockCipher::Sm4],
            look_up: LookUp { what: ALL, source: "SM4_S and SM4_SBOX_T in crypto/sm4/sm4.c" },
            ..Entry::OF_AES
        },
    ],
];

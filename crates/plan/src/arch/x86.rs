//! libcrypto on x86: which code serves AES and SM4, `include/crypto/aes_platform.h` says.
//!
//! - With AES-NI no code for AES has tables.
//! - With SSSE3 there are two sorts of code for AES without tables. `vpaes` (crypto/aes/asm/vpaes-x86_64.pl) takes one
//!   block at a time, and `bsaes` (bsaes-x86_64.pl) eight, where a mode has so many. 32-bit code has `vpaes` alone.
//! - Without either all is tables.

use wirespeed_cipher::BlockCipher;
use wirespeed_cpu::Feature;

use crate::arch::bsaes;
use crate::look_ups::{ALL, ALWAYS, Entry, LookUp, Otherwise};

const AES_NI: Otherwise = (ALWAYS, &[Feature::Aes]);
const PRODUCTS: Otherwise = (ALWAYS, &[Feature::Pclmulqdq]);

/// Where `bsaes` does not serve: with AES-NI, and in 32-bit code.
const NO_BSAES: &[Otherwise] = if usize::BITS == 64 { &[AES_NI] } else { &[(ALWAYS, &[])] };
const NO_BSAES_OR_HASH: &[Otherwise] =
    if usize::BITS == 64 { &[AES_NI, PRODUCTS] } else { &[(ALWAYS, &[])] };

/// Where instructions for SM4 serve: in 64-bit code.
const SM4_ROUNDS: &[Otherwise] =
    if usize::BITS == 64 { &[((3, 6), &[Feature::Sm4, Feature::Avx2])] } else { &[] };

/// The first that fits counts.
pub(crate) const LOOK_UPS: &[&[Entry]] = &[
    &[Entry {
        unless: &[AES_NI, (ALWAYS, &[Feature::Ssse3])],
        look_up: LookUp {
            what: ALL,
            source: "AES_encrypt in crypto/aes/asm/aes-x86_64.pl and aes-586.pl, \
                     by cipher_hw_aes_initkey in providers/implementations/ciphers/cipher_aes_hw.c",
        },
        ..Entry::OF_AES
    }],
    &bsaes::look_ups(ALWAYS, NO_BSAES, NO_BSAES_OR_HASH),
    &[
        Entry { unless: &[PRODUCTS], ..Entry::OF_GCMS_HASH },
        Entry {
            ciphers: &[BlockCipher::Sm4],
            unless: SM4_ROUNDS,
            look_up: LookUp {
                what: ALL,
                source: "SM4_S and SM4_SBOX_T in crypto/sm4/sm4.c; HWSM4_CAPABLE_X86_64 in \
                         include/crypto/sm4_platform.h",
            },
            ..Entry::OF_AES
        },
    ],
];

//! libcrypto on 64-bit ARM: which code serves AES and SM4, `aes_platform.h` and `sm4_platform.h` in include/crypto say.
//!
//! - With AES no code for AES has tables.
//! - Without, `vpaes` (crypto/aes/asm/vpaes-armv8.pl) takes one block at a time, without tables. Since 3.1 `bsaes`
//!   (bsaes-armv8.pl) takes eight, where a mode has so many.
//! - Without PMULL the hash of GCM is C code with tables.

use wirespeed_cipher::BlockCipher;
use wirespeed_cpu::Feature;

use crate::arch::bsaes;
use crate::look_ups::{ALWAYS, Entry, LookUp, Otherwise};

const AES: Otherwise = (ALWAYS, &[Feature::Aes]);
const PRODUCTS: Otherwise = (ALWAYS, &[Feature::Pmull]);

/// Which version brought ARM's code for eight blocks and for SM4.
const SINCE: (u16, u16) = (3, 1);

/// The first that fits counts.
pub(crate) const LOOK_UPS: &[&[Entry]] = &[
    &bsaes::look_ups(SINCE, &[AES], &[AES, PRODUCTS]),
    &[
        Entry { unless: &[PRODUCTS], ..Entry::OF_GCMS_HASH },
        Entry {
            ciphers: &[BlockCipher::Sm4],
            unless: &[(SINCE, &[Feature::Sm4])],
            look_up: LookUp {
                what: "keys and all blocks, since 3.1 not on Neoverse N1 and Kunpeng 920",
                source: "SM4_S and SM4_SBOX_T in crypto/sm4/sm4.c; vpsm4_capable and vpsm4_ex_capable in \
                         include/crypto/sm4_platform.h",
            },
            ..Entry::OF_AES
        },
    ],
];

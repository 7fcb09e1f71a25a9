//! libcrypto on 32-bit ARM: which code serves AES, `include/crypto/aes_platform.h` says.
//!
//! - With AES no code for AES has tables.
//! - With NEON `bsaes` (crypto/aes/asm/bsaes-armv7.pl) takes eight blocks, where a mode has so many. But its keys are made
//!   with tables, and so is every block that is not one of eight.
//! - Without either all is tables, and in builds whose `__ARM_MAX_ARCH__` is less than 7, whatever the CPU has: in armel's.

use wirespeed_cipher::{BlockCipher, Direction, Mode};
use wirespeed_cpu::Feature;

use crate::look_ups::{ALL, Entry, LookUp, Otherwise};

/// All versions that there are.
const ALWAYS: (u16, u16) = (3, 0);

pub(crate) const IS_ARMEL: bool = cfg!(all(target_arch = "arm", not(target_abi = "eabihf")));

const AES: &[Otherwise] = if IS_ARMEL { &[] } else { &[(ALWAYS, &[Feature::Aes])] };

/// What serves in place of tables, for some modes in part.
const AES_OR_VECTORS: &[Otherwise] =
    if IS_ARMEL { &[] } else { &[(ALWAYS, &[Feature::Aes]), (ALWAYS, &[Feature::Asimd])] };

const PRODUCTS: &[Otherwise] = if IS_ARMEL { &[] } else { &[(ALWAYS, &[Feature::Pmull])] };

const BY_TABLES: LookUp = LookUp {
    what: ALL,
    source: "AES_encrypt in crypto/aes/asm/aes-armv4.pl, by cipher_hw_aes_initkey in \
             providers/implementations/ciphers/cipher_aes_hw.c",
};

/// The first that fits counts.
pub(crate) const LOOK_UPS: &[Entry] = &[
    Entry { unless: AES_OR_VECTORS, look_up: BY_TABLES, ..Entry::OF_AES },
    Entry {
        modes: &[Mode::Ctr],
        unless: AES,
        look_up: LookUp {
            what: "keys, and calls below 128 bytes",
            source: "AES_set_encrypt_key beside ossl_bsaes_ctr32_encrypt_blocks in cipher_aes_hw.c; \
                     .Lctr_enc_short in bsaes-armv7.pl",
        },
        ..Entry::OF_AES
    },
    Entry {
        modes: &[Mode::Cbc, Mode::Cts],
        direction: Some(Direction::Decrypt),
        unless: AES,
        look_up: LookUp {
            what: "keys, and calls below 128 bytes",
            source: "AES_set_decrypt_key beside ossl_bsaes_cbc_encrypt in cipher_aes_hw.c; \
                     the jump to AES_cbc_encrypt and .Lcbc_dec_one in bsaes-armv7.pl",
        },
        ..Entry::OF_AES
    },
    Entry {
        modes: &[Mode::Xts],
        unless: AES,
        look_up: LookUp {
            what: "keys, tweaks and stolen blocks",
            source: "AES_set_encrypt_key beside ossl_bsaes_xts_encrypt in cipher_aes_xts_hw.c; \
                     the calls of AES_encrypt in bsaes-armv7.pl",
        },
        ..Entry::OF_AES
    },
    Entry {
        modes: &[Mode::Gcm],
        unless: AES,
        look_up: LookUp {
            what: "keys, the hash key, and calls below 128 bytes",
            source: "AES_set_encrypt_key and AES_encrypt beside ossl_bsaes_ctr32_encrypt_blocks in \
                     cipher_aes_gcm_hw.c; gcm_ghash_4bit in crypto/modes/gcm128.c of 3.6, too",
        },
        ..Entry::OF_AES
    },
    Entry { unless: AES, look_up: BY_TABLES, ..Entry::OF_AES },
    Entry {
        modes: &[Mode::Gcm, Mode::GcmSiv],
        unless: PRODUCTS,
        look_up: LookUp { what: "the hash", source: "gcm_ghash_4bit in crypto/modes/gcm128.c" },
        ..Entry::OF_AES
    },
    Entry {
        ciphers: &[BlockCipher::Sm4],
        look_up: LookUp { what: ALL, source: "SM4_S and SM4_SBOX_T in crypto/sm4/sm4.c" },
        ..Entry::OF_AES
    },
];

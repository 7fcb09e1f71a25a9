//! libcrypto on x86: which code serves AES and SM4, `include/crypto/aes_platform.h` says.
//!
//! - With AES-NI no code for AES has tables.
//! - With SSSE3 there are two sorts of code for AES without tables. `vpaes` (crypto/aes/asm/vpaes-x86_64.pl) takes one
//!   block at a time. `bsaes` (crypto/aes/asm/bsaes-x86_64.pl) takes eight, where a mode has so many. But its keys are
//!   made with tables, and so is every block that is not one of eight. 32-bit code has `vpaes` alone.
//! - Without either all is tables.

use wirespeed_cipher::{BlockCipher, Direction, Mode};
use wirespeed_cpu::Feature;

use crate::look_ups::{ALL, Entry, LookUp, Otherwise};

/// All versions that there are.
const ALWAYS: (u16, u16) = (3, 0);

const AES_NI: Otherwise = (ALWAYS, &[Feature::Aes]);

/// Where `bsaes` does not serve: with AES-NI, and in 32-bit code.
const NO_BSAES: &[Otherwise] = if usize::BITS == 64 { &[AES_NI] } else { &[(ALWAYS, &[])] };

/// Where instructions for SM4 serve: in 64-bit code.
const SM4_ROUNDS: &[Otherwise] =
    if usize::BITS == 64 { &[((3, 6), &[Feature::Sm4, Feature::Avx2])] } else { &[] };

/// The first that fits counts.
pub(crate) const LOOK_UPS: &[Entry] = &[
    Entry {
        unless: &[AES_NI, (ALWAYS, &[Feature::Ssse3])],
        look_up: LookUp {
            what: ALL,
            source: "AES_encrypt in crypto/aes/asm/aes-x86_64.pl and aes-586.pl, \
                     by cipher_hw_aes_initkey in providers/implementations/ciphers/cipher_aes_hw.c",
        },
        ..Entry::OF_AES
    },
    Entry {
        modes: &[Mode::Ctr],
        unless: NO_BSAES,
        look_up: LookUp {
            what: "keys, and calls below 128 bytes",
            source: "AES_set_encrypt_key beside ossl_bsaes_ctr32_encrypt_blocks in cipher_aes_hw.c; \
                     .Lctr_enc_short in bsaes-x86_64.pl",
        },
        ..Entry::OF_AES
    },
    Entry {
        modes: &[Mode::Cbc, Mode::Cts],
        direction: Some(Direction::Decrypt),
        unless: NO_BSAES,
        look_up: LookUp {
            what: "keys, and calls below 128 bytes",
            source: "AES_set_decrypt_key beside ossl_bsaes_cbc_encrypt in cipher_aes_hw.c; \
                     the jump to asm_AES_cbc_encrypt and .Lcbc_dec_one in bsaes-x86_64.pl",
        },
        ..Entry::OF_AES
    },
    Entry {
        modes: &[Mode::Xts],
        unless: NO_BSAES,
        look_up: LookUp {
            what: "keys, tweaks and stolen blocks",
            source: "AES_set_encrypt_key beside ossl_bsaes_xts_encrypt in cipher_aes_xts_hw.c; \
                     the calls of asm_AES_encrypt in bsaes-x86_64.pl",
        },
        ..Entry::OF_AES
    },
    Entry {
        modes: &[Mode::Gcm],
        unless: NO_BSAES,
        look_up: LookUp {
            what: "keys, the hash key, and calls below 128 bytes",
            source: "AES_set_encrypt_key and AES_encrypt beside ossl_bsaes_ctr32_encrypt_blocks in \
                     cipher_aes_gcm_hw.c; without PCLMULQDQ gcm_ghash_4bit in crypto/modes/gcm128.c, too",
        },
        ..Entry::OF_AES
    },
    Entry {
        modes: &[Mode::Gcm, Mode::GcmSiv],
        unless: &[(ALWAYS, &[Feature::Pclmulqdq])],
        look_up: LookUp { what: "the hash", source: "gcm_ghash_4bit in crypto/modes/gcm128.c" },
        ..Entry::OF_AES
    },
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
];

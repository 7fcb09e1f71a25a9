//! libcrypto on RISC-V: which code serves AES and SM4, `cipher_aes_hw_rv64i.inc` and its like in
//! providers/implementations/ciphers say. Extensions are found since 3.4; before, they must be named in OPENSSL_riscvcap.

use wirespeed_cipher::BlockCipher;
use wirespeed_cpu::Feature;

use crate::look_ups::{ALL, Entry, LookUp, Otherwise};

/// From which version extensions are found.
const FOUND: (u16, u16) = (3, 4);

const COLUMNS: Otherwise = (FOUND, &[Feature::Zkne, Feature::Zknd]);
const ROUNDS: Otherwise = (FOUND, &[Feature::V, Feature::Zvkned]);

/// The first that fits counts.
pub(crate) const LOOK_UPS: &[&[Entry]] = &[&[
    Entry {
        unless: &[COLUMNS, ROUNDS],
        look_up: LookUp {
            what: ALL,
            source: "AES_encrypt in crypto/aes/asm/aes-riscv64.pl, else in crypto/aes/aes_core.c",
        },
        ..Entry::OF_AES
    },
    Entry {
        ciphers: &[BlockCipher::Aes192],
        with: ROUNDS.1,
        look_up: LookUp {
            what: "keys",
            source: "AES_set_encrypt_key for 192 bits in cipher_hw_rv64i_zvkned_initkey of \
                     cipher_aes_hw_rv64i.inc, in aes-riscv64.pl",
        },
        ..Entry::OF_AES
    },
    Entry {
        unless: &[
            (FOUND, &[Feature::Zbc]),
            (FOUND, &[Feature::V, Feature::Zvkg]),
            (FOUND, &[Feature::V, Feature::Zvkb, Feature::Zvbc]),
        ],
        ..Entry::OF_GCMS_HASH
    },
    Entry {
        ciphers: &[BlockCipher::Sm4],
        unless: &[(FOUND, &[Feature::V, Feature::Zvkb, Feature::Zvksed])],
        look_up: LookUp {
            what: ALL,
            source: "SM4_S and SM4_SBOX_T in crypto/sm4/sm4.c; RISCV_HAS_ZVKB_AND_ZVKSED in \
                     cipher_sm4_hw_rv64i.inc",
        },
        ..Entry::OF_AES
    },
]];

//! `bsaes`, OpenSSL's code for AES without instructions for it, on x86-64 and ARM. It takes eight blocks at a time and
//! has no tables. But its keys are made with tables, and so is every block that is not one of eight.

use wirespeed_cipher::{Direction, Mode};

use crate::look_ups::{Entry, LookUp, Otherwise};

/// What looks up where it serves, from a version on: other than with these features, and as to GCM's hash with these.
pub(crate) const fn look_ups(
    since: (u16, u16),
    unless: &'static [Otherwise],
    unless_hash: &'static [Otherwise],
) -> [Entry; 5] {
    const GCM: &str = "AES_set_encrypt_key and AES_encrypt beside ossl_bsaes_ctr32_encrypt_blocks in \
                       cipher_aes_gcm_hw.c; gcm_ghash_4bit in crypto/modes/gcm128.c";
    let of_aes = Entry { since, unless, ..Entry::OF_AES };
    [
        Entry {
            modes: &[Mode::Ctr],
            look_up: LookUp {
                what: "keys, and calls below 128 bytes",
                source: "AES_set_encrypt_key beside ossl_bsaes_ctr32_encrypt_blocks in cipher_aes_hw.c; \
                         .Lctr_enc_short in bsaes-*.pl",
            },
            ..of_aes
        },
        Entry {
            modes: &[Mode::Cbc, Mode::Cts],
            direction: Some(Direction::Decrypt),
            look_up: LookUp {
                what: "keys, and calls below 128 bytes",
                source: "AES_set_decrypt_key beside ossl_bsaes_cbc_encrypt in cipher_aes_hw.c; \
                         the jump to AES_cbc_encrypt and .Lcbc_dec_one in bsaes-*.pl",
            },
            ..of_aes
        },
        Entry {
            modes: &[Mode::Xts],
            look_up: LookUp {
                what: "keys, tweaks and stolen blocks",
                source: "AES_set_encrypt_key beside ossl_bsaes_xts_encrypt in cipher_aes_xts_hw.c; \
                         the calls of AES_encrypt in bsaes-*.pl",
            },
            ..of_aes
        },
        Entry {
            modes: &[Mode::Gcm],
            unless: unless_hash,
            look_up: LookUp { what: "keys, the hash, and calls below 128 bytes", source: GCM },
            ..of_aes
        },
        Entry {
            modes: &[Mode::Gcm],
            look_up: LookUp { what: "keys, the hash key, and calls below 128 bytes", source: GCM },
            ..of_aes
        },
    ]
}

//! The algorithms that sequences are about: what the module has.

use std::ffi::CStr;

use crate::calls::Family;

/// What the module has, and by what chance it is drawn.
pub(crate) const BLOCK_CIPHERS: [(&str, &[&str]); 8] = [
    ("AES-128", AES),
    ("AES-192", AES_192),
    ("AES-256", AES),
    ("SM4", SM4),
    ("CAMELLIA-128", CAMELLIA),
    ("CAMELLIA-256", CAMELLIA),
    ("ARIA-128", ARIA),
    ("ARIA-256", ARIA),
];
const AES: &[&str] = &[
    "ECB", "CBC", "CFB", "CBC-CTS", "CFB8", "OFB", "CTR", "XTS", "GCM", "OCB", "GCM-SIV", "GCM",
    "CBC", "CTR",
];
const AES_192: &[&str] =
    &["ECB", "CBC", "CFB", "CBC-CTS", "CFB8", "OFB", "CTR", "GCM", "OCB", "GCM-SIV"];
const SM4: &[&str] = &["ECB", "CBC", "CFB", "OFB", "CTR", "GCM", "CCM", "XTS"];
const CAMELLIA: &[&str] = &["ECB", "CBC", "CFB", "CBC-CTS", "OFB", "CTR"];
const ARIA: &[&str] = &["ECB", "CBC", "CFB", "OFB", "CTR", "GCM", "CCM"];
pub(crate) const DIGESTS: [&str; 13] = [
    "MD5",
    "SHA1",
    "SHA2-224",
    "SHA2-256",
    "SHA2-384",
    "SHA2-512",
    "SM3",
    "SHA3-224",
    "SHA3-256",
    "SHA3-384",
    "SHA3-512",
    "SHAKE-128",
    "SHAKE-256",
];
pub(crate) const MAC_DIGESTS: [&CStr; 14] = [
    c"MD5",
    c"SHA1",
    c"SHA2-224",
    c"SHA2-256",
    c"SHA2-384",
    c"SHA2-512",
    c"SM3",
    c"SHA3-224",
    c"SHA3-256",
    c"SHA3-384",
    c"SHA3-512",
    c"sha256",
    c"RIPEMD160",
    c"NOSUCH",
];

/// The names of all block ciphers' modes, put together once.
pub(crate) fn names() -> &'static Vec<Vec<&'static str>> {
    static NAMES: std::sync::OnceLock<Vec<Vec<&'static str>>> = std::sync::OnceLock::new();
    NAMES.get_or_init(|| {
        let joined = |cipher: &str, mode: &&str| &*format!("{cipher}-{mode}").leak();
        BLOCK_CIPHERS
            .iter()
            .map(|(cipher, modes)| modes.iter().map(|mode| joined(cipher, mode)).collect())
            .collect()
    })
}

/// Every algorithm of a family.
pub(crate) fn all(family: Family) -> Vec<&'static str> {
    match family {
        Family::Cipher => {
            let mut all: Vec<_> = names().iter().flatten().copied().collect();
            all.extend(["ChaCha20", "ChaCha20-Poly1305"]);
            all.sort_unstable();
            all.dedup();
            all
        }
        Family::Digest => DIGESTS.to_vec(),
        Family::Mac => vec!["HMAC"],
    }
}

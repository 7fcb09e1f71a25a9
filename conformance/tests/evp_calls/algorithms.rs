//! The algorithms that sequences are about: what the module has.

use std::ffi::CStr;

use wirespeed_cipher::{Algorithm, BlockCipher, Digest, Mode};

use crate::calls::Family;

/// The block ciphers; a key of 192 bits only for AES.
const BLOCK_CIPHERS: [BlockCipher; 8] = [
    BlockCipher::Aes128,
    BlockCipher::Aes192,
    BlockCipher::Aes256,
    BlockCipher::Sm4,
    BlockCipher::Camellia128,
    BlockCipher::Camellia256,
    BlockCipher::Aria128,
    BlockCipher::Aria256,
];
/// Where these are drawn twice as often as other modes.
const FREQUENT: [Mode; 3] = [Mode::Gcm, Mode::Cbc, Mode::Ctr];
pub(crate) const DIGESTS: [&str; Digest::ALL.len()] = {
    let mut names = [""; _];
    let mut place = 0;
    while place < names.len() {
        names[place] = Digest::ALL[place].name();
        place += 1;
    }
    names
};
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

/// The names of all that each block cipher has, by what chance they are drawn.
pub(crate) fn names() -> &'static Vec<Vec<&'static str>> {
    static NAMES: std::sync::OnceLock<Vec<Vec<&'static str>>> = std::sync::OnceLock::new();
    NAMES.get_or_init(|| {
        let of_cipher = |cipher: BlockCipher| {
            let own = Algorithm::ALL.iter().filter(move |it| it.block_cipher() == Some(cipher));
            let is_frequent = matches!(cipher, BlockCipher::Aes128 | BlockCipher::Aes256);
            let again = FREQUENT.into_iter().filter(move |_| is_frequent);
            let again = again.filter_map(|mode| own.clone().find(|it| it.mode() == mode));
            own.clone().chain(again).map(|it| it.name()).collect()
        };
        BLOCK_CIPHERS.into_iter().map(of_cipher).collect()
    })
}

/// Every algorithm of a family.
pub(crate) fn all(family: Family) -> Vec<&'static str> {
    match family {
        Family::Cipher => {
            let mut all: Vec<_> = names().iter().flatten().copied().collect();
            let of_none = Algorithm::ALL.iter().filter(|it| it.block_cipher().is_none());
            all.extend(of_none.map(|it| it.name()));
            all.sort_unstable();
            all.dedup();
            all
        }
        Family::Digest => DIGESTS.to_vec(),
        Family::Mac => vec!["HMAC"],
    }
}

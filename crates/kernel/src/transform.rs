//! What the kernel can compute: OpenSSL's names and the kernel's.

/// Which kind of socket serves, and its sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// "skcipher": data in, as many out; the IV moves on.
    Cipher {
        /// The key; for XTS both.
        key_bytes: usize,
        /// The IV; none for ECB.
        iv_bytes: usize,
        /// What a request must be a multiple of; 1 for CTR.
        block_bytes: usize,
    },
    /// "aead": a whole message at once.
    Aead {
        /// The key.
        key_bytes: usize,
        /// The nonce, as OpenSSL takes it.
        iv_bytes: usize,
        /// The tag.
        tag_bytes: usize,
    },
    /// "hash", with or without a key.
    Hash {
        /// The digest.
        bytes: usize,
        /// Whether it takes a key.
        keyed: bool,
    },
}

/// One algorithm of the kernel's.
#[derive(Debug, PartialEq, Eq)]
pub struct Transform {
    /// OpenSSL's name, as `wirespeed_cipher::Subject` knows it.
    pub name: &'static str,
    /// The kernel's generic name, such as `cbc(aes)`.
    pub kernel: &'static str,
    /// The kind of socket.
    pub kind: Kind,
}

impl Transform {
    /// The one for OpenSSL's name.
    pub fn named(_name: &str) -> Option<&'static Self> {
        None
    }
}

//! What the kernel can compute: OpenSSL's names and the kernel's.

use wirespeed_cipher::{Mode, Shape, Subject};

/// Which kind of socket serves, and its sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// "skcipher": data in, as many out; the IV moves on.
    Cipher {
        /// The key; for XTS both.
        key_bytes: usize,
        /// The IV; none for ECB.
        iv_bytes: usize,
        /// What a request must be a multiple of; 1 for CTR, and for XTS, whose data units are of 16
        /// bytes or more.
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

impl Kind {
    /// The kernel's word, which also names the module that serves it (`algif_skcipher`).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cipher { .. } => "skcipher",
            Self::Aead { .. } => "aead",
            Self::Hash { .. } => "hash",
        }
    }
}

/// How the IV of the next call follows from this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// There is none, or it stays: ECB, XTS, and whatever is no stream of blocks.
    Still,
    /// The last block of ciphertext: CBC, CFB.
    Ciphertext,
    /// The last block of keystream: OFB.
    Keystream,
    /// A big-endian number, one more for each block begun: CTR.
    Counter,
    /// A little-endian number, one more for each 64 bytes begun: ChaCha20.
    Number,
}

/// One algorithm of the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transform {
    /// OpenSSL's name, as `wirespeed_cipher::Subject` knows it.
    pub name: &'static str,
    /// The kernel's generic name, such as `cbc(aes)`.
    pub kernel: &'static str,
    /// The kind of socket.
    pub kind: Kind,
    pub(crate) chain: Chain,
}

/// A block cipher or ChaCha20 in a mode; `block` is its block.
const fn cipher(mode: Mode, key_bytes: usize, block: usize) -> (Kind, Chain) {
    let (chain, iv_bytes, block_bytes) = match mode {
        Mode::Ecb => (Chain::Still, 0, block),
        Mode::Cbc | Mode::Cfb => (Chain::Ciphertext, block, block),
        Mode::Ofb => (Chain::Keystream, block, block),
        Mode::Ctr => (Chain::Counter, block, 1),
        Mode::Xts => (Chain::Still, block, 1),
        // Its IV is OpenSSL's: block number and nonce.
        Mode::Stream => (Chain::Number, block, 1),
        _ => panic!("a mode without a socket of this kind"),
    };
    (Kind::Cipher { key_bytes, iv_bytes, block_bytes }, chain)
}

const fn aead(key_bytes: usize) -> (Kind, Chain) {
    (Kind::Aead { key_bytes, iv_bytes: 12, tag_bytes: 16 }, Chain::Still)
}

const fn hash(bytes: usize, keyed: bool) -> (Kind, Chain) {
    (Kind::Hash { bytes, keyed }, Chain::Still)
}

impl Transform {
    /// Every one of the catalogue's, in its order. Which of them a kernel has is its configuration's choice.
    pub const ALL: &'static [Self] = &{
        let mut all = [Self::at(0).expect("Linux has AES in ECB"); Self::COUNT];
        let (mut subject, mut count) = (0, 0);
        while subject < Subject::COUNT {
            if let Some(transform) = Self::at(subject) {
                all[count] = transform;
                count += 1;
            }
            subject += 1;
        }
        all
    };

    const COUNT: usize = {
        let (mut subject, mut count) = (0, 0);
        while subject < Subject::COUNT {
            count += Self::at(subject).is_some() as usize;
            subject += 1;
        }
        count
    };

    /// What Linux calls the subject at that place, if it has it.
    const fn at(place: usize) -> Option<Self> {
        let Some(subject) = Subject::at(place) else { return None };
        let (name, kernel, (kind, chain)) = match subject {
            Subject::Cipher(it) => {
                let Some(kernel) = it.linux_name() else { return None };
                let of_mode = match it.mode().has_tag() {
                    true => aead(it.key_bytes()),
                    false => cipher(it.mode(), it.key_bytes(), 16),
                };
                (it.name(), kernel, of_mode)
            }
            Subject::Digest(it) => {
                let Some(kernel) = it.linux_name() else { return None };
                (it.name(), kernel, hash(it.bytes(), false))
            }
            Subject::Delegated(it) => {
                let of_shape = match it.shape() {
                    Shape::Cipher { mode, key_bytes, block_bytes } => {
                        cipher(mode, key_bytes, block_bytes)
                    }
                    Shape::Aead { key_bytes } => aead(key_bytes),
                    Shape::Hash { bytes } => hash(bytes, false),
                    Shape::Mac { bytes } => hash(bytes, true),
                };
                (it.name(), it.linux_name(), of_shape)
            }
        };
        Some(Self { name, kernel, kind, chain })
    }

    /// Whether a call is a data unit, which cannot be cut and has 16 bytes at least.
    pub(crate) fn is_xts(&self) -> bool {
        self.kernel.starts_with("xts(")
    }

    /// The one for OpenSSL's name, in capitals or not.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|transform| transform.name.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_linux_s_is_found_by_openssl_s() {
        assert!(Transform::ALL.len() > 80);
        for transform in Transform::ALL {
            let found = Transform::named(&transform.name.to_lowercase());
            assert_eq!(found, Some(transform));
        }
        assert_eq!(Transform::named("cbc(aes)"), None);
        assert_eq!(Transform::named("AES-128-OCB"), None, "Linux has none");
    }

    /// The names are Linux's: a mode, or what it is made of, around the cipher.
    #[test]
    fn names_and_kinds_belong_together() {
        for transform in Transform::ALL {
            let mode = transform.kernel.split('(').next().expect("the first part");
            let chain = match mode {
                "cbc" | "cfb" => Chain::Ciphertext,
                "ofb" => Chain::Keystream,
                "ctr" => Chain::Counter,
                "chacha20" => Chain::Number,
                _ => Chain::Still,
            };
            assert_eq!(transform.chain, chain, "{}", transform.name);
            let kind = match mode {
                "ecb" | "cbc" | "cfb" | "ofb" | "ctr" | "xts" | "chacha20" => "skcipher",
                "gcm" | "ccm" | "rfc7539" => "aead",
                _ => "hash",
            };
            assert_eq!(transform.kind.name(), kind, "{}", transform.name);
        }
    }
}

//! What an algorithm takes and gives, whoever's it is.

use wirespeed_cipher::{Mode, Shape, Subject};

/// What kind of thing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A cipher whose state is an IV.
    Cipher,
    /// One call for each message: a data unit of XTS, or what is stolen from.
    Unit,
    /// A message ends with a tag.
    Aead,
    /// The same, and the tag's length is set before the key, the tag itself before the data.
    Ccm,
    /// The same, and decryption is given the tag before the data.
    Synthetic,
    /// A hash function.
    Hash,
    /// A keyed hash function.
    Mac,
}

/// The kind and the sizes in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) kind: Kind,
    pub(crate) key_bytes: usize,
    pub(crate) iv_bytes: usize,
    /// What a call must be a multiple of.
    pub(crate) block_bytes: usize,
}

/// The tag of every AEAD here.
pub(crate) const TAG_BYTES: usize = 16;

/// The longest hash: EVP_MAX_MD_SIZE of openssl/evp.h.
pub(crate) const LONGEST_HASH: usize = 64;

impl Form {
    pub(crate) fn of(subject: Subject) -> Self {
        let hash = |kind, key_bytes| Self { kind, key_bytes, iv_bytes: 0, block_bytes: 1 };
        match subject {
            Subject::Cipher(algorithm) => {
                let mode = algorithm.mode();
                Self {
                    kind: match mode {
                        Mode::Ccm => Kind::Ccm,
                        mode if mode.wants_tag_first() => Kind::Synthetic,
                        mode if mode.has_tag() => Kind::Aead,
                        mode if mode.takes_whole_messages() => Kind::Unit,
                        _ => Kind::Cipher,
                    },
                    key_bytes: algorithm.key_bytes(),
                    iv_bytes: algorithm.iv_bytes(),
                    block_bytes: if mode.takes_partial_blocks() { 1 } else { 16 },
                }
            }
            Subject::Digest(_) => hash(Kind::Hash, 0),
            Subject::Delegated(delegated) => match delegated.shape() {
                Shape::Cipher { mode, key_bytes, block_bytes: block } => Self {
                    kind: Kind::Cipher,
                    key_bytes,
                    iv_bytes: if mode == Mode::Ecb { 0 } else { block },
                    block_bytes: if mode.takes_partial_blocks() { 1 } else { block },
                },
                Shape::Aead { key_bytes } => {
                    let is_ccm = delegated.name().ends_with("-CCM");
                    let kind = if is_ccm { Kind::Ccm } else { Kind::Aead };
                    Self { kind, key_bytes, iv_bytes: 12, block_bytes: 1 }
                }
                Shape::Hash { .. } => hash(Kind::Hash, 0),
                // RFC 2104 §3: a key as long as the digest.
                Shape::Mac { bytes } => hash(Kind::Mac, bytes),
            },
        }
    }

    pub(crate) const fn has_tag(self) -> bool {
        matches!(self.kind, Kind::Aead | Kind::Ccm | Kind::Synthetic)
    }

    /// Whether decryption is given the tag before the data; otherwise it may come any time before the end.
    pub(crate) const fn wants_tag_first(self) -> bool {
        matches!(self.kind, Kind::Ccm | Kind::Synthetic)
    }
}

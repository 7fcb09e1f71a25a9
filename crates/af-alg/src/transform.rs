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
#[derive(Debug, PartialEq, Eq)]
pub struct Transform {
    /// OpenSSL's name, as `wirespeed_cipher::Subject` knows it.
    pub name: &'static str,
    /// The kernel's generic name, such as `cbc(aes)`.
    pub kernel: &'static str,
    /// The kind of socket.
    pub kind: Kind,
    pub(crate) chain: Chain,
}

const fn cipher(
    name: &'static str,
    kernel: &'static str,
    key_bytes: usize,
    block: usize,
) -> Transform {
    let (chain, iv_bytes, block_bytes) = match kernel.as_bytes() {
        [b'e', b'c', b'b', ..] => (Chain::Still, 0, block),
        [b'c', b'b', b'c', ..] | [b'c', b'f', b'b', ..] => (Chain::Ciphertext, block, block),
        [b'o', b'f', b'b', ..] => (Chain::Keystream, block, block),
        [b'c', b't', b'r', ..] => (Chain::Counter, block, 1),
        [b'x', b't', b's', ..] => (Chain::Still, block, 1),
        [b'c', b'h', b'a', ..] => (Chain::Number, block, 1),
        _ => panic!("a mode of the kernel's"),
    };
    Transform { name, kernel, kind: Kind::Cipher { key_bytes, iv_bytes, block_bytes }, chain }
}

const fn aead(name: &'static str, kernel: &'static str, key_bytes: usize) -> Transform {
    let kind = Kind::Aead { key_bytes, iv_bytes: 12, tag_bytes: 16 };
    Transform { name, kernel, kind, chain: Chain::Still }
}

const fn hash(name: &'static str, kernel: &'static str, bytes: usize) -> Transform {
    Transform { name, kernel, kind: Kind::Hash { bytes, keyed: false }, chain: Chain::Still }
}

const fn mac(name: &'static str, kernel: &'static str, bytes: usize) -> Transform {
    Transform { name, kernel, kind: Kind::Hash { bytes, keyed: true }, chain: Chain::Still }
}

impl Transform {
    /// Every one, in the vocabulary's order. Which of them a kernel has is its configuration's choice.
    pub const ALL: &'static [Self] = &[
        cipher("AES-128-ECB", "ecb(aes)", 16, 16),
        cipher("AES-192-ECB", "ecb(aes)", 24, 16),
        cipher("AES-256-ECB", "ecb(aes)", 32, 16),
        cipher("AES-128-CBC", "cbc(aes)", 16, 16),
        cipher("AES-192-CBC", "cbc(aes)", 24, 16),
        cipher("AES-256-CBC", "cbc(aes)", 32, 16),
        // CFB and OFB are gone since Linux 6.8 ("crypto: cfb,ofb - Remove cfb and ofb").
        cipher("AES-128-CFB", "cfb(aes)", 16, 16),
        cipher("AES-192-CFB", "cfb(aes)", 24, 16),
        cipher("AES-256-CFB", "cfb(aes)", 32, 16),
        cipher("AES-128-OFB", "ofb(aes)", 16, 16),
        cipher("AES-192-OFB", "ofb(aes)", 24, 16),
        cipher("AES-256-OFB", "ofb(aes)", 32, 16),
        cipher("AES-128-CTR", "ctr(aes)", 16, 16),
        cipher("AES-192-CTR", "ctr(aes)", 24, 16),
        cipher("AES-256-CTR", "ctr(aes)", 32, 16),
        cipher("AES-128-XTS", "xts(aes)", 32, 16),
        cipher("AES-256-XTS", "xts(aes)", 64, 16),
        aead("AES-128-GCM", "gcm(aes)", 16),
        aead("AES-192-GCM", "gcm(aes)", 24),
        aead("AES-256-GCM", "gcm(aes)", 32),
        cipher("SM4-ECB", "ecb(sm4)", 16, 16),
        cipher("SM4-CBC", "cbc(sm4)", 16, 16),
        cipher("SM4-CFB", "cfb(sm4)", 16, 16),
        cipher("SM4-OFB", "ofb(sm4)", 16, 16),
        cipher("SM4-CTR", "ctr(sm4)", 16, 16),
        cipher("CAMELLIA-128-ECB", "ecb(camellia)", 16, 16),
        cipher("CAMELLIA-192-ECB", "ecb(camellia)", 24, 16),
        cipher("CAMELLIA-256-ECB", "ecb(camellia)", 32, 16),
        cipher("CAMELLIA-128-CBC", "cbc(camellia)", 16, 16),
        cipher("CAMELLIA-192-CBC", "cbc(camellia)", 24, 16),
        cipher("CAMELLIA-256-CBC", "cbc(camellia)", 32, 16),
        cipher("CAMELLIA-128-CFB", "cfb(camellia)", 16, 16),
        cipher("CAMELLIA-192-CFB", "cfb(camellia)", 24, 16),
        cipher("CAMELLIA-256-CFB", "cfb(camellia)", 32, 16),
        cipher("CAMELLIA-128-OFB", "ofb(camellia)", 16, 16),
        cipher("CAMELLIA-192-OFB", "ofb(camellia)", 24, 16),
        cipher("CAMELLIA-256-OFB", "ofb(camellia)", 32, 16),
        cipher("CAMELLIA-128-CTR", "ctr(camellia)", 16, 16),
        cipher("CAMELLIA-192-CTR", "ctr(camellia)", 24, 16),
        cipher("CAMELLIA-256-CTR", "ctr(camellia)", 32, 16),
        cipher("ARIA-128-ECB", "ecb(aria)", 16, 16),
        cipher("ARIA-192-ECB", "ecb(aria)", 24, 16),
        cipher("ARIA-256-ECB", "ecb(aria)", 32, 16),
        cipher("ARIA-128-CBC", "cbc(aria)", 16, 16),
        cipher("ARIA-192-CBC", "cbc(aria)", 24, 16),
        cipher("ARIA-256-CBC", "cbc(aria)", 32, 16),
        cipher("ARIA-128-CFB", "cfb(aria)", 16, 16),
        cipher("ARIA-192-CFB", "cfb(aria)", 24, 16),
        cipher("ARIA-256-CFB", "cfb(aria)", 32, 16),
        cipher("ARIA-128-OFB", "ofb(aria)", 16, 16),
        cipher("ARIA-192-OFB", "ofb(aria)", 24, 16),
        cipher("ARIA-256-OFB", "ofb(aria)", 32, 16),
        cipher("ARIA-128-CTR", "ctr(aria)", 16, 16),
        cipher("ARIA-192-CTR", "ctr(aria)", 24, 16),
        cipher("ARIA-256-CTR", "ctr(aria)", 32, 16),
        // Its IV is OpenSSL's: block number and nonce.
        cipher("ChaCha20", "chacha20", 32, 16),
        aead("ChaCha20-Poly1305", "rfc7539(chacha20,poly1305)", 32),
        hash("MD5", "md5", 16),
        hash("SHA1", "sha1", 20),
        hash("SHA2-224", "sha224", 28),
        hash("SHA2-256", "sha256", 32),
        hash("SHA2-384", "sha384", 48),
        hash("SHA2-512", "sha512", 64),
        hash("SM3", "sm3", 32),
        hash("SHA3-224", "sha3-224", 28),
        hash("SHA3-256", "sha3-256", 32),
        hash("SHA3-384", "sha3-384", 48),
        hash("SHA3-512", "sha3-512", 64),
        cipher("DES-ECB", "ecb(des)", 8, 8),
        cipher("DES-CBC", "cbc(des)", 8, 8),
        cipher("DES-EDE3-ECB", "ecb(des3_ede)", 24, 8),
        cipher("DES-EDE3-CBC", "cbc(des3_ede)", 24, 8),
        cipher("BF-ECB", "ecb(blowfish)", 16, 8),
        cipher("BF-CBC", "cbc(blowfish)", 16, 8),
        cipher("CAST5-ECB", "ecb(cast5)", 16, 8),
        cipher("CAST5-CBC", "cbc(cast5)", 16, 8),
        aead("AES-128-CCM", "ccm(aes)", 16),
        aead("AES-192-CCM", "ccm(aes)", 24),
        aead("AES-256-CCM", "ccm(aes)", 32),
        hash("MD4", "md4", 16),
        mac("HMAC-MD5", "hmac(md5)", 16),
        mac("HMAC-SHA1", "hmac(sha1)", 20),
        mac("HMAC-SHA2-256", "hmac(sha256)", 32),
        mac("HMAC-SHA2-512", "hmac(sha512)", 64),
    ];

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
    use wirespeed_cipher::{Algorithm, Mode, Shape, Subject};

    /// What the vocabulary says of a subject, in the words of this module.
    fn expected(subject: Subject) -> Kind {
        let of_mode = |mode: Mode, key_bytes: usize, block: usize| Kind::Cipher {
            key_bytes,
            iv_bytes: if mode == Mode::Ecb { 0 } else { block },
            block_bytes: if matches!(mode, Mode::Ctr | Mode::Xts | Mode::Stream) {
                1
            } else {
                block
            },
        };
        match subject {
            Subject::Cipher(it) if it.mode().has_tag() => {
                Kind::Aead { key_bytes: it.key_bytes(), iv_bytes: it.iv_bytes(), tag_bytes: 16 }
            }
            Subject::Cipher(it) => of_mode(it.mode(), it.key_bytes(), 16),
            Subject::Digest(it) => Kind::Hash { bytes: it.bytes(), keyed: false },
            Subject::Foreign(it) => match it.shape() {
                Shape::Cipher { mode, key_bytes, block_bytes } => {
                    of_mode(mode, key_bytes, block_bytes)
                }
                Shape::Aead { key_bytes } => Kind::Aead { key_bytes, iv_bytes: 12, tag_bytes: 16 },
                Shape::Hash { bytes } => Kind::Hash { bytes, keyed: false },
                Shape::Mac { bytes } => Kind::Hash { bytes, keyed: true },
            },
        }
    }

    /// The kernel has had everything in the vocabulary but OCB, GCM-SIV, CFB8 and what has no length of
    /// its own; of ciphertext stealing it has one order, and not that of OpenSSL's. ARIA in GCM it has, but
    /// no published example with 192 bits to prove it by; SM4 in GCM too, which OpenSSL 3.0 could not hand it, and in
    /// XTS, by IEEE 1619 where OpenSSL's is by GB/T 17964.
    #[test]
    fn every_subject_is_in_the_table_in_its_order_and_with_its_sizes() {
        let is_aes = |it: Algorithm| it.name().starts_with("AES");
        let left_out = |it: Algorithm| match it.mode() {
            Mode::Ocb | Mode::GcmSiv | Mode::Ccm | Mode::Cts | Mode::Cfb8 => true,
            Mode::Gcm | Mode::Xts => !is_aes(it),
            _ => false,
        };
        let never = |it: &Subject| it.cipher().is_some_and(left_out);
        let subjects = || Subject::all().filter(|it| !it.is_extendable() && !never(it));
        let names: Vec<_> = subjects().map(Subject::name).collect();
        let table: Vec<_> = Transform::ALL.iter().map(|transform| transform.name).collect();
        assert_eq!(table, names);
        for subject in subjects() {
            let transform = Transform::named(&subject.name().to_lowercase()).expect("it is there");
            assert_eq!(transform.kind, expected(subject), "{subject}");
        }
        assert_eq!(Transform::named("cbc(aes)"), None);
    }
}

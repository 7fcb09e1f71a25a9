//! The promises as tables: what is measured, what is required, what is hoped for.
//!
//! They hold on a CPU with VAES-512, GFNI and SHA-NI, for the provider in a stock libcrypto through EVP
//! where nothing else is said. Algorithms go by OpenSSL's names.

use wirespeed_cipher::Direction::{self, Decrypt, Encrypt};
use wirespeed_libcrypto::Library;
use wirespeed_peer::Work;

/// Ratios of some algorithms at some sizes.
pub(crate) struct Requirement {
    /// A star in a name stands for each key size that is measured; a hash function encrypts.
    pub(crate) algorithms: &'static [(&'static str, Direction)],
    /// Bytes, required, hoped for.
    pub(crate) sizes: &'static [(usize, f64, f64)],
}

const fn requirement(
    algorithms: &'static [(&'static str, Direction)],
    sizes: &'static [(usize, f64, f64)],
) -> Requirement {
    Requirement { algorithms, sizes }
}

const SHORT_MESSAGES: &[(&str, Direction)] = &[
    ("AES-*-CTR", Encrypt),
    ("AES-*-CBC", Encrypt),
    ("AES-*-CBC", Decrypt),
    ("AES-*-GCM", Encrypt),
    ("AES-*-GCM", Decrypt),
];
const COUNTER_AND_CODEBOOK: &[(&str, Direction)] =
    &[("AES-*-CTR", Encrypt), ("AES-*-ECB", Encrypt), ("AES-*-ECB", Decrypt)];
const CBC_DECRYPTION: &[(&str, Direction)] = &[("AES-*-CBC", Decrypt)];
const GCM: &[(&str, Direction)] = &[("AES-*-GCM", Encrypt), ("AES-*-GCM", Decrypt)];

/// Nothing is hoped for beyond what is required.
pub(crate) const NO_MORE: f64 = f64::INFINITY;

/// Against OpenSSL 3.0.
const AGAINST_3_0: &[Requirement] = &[
    requirement(COUNTER_AND_CODEBOOK, &[(1420, 2.2, 2.6), (16384, 2.2, 2.6)]),
    requirement(CBC_DECRYPTION, &[(1024, 2.5, 3.0), (16384, 2.0, 2.2)]),
    requirement(GCM, &[(1420, 2.7, 3.6), (16384, 2.6, 3.1)]),
    requirement(
        &[("AES-*-XTS", Encrypt), ("AES-*-XTS", Decrypt)],
        &[(512, 1.7, 2.6), (4096, 2.2, 2.7), (16384, 2.3, 2.6)],
    ),
    requirement(
        &[("AES-*-OCB", Encrypt), ("AES-*-OCB", Decrypt)],
        &[(1420, 1.3, 1.6), (16384, 1.8, 2.2)],
    ),
    requirement(&[("AES-*-CFB", Decrypt)], &[(1420, 12.0, 17.0), (16384, 18.0, 22.0)]),
    requirement(&[("AES-*-CFB", Encrypt)], &[(16384, 1.6, 1.95)]),
    requirement(SHORT_MESSAGES, &[(16, 2.0, 2.8)]),
    requirement(
        &[
            ("CAMELLIA-128-CBC", Decrypt),
            ("CAMELLIA-128-CTR", Encrypt),
            ("CAMELLIA-128-ECB", Encrypt),
            ("CAMELLIA-256-CBC", Decrypt),
            ("CAMELLIA-256-CTR", Encrypt),
            ("CAMELLIA-256-ECB", Encrypt),
        ],
        &[(1424, 12.0, 18.0), (16384, 17.0, 22.0)],
    ),
    requirement(
        &[
            ("ARIA-128-CBC", Decrypt),
            ("ARIA-128-CTR", Encrypt),
            ("SM4-CBC", Decrypt),
            ("SM4-CTR", Encrypt),
        ],
        &[(16384, 14.0, 20.0)],
    ),
    requirement(
        &[("ChaCha20-Poly1305", Encrypt), ("ChaCha20-Poly1305", Decrypt)],
        &[(1420, 1.6, 2.5), (16384, 1.15, 1.5)],
    ),
    requirement(&[("SHA1", Encrypt), ("SHA2-256", Encrypt)], &[(16, 1.4, 1.8), (64, 1.2, 1.4)]),
    requirement(&[("SHA2-512", Encrypt)], &[(64, 1.1, 1.3), (16384, 1.05, 1.3)]),
];

/// Against OpenSSL 4.0, which has faster code of its own.
const AGAINST_4_0: &[Requirement] = &[
    requirement(COUNTER_AND_CODEBOOK, &[(16384, 1.9, NO_MORE)]),
    requirement(CBC_DECRYPTION, &[(16384, 1.9, NO_MORE)]),
    requirement(GCM, &[(1420, 1.25, NO_MORE)]),
    requirement(
        &[("AES-*-GCM-SIV", Encrypt), ("AES-*-GCM-SIV", Decrypt)],
        &[(1420, 6.0, 8.0), (16384, 14.0, 18.0)],
    ),
    requirement(
        &[("ARIA-128-CCM", Encrypt), ("ARIA-128-CCM", Decrypt)],
        &[(1420, 2.5, 3.2), (16384, 2.5, 3.2)],
    ),
    requirement(&[("SM4-CCM", Encrypt), ("SM4-CCM", Decrypt)], &[(1420, 1.8, 2.3)]),
    requirement(
        &[("SM4-XTS", Encrypt), ("SM4-XTS", Decrypt)],
        &[(4096, 12.0, 15.0), (16384, 12.0, 15.0)],
    ),
];

/// What is promised against a libcrypto; between 3.0 and 4.0 only that nothing is slower.
pub(crate) fn against(library: Library) -> &'static [Requirement] {
    match library.version_numbers() {
        (3, 0, _) => AGAINST_3_0,
        (4.., ..) => AGAINST_4_0,
        _ => &[],
    }
}

/// Everything offered, at every size and use: required and hoped for.
pub(crate) const NEVER_SLOWER: (f64, f64) = (0.97, 1.0);

/// Shares of the limit at 16 KiB, kernels directly.
pub(crate) const SHARES: &[(&str, Direction, f64)] = &[
    ("AES-*-CTR", Encrypt, 0.93),
    ("AES-*-ECB", Encrypt, 0.93),
    ("AES-*-ECB", Decrypt, 0.93),
    ("AES-*-CBC", Decrypt, 0.93),
    ("AES-*-CFB", Decrypt, 0.93),
    ("AES-*-XTS", Encrypt, 0.88),
    ("AES-*-XTS", Decrypt, 0.88),
    ("AES-*-GCM", Encrypt, 0.78),
    ("AES-*-GCM", Decrypt, 0.78),
    ("AES-*-CBC", Encrypt, 0.95),
    ("AES-*-CFB", Encrypt, 0.95),
    ("AES-*-OFB", Encrypt, 0.95),
];

/// Messages in a batch.
pub(crate) const BATCH_MESSAGES: usize = 32;

/// A batch against one message after another, each of [`BATCH_BYTES`], by our own kernels on a CPU with
/// AVX-512: required and hoped for.
pub(crate) const BATCH: &[(&str, f64, f64)] = &[
    ("AES-128-CBC", 10.0, 13.0),
    ("MD5", 10.0, 16.0),
    ("SHA1", 3.5, 4.0),
    ("SHA2-256", 2.0, 2.3),
    ("SHA2-512", 3.5, 4.2),
];

/// Bytes in each message of [`BATCH`].
pub(crate) const BATCH_BYTES: usize = 16384;

/// What a batch does beside Intel's multi-buffer library, and the bytes in each message.
pub(crate) const PEER: &[(&str, Work)] = &[
    ("AES-128-CBC", Work::Aes128Cbc),
    ("AES-128-GCM", Work::Aes128Gcm),
    ("HMAC-MD5", Work::HmacMd5),
    ("SHA1", Work::Sha1),
    ("SHA2-256", Work::Sha256),
    ("SHA2-512", Work::Sha512),
];
pub(crate) const PEER_BYTES: &[usize] = &[1424, 16384];
/// Required and hoped for.
pub(crate) const PEER_REQUIREMENT: (f64, f64) = (1.0, 1.2);

/// As many messages in a pipeline against the default provider's one after another, through EVP of OpenSSL 3.5
/// and later.
pub(crate) const PIPELINES: &[(&str, usize, f64, f64)] = &[
    ("AES-128-CBC", 1424, 6.0, 8.0),
    ("AES-128-CBC", 16384, 10.0, 12.0),
    ("AES-128-GCM", 1424, 1.0, NO_MORE),
    ("AES-128-GCM", 16384, 1.0, NO_MORE),
];

/// `wirespeed sum` over many files against the programs that hash one after another: required and hoped for.
pub(crate) const SUM: (f64, f64) = (3.0, 4.0);

/// Files that are hashed, all in the page cache.
pub(crate) const SUM_FILES: usize = 1000;

/// Bytes in each of them.
pub(crate) const SUM_FILE_BYTES: usize = 1 << 20;

/// Threads of `wirespeed sum`.
pub(crate) const SUM_THREADS: usize = 2;

/// Nanoseconds that the choice of a route may cost a call.
pub(crate) const ROUTING: f64 = 3.0;

/// Milliseconds that loading the module may take, its plan included.
pub(crate) const LOADING: f64 = 2.0;

/// The share of the kernels' own speed that sectors of 4096 bytes keep in the disk workload.
pub(crate) const SECTORS: f64 = 0.95;

/// How much faster two workers are than one.
pub(crate) const TWO_WORKERS: f64 = 1.8;

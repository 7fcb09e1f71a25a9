//! The requirements as tables: what is measured, and what is required of it.
//!
//! Through EVP a share of what this CPU allows is required: of EVP's own calls and our kernels' by themselves, both
//! measured in the same run. Kernels are held to their unit's limit. And nothing is ever slower than this OpenSSL.
//! Algorithms go by OpenSSL's names.

use wirespeed_cipher::Direction::{self, Decrypt, Encrypt};
use wirespeed_cipher::Route;
use wirespeed_peer::Work;

/// Some algorithms at some sizes, through EVP.
pub(crate) struct Requirement {
    /// A star in a name stands for each key size that is measured; a hash function encrypts.
    pub(crate) algorithms: &'static [(&'static str, Direction)],
    /// Bytes.
    pub(crate) sizes: &'static [usize],
}

const fn requirement(
    algorithms: &'static [(&'static str, Direction)],
    sizes: &'static [usize],
) -> Requirement {
    Requirement { algorithms, sizes }
}

const SHORT_MESSAGES: &[(&str, Direction)] = &[
    ("AES-*-CTR", Encrypt),
    ("AES-*-CBC", Encrypt),
    ("AES-*-CBC", Decrypt),
    ("AES-*-GCM", Encrypt),
    ("AES-*-GCM", Decrypt),
    ("ChaCha20-Poly1305", Encrypt),
    ("ChaCha20-Poly1305", Decrypt),
];
const COUNTER_AND_CODEBOOK: &[(&str, Direction)] =
    &[("AES-*-CTR", Encrypt), ("AES-*-ECB", Encrypt), ("AES-*-ECB", Decrypt)];
const CBC_DECRYPTION: &[(&str, Direction)] = &[("AES-*-CBC", Decrypt)];
const GCM: &[(&str, Direction)] = &[("AES-*-GCM", Encrypt), ("AES-*-GCM", Decrypt)];

/// Nothing is hoped for beyond what is required.
pub(crate) const NO_MORE: f64 = f64::INFINITY;

/// What is measured, as far as the libcrypto at hand has it.
pub(crate) const THROUGH_EVP: &[Requirement] = &[
    requirement(COUNTER_AND_CODEBOOK, &[1420, 16384]),
    requirement(CBC_DECRYPTION, &[1024, 16384]),
    requirement(GCM, &[1420, 16384]),
    requirement(&[("AES-*-XTS", Encrypt), ("AES-*-XTS", Decrypt)], &[512, 4096, 16384]),
    requirement(&[("AES-*-OCB", Encrypt), ("AES-*-OCB", Decrypt)], &[1420, 16384]),
    requirement(&[("AES-*-CFB", Decrypt)], &[1420, 16384]),
    requirement(&[("AES-*-CFB", Encrypt)], &[16384]),
    requirement(SHORT_MESSAGES, &[16, 64, 256]),
    requirement(
        &[
            ("CAMELLIA-128-CBC", Decrypt),
            ("CAMELLIA-128-CTR", Encrypt),
            ("CAMELLIA-128-ECB", Encrypt),
            ("CAMELLIA-256-CBC", Decrypt),
            ("CAMELLIA-256-CTR", Encrypt),
            ("CAMELLIA-256-ECB", Encrypt),
        ],
        &[1424, 16384],
    ),
    requirement(
        &[
            ("ARIA-128-CBC", Decrypt),
            ("ARIA-128-CTR", Encrypt),
            ("SM4-CBC", Decrypt),
            ("SM4-CTR", Encrypt),
        ],
        &[16384],
    ),
    requirement(&[("ChaCha20-Poly1305", Encrypt), ("ChaCha20-Poly1305", Decrypt)], &[1420, 16384]),
    requirement(&[("SHA1", Encrypt), ("SHA2-256", Encrypt)], &[16, 64]),
    requirement(&[("SHA2-512", Encrypt)], &[64, 16384]),
    requirement(&[("AES-*-GCM-SIV", Encrypt), ("AES-*-GCM-SIV", Decrypt)], &[1420, 16384]),
    requirement(&[("SM4-XTS", Encrypt), ("SM4-XTS", Decrypt)], &[4096, 16384]),
];

/// The share of what this CPU allows, required and hoped for; see [`bound`](crate::bound).
pub(crate) const SHARE_OF_BOUND: (f64, f64) = (0.8, 0.95);

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

/// A batch against one message after another, each of [`BATCH_BYTES`], by our own kernels: never slower, and what lanes of
/// AVX-512 give.
pub(crate) const BATCH: &[(&str, f64, f64)] = &[
    ("AES-128-CBC", 1.0, 10.0),
    ("MD5", 1.0, 10.0),
    ("SHA1", 1.0, 3.5),
    ("SHA2-256", 1.0, 2.0),
    ("SHA2-512", 1.0, 3.5),
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
    ("AES-128-CBC", 1424, 1.0, 6.0),
    ("AES-128-CBC", 16384, 1.0, 10.0),
    ("AES-128-GCM", 1424, 1.0, NO_MORE),
    ("AES-128-GCM", 16384, 1.0, NO_MORE),
];

/// `wirespeed sum` over many files against the programs that hash one after another: never slower, and hoped for.
pub(crate) const SUM: (f64, f64) = (1.0, 3.0);

/// Files that are hashed, all in the page cache.
pub(crate) const SUM_FILES: usize = 1000;

/// Bytes in each of them.
pub(crate) const SUM_FILE_BYTES: usize = 1 << 20;

/// Threads of `wirespeed sum`.
pub(crate) const SUM_THREADS: usize = 2;

/// Nanoseconds that the choice of a route may cost a call.
pub(crate) const ROUTING: f64 = 3.0;

/// The share of the speed that is left where calls are counted.
pub(crate) const COUNTING: f64 = 0.99;

/// Algorithms of which every message has a context of its own, never slower than the host's.
pub(crate) const CONTEXTS: &[&str] =
    &["AES-128-GCM", "ChaCha20-Poly1305", "AES-128-CTR", "AES-128-CBC", "AES-128-XTS"];

/// Milliseconds that loading the module may take, its plan included.
pub(crate) const LOADING: f64 = 2.0;

/// The share of the kernels' own speed that sectors of 4096 bytes keep in the disk workload.
pub(crate) const SECTORS: f64 = 0.95;

/// How much faster two workers are than one.
pub(crate) const TWO_WORKERS: f64 = 1.8;

/// A CPU without instructions for AES, and what our route is to reach there.
pub(crate) struct LesserCpu {
    pub(crate) name: &'static str,
    pub(crate) route: Route,
    /// What OPENSSL_ia32cap(3) takes: bits of leaf 1 (EDX, ECX) and of leaf 7 (EBX, ECX).
    pub(crate) hides: &'static str,
    /// Algorithms at a size, as messages: required and hoped for.
    pub(crate) required: &'static [(&'static str, Direction, usize, f64, f64)],
}

/// The route `portable` against RustCrypto's code for the same registers.
pub(crate) const PORTABLE: (f64, f64) = (1.1, NO_MORE);

/// For Camellia OpenSSL has code for general registers alone.
pub(crate) const LESSER_CPUS: &[LesserCpu] = &[
    LesserCpu {
        name: "AVX2 and no AES",
        route: Route::Avx2,
        // AES and PCLMULQDQ; of leaf 7 BMI1, AVX2 and BMI2 are left.
        hides: "~0x200000200000000:0x128",
        required: &[
            ("AES-128-CTR", Encrypt, 16384, 1.7, 2.2),
            ("AES-128-CBC", Decrypt, 16384, 1.7, 2.2),
            ("AES-128-XTS", Encrypt, 4096, 1.7, 2.2),
            ("AES-128-GCM", Encrypt, 1420, 1.0, 1.5),
            ("AES-128-GCM", Encrypt, 16384, 1.2, 1.8),
            ("CAMELLIA-128-CBC", Decrypt, 16384, 4.0, NO_MORE),
        ],
    },
    LesserCpu {
        name: "SSSE3 and no AVX",
        route: Route::Ssse3,
        // SSE4.1, SSE4.2, POPCNT, OSXSAVE and AVX, too.
        hides: "~0x1a98200200000000:0x0",
        required: &[
            ("AES-128-CTR", Encrypt, 16384, 1.0, NO_MORE),
            ("AES-128-CBC", Decrypt, 16384, 1.0, NO_MORE),
            ("AES-128-XTS", Encrypt, 4096, 1.1, NO_MORE),
            ("AES-128-GCM", Encrypt, 1420, 0.9, NO_MORE),
            ("AES-128-GCM", Encrypt, 16384, 1.0, NO_MORE),
            ("CAMELLIA-128-CBC", Decrypt, 16384, 2.0, NO_MORE),
        ],
    },
    LesserCpu {
        name: "SSE2 alone",
        route: Route::Sse2,
        // SSSE3, too.
        hides: "~0x1a98220200000000:0x0",
        required: &[
            ("AES-128-CTR", Encrypt, 16384, 1.9, 2.4),
            ("AES-128-CBC", Decrypt, 16384, 1.0, 1.1),
            ("AES-128-XTS", Encrypt, 4096, 2.0, 2.6),
            ("AES-128-GCM", Encrypt, 1420, 1.2, 1.5),
            ("AES-128-GCM", Encrypt, 16384, 1.3, 1.8),
            ("CAMELLIA-128-CBC", Decrypt, 16384, 2.0, NO_MORE),
        ],
    },
];

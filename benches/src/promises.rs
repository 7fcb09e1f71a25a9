//! The promises as tables: what is measured, what is required, what is hoped for.
//!
//! They hold on a CPU with VAES-512, for the provider in a stock libcrypto through EVP.

use wirespeed_batch::Function;
use wirespeed_cipher::Digest;
use wirespeed_cipher::Direction::{self, Decrypt, Encrypt};
use wirespeed_cipher::Mode::{self, Cbc, Cfb, Ctr, Ecb, Gcm, Ofb, Xts};
use wirespeed_libcrypto::Library;

/// A ratio at some sizes; the pairs are (required, hoped for).
pub(crate) struct Promise {
    pub(crate) modes: &'static [(Mode, Direction)],
    pub(crate) sizes: &'static [(usize, f64, f64)],
}

const fn promise(
    modes: &'static [(Mode, Direction)],
    sizes: &'static [(usize, f64, f64)],
) -> Promise {
    Promise { modes, sizes }
}

const SHORT_MESSAGES: &[(Mode, Direction)] =
    &[(Ctr, Encrypt), (Cbc, Encrypt), (Cbc, Decrypt), (Gcm, Encrypt), (Gcm, Decrypt)];
const COUNTER_AND_CODEBOOK: &[(Mode, Direction)] =
    &[(Ctr, Encrypt), (Ecb, Encrypt), (Ecb, Decrypt)];

/// Nothing is hoped for beyond what is required.
pub(crate) const NO_MORE: f64 = f64::INFINITY;

/// Against OpenSSL 3.0.
const AGAINST_3_0: &[Promise] = &[
    promise(COUNTER_AND_CODEBOOK, &[(1420, 2.2, 2.6), (16384, 2.2, 2.6)]),
    promise(&[(Cbc, Decrypt)], &[(1024, 2.5, 3.0), (16384, 2.0, 2.2)]),
    promise(&[(Gcm, Encrypt), (Gcm, Decrypt)], &[(1420, 2.7, 3.6), (16384, 2.6, 3.1)]),
    promise(
        &[(Xts, Encrypt), (Xts, Decrypt)],
        &[(512, 1.7, 2.6), (4096, 2.2, 2.7), (16384, 2.3, 2.6)],
    ),
    promise(&[(Cfb, Decrypt)], &[(1420, 12.0, 17.0), (16384, 18.0, 22.0)]),
    promise(&[(Cfb, Encrypt)], &[(16384, 1.6, 1.95)]),
    promise(SHORT_MESSAGES, &[(16, 2.0, 2.8)]),
];

/// Against OpenSSL 4.0, which has faster code of its own.
const AGAINST_4_0: &[Promise] = &[
    promise(COUNTER_AND_CODEBOOK, &[(16384, 1.9, NO_MORE)]),
    promise(&[(Cbc, Decrypt)], &[(16384, 1.9, NO_MORE)]),
    promise(&[(Gcm, Encrypt), (Gcm, Decrypt)], &[(1420, 1.25, NO_MORE)]),
];

/// What is promised against a libcrypto; between 3.0 and 4.0 only that nothing is slower.
pub(crate) fn against(library: Library) -> &'static [Promise] {
    match library.version_numbers() {
        (3, 0, _) => AGAINST_3_0,
        (4.., ..) => AGAINST_4_0,
        _ => &[],
    }
}

/// Everything offered, at every size and use: required and hoped for.
pub(crate) const NEVER_SLOWER: (f64, f64) = (0.97, 1.0);

/// Shares of the limit at 16 KiB, kernels directly.
pub(crate) const SHARES: &[(Mode, Direction, f64)] = &[
    (Ctr, Encrypt, 0.93),
    (Ecb, Encrypt, 0.93),
    (Ecb, Decrypt, 0.93),
    (Cbc, Decrypt, 0.93),
    (Cfb, Decrypt, 0.93),
    (Xts, Encrypt, 0.88),
    (Xts, Decrypt, 0.88),
    (Gcm, Encrypt, 0.78),
    (Gcm, Decrypt, 0.78),
    (Cbc, Encrypt, 0.95),
    (Cfb, Encrypt, 0.95),
    (Ofb, Encrypt, 0.95),
];

/// Messages in a batch, and bytes in each.
pub(crate) const BATCH_MESSAGES: usize = 32;
pub(crate) const BATCH_SIZE: usize = 16384;

/// A batch against one message after another, on a CPU with AVX-512 and SHA-NI: required and hoped for.
pub(crate) const BATCH: &[(Function, f64, f64)] = &[
    (Function::Md5, 10.0, 16.0),
    (Function::Sha(Digest::Sha1), 3.5, 4.0),
    (Function::Sha(Digest::Sha256), 2.0, 2.3),
    (Function::Sha(Digest::Sha512), 3.5, 4.2),
];

/// Nanoseconds that the choice of a route may cost a call.
pub(crate) const ROUTING: f64 = 3.0;

/// Milliseconds that loading the module may take, its proofs included.
pub(crate) const LOADING: f64 = 2.0;

/// The share of the kernels' own speed that sectors of 4096 bytes keep in the disk workload.
pub(crate) const SECTORS: f64 = 0.95;

/// How much faster two workers are than one.
pub(crate) const TWO_WORKERS: f64 = 1.8;

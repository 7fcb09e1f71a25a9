//! The vocabulary of Wirespeed, and the state of a stream.
//!
//! A [`Route`] is one way to run an [`Algorithm`]; for a block cipher it is a table of pure functions
//! over (key, state, data), a [`BlockKernels`], and for ChaCha20 a [`StreamKernels`]. What lasts from call to call (IV, counter, partial block)
//! lives in the caller's [`modes`] context and never in a route, so every call may take another route.

mod algorithm;
mod buffer;
mod catalogue;
mod delegated;
mod digest;
mod error;
mod hasher;
mod kernels;
mod key;
pub mod modes;
pub mod partial;
mod route;
mod spelling;
mod stream;
mod subject;
mod wipe;

pub use algorithm::{Algorithm, BlockCipher, Direction, Mode, Use};
pub use buffer::InOut;
pub use delegated::{Delegated, Shape};
pub use digest::{
    Chain, Compression, Digest, KECCAK_CONSTANTS, MD5_CONSTANTS, SHA256_CONSTANTS, SHA512_CONSTANTS,
};
pub use error::UnknownName;
pub use hasher::Hasher;
pub use kernels::{
    BlockKernels, CbcFn, CtrFn, EcbFn, FeedbackFn, GcmCryptFn, GcmEnd, GcmForm, GcmKey, GcmStartFn,
    GcmState, GcmTagFn, HashKernels, LittleCtrFn, OcbFn, OcbHashFn, OcbKey, OcbState, XtsFn,
};
pub use key::{Block, BlockKey, Schedule};
pub use route::Route;
pub use spelling::{alike, nearest};
pub use stream::{
    ChaCha20Fn, Counter, OneTimeKeyFn, Poly1305, Poly1305Fn, Poly1305TagFn, SealFn, SealState,
    StreamBlock, StreamKernels, StreamKey,
};
pub use subject::Subject;
pub use wipe::wipe;

/// The size classes: bytes in one call that plans, tables and benchmarks speak of.
pub const SIZE_CLASSES: [usize; 10] = [16, 64, 256, 512, 1024, 1420, 4096, 8192, 16384, 65536];

//! The vocabulary of Wirespeed, and the state of a stream.
//!
//! A [`Route`] is one way to run an [`Algorithm`]; for a block cipher it is a table of pure functions
//! over (key, state, data), a [`BlockKernels`]. What lasts from call to call (IV, counter, partial block)
//! lives in the caller's [`modes`] context and never in a route, so every call may take another route.

mod algorithm;
mod buffer;
mod digest;
mod error;
mod hasher;
mod kernels;
mod key;
pub mod modes;
pub mod partial;
mod route;

pub use algorithm::{Algorithm, BlockCipher, Direction, Mode, Use};
pub use buffer::InOut;
pub use digest::{Compression, Digest};
pub use error::UnknownName;
pub use hasher::Hasher;
pub use kernels::{
    BlockKernels, CbcFn, CtrFn, EcbFn, FeedbackFn, GcmCryptFn, GcmKey, GcmStartFn, GcmState,
    GcmTagFn, HashKernels, XtsFn,
};
pub use key::{Block, BlockKey, Schedule};
pub use route::Route;

/// The size classes: bytes in one call that plans, tables and benchmarks speak of.
pub const SIZE_CLASSES: [usize; 10] = [16, 64, 256, 512, 1024, 1420, 4096, 8192, 16384, 65536];

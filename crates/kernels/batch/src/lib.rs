//! Many independent messages hashed at once, in the lanes of vectors.
//!
//! A hash function is a chain: one message alone leaves most of a vector unit idle. [`Lanes`] is a function
//! by one route; [`hash_all`] and [`hmac_all`] take messages that are there, [`Batch`] takes streams in
//! pieces. Messages may have very different lengths: the longest begin, a lane that is done gets the next
//! message, and when too few are left they run one after another. No byte beside a message is ever touched.
//!
//! Each compression function is written once over `Words`: one word of every lane. `Pair` makes one of two vectors,
//! for MD5, whose steps leave half of the unit idle. Chaining values lie as a matrix with a column for each lane. A
//! lane without work computes along on another's bytes. Sharing the counters of GCM between packets was slower.
//!
//! Buffers of one size are best kept apart by a cache line more than a power of two: at like places of their pages
//! as many streams share few places of the first cache (`wirespeed sum` takes a seventh longer then).
//!
//! ```
//! use wirespeed_batch::{Lanes, hash_all};
//! use wirespeed_cipher::Digest;
//! use wirespeed_cpu::Features;
//!
//! # if cfg!(miri) { return } // which has no CPU to ask
//! let lanes = Lanes::best(Digest::Md5, Features::detect());
//! let hashes = hash_all(&lanes, &[b"", b"abc"]);
//! assert_eq!(hashes[1].to_string(), "900150983cd24fb0d6963f7d28e17f72");
//! ```

#![cfg_attr(
    not(all(target_feature = "sse2", target_pointer_width = "64")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "part of it is for vector units alone"
    )
)]

mod arch;
mod batch;
mod ciphers;
#[allow(
    clippy::needless_range_loop,
    reason = "one index walks several arrays of vectors; an iterator's closures would miss the features"
)]
mod compress;
mod hash;
mod hmac;
mod lanes;
mod packets;
#[cfg(test)]
mod portable;
mod proof;
mod schedule;
mod single;
#[allow(clippy::needless_range_loop, reason = "as in `compress`")]
mod words;

pub use batch::{Batch, Piece, hash_all};
pub use ciphers::{ChainMode, CipherJob, CipherLanes, encrypt_all};
pub use hash::Hash;
pub use hmac::{HmacKey, hmac_all};
pub use lanes::Lanes;
pub use packets::{GcmLanes, Packet, PacketKey, open_all, seal_all};
pub use proof::self_test;

//! Why a route has nothing for a call.

use std::fmt;

use wirespeed_cipher::{BlockCipher, Compression};
use wirespeed_cpu::Feature;

/// Why a route is not to be had here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The CPU lacks a feature, or the operating system does not save its state.
    Missing(Feature),
    /// The route has no such cipher, on any machine.
    Without(BlockCipher),
    /// The route has no ChaCha20, on any machine.
    WithoutStream,
    /// The route has no such compression function, at least not on this machine: PadLock's of C7 hashes
    /// whole messages only.
    WithoutHash(Compression),
    /// Another crate's route.
    NotNative,
    /// A route of machines of another architecture.
    Elsewhere,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(Feature::Ace) => f.write_str(&wirespeed_cpu::no_padlock()),
            Self::Missing(feature) => write!(f, "this CPU has no {}", feature.name()),
            Self::Without(cipher) => write!(f, "this route has no {cipher}"),
            Self::WithoutStream => f.write_str("this route has no ChaCha20"),
            Self::WithoutHash(compression) => write!(f, "this route has no {compression}"),
            Self::NotNative => f.write_str("not a route of our own kernels"),
            Self::Elsewhere => f.write_str("a route of machines of another architecture"),
        }
    }
}

impl std::error::Error for Absent {}

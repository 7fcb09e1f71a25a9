//! What a cipher with associated data and a tag can do, whatever its route.

use wirespeed_cipher::modes::{ChaCha20Poly1305, Gcm, Ocb};
use wirespeed_cipher::{Block, BlockKernels, Direction, InOut, StreamKernels};

use crate::error::CallError;
use crate::routing::native::Kernels;

/// The longest IV of any mode: GCM's, OpenSSL's `GCM_IV_MAX_SIZE`.
pub(super) const LONGEST_IV: usize = 128;

/// A cipher with associated data and a tag.
pub(super) trait Aead: Clone {
    /// What it runs on.
    type Kernels: Kernels;
    /// Whether the host refuses associated data behind data, and leaves the word about it to its caller.
    const ORDERED: bool;

    /// No key yet.
    fn new(kernels: &'static Self::Kernels) -> Self;
    /// Takes another route from the next call on.
    fn reroute(&mut self, kernels: &'static Self::Kernels);
    /// Takes a key.
    fn set_key(&mut self, key: &[u8]);
    /// Takes a key that is expanded when a route is next taken.
    fn keep_key(&mut self, key: &[u8]);
    /// Begins a message.
    fn start(&mut self, iv: &[u8]);
    /// The next associated data.
    fn associate(&mut self, data: &[u8]) -> Result<(), CallError>;
    /// The next data.
    fn crypt(&mut self, direction: Direction, data: InOut<'_>) -> Result<(), CallError>;
    /// The tag so far.
    fn tag(&mut self) -> Block;
    /// The same, written where it is to be.
    #[inline]
    fn write_tag(&mut self, tag: &mut Block) {
        *tag = self.tag();
    }
    /// Whether both are at the same place of the same message under the same key.
    fn agrees(&self, other: &Self) -> bool;
    /// Whether the message may have so many bytes of data more.
    fn has_room(&self, bytes: usize) -> bool;
    /// The associated data of the message so far, as long as it is less than a block.
    fn short_aad(&self) -> Option<&[u8]>;
    /// How many bytes of its tag will count, where the message depends on it.
    fn tag_bytes(&self) -> Option<usize> {
        None
    }
}

/// The methods that all have under the same names.
macro_rules! same {
    ($cipher:ty) => {
        #[inline]
        fn reroute(&mut self, kernels: &'static Self::Kernels) {
            <$cipher>::reroute(self, kernels);
        }

        #[inline]
        fn tag(&mut self) -> Block {
            <$cipher>::tag(self)
        }

        fn agrees(&self, other: &Self) -> bool {
            <$cipher>::agrees(self, other)
        }

        fn short_aad(&self) -> Option<&[u8]> {
            <$cipher>::short_aad(self)
        }
    };
}

/// The methods of those whose keys are expanded.
macro_rules! expanded {
    ($cipher:ty) => {
        fn set_key(&mut self, key: &[u8]) {
            <$cipher>::set_key(self, key);
        }

        fn keep_key(&mut self, key: &[u8]) {
            <$cipher>::keep_key(self, key);
        }
    };
}

/// The methods of those whose messages have a longest length.
macro_rules! limited {
    ($cipher:ty) => {
        #[inline(always)]
        fn crypt(&mut self, direction: Direction, data: InOut<'_>) -> Result<(), CallError> {
            <$cipher>::crypt(self, direction, data).map_err(|_| CallError::SILENT)
        }

        fn has_room(&self, bytes: usize) -> bool {
            <$cipher>::has_room(self, bytes)
        }
    };
}

impl Aead for Gcm {
    type Kernels = BlockKernels;
    const ORDERED: bool = true;

    #[inline]
    fn write_tag(&mut self, tag: &mut Block) {
        Self::write_tag(self, tag);
    }

    fn new(kernels: &'static BlockKernels) -> Self {
        Self::new(kernels)
    }

    #[inline(always)]
    fn start(&mut self, iv: &[u8]) {
        Self::start(self, iv);
    }

    #[inline]
    fn associate(&mut self, data: &[u8]) -> Result<(), CallError> {
        self.aad(data).map_err(|_| CallError::SILENT)
    }

    expanded!(Self);
    same!(Self);
    limited!(Self);
}

impl Aead for ChaCha20Poly1305 {
    type Kernels = StreamKernels;
    const ORDERED: bool = false;

    fn new(kernels: &'static StreamKernels) -> Self {
        Self::new(kernels)
    }

    fn set_key(&mut self, key: &[u8]) {
        Self::set_key(self, key.try_into().expect("a key has 32 bytes"));
    }

    /// It needs no expanding.
    fn keep_key(&mut self, key: &[u8]) {
        Aead::set_key(self, key);
    }

    #[inline(always)]
    fn start(&mut self, iv: &[u8]) {
        Self::start(self, iv.try_into().expect("a nonce has 12 bytes"));
    }

    #[inline]
    fn associate(&mut self, data: &[u8]) -> Result<(), CallError> {
        self.aad(data);
        Ok(())
    }

    same!(Self);
    limited!(Self);
}

impl Aead for Ocb {
    type Kernels = BlockKernels;
    const ORDERED: bool = false;

    fn new(kernels: &'static BlockKernels) -> Self {
        Self::new(kernels)
    }

    #[inline(always)]
    fn start(&mut self, iv: &[u8]) {
        Self::start(self, iv);
    }

    #[inline]
    fn associate(&mut self, data: &[u8]) -> Result<(), CallError> {
        self.aad(data);
        Ok(())
    }

    #[inline(always)]
    fn crypt(&mut self, direction: Direction, data: InOut<'_>) -> Result<(), CallError> {
        Self::crypt(self, direction, data);
        Ok(())
    }

    /// RFC 7253 §5.1 counts blocks far beyond any memory.
    fn has_room(&self, _: usize) -> bool {
        true
    }

    fn tag_bytes(&self) -> Option<usize> {
        Some(Self::tag_bytes(self))
    }

    expanded!(Self);
    same!(Self);
}

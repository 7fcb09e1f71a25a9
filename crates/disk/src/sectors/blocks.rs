//! Block ciphers as the modes want them: many blocks in one call.

use cipher::array::Array;
use cipher::typenum::Unsigned;
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt};

/// A block cipher with its key.
pub(super) trait Blocks: Send + Sync + 'static {
    /// Bytes in a block.
    const BYTES: usize;

    /// Encrypts whole blocks in place, each by itself.
    fn encrypt(&self, blocks: &mut [u8]);
    /// Decrypts whole blocks in place, each by itself.
    fn decrypt(&self, blocks: &mut [u8]);
}

/// Whatever has the traits of the crate `cipher`: its parallel path where it has one.
impl<C: BlockCipherEncrypt + BlockCipherDecrypt + Send + Sync + 'static> Blocks for C {
    const BYTES: usize = C::BlockSize::USIZE;

    #[inline]
    fn encrypt(&self, blocks: &mut [u8]) {
        self.encrypt_blocks(Array::slice_as_chunks_mut(blocks).0);
    }

    #[inline]
    fn decrypt(&self, blocks: &mut [u8]) {
        self.decrypt_blocks(Array::slice_as_chunks_mut(blocks).0);
    }
}

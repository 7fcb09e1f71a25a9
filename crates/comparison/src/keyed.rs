//! The traits of the crate `cipher`, once for all ciphers here.

use cipher::array::{Array, ArraySize};
use cipher::consts::{U1, U16};
use cipher::inout::InOut;
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, InvalidLength, Key, KeyInit,
    KeySizeUser, ParBlocksSizeUser,
};

/// What a cipher is: its key schedule, and how a block goes through it.
pub trait Scheme: Sized {
    /// Bytes in a block.
    type BlockSize: ArraySize;

    /// The key schedule; none from a key of a length that there is not.
    fn schedule(key: &[u8]) -> Option<Self>;
    /// Encrypts a block.
    fn encrypt(&self, block: &mut Array<u8, Self::BlockSize>);
    /// Decrypts a block.
    fn decrypt(&self, block: &mut Array<u8, Self::BlockSize>);
}

/// A cipher with its key.
#[derive(Clone)]
pub struct Keyed<S>(S);

impl<S> KeySizeUser for Keyed<S> {
    /// The usual one; [`KeyInit::new_from_slice`] takes the others.
    type KeySize = U16;
}

impl<S: Scheme> KeyInit for Keyed<S> {
    fn new(key: &Key<Self>) -> Self {
        Self(S::schedule(key).expect("every cipher here has keys of 128 bits"))
    }

    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        S::schedule(key).map(Self).ok_or(InvalidLength)
    }
}

impl<S: Scheme> BlockSizeUser for Keyed<S> {
    type BlockSize = S::BlockSize;
}

impl<S: Scheme> ParBlocksSizeUser for Keyed<S> {
    type ParBlocksSize = U1;
}

impl<S: Scheme> BlockCipherEncrypt for Keyed<S> {
    #[inline]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = S::BlockSize>) {
        f.call(self);
    }
}

impl<S: Scheme> BlockCipherEncBackend for Keyed<S> {
    #[inline]
    fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut bytes = block.clone_in();
        self.0.encrypt(&mut bytes);
        *block.get_out() = bytes;
    }
}

impl<S: Scheme> BlockCipherDecrypt for Keyed<S> {
    #[inline]
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = S::BlockSize>) {
        f.call(self);
    }
}

impl<S: Scheme> BlockCipherDecBackend for Keyed<S> {
    #[inline]
    fn decrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut bytes = block.clone_in();
        self.0.decrypt(&mut bytes);
        *block.get_out() = bytes;
    }
}

/// A part of a block or a key.
#[inline]
pub(crate) fn part<const BYTES: usize>(bytes: &[u8], place: usize) -> [u8; BYTES] {
    bytes.as_chunks::<BYTES>().0[place]
}

/// Replaces the two halves of a block, as little-endian words.
#[inline]
pub(crate) fn with_halves<N: ArraySize>(
    block: &mut Array<u8, N>,
    run: impl FnOnce([u32; 2]) -> [u32; 2],
) {
    let halves = [0, 1].map(|place| u32::from_le_bytes(part(block, place)));
    block.copy_from_slice(run(halves).map(u32::to_le_bytes).as_flattened());
}

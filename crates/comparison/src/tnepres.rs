//! Serpent with all bytes the other way round, which Linux called "tnepres".
//!
//! Serpent's submission to the AES contest printed key and blocks as numbers, the last byte first; NESSIE settled on
//! the other order. Linux had the first before it had the second, and kept it by this name until 5.12. Its
//! `crypto/serpent.c` turned key, plaintext and ciphertext round and called Serpent, and so does this.

use cipher::array::Array;
use cipher::consts::U16;
use cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use serpent::Serpent;

use crate::keyed::Scheme;

/// Serpent, turned round.
#[derive(Clone)]
pub struct Tnepres(Serpent);

impl Scheme for Tnepres {
    type BlockSize = U16;

    fn schedule(key: &[u8]) -> Option<Self> {
        let mut turned = [0; 32];
        let turned = turned.get_mut(..key.len())?;
        turned.copy_from_slice(key);
        turned.reverse();
        Serpent::new_from_slice(turned).ok().map(Self)
    }

    #[inline]
    fn encrypt(&self, block: &mut Array<u8, U16>) {
        block.reverse();
        self.0.encrypt_block(block);
        block.reverse();
    }

    #[inline]
    fn decrypt(&self, block: &mut Array<u8, U16>) {
        block.reverse();
        self.0.decrypt_block(block);
        block.reverse();
    }
}

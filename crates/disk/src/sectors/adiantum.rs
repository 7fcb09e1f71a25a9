//! Adiantum: a whole sector as one wide block, fast on CPUs without AES instructions.
//!
//! P. Crowley, E. Biggers, "Adiantum: length-preserving encryption for entry-level processors", IACR Transactions on
//! Symmetric Cryptology 2018(4), §2; in the byte order of the authors' implementations. All but the last block of a
//! sector, the bulk, is hashed into that block; it is enciphered, and then it is the nonce of a stream cipher for the
//! bulk, which is hashed again.

use std::marker::PhantomData;

use cipher::consts::{U24, U32};
use cipher::{KeyIvInit, StreamCipher};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};
use wirespeed_cipher::{Block, Direction};

use super::blocks::Blocks;
use super::modes::{Mode, each};
use super::nh::Nh;

/// What varies with each sector.
type Tweak = [u8; 32];

/// A key: `S` is the stream cipher, `B` the block cipher.
pub(super) struct Adiantum<S, B> {
    key: [u8; 32],
    block: B,
    /// Of the length and the tweak.
    header: Poly1305,
    bulk: Poly1305,
    nh: Nh,
    stream: PhantomData<fn() -> S>,
}

impl<S, B> Adiantum<S, B>
where
    S: KeyIvInit<KeySize = U32, IvSize = U24> + StreamCipher,
    B: Blocks,
{
    /// All other keys are the stream cipher's output for a nonce of 1.
    pub(super) fn new(key: &[u8; 32], keyed: impl FnOnce(&[u8]) -> B) -> Self {
        let mut keys = [0; 32 + 16 + 16 + Nh::KEY_BYTES];
        let mut nonce = [0; 24];
        nonce[0] = 1;
        S::new(key.into(), &nonce.into()).apply_keystream(&mut keys);
        let (block, rest) = keys.split_at(32);
        let (header, rest) = rest.split_at(16);
        let (bulk, nh) = rest.split_at(16);
        Self {
            key: *key,
            block: keyed(block),
            header: polynomial(header),
            bulk: polynomial(bulk),
            nh: Nh::new(nh),
            stream: PhantomData,
        }
    }

    /// The two hashes added, without the tweak's part.
    fn hash(&self, bulk: &[u8]) -> u128 {
        let mut sum = self.bulk.clone();
        self.nh.hash(bulk, |hash| sum.update_padded(&hash));
        u128::from_le_bytes(sum.finalize().into())
    }

    fn hash_header(&self, bulk_bytes: usize, tweak: &Tweak) -> u128 {
        let mut sum = self.header.clone();
        sum.update_padded(&(bulk_bytes as u128 * 8).to_le_bytes());
        sum.update_padded(tweak);
        u128::from_le_bytes(sum.finalize().into())
    }

    /// Any number of bytes from a block on.
    pub(super) fn run(&self, direction: Direction, tweak: &Tweak, from: &[u8], to: &mut [u8]) {
        to.copy_from_slice(from);
        let (bulk, last) = to.split_last_chunk_mut::<16>().expect("a block at least");
        let header = self.hash_header(bulk.len(), tweak);
        let hashed = |bulk: &[u8]| header.wrapping_add(self.hash(bulk));
        let mut middle = u128::from_le_bytes(*last).wrapping_add(hashed(bulk)).to_le_bytes();
        // The stream cipher's nonce is the ciphertext, whichever way.
        if direction == Direction::Encrypt {
            self.block.encrypt(&mut middle);
        }
        let mut nonce = [0; 24];
        nonce[..16].copy_from_slice(&middle);
        nonce[16] = 1;
        S::new((&self.key).into(), &nonce.into()).apply_keystream(bulk);
        if direction == Direction::Decrypt {
            self.block.decrypt(&mut middle);
        }
        *last = u128::from_le_bytes(middle).wrapping_sub(hashed(bulk)).to_le_bytes();
    }
}

/// Poly1305 as a polynomial only: nothing is added at the end.
fn polynomial(point: &[u8]) -> Poly1305 {
    let mut key = [0; 32];
    key[..16].copy_from_slice(point);
    Poly1305::new(&key.into())
}

impl<S, B> Mode for Adiantum<S, B>
where
    S: KeyIvInit<KeySize = U32, IvSize = U24> + StreamCipher,
    B: Blocks,
{
    fn encrypt(&self, ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        each(ivs, plain, sectors, |iv, plain, sector| {
            self.run(Direction::Encrypt, &tweak(iv), plain, sector);
        });
    }

    fn decrypt(&self, ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        each(ivs, sectors, plain, |iv, sector, plain| {
            self.run(Direction::Decrypt, &tweak(iv), sector, plain);
        });
    }
}

fn tweak(iv: &Block) -> Tweak {
    let mut tweak = [0; 32];
    tweak[..16].copy_from_slice(iv);
    tweak
}

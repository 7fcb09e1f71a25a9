//! GCM-SIV, RFC 8452: a whole message at once, because its tag is made from all of the plaintext and is where counter
//! mode begins.

use crate::key::LONGEST_KEY;
use crate::{Block, BlockKernels, BlockKey, Direction, GcmKey, InOut, Schedule, wipe};

/// A key of GCM-SIV, and the two that follow from it and a nonce.
#[derive(Clone)]
pub struct GcmSiv {
    /// The key-generating key.
    key: BlockKey,
    nonce: [u8; Self::NONCE],
    /// The message-encryption key.
    schedule: Schedule,
    /// The message-authentication key.
    hash_key: GcmKey,
}

impl GcmSiv {
    /// Bytes in a nonce.
    pub const NONCE: usize = 12;
    /// The most bytes of data, and of associated data (RFC 8452 §4, "Encryption").
    pub const LONGEST: u64 = 1 << 36;

    /// No key yet.
    pub const fn new(kernels: &'static BlockKernels) -> Self {
        Self {
            key: BlockKey::empty(kernels),
            nonce: [0; Self::NONCE],
            schedule: Schedule::EMPTY,
            hash_key: GcmKey::EMPTY,
        }
    }

    /// Takes a key; a message needs a new start.
    ///
    /// # Panics
    /// If `key` is not as long as the kernels' key size.
    pub fn set_key(&mut self, key: &[u8]) {
        self.key.set(key, Direction::Encrypt);
    }

    /// Takes another route from the next call on. Its kernels must be for the same cipher.
    #[inline]
    pub fn reroute(&mut self, kernels: &'static BlockKernels) {
        self.key.reroute(kernels);
    }

    /// Begins messages with a nonce (RFC 8452 §4, `derive_keys`).
    pub fn start(&mut self, nonce: &[u8; Self::NONCE]) {
        let kernels = self.key.kernels();
        self.nonce = *nonce;
        let key_bytes = self.key.key_bytes();
        let mut blocks = [Block::default(); 2 + LONGEST_KEY / 8];
        let blocks = &mut blocks[..2 + key_bytes / 8];
        let mut first = Block::default();
        first[4..].copy_from_slice(nonce);
        for (counter, block) in (u128::from_le_bytes(first)..).zip(&mut *blocks) {
            *block = counter.to_le_bytes();
        }
        let bytes = blocks.as_flattened_mut();
        (kernels.ecb[0])(self.key.schedule(), InOut::in_place(bytes));
        // The first half of each block counts.
        let mut keys = [0; size_of::<Block>() + LONGEST_KEY];
        for (half, block) in keys.chunks_exact_mut(8).zip(&*blocks) {
            half.copy_from_slice(&block[..8]);
        }
        let (hash_key, key) = keys.split_first_chunk().expect("more than a block");
        (kernels.polyval_key)(*hash_key, &mut self.hash_key);
        (kernels.expand[0])(&key[..key_bytes], &mut self.schedule);
        wipe(&mut keys);
        wipe(blocks);
    }

    /// One message; gives its tag. Decryption begins with the tag that the message came with, `given`, and is right if it
    /// comes to the same.
    pub fn crypt(
        &mut self,
        direction: Direction,
        aad: &[u8],
        given: &Block,
        mut data: InOut<'_>,
    ) -> Block {
        if direction == Direction::Decrypt {
            self.count(given, data.reborrow());
            return self.tag(aad, data.output());
        }
        let tag = self.tag(aad, data.input());
        self.count(&tag, data);
        tag
    }

    /// RFC 8452 §4, "Encryption": POLYVAL over all, encrypted.
    fn tag(&mut self, aad: &[u8], plaintext: &[u8]) -> Block {
        let mut hash = Block::default();
        let (blocks, rest) = aad.split_at(aad.len() & !15);
        self.hash(&mut hash, blocks);
        let mut end = [0; 16];
        end[..rest.len()].copy_from_slice(rest);
        self.hash(&mut hash, &end[..rest.len().next_multiple_of(16)]);
        let (blocks, rest) = plaintext.split_at(plaintext.len() & !15);
        self.hash(&mut hash, blocks);
        // The last part of a block, and then the lengths.
        let mut end = [0; 32];
        end[..rest.len()].copy_from_slice(rest);
        let (from, bits) = (rest.len().next_multiple_of(16), |bytes: &[u8]| bytes.len() as u64 * 8);
        end[from..from + 8].copy_from_slice(&bits(aad).to_le_bytes());
        end[from + 8..from + 16].copy_from_slice(&bits(plaintext).to_le_bytes());
        self.hash(&mut hash, &end[..from + 16]);
        wipe(&mut end);
        for (byte, nonce) in hash.iter_mut().zip(&self.nonce) {
            *byte ^= nonce;
        }
        hash[15] &= 0x7f;
        (self.key.kernels().ecb[0])(&self.schedule, InOut::in_place(&mut hash));
        hash
    }

    fn hash(&mut self, hash: &mut Block, blocks: &[u8]) {
        if !blocks.is_empty() {
            (self.key.kernels().polyval)(&mut self.hash_key, hash, blocks);
        }
    }

    /// Counter mode from the tag on (RFC 8452 §4, `AES_CTR`).
    fn count(&self, tag: &Block, data: InOut<'_>) {
        let mut first = *tag;
        first[15] |= 0x80;
        (self.key.kernels().little_ctr)(&self.schedule, &first, data);
    }
}

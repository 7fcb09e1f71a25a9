//! HMAC, RFC 2104, over many messages at once, each under a key of its own.

use wirespeed_cipher::wipe;
use zeroize::Zeroize;

use crate::Lanes;
use crate::hash::{Hash, LONGEST_BLOCK};
use crate::lanes::ShortChain;
use crate::schedule::{self, Job};

/// A key, as the chaining values behind its two blocks.
#[derive(Clone)]
pub struct HmacKey {
    inner: ShortChain,
    outer: ShortChain,
}

impl HmacKey {
    /// A key of any length.
    pub fn new(lanes: &Lanes, key: &[u8]) -> Self {
        let block_bytes = lanes.digest.block_bytes();
        let mut block = [0; LONGEST_BLOCK];
        if key.len() <= block_bytes {
            block[..key.len()].copy_from_slice(key);
        } else {
            let hash = crate::hash_all(lanes, &[key])[0];
            block[..hash.as_ref().len()].copy_from_slice(hash.as_ref());
        }
        let chain = |block: &mut [u8; LONGEST_BLOCK], mask: u8| {
            block.iter_mut().for_each(|byte| *byte ^= mask);
            let mut chain = lanes.digest.initial();
            lanes.take_alone(&mut chain, &block[..block_bytes]);
            chain
        };
        let inner = chain(&mut block, 0x36);
        let outer = chain(&mut block, 0x36 ^ 0x5c);
        block.zeroize();
        Self { inner, outer }
    }
}

impl Drop for HmacKey {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

/// The MAC of each message under its key; a key must have been made for the same function.
pub fn hmac_all(lanes: &Lanes, messages: &[(&HmacKey, &[u8])]) -> Vec<Hash> {
    let inner = messages.iter().map(|(key, message)| (key.inner, *message));
    let inner = second_block_on(lanes, inner);
    let outer = messages.iter().zip(&inner).map(|((key, _), hash)| (key.outer, hash.as_ref()));
    second_block_on(lanes, outer)
}

/// The hash of each message whose first block is in a chaining value already.
fn second_block_on<'a>(
    lanes: &Lanes,
    messages: impl Iterator<Item = (ShortChain, &'a [u8])>,
) -> Vec<Hash> {
    let (mut chains, messages): (Vec<_>, Vec<_>) = messages.unzip();
    let block_bytes = lanes.digest.block_bytes();
    let jobs = chains.iter_mut().zip(&messages).map(|(chain, data)| Job {
        chain,
        first: &[],
        data,
        end: Some((block_bytes + data.len()) as u128),
    });
    schedule::run(lanes, &mut jobs.collect::<Vec<_>>());
    let hashes = Hash::all(lanes.digest, &chains);
    wipe(&mut chains);
    hashes
}

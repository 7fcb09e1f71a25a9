//! The functions that a route offers for ChaCha20 and Poly1305: RFC 8439.

use crate::{Block, InOut, Route, wipe};

/// A key of ChaCha20.
pub type StreamKey = [u8; 32];
/// A block of ChaCha20's keystream.
pub type StreamBlock = [u8; 64];
/// A place in the keystream: the last row of ChaCha20's matrix (RFC 8439 §2.3), which is the number of the
/// block and the nonce.
pub type Counter = [u32; 4];

/// ChaCha20 over any length, from the beginning of a block on. The number moves on by every block begun and
/// wraps without a carry; a last partial block leaves its whole keystream block behind.
pub type ChaCha20Fn = fn(&StreamKey, &mut Counter, &mut StreamBlock, InOut<'_>);
/// The one-time key of a message (RFC 8439 §2.6), from the key and the nonce: sets the counter to 1 and makes
/// Poly1305 ready.
pub type OneTimeKeyFn = fn(&StreamKey, &mut SealState);
/// Poly1305 over whole blocks.
pub type Poly1305Fn = fn(&mut Poly1305, &[u8]);
/// Poly1305's tag, after a last block of less than 16 bytes if there is one.
pub type Poly1305TagFn = fn(&Poly1305, last: &[u8]) -> Block;
/// The data of the AEAD over any length, from the beginning of a block of ChaCha20 on: the one-time key is
/// made first if there is none yet, and the pending block hashed if `pending`. Of the ciphertext, bytes at
/// the end that are no block of Poly1305's are not hashed: they are left pending, with zeros behind them.
pub type SealFn = fn(&StreamKey, &mut SealState, pending: bool, InOut<'_>);

/// One route's ChaCha20 and Poly1305: pure functions over (key, state, data).
#[derive(Clone, Copy)]
pub struct StreamKernels {
    /// The route.
    pub route: Route,
    /// Whether they serve calls of every length well. Others are for calls that a measurement gives them.
    pub suits_every_call: bool,
    /// ChaCha20.
    pub chacha20: ChaCha20Fn,
    /// The one-time key of a message.
    pub one_time_key: OneTimeKeyFn,
    /// Poly1305 over whole blocks.
    pub poly1305: Poly1305Fn,
    /// Poly1305's end.
    pub poly1305_tag: Poly1305TagFn,
    /// Both together; indexed by [`Direction`](crate::Direction).
    pub seal: [SealFn; 2],
}

/// Poly1305 under way (RFC 8439 §2.5), the same for every route.
///
/// Numbers modulo 2^130 - 5 are of words, from the lowest on.
#[derive(Clone)]
pub struct Poly1305 {
    /// The hash so far; the third word is at most 4.
    pub hash: [u64; 3],
    /// The multiplier, clamped.
    pub r: [u64; 2],
    /// What is added at the end.
    pub s: u128,
}

impl Poly1305 {
    /// No key yet.
    pub const EMPTY: Self = Self { hash: [0; 3], r: [0; 2], s: 0 };
}

impl Drop for Poly1305 {
    fn drop(&mut self) {
        wipe(&mut self.hash);
        wipe(&mut self.r);
        wipe(std::slice::from_mut(&mut self.s));
    }
}

/// What moves on as the AEAD runs over a message.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct SealState {
    /// The keystream of the last block, if that is still open.
    pub keystream: StreamBlock,
    /// The place of the next block; its number is 0 until the one-time key is made.
    pub counter: Counter,
    /// Input to Poly1305 that is not hashed yet, up to a block; zeros behind it.
    pub pending: Block,
    /// The hash.
    pub poly1305: Poly1305,
    /// Whether the one-time key is made.
    pub keyed: bool,
}

impl SealState {
    /// No message yet.
    pub const EMPTY: Self = Self {
        keystream: [0; 64],
        counter: [0; 4],
        pending: [0; 16],
        poly1305: Poly1305::EMPTY,
        keyed: false,
    };
}

impl Drop for SealState {
    fn drop(&mut self) {
        wipe(&mut self.keystream);
        wipe(&mut self.counter);
        wipe(&mut self.pending);
    }
}

//! CFB, OFB and CTR: streams of any length in pieces of any length.

use super::cfb8;
use crate::{Block, BlockKey, Direction, InOut, Mode, wipe};

/// The place in a CFB, OFB or CTR stream, kept as OpenSSL keeps it. No cache line ends within its blocks: what was just
/// stored across two lines is slow to load.
#[derive(Clone, Default)]
#[repr(C, align(16))]
pub struct Feedback {
    /// The shift register (CFB, OFB) or the next counter (CTR): OpenSSL's `updated-iv`.
    pub register: Block,
    /// CTR only: the keystream block in use.
    keystream: Block,
    /// CTR only: whether that block is still to be computed, for somebody else has used it until now.
    owed: bool,
    /// Bytes of the current block already used: OpenSSL's `num`, always below 16. With segments of 8
    /// bits it means nothing.
    used: usize,
}

impl Feedback {
    /// At the start of a message.
    #[inline]
    pub fn start(&mut self, iv: &Block) {
        self.register = *iv;
        self.used = 0;
    }

    /// At the place where somebody else has come to.
    #[inline]
    pub fn go_on_from(&mut self, register: Block, used: usize) {
        (self.register, self.used) = (register, used);
        self.owed = used != 0;
    }

    /// Bytes of the current block already used.
    #[inline]
    pub const fn used(&self) -> usize {
        self.used
    }

    /// Sets how many bytes of the current block are used, as OpenSSL's `num` parameter does.
    ///
    /// # Panics
    /// If `used` is 16 or more.
    pub fn set_used(&mut self, used: usize) {
        assert!(used < 16);
        self.used = used;
    }

    /// Whether both are at the same place of the same stream.
    pub fn agrees(&self, other: &Self) -> bool {
        // The keystream counts only while a block is open.
        self.used == other.used
            && self.register == other.register
            && (self.used == 0 || self.keystream == other.keystream)
    }

    /// Encrypts or decrypts the next bytes of the stream.
    ///
    /// # Panics
    /// If `mode` is not CFB, OFB or CTR.
    #[inline]
    pub fn update(&mut self, mode: Mode, direction: Direction, key: &BlockKey, data: InOut<'_>) {
        if mode.has_byte_segments() {
            return cfb8::crypt(direction, key, &mut self.register, data);
        }
        let data = if self.used == 0 {
            data
        } else {
            if self.owed {
                self.pay(mode, key);
            }
            let left = (16 - self.used).min(data.len());
            let (head, rest) = data.split_at(left);
            self.bytes(mode, direction, head);
            if rest.is_empty() {
                return;
            }
            rest
        };
        self.used = data.len() % 16;
        let kernels = key.kernels();
        let (schedule, register) = (key.schedule(), &mut self.register);
        match mode {
            Mode::Cfb => (kernels.cfb[direction as usize])(schedule, register, data),
            Mode::Ofb => (kernels.ofb)(schedule, register, data),
            Mode::Ctr => (kernels.ctr)(schedule, register, &mut self.keystream, data),
            _ => unreachable!("not a feedback mode"),
        }
    }

    /// Computes the keystream of the block that somebody else has begun.
    #[cold]
    fn pay(&mut self, mode: Mode, key: &BlockKey) {
        self.owed = false;
        if mode == Mode::Ctr {
            self.keystream = u128::from_be_bytes(self.register).wrapping_sub(1).to_be_bytes();
            let keystream = InOut::in_place(&mut self.keystream);
            (key.kernels().ecb[Direction::Encrypt as usize])(key.schedule(), keystream);
        }
    }

    /// Bytes within the current block, whose keystream is at hand.
    #[inline(never)]
    fn bytes(&mut self, mode: Mode, direction: Direction, mut data: InOut<'_>) {
        let used = self.used;
        let (shift, wanted) = (8 * used, (1 << (8 * data.len())) - 1);
        let register = u128::from_le_bytes(self.register);
        let keystream =
            if mode == Mode::Ctr { u128::from_le_bytes(self.keystream) } else { register };
        data.replace(|input| {
            let output = (input ^ (keystream >> shift)) & wanted;
            if mode == Mode::Cfb {
                // The ciphertext takes the keystream's place in the shift register: keystream plus
                // plaintext.
                let plaintext = if direction == Direction::Encrypt { input } else { output };
                self.register = (register ^ (plaintext << shift)).to_le_bytes();
            }
            output
        });
        self.used = (used + data.len()) % 16;
    }
}

impl Drop for Feedback {
    fn drop(&mut self) {
        wipe(&mut self.register);
        wipe(&mut self.keystream);
    }
}

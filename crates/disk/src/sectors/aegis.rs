//! AEGIS-128: a state of five blocks through which the message goes, one AES round for each of them.
//!
//! H. Wu, B. Preneel, "AEGIS: A Fast Authenticated Encryption Algorithm (v1.1)", the submission to CAESAR; section
//! numbers are its. It is the one that Linux has; RFC drafts and crates have AEGIS-128L and AEGIS-256 only.

use aes::hazmat::{Block8, cipher_round_par};
use wirespeed_cipher::{Block, Direction};

use super::aead::Seal;

/// §2.2, Fibonacci's numbers modulo 256.
const FIRST: u128 = u128::from_be_bytes([
    0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62,
]);
const SECOND: u128 = u128::from_be_bytes([
    0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd,
]);

/// A key.
#[derive(Clone)]
pub(super) struct Aegis128(pub(super) Block);

/// The five blocks. The crate takes eight at a time: the last three are never looked at.
struct State(Block8);

impl State {
    /// §2.5.2.
    fn new(key: Block, iv: Block) -> Self {
        let mut state = Self(Block8::default());
        let (key, iv) = (u128::from_be_bytes(key), u128::from_be_bytes(iv));
        let blocks = [key ^ iv, SECOND, FIRST, key ^ FIRST, key ^ SECOND];
        for (place, block) in blocks.into_iter().enumerate() {
            state.0[place] = block.to_be_bytes().into();
        }
        for _ in 0..5 {
            state.update(key.to_be_bytes());
            state.update((key ^ iv).to_be_bytes());
        }
        state
    }

    #[inline]
    fn block(&self, place: usize) -> u128 {
        u128::from_ne_bytes(self.0[place].into())
    }

    /// §2.3.
    #[inline]
    fn update(&mut self, message: Block) {
        let mut next = Block8::default();
        for place in 0..5 {
            next[place] = self.0[(place + 4) % 5];
        }
        cipher_round_par(&mut next, &self.0);
        self.0 = next;
        self.0[0] = (self.block(0) ^ u128::from_ne_bytes(message)).to_ne_bytes().into();
    }

    /// §2.5.4.
    #[inline]
    fn keystream(&self) -> u128 {
        self.block(1) ^ self.block(4) ^ self.block(2) & self.block(3)
    }

    /// §2.5.5; lengths in bytes.
    fn tag(mut self, associated: usize, message: usize) -> Block {
        let bits = |bytes: usize| bytes as u128 * 8;
        let lengths = u128::from_le(bits(associated) | bits(message) << 64);
        let last = (self.block(3) ^ lengths).to_ne_bytes();
        for _ in 0..7 {
            self.update(last);
        }
        (0..5).map(|place| self.block(place)).fold(0, |sum, block| sum ^ block).to_ne_bytes()
    }
}

/// The bytes of a block and zeros after them.
fn padded(bytes: &[u8]) -> Block {
    let mut block = [0; 16];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

impl Seal for Aegis128 {
    const IV_BYTES: usize = 16;

    fn run(
        &mut self,
        direction: Direction,
        iv: &[u8],
        associated: &[u8],
        from: &[u8],
        to: &mut [u8],
    ) -> Block {
        let mut state = State::new(self.0, iv.try_into().expect("an IV of 16 bytes"));
        for part in associated.chunks(16) {
            state.update(padded(part));
        }
        for (from, to) in from.chunks(16).zip(to.chunks_mut(16)) {
            let input = padded(from);
            let output = (u128::from_ne_bytes(input) ^ state.keystream()).to_ne_bytes();
            to.copy_from_slice(&output[..to.len()]);
            state.update(if direction == Direction::Encrypt { input } else { padded(to) });
        }
        state.tag(associated.len(), from.len())
    }
}

//! Block ciphers and their modes of operation.

mod aes;
mod sm4;

pub(crate) use aes::Aes;
pub(crate) use sm4::Sm4;

use crate::machine::{Machine, Progress};

/// Both ciphers' block.
pub(crate) type Block = [u8; BLOCK_BYTES];
pub(crate) const BLOCK_BYTES: usize = 16;

/// Blocks that are moved and computed together.
const AT_ONCE: usize = 64;

/// A cipher with its key.
pub(crate) trait BlockCipher {
    /// Encrypts a block.
    fn encrypt(&self, block: &mut Block);
    /// Decrypts a block.
    fn decrypt(&self, block: &mut Block);
}

/// How blocks depend on one another (NIST SP 800-38A, with blocks as segments of CFB).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Ecb,
    Cbc,
    /// The last 16 bits count, big-endian, without a carry into the others (OpenSSL's e_padlock.c splits
    /// its calls there).
    Ctr,
    Cfb,
    Ofb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

impl Mode {
    /// Whether blocks go through the cipher backwards: the others use it as a generator, both ways.
    pub(crate) fn inverts(self, direction: Direction) -> bool {
        direction == Direction::Decrypt && matches!(self, Self::Ecb | Self::Cbc)
    }
}

/// What to encrypt or decrypt.
pub(crate) struct Job<'a, C> {
    pub(crate) cipher: &'a C,
    pub(crate) mode: Mode,
    pub(crate) direction: Direction,
    /// Every output block goes to the same place, so that only the last one stays.
    pub(crate) digest: bool,
    /// What goes wrong.
    pub(crate) flaw: u8,
}

impl<C: BlockCipher> Job<'_, C> {
    /// Takes RCX blocks from RSI to RDI and moves all three. `chain` goes in as the IV and comes out as
    /// what the next block needs.
    pub(crate) fn run(&self, machine: &mut Machine<'_>, chain: &mut Block) -> Progress {
        let (from, to) = (machine.registers.rsi, machine.registers.rdi);
        let total = machine.registers.rcx;
        let bytes = |blocks: u64| blocks.wrapping_mul(BLOCK_BYTES as u64);
        // Where source and destination overlap without being the same, the result is undefined. One
        // block after the other makes it the same whatever interrupts.
        let span = total.saturating_mul(BLOCK_BYTES as u64);
        let apart = from == to || from.abs_diff(to) >= span;
        let at_once = if apart && !self.digest { AT_ONCE } else { 1 };
        let progress = machine.advance(total, at_once, |memory, done, count| {
            let mut buffer = [[0; BLOCK_BYTES]; AT_ONCE];
            let blocks = &mut buffer[..count];
            memory.read(from.wrapping_add(bytes(done)), blocks.as_flattened_mut())?;
            let mut next = *chain;
            for block in &mut *blocks {
                self.block(block, &mut next);
            }
            let to = if self.digest { to } else { to.wrapping_add(bytes(done)) };
            memory.write(to, blocks.as_flattened())?;
            *chain = next;
            Ok(())
        });
        let registers = &mut machine.registers;
        registers.rsi = from.wrapping_add(bytes(progress.done));
        registers.rdi = if self.digest { to } else { to.wrapping_add(bytes(progress.done)) };
        registers.rcx -= progress.done;
        progress
    }

    fn block(&self, block: &mut Block, chain: &mut Block) {
        let input = *block;
        match (self.mode, self.direction) {
            (Mode::Ecb, Direction::Encrypt) => self.cipher.encrypt(block),
            (Mode::Ecb, Direction::Decrypt) => self.cipher.decrypt(block),
            (Mode::Cbc, Direction::Encrypt) => {
                add(block, chain);
                self.cipher.encrypt(block);
                *chain = *block;
            }
            (Mode::Cbc, Direction::Decrypt) => {
                self.cipher.decrypt(block);
                add(block, chain);
                *chain = input;
            }
            (Mode::Ctr, _) => {
                let mut stream = *chain;
                self.cipher.encrypt(&mut stream);
                add(block, &stream);
                let [.., high, low] = chain;
                [*high, *low] = u16::from_be_bytes([*high, *low]).wrapping_add(1).to_be_bytes();
            }
            (Mode::Cfb, direction) => {
                self.cipher.encrypt(chain);
                add(block, chain);
                *chain = if direction == Direction::Encrypt { *block } else { input };
            }
            (Mode::Ofb, _) => {
                self.cipher.encrypt(chain);
                add(block, chain);
            }
        }
        block[0] ^= self.flaw;
    }
}

/// Addition of blocks as SP 800-38A means it.
fn add(block: &mut Block, other: &Block) {
    *block = (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*other)).to_ne_bytes();
}

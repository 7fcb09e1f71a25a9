//! SHA-1 and SHA-256 on PHE, SHA-384 and SHA-512 on PHE2, SM3 on CCS.
//!
//! PHE knows two ways. It takes a [`Message`] to its end, padding included, which every CPU with PHE does;
//! and it takes [`Blocks`] without padding, which only a Nano and later do. PHE2 and CCS are used by the
//! block.

mod by_fault;

use wirespeed_cipher::{Compression, Digest};
use wirespeed_cpu::padlock::PadLock;
use wirespeed_cpu::x86::ThisCpu;
use wirespeed_cpu::{Ccs, Phe, Phe2};

pub use by_fault::ByFault;

use crate::arch::x86::found::Found;
use crate::arch::x86::instruction::{self, HashArea, Hashing};

/// A chaining value: words as in [`Digest::initial`].
pub type Chain = [u64; 8];

/// RAX where RCX counts blocks.
const BLOCKS: usize = usize::MAX;

/// The room behind the state is the unit's.
impl HashArea {
    fn of(hashing: Hashing, chain: &Chain) -> Self {
        let mut area = Self([0; 128]);
        for (i, word) in chain.iter().enumerate() {
            match hashing {
                // The state is the array of words that programs have; the digest needs their bytes
                // swapped.
                Hashing::Sha1 | Hashing::Sha256 => {
                    area.0[4 * i..4 * i + 4].copy_from_slice(&(*word as u32).to_le_bytes());
                }
                Hashing::Sha512 => area.0[8 * i..8 * i + 8].copy_from_slice(&word.to_le_bytes()),
                // Here it is the digest.
                Hashing::Sm3 => {
                    area.0[4 * i..4 * i + 4].copy_from_slice(&(*word as u32).to_be_bytes());
                }
            }
        }
        area
    }

    fn chain(&self, hashing: Hashing) -> Chain {
        let (quarters, halves) = (self.0.as_chunks::<4>().0, self.0.as_chunks::<8>().0);
        let words = if hashing == Hashing::Sha1 { 5 } else { 8 };
        std::array::from_fn(|i| match hashing {
            _ if i >= words => 0,
            Hashing::Sha1 | Hashing::Sha256 => u32::from_le_bytes(quarters[i]).into(),
            Hashing::Sha512 => u64::from_le_bytes(halves[i]),
            Hashing::Sm3 => u32::from_be_bytes(quarters[i]).into(),
        })
    }
}

/// A unit that hashes whole blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    hashing: Hashing,
    block_bytes: usize,
}

impl Blocks {
    /// SHA-1's or SHA-256's compression function, if the unit takes blocks; `None` for others.
    pub fn sha(phe: Phe, compression: Compression) -> Option<Self> {
        let hashing = match compression {
            Compression::Sha1 => Hashing::Sha1,
            Compression::Sha256 => Hashing::Sha256,
            _ => return None,
        };
        takes_blocks(phe).then_some(Self { hashing, block_bytes: 64 })
    }

    /// SHA-384's and SHA-512's.
    pub const fn sha512(_: Phe2) -> Self {
        Self { hashing: Hashing::Sha512, block_bytes: 128 }
    }

    /// SM3's.
    pub const fn sm3(_: Ccs) -> Self {
        Self { hashing: Hashing::Sm3, block_bytes: 64 }
    }

    /// Takes the chaining value over whole blocks; a part of one at the end is ignored.
    pub fn run(&self, chain: &mut Chain, data: &[u8]) {
        let count = data.len() / self.block_bytes;
        if count == 0 {
            return;
        }
        let mut area = HashArea::of(self.hashing, chain);
        // SAFETY: a `Blocks` is only made with the unit's token, and so many blocks are readable.
        unsafe { instruction::hash(self.hashing, &mut area, data.as_ptr(), BLOCKS, count) };
        *chain = area.chain(self.hashing);
    }
}

/// Whether xsha1 and xsha256 know blocks: by the CPU's model, because a C7 takes RAX = -1 for a number of
/// bytes, and who knows how many it would read. CPUID is slow in virtual machines, so it is asked once.
fn takes_blocks(_: Phe) -> bool {
    static FOUND: Found = Found::new();
    FOUND.or_try(|| PadLock::of(&ThisCpu).is_some_and(PadLock::is_64_bit))
}

/// A unit that hashes messages to their end.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    phe: Phe,
    digest: Digest,
    hashing: Hashing,
}

impl Message {
    /// SHA-1, SHA-224 or SHA-256; `None` for others.
    pub const fn new(phe: Phe, digest: Digest) -> Option<Self> {
        let hashing = match digest {
            Digest::Sha1 => Hashing::Sha1,
            Digest::Sha224 | Digest::Sha256 => Hashing::Sha256,
            _ => return None,
        };
        Some(Self { phe, digest, hashing })
    }

    /// The digest of a message, in one instruction; `out` gets its first bytes.
    ///
    /// # Panics
    /// If `out` is longer than the digest.
    pub fn hash(&self, message: &[u8], out: &mut [u8]) {
        let mut chain = self.digest.initial();
        self.finish(&mut chain, 0, message);
        assert!(out.len() <= self.digest.bytes(), "bytes of a digest");
        for (to, word) in out.chunks_mut(4).zip(chain) {
            to.copy_from_slice(&(word as u32).to_be_bytes()[..to.len()]);
        }
    }

    /// Ends a message of which `before` bytes, whole blocks, are in the chaining value already: hashes the
    /// rest and the padding.
    ///
    /// # Panics
    /// If `before` is not a number of whole blocks.
    pub fn finish(&self, chain: &mut Chain, before: usize, rest: &[u8]) {
        assert!(before.is_multiple_of(64), "whole blocks");
        let total = before + rest.len();
        if total == 0 && takes_blocks(self.phe) {
            // Zhaoxin's unit does nothing for a count of zero (Linux commit ebba09f19807), but a CPU that
            // takes blocks takes the padding as one.
            let mut padding = [0; 64];
            padding[0] = 0x80;
            return Blocks { hashing: self.hashing, block_bytes: 64 }.run(chain, &padding);
        }
        let mut area = HashArea::of(self.hashing, chain);
        // SAFETY: the token stands for the unit, which reads what is not hashed yet.
        unsafe { instruction::hash(self.hashing, &mut area, rest.as_ptr(), before, total) };
        *chain = area.chain(self.hashing);
    }
}

//! AES on ACE: ECB, CBC, CFB, OFB and CTR with keys of 128, 192 and 256 bits.

use std::ptr;

use wirespeed_cipher::{Block, Direction, InOut, Mode, Schedule};
use wirespeed_cpu::{Ace, Ace2};

use crate::alignment;
use crate::area::Iv;
use crate::control::{ControlWord, KeySize};
use crate::instruction::{self, Xcrypt};
use crate::key::KeyArea;
pub use crate::key::{Key, WrongKeyLength};
use crate::modes::{self, Unit, count_and_encrypt};

/// A key on a CPU that has ACE.
///
/// Data may lie anywhere and be of any length; ECB and CBC ignore a partial block at the end. One
/// instruction does a whole call when the data are aligned to 16 bytes, or where ACE2 takes them at any
/// address, or when they fit a few KiB. Every call makes the unit read its key anew.
#[derive(Clone, Copy)]
pub struct Aes<'k> {
    ace2: Option<Ace2>,
    key: KeyArea<'k>,
}

impl<'k> Aes<'k> {
    /// With a key of this crate. ACE2, where it is, brings counter mode and unaligned data.
    pub fn new(_: Ace, ace2: Option<Ace2>, key: &'k Key) -> Self {
        Self { ace2, key: KeyArea::from(key) }
    }

    /// With a key schedule that any route has made for this direction of the block cipher.
    pub fn with_schedule(
        _: Ace,
        ace2: Option<Ace2>,
        size: KeySize,
        schedule: &'k Schedule,
        direction: Direction,
    ) -> Self {
        Self { ace2, key: KeyArea::of_schedule(size, schedule, direction) }
    }

    /// ECB in the key's direction (SP 800-38A §6.1).
    pub fn ecb(&self, data: InOut<'_>) {
        let data = whole_blocks(data);
        let mut unit = self.unit(Xcrypt::Ecb, self.key.direction, &data);
        modes::run(&mut unit, Mode::Ecb, self.key.direction, &mut [0; 16], data);
    }

    /// CBC in the key's direction (SP 800-38A §6.2); the chaining value moves on.
    pub fn cbc(&self, chain: &mut Block, data: InOut<'_>) {
        let data = whole_blocks(data);
        let mut unit = self.unit(Xcrypt::Cbc, self.key.direction, &data);
        modes::run(&mut unit, Mode::Cbc, self.key.direction, chain, data);
    }

    /// CFB with 128-bit segments (SP 800-38A §6.3), the key's direction being encryption; the shift
    /// register moves on. After a partial block it holds the ciphertext, and the keystream behind it.
    pub fn cfb(&self, direction: Direction, register: &mut Block, data: InOut<'_>) {
        let mut unit = self.forward_unit(Xcrypt::Cfb, direction, &data);
        modes::run(&mut unit, Mode::Cfb, direction, register, data);
    }

    /// OFB (SP 800-38A §6.4), the key's direction being encryption; the shift register moves on to the
    /// last block of keystream.
    pub fn ofb(&self, register: &mut Block, data: InOut<'_>) {
        let mut unit = self.forward_unit(Xcrypt::Ofb, Direction::Encrypt, &data);
        modes::run(&mut unit, Mode::Ofb, Direction::Encrypt, register, data);
    }

    /// CTR with a 128-bit big-endian counter (SP 800-38A §6.5), the key's direction being encryption. The
    /// counter moves on by every block begun. Gives the last block's keystream, if there is any.
    ///
    /// The unit counts in 16 bits only: where they wrap, another instruction begins with the carry. A CPU
    /// without ACE2 has no such instruction, there counters go through ECB.
    pub fn ctr(&self, counter: &mut Block, data: InOut<'_>) -> Option<Block> {
        if self.ace2.is_none() {
            let mut unit = self.forward_unit(Xcrypt::Ecb, Direction::Encrypt, &data);
            return count_and_encrypt(&mut unit, counter, data);
        }
        let mut unit = self.forward_unit(Xcrypt::Ctr, Direction::Encrypt, &data);
        let last = modes::run(&mut unit, Mode::Ctr, Direction::Encrypt, counter, data)?;
        Some(last.keystream())
    }

    /// CBC-MAC (FIPS 113, for messages of one length): the last block of a CBC encryption of whole blocks,
    /// the key's direction being encryption.
    ///
    /// The control word has a bit for this ([`ControlWord::with_digest`]) that no known program uses; here
    /// the ciphertext goes to the stack and is wiped.
    pub fn cbc_mac(&self, chain: &mut Block, message: &[u8]) {
        let mut scratch = crate::area::Area::new();
        for chunk in message[..message.len() & !15].chunks(crate::plan::AREA_BYTES) {
            self.cbc(chain, InOut::between(chunk, scratch.bytes(chunk.len())));
        }
    }

    /// A unit for a mode that only encrypts blocks.
    fn forward_unit(&self, mode: Xcrypt, direction: Direction, data: &InOut<'_>) -> AesUnit<'k> {
        assert!(self.key.direction == Direction::Encrypt, "a key schedule for encryption");
        self.unit(mode, direction, data)
    }

    fn unit(&self, mode: Xcrypt, direction: Direction, data: &InOut<'_>) -> AesUnit<'k> {
        let unaligned = !(data.source().addr() | data.destination().addr()).is_multiple_of(16);
        // Only where it is needed: on a C7 the bit halves the speed of aligned data too (OpenSSL
        // `e_padlock-x86.pl`).
        let any_address = unaligned && self.ace2.is_some_and(alignment::is_free);
        AesUnit::new(mode, self.key, direction, any_address)
    }
}

fn whole_blocks(data: InOut<'_>) -> InOut<'_> {
    let bytes = data.len() & !15;
    data.split_at(bytes).0
}

/// `xcrypt` in one mode with one key.
pub(crate) struct AesUnit<'k> {
    mode: Xcrypt,
    key: &'k Block,
    control: ControlWord,
    any_address: bool,
    /// Whether the unit has read this key and control word.
    loaded: bool,
}

impl<'k> AesUnit<'k> {
    pub(crate) fn new(
        mode: Xcrypt,
        key: KeyArea<'k>,
        direction: Direction,
        any_address: bool,
    ) -> Self {
        let control = key.control.with_direction(direction).with_unaligned_data(any_address);
        Self { mode, key: key.start, control, any_address, loaded: false }
    }
}

impl Unit for AesUnit<'_> {
    fn takes_any_address(&self) -> bool {
        self.any_address
    }

    /// ECB and CBC fetch 2 blocks and 1 at a time, on a Nano of stepping 2 8 and 4 (Linux
    /// `drivers/crypto/padlock-aes.c`, `MAX_ECB_FETCH_BLOCKS`); OpenSSL guards CTR as well
    /// (`e_padlock-x86_64.pl`, `%PADLOCK_PREFETCH`). The greatest are taken: they cost something only at
    /// the end of a page.
    fn fetch(&self) -> usize {
        match self.mode {
            Xcrypt::Ecb => 8,
            Xcrypt::Cbc => 4,
            Xcrypt::Ctr => 2,
            Xcrypt::Cfb | Xcrypt::Ofb => 1,
        }
    }

    unsafe fn run(&mut self, iv: &mut Iv, source: *const u8, destination: *mut u8, blocks: usize) {
        if !self.loaded {
            instruction::forget_key();
            self.loaded = true;
        }
        // SAFETY: the caller vouches for data and IV. Key areas have 256 bytes. Units are only made for
        // who holds ACE's token, and CTR and data at any address are only asked for with ACE2's.
        unsafe {
            let key = ptr::from_ref(self.key).cast();
            instruction::xcrypt(self.mode, &self.control, key, iv, source, destination, blocks);
        }
    }
}

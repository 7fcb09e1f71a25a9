//! AES on ACE and SM4 on CCS: ECB, CBC, CFB, OFB and CTR.

use wirespeed_cipher::{Block, Direction, InOut, Mode, Schedule};
use wirespeed_cpu::{Ace, Ace2, Ccs};

use crate::arch::x86::control::KeySize;
use crate::arch::x86::key::{Key, KeyArea, Sm4Key};
use crate::arch::x86::modes::{count_and_encrypt, run};
use crate::arch::x86::plan::fits_area;
use crate::arch::x86::unit::{Unit, takes_any_address};

/// A block cipher with its key, on a CPU that has it.
///
/// Data may lie anywhere and be of any length; ECB and CBC ignore a partial block at the end. One
/// instruction does a whole call when the data are aligned to 16 bytes, or where ACE2 takes them at any
/// address, or when they fit 4 KiB. Every call makes the unit read its key anew.
#[derive(Clone, Copy)]
pub struct Cipher<'k>(Kind<'k>);

#[derive(Clone, Copy)]
enum Kind<'k> {
    Aes { ace2: Option<Ace2>, key: KeyArea<'k> },
    Sm4 { ccs: Ccs, key: &'k Block, direction: Direction },
}

impl<'k> Cipher<'k> {
    /// AES with a key of this crate. ACE2, where it is, brings counter mode and unaligned data.
    pub fn aes(_: Ace, ace2: Option<Ace2>, key: &'k Key) -> Self {
        Self(Kind::Aes { ace2, key: KeyArea::from(key) })
    }

    /// AES with a key schedule that any route has made for this direction of the block cipher.
    pub fn aes_with_schedule(
        _: Ace,
        ace2: Option<Ace2>,
        size: KeySize,
        schedule: &'k Schedule,
        direction: Direction,
    ) -> Self {
        Self(Kind::Aes { ace2, key: KeyArea::of_schedule(size, schedule, direction) })
    }

    /// SM4 in this direction of ECB and CBC; the other modes need [`Direction::Encrypt`] both ways.
    pub const fn sm4(ccs: Ccs, key: &'k Sm4Key, direction: Direction) -> Self {
        Self(Kind::Sm4 { ccs, key: &key.0, direction })
    }

    /// SM4 with a key schedule that any route has made: its first block is the key.
    pub const fn sm4_with_schedule(ccs: Ccs, schedule: &'k Schedule, direction: Direction) -> Self {
        Self(Kind::Sm4 { ccs, key: &schedule.round_keys[0], direction })
    }

    /// ECB in the key's direction (SP 800-38A §6.1).
    pub fn ecb(&self, data: InOut<'_>) {
        let data = whole_blocks(data);
        run(
            &mut self.unit(Mode::Ecb, self.direction(), &data),
            self.direction(),
            &mut [0; 16],
            data,
        );
    }

    /// CBC in the key's direction (SP 800-38A §6.2); the chaining value moves on.
    pub fn cbc(&self, chain: &mut Block, data: InOut<'_>) {
        let data = whole_blocks(data);
        run(&mut self.unit(Mode::Cbc, self.direction(), &data), self.direction(), chain, data);
    }

    /// CFB with 128-bit segments (SP 800-38A §6.3), with a key for encryption; the shift register moves
    /// on. After a partial block it holds the ciphertext, and the keystream behind it.
    pub fn cfb(&self, direction: Direction, register: &mut Block, data: InOut<'_>) {
        run(&mut self.forward_unit(Mode::Cfb, direction, &data), direction, register, data);
    }

    /// OFB (SP 800-38A §6.4), with a key for encryption; the shift register moves on to the last block of
    /// keystream.
    pub fn ofb(&self, register: &mut Block, data: InOut<'_>) {
        let direction = Direction::Encrypt;
        run(&mut self.forward_unit(Mode::Ofb, direction, &data), direction, register, data);
    }

    /// CTR with a 128-bit big-endian counter (SP 800-38A §6.5), with a key for encryption. The counter
    /// moves on by every block begun. Gives the last block's keystream, if there is any.
    ///
    /// The unit counts in 16 bits only: where they wrap, another instruction begins with the carry. A CPU
    /// without ACE2 has no such instruction, there counters go through ECB.
    pub fn ctr(&self, counter: &mut Block, data: InOut<'_>) -> Option<Block> {
        let direction = Direction::Encrypt;
        if let Kind::Aes { ace2: None, .. } = self.0 {
            let mut unit = self.forward_unit(Mode::Ecb, direction, &data);
            return count_and_encrypt(&mut unit, counter, data);
        }
        let mut unit = self.forward_unit(Mode::Ctr, direction, &data);
        Some(run(&mut unit, direction, counter, data)?.keystream())
    }

    const fn direction(&self) -> Direction {
        match self.0 {
            Kind::Aes { key, .. } => key.direction,
            Kind::Sm4 { direction, .. } => direction,
        }
    }

    /// A unit for a mode that only encrypts blocks.
    fn forward_unit(&self, mode: Mode, direction: Direction, data: &InOut<'_>) -> Unit<'k> {
        assert!(self.direction() == Direction::Encrypt, "this mode needs a key for encryption");
        self.unit(mode, direction, data)
    }

    /// A unit for data that may have to be taken where they lie.
    fn unit(&self, mode: Mode, direction: Direction, data: &InOut<'_>) -> Unit<'k> {
        let unaligned = !(data.source().addr() | data.destination().addr()).is_multiple_of(16);
        match self.0 {
            // Only where it is needed: on a C7 the bit halves the speed of aligned data too (OpenSSL
            // `e_padlock-x86.pl`).
            Kind::Aes { ace2: Some(ace2), key }
                if unaligned && !fits_area(data.len()) && takes_any_address(ace2) =>
            {
                // SAFETY: ACE2's token is here, and it stands for ACE as well.
                unsafe { Unit::xcrypt(mode, key, direction, true) }
            }
            _ => self.aligned_unit(mode, direction),
        }
    }

    /// A unit for data that are aligned or go through the area.
    fn aligned_unit(&self, mode: Mode, direction: Direction) -> Unit<'k> {
        match self.0 {
            // SAFETY: a token for ACE was given, and `ctr` asks for CTR with ACE2's only.
            Kind::Aes { key, .. } => unsafe { Unit::xcrypt(mode, key, direction, false) },
            Kind::Sm4 { ccs, key, .. } => Unit::sm4(ccs, mode, key, direction),
        }
    }
}

fn whole_blocks(data: InOut<'_>) -> InOut<'_> {
    let bytes = data.len() & !15;
    data.split_at(bytes).0
}

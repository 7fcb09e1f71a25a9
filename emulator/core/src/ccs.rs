//! Zhaoxin's GMI instructions for the Chinese standards: SM3 hashes, SM4 ciphers.
//!
//! As its kernel drivers use them (zhaoxin-gmi-sm3.c, zhaoxin-gmi-sm4.c).

use crate::cipher::{BLOCK_BYTES, Block, Direction, Job, Mode, Sm4};
use crate::hash::SM3;
use crate::machine::Machine;
use crate::xsha::Engine;
use crate::{Flaw, Outcome};

/// RBX says which hash; there is one.
const FUNCTION_SM3: u64 = 0x20;

/// SM3 over memory: with RAX = -1 over RCX blocks, otherwise over a message, as xsha256 does (U10).
#[inline(never)]
pub(crate) fn hash(machine: &mut Machine<'_>) -> Result<(), Outcome> {
    if machine.registers.rbx != FUNCTION_SM3 {
        // Another function, of which nothing is known (U11).
        return Err(Outcome::GeneralProtection);
    }
    if machine.registers.rcx == 0 {
        return Ok(());
    }
    let flaw = Flaw::Sm3.mask(machine.options.wrong);
    let engine = Engine { hash: &SM3, area_bytes: SM3.state_bytes, flaw };
    if machine.registers.rax == machine.all_ones() {
        engine.blocks(machine)
    } else {
        engine.message(machine)
    }
}

/// The control word of SM4, which is EAX itself.
mod control {
    pub(super) const DECRYPT: u32 = 1;
    /// Bits 5:1: which cipher.
    pub(super) const FUNCTION: u32 = 0b11_1110;
    pub(super) const FUNCTION_SM4: u32 = 0x20;
    /// Bits 10:6: one of them.
    pub(super) const MODE: u32 = 0b1_1111 << 6;
    pub(super) const DIGEST: u32 = 1 << 11;
}

/// SM4 over RCX blocks from RSI to RDI, with the key at RBX and the IV at RDX.
///
/// The chaining value always goes back to RDX: the driver goes on with it in both directions.
#[inline(never)]
pub(crate) fn cipher(machine: &mut Machine<'_>) -> Result<(), Outcome> {
    let word = machine.registers.rax as u32;
    let mode = match (word & control::MODE) >> 6 {
        0b00001 => Mode::Ecb,
        0b00010 => Mode::Cbc,
        0b00100 => Mode::Cfb,
        0b01000 => Mode::Ofb,
        0b10000 => Mode::Ctr,
        // Several modes, or none (U11).
        _ => return Err(Outcome::GeneralProtection),
    };
    if word & control::FUNCTION != control::FUNCTION_SM4 {
        return Err(Outcome::GeneralProtection);
    }
    if machine.registers.rcx == 0 {
        return Ok(());
    }
    let decrypts = word & control::DECRYPT != 0;
    let key: Block = machine.memory.bytes(machine.registers.rbx)?;
    let job = Job {
        cipher: &Sm4::expand(&key),
        mode,
        direction: if decrypts { Direction::Decrypt } else { Direction::Encrypt },
        digest: word & control::DIGEST != 0,
        flaw: Flaw::Sm4.mask(machine.options.wrong),
    };
    if mode == Mode::Ecb {
        return job.run(machine, &mut [0; BLOCK_BYTES]).ended;
    }
    let vector = machine.registers.rdx;
    let mut chain: Block = machine.memory.bytes(vector)?;
    // What cannot be stored at the end faults before anything is done.
    machine.memory.write(vector, &chain)?;
    let progress = job.run(machine, &mut chain);
    if progress.done > 0 {
        machine.memory.write(vector, &chain)?;
    }
    progress.ended
}

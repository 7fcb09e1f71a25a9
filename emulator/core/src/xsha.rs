//! xsha: hashes of memory, as blocks or as a message that is padded.

use crate::hash::{Hash, MOST_STATE_BYTES, SHA1, SHA256, SHA512};
use crate::machine::{Machine, Progress};
use crate::{Flaw, Model, Operation, Outcome};

/// Bytes that are read together: a whole number of any hash's blocks.
const AT_ONCE: usize = 1024;

/// A hash at RDI.
pub(crate) struct Engine {
    pub(crate) hash: &'static Hash,
    /// Bytes at RDI that are read and written; what is beyond the state is scratch.
    pub(crate) area_bytes: usize,
    /// What goes wrong.
    pub(crate) flaw: u8,
}

/// Carries out one of the four.
#[inline(never)]
pub(crate) fn run(machine: &mut Machine<'_>, operation: Operation) -> Result<(), Outcome> {
    let (hash, flaw) = match operation {
        Operation::Xsha1 => (&SHA1, Flaw::Xsha1),
        Operation::Xsha256 => (&SHA256, Flaw::Xsha256),
        Operation::Xsha384 => (&SHA512, Flaw::Xsha384),
        _ => (&SHA512, Flaw::Xsha512),
    };
    let Machine { options, registers, .. } = *machine;
    // padlock-sha.c aligns it, and gives VIA's 128 bytes: "PHE microcode requires".
    if options.strict && !registers.rdi.is_multiple_of(16) {
        return Err(Outcome::GeneralProtection);
    }
    let zhaoxin = options.model == Model::Zhaoxin;
    // Zhaoxin's needs 32 bytes for SHA-1 and does nothing for a count of 0 (Linux commit ebba09f19807).
    let area_bytes = if zhaoxin { hash.state_bytes.max(32) } else { hash.state_bytes };
    let engine = Engine { hash, area_bytes, flaw: flaw.mask(options.wrong) };
    if zhaoxin && registers.rcx == 0 {
        return Ok(());
    }
    let partial = options.model.has_partial_hashes() && registers.rax == machine.all_ones();
    if matches!(operation, Operation::Xsha384 | Operation::Xsha512) || partial {
        engine.blocks(machine)
    } else {
        engine.message(machine)
    }
}

impl Engine {
    /// RCX blocks from RSI, without padding.
    pub(crate) fn blocks(&self, machine: &mut Machine<'_>) -> Result<(), Outcome> {
        let total = machine.registers.rcx;
        if total == 0 {
            return Ok(());
        }
        let progress = self.hash(machine, total, None)?;
        let bytes = progress.done.wrapping_mul(self.hash.block_bytes as u64);
        machine.registers.rsi = machine.registers.rsi.wrapping_add(bytes);
        machine.registers.rcx = total - progress.done;
        progress.ended
    }

    /// The message of RCX bytes, of which the first RAX are hashed already and the others are at RSI.
    ///
    /// RAX counts up to RCX, which stays (U6), so that after an interrupt the same instruction goes on.
    /// Where RAX is beyond RCX, as with RAX = -1 on C7, only the padding is left (U6).
    pub(crate) fn message(&self, machine: &mut Machine<'_>) -> Result<(), Outcome> {
        let message_bytes = machine.registers.rcx;
        let left = message_bytes.saturating_sub(machine.registers.rax);
        let block_bytes = self.hash.block_bytes as u64;
        let whole = left / block_bytes;
        let tail = Tail { bytes: (left % block_bytes) as usize, message_bytes };
        let progress = self.hash(machine, whole, Some(tail))?;
        let hashed = progress.done.saturating_mul(block_bytes).min(left);
        machine.registers.rsi = machine.registers.rsi.wrapping_add(hashed);
        machine.registers.rax = machine.registers.rax.wrapping_add(hashed);
        progress.ended
    }

    /// Hashes as many whole blocks, and the tail, as memory and interrupts allow, and stores the state.
    fn hash(
        &self,
        machine: &mut Machine<'_>,
        whole: u64,
        tail: Option<Tail>,
    ) -> Result<Progress, Outcome> {
        let block_bytes = self.hash.block_bytes;
        let (data, at) = (machine.registers.rsi, machine.registers.rdi);
        let mut state = [0; MOST_STATE_BYTES];
        machine.memory.read(at, &mut state[..self.area_bytes])?;
        // What cannot be stored at the end faults before anything is done.
        machine.memory.write(at, &state[..self.area_bytes])?;
        let units = whole + u64::from(tail.is_some());
        let progress = machine.advance(units, AT_ONCE / block_bytes, |memory, done, count| {
            let mut next = state;
            let blocks = (whole - done).min(count as u64);
            let mut buffer = [0; AT_ONCE];
            let bytes = &mut buffer[..blocks as usize * block_bytes];
            let from = data.wrapping_add(done.wrapping_mul(block_bytes as u64));
            memory.read(from, bytes)?;
            for block in bytes.chunks_exact(block_bytes) {
                (self.hash.compress)(&mut next, block);
            }
            if let Some(tail) = tail.filter(|_| done + count as u64 == units) {
                let mut rest = [0; PADDED];
                memory.read(from.wrapping_add(bytes.len() as u64), &mut rest[..tail.bytes])?;
                for block in tail.pad(&mut rest, block_bytes).chunks_exact(block_bytes) {
                    (self.hash.compress)(&mut next, block);
                }
            }
            state = next;
            Ok(())
        });
        if progress.done > 0 {
            state[0] ^= self.flaw;
            state[self.hash.state_bytes..].fill(0);
            machine.memory.write(at, &state[..self.area_bytes])?;
        }
        Ok(progress)
    }
}

/// The end of a message, less than a block.
#[derive(Clone, Copy)]
struct Tail {
    bytes: usize,
    /// The length of the whole message.
    message_bytes: u64,
}

/// A tail with its padding.
const PADDED: usize = 128;

impl Tail {
    /// Pads the message (FIPS 180-4, section 5.1.1): a one, zeros, and its length in bits.
    fn pad(self, rest: &mut [u8; PADDED], block_bytes: usize) -> &[u8] {
        const LENGTH_BYTES: usize = 8;
        rest[self.bytes] = 0x80;
        let blocks = (self.bytes + 1 + LENGTH_BYTES).div_ceil(block_bytes);
        let padded = &mut rest[..blocks * block_bytes];
        let length = padded.len() - LENGTH_BYTES;
        padded[length..].copy_from_slice(&self.message_bytes.wrapping_mul(8).to_be_bytes());
        padded
    }
}

//! xcrypt: AES over blocks in memory, as a control word says.

use crate::cipher::{Aes, BLOCK_BYTES, Block, Direction, Job, Mode};
use crate::machine::Machine;
use crate::{Flaw, Operation, Outcome};

/// Everything that xcrypt is given must begin at such an address.
const ALIGNMENT: u64 = 16;

/// The control word: 16 bytes, of which 12 bits are defined (the map of libgcrypt's
/// rijndael-padlock.c, NetBSD's aes_via.c and the structures of padlock-aes.c).
#[derive(Clone, Copy)]
struct Control(u32);

impl Control {
    /// Bits that only CPUs with ACE2 define: DGEST, ALIGN, CIPHR.
    const ACE2: u32 = 0b111 << 4;
    const CIPHER: u32 = 1 << 6;
    const DEFINED: u32 = 0xfff;

    const fn has(self, bit: u32) -> bool {
        self.0 & 1 << bit != 0
    }

    /// ROUND.
    const fn rounds(self) -> usize {
        self.0 as usize & 15
    }

    /// DGEST: only the last block of output stays (U7).
    const fn digest(self) -> bool {
        self.has(4)
    }

    /// ALIGN: source and destination may begin anywhere.
    const fn takes_unaligned_data(self) -> bool {
        self.has(5)
    }

    /// KEYGN: RBX points to an expanded key.
    const fn key_is_expanded(self) -> bool {
        self.has(7)
    }

    /// INTER: the last round is not the final one (U8).
    const fn intermediate(self) -> bool {
        self.has(8)
    }

    /// CRYPT.
    const fn direction(self) -> Direction {
        if self.has(9) { Direction::Decrypt } else { Direction::Encrypt }
    }

    /// KSIZE.
    const fn key_bytes(self) -> usize {
        match self.0 >> 10 & 3 {
            0 => 16,
            1 => 24,
            // 3 is reserved; it is taken for 2 (U9).
            _ => 32,
        }
    }

    const fn has_reserved_key_size(self) -> bool {
        self.0 >> 10 & 3 == 3
    }
}

/// Reads the control word, and in strict mode checks all that the instruction is given.
fn control(machine: &mut Machine<'_>, mode: Mode) -> Result<Control, Outcome> {
    let registers = machine.registers;
    let model = machine.options.model;
    let misaligned = |address: u64| !address.is_multiple_of(ALIGNMENT);
    if !machine.options.strict {
        let control = Control(machine.memory.word(registers.rdx)?);
        let known = if model.has_ace2() { u32::MAX } else { !Control::ACE2 };
        return Ok(Control(control.0 & known));
    }
    if misaligned(registers.rdx) {
        return Err(Outcome::GeneralProtection);
    }
    let word = u128::from_le_bytes(machine.memory.bytes(registers.rdx)?);
    let control = Control(word as u32);
    let undefined = if model.has_ace2() { Control::CIPHER } else { Control::ACE2 };
    let defined = Control::DEFINED & !undefined;
    let reserved = word & !u128::from(defined) != 0 || control.has_reserved_key_size();
    let data = !model.aligns_by_itself() && !control.takes_unaligned_data();
    // After an interrupt RAX points to the last block of output, which may be unaligned as the output is.
    let goes_on = registers.rax == last_block(registers.rdi, control);
    let unaligned = misaligned(registers.rbx)
        || mode != Mode::Ecb && !goes_on && misaligned(registers.rax)
        || data && (misaligned(registers.rsi) || misaligned(registers.rdi));
    if reserved || unaligned { Err(Outcome::GeneralProtection) } else { Ok(control) }
}

/// The key at RBX, for as many rounds as the control word says.
///
/// Not inlined, so that the schedule in memory's order leaves the stack again.
#[inline(never)]
fn key(machine: &mut Machine<'_>, control: Control, mode: Mode) -> Result<Aes, Outcome> {
    let at = machine.registers.rbx;
    if control.key_is_expanded() {
        // The hardware reads 16 round keys (padlock-aes.c); clients have only as many as are used.
        let mut schedule = [[0; BLOCK_BYTES]; 16];
        let schedule = &mut schedule[..=control.rounds()];
        machine.memory.read(at, schedule.as_flattened_mut())?;
        return Ok(Aes::of_schedule(schedule, control.intermediate()));
    }
    let mut key = [0; 32];
    let key = &mut key[..control.key_bytes()];
    machine.memory.read(at, key)?;
    let inverts = mode.inverts(control.direction());
    let use_for = if inverts { Direction::Decrypt } else { Direction::Encrypt };
    Ok(Aes::expand(key, control.rounds(), use_for, control.intermediate()))
}

/// Where the chaining value is left for the next call.
///
/// CBC and CFB encryption point RAX to the last block of output, whose bytes it is, and do not write to
/// the IV; all others store it at RAX (NetBSD's aes_via.c states both for CBC; padlock-aes.c and
/// e_padlock.c rely on it).
fn chain_is_output(mode: Mode, direction: Direction) -> bool {
    direction == Direction::Encrypt && matches!(mode, Mode::Cbc | Mode::Cfb)
}

/// Where the last block of output is when RDI points to where the next one goes: a digest stays in its place.
const fn last_block(rdi: u64, control: Control) -> u64 {
    if control.digest() { rdi } else { rdi.wrapping_sub(BLOCK_BYTES as u64) }
}

/// Carries out one of the five.
#[inline(never)]
pub(crate) fn run(machine: &mut Machine<'_>, operation: Operation) -> Result<(), Outcome> {
    let mode = match operation {
        Operation::XcryptCbc => Mode::Cbc,
        Operation::XcryptCtr => Mode::Ctr,
        Operation::XcryptCfb => Mode::Cfb,
        Operation::XcryptOfb => Mode::Ofb,
        _ => Mode::Ecb,
    };
    if machine.registers.rcx == 0 {
        return Ok(());
    }
    let control = control(machine, mode)?;
    let cipher = key(machine, control, mode)?;
    let flaw = match control.key_bytes() {
        16 => Flaw::Xcrypt128,
        24 => Flaw::Xcrypt192,
        _ => Flaw::Xcrypt256,
    };
    let job = Job {
        cipher: &cipher,
        mode,
        direction: control.direction(),
        digest: control.digest(),
        flaw: flaw.mask(machine.options.wrong),
    };
    if mode == Mode::Ecb {
        return job.run(machine, &mut [0; BLOCK_BYTES]).ended;
    }
    let vector = machine.registers.rax;
    let mut chain: Block = machine.memory.bytes(vector)?;
    let is_output = chain_is_output(mode, control.direction());
    let is_stored = !is_output || machine.options.iv_writeback;
    if is_stored {
        // What cannot be stored at the end faults before anything is done.
        machine.memory.write(vector, &chain)?;
    }
    let progress = job.run(machine, &mut chain);
    if progress.done == 0 {
        return progress.ended;
    }
    if is_stored {
        machine.memory.write(vector, &chain)?;
    }
    // With `iv_writeback` the chaining value is in both places, and RAX stays until the end: what goes on
    // after an interrupt must store it there again.
    if is_output && (!is_stored || progress.ended.is_ok()) {
        machine.registers.rax = last_block(machine.registers.rdi, control);
    }
    progress.ended
}

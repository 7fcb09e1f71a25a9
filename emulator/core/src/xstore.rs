//! xstore: random bytes.

use crate::machine::Machine;
use crate::{Flaw, Outcome, Random};

/// EAX: the generator is enabled (bit 6), its first noise source is selected (bits 9:8), nothing is biased
/// or filtered. The number of bytes is in bits 4:0.
///
/// The layout is the one of MSR 110Bh (via-rng.c). libgcrypt and OpenSSL refuse anything in bits 14:10
/// and a generator that is not enabled. Nano and Zhaoxin lost the MSR; they are taken to answer the
/// same (U4).
const STATUS: u64 = 0x140;

/// Bytes that are made together.
const AT_ONCE: usize = 128;

/// Carries out xstore, or REP xstore, which goes on until RCX bytes are stored.
#[inline(never)]
pub(crate) fn run(
    machine: &mut Machine<'_>,
    random: &mut dyn Random,
    repeated: bool,
) -> Result<(), Outcome> {
    // Only these two bits count: strongSwan sets others and is served.
    let divisor = machine.registers.rdx & 3;
    let valid = 8 >> divisor;
    let constant = Flaw::Xstore.mask(machine.options.wrong) != 0;
    let mut fill = |into: &mut [u8]| {
        if constant { into.fill(0x5a) } else { random.fill(into) }
    };
    let to = machine.registers.rdi;
    if !repeated {
        // A whole quadword, or a doubleword whose first bytes are valid (via-rng.c's enum). The others
        // are zero (U5).
        let stored = if divisor == 0 { 8 } else { 4 };
        let mut bytes = [0; 8];
        fill(&mut bytes[..valid]);
        machine.advance(1, 1, |memory, _, _| memory.write(to, &bytes[..stored])).ended?;
        machine.registers.rdi = to.wrapping_add(valid as u64);
        machine.registers.rax = STATUS | valid as u64;
        return Ok(());
    }
    let total = machine.registers.rcx;
    if total == 0 {
        return Ok(());
    }
    // The last store is cut to what is left, so that nothing is written behind the buffer (U5).
    let stores = total.div_ceil(valid as u64);
    let progress = machine.advance(stores, AT_ONCE / valid, |memory, done, count| {
        let offset = done * valid as u64;
        let length =
            usize::try_from(total - offset).map_or(count * valid, |left| left.min(count * valid));
        let mut bytes = [0; AT_ONCE];
        fill(&mut bytes[..length]);
        memory.write(to.wrapping_add(offset), &bytes[..length])
    });
    let stored = progress.done.saturating_mul(valid as u64).min(total);
    machine.registers.rdi = to.wrapping_add(stored);
    machine.registers.rcx = total - stored;
    if progress.done > 0 {
        machine.registers.rax = STATUS | valid as u64;
    }
    progress.ended
}

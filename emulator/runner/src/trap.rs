//! What a signal at an instruction means: an instruction of PadLock, a CPUID to be answered, or the
//! program's own affair.

use padlock_emulator::{Instruction, LONGEST, Width, decode};

/// CPUID.
pub const CPUID: [u8; 2] = [0x0f, 0xa2];

/// What the runners write over CPUID where the kernel cannot make it fault: `ud0`, of the same
/// length, which every CPU refuses with
/// #UD and no compiler emits. It is told by its bytes alone, so nobody has to remember where it was
/// written.
pub const REWRITTEN_CPUID: [u8; 2] = [0x0f, 0xff];

/// `int3`, which is written over the first byte of an instruction of PadLock, because it traps
/// sooner than #UD does in a virtual machine.
pub const INT3: u8 = 0xcc;

/// The first byte that [`INT3`] replaces, and the only one: REP. So the byte need not be remembered
/// either.
pub const REP: u8 = 0xf3;

/// `SI_KERNEL` of asm-generic/siginfo.h: neither a process nor an access to memory raised the signal.
pub const SI_KERNEL: i32 = 0x80;
/// `SEGV_ACCERR`: what is mapped there may not be accessed so.
pub const SEGV_ACCERR: i32 = 2;

/// The signal that stopped the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGILL.
    IllegalInstruction,
    /// SIGTRAP from `int3`: `bytes` begin with it.
    Breakpoint,
    /// SIGSEGV with `si_code` SI_KERNEL and no address, which is #GP.
    GeneralProtection,
}

/// What the emulator has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// Carry out an instruction of PadLock.
    PadLock(Instruction),
    /// Answer a CPUID, which is two bytes long.
    Cpuid,
}

/// What the emulator has to do about `signal` at an instruction of these bytes. `None`: the signal
/// is the program's own.
pub fn classify(signal: Signal, bytes: &[u8], width: Width) -> Option<Trap> {
    match signal {
        Signal::IllegalInstruction if bytes.starts_with(&REWRITTEN_CPUID) => Some(Trap::Cpuid),
        Signal::IllegalInstruction => {
            // Another thread that trapped at the same place may have patched it meanwhile. By
            // itself, `int3` never raises #UD.
            let instruction = decode(bytes, width).or_else(|| decode_patched(bytes, width));
            instruction.map(Trap::PadLock)
        }
        Signal::GeneralProtection => bytes.starts_with(&CPUID).then_some(Trap::Cpuid),
        Signal::Breakpoint => decode_patched(bytes, width).map(Trap::PadLock),
    }
}

/// The instruction of PadLock over which [`INT3`] was written, if that is what stands there.
fn decode_patched(bytes: &[u8], width: Width) -> Option<Instruction> {
    let mut original = [0; LONGEST];
    let original = original.get_mut(..bytes.len().min(LONGEST))?;
    original.copy_from_slice(bytes.get(..original.len())?);
    let first = original.first_mut().filter(|first| **first == INT3)?;
    *first = REP;
    decode(original, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpuid_is_answered_where_it_faults_or_was_rewritten() {
        let width = Width::Bits64;
        assert_eq!(classify(Signal::GeneralProtection, &CPUID, width), Some(Trap::Cpuid));
        assert_eq!(
            classify(Signal::IllegalInstruction, &REWRITTEN_CPUID, width),
            Some(Trap::Cpuid)
        );
        // A #GP at another instruction, #UD at what cannot raise it, and other illegal instructions.
        assert_eq!(classify(Signal::GeneralProtection, &[0xf4], width), None);
        assert_eq!(classify(Signal::GeneralProtection, &REWRITTEN_CPUID, width), None);
        assert_eq!(classify(Signal::IllegalInstruction, &CPUID, width), None);
        assert_eq!(classify(Signal::IllegalInstruction, &[0x0f, 0x0b], width), None);
        assert_eq!(classify(Signal::IllegalInstruction, &[0x0f], width), None);
        assert_eq!(classify(Signal::IllegalInstruction, &[], width), None);
    }

    #[test]
    fn a_breakpoint_is_ours_only_over_an_instruction_of_padlock() {
        let width = Width::Bits64;
        for bytes in [&[INT3][..], &[INT3, 0x90], &[INT3, 0x0f], &[0x90, 0x0f, 0xa7, 0xc8], &[]] {
            assert_eq!(classify(Signal::Breakpoint, bytes, width), None, "{bytes:x?}");
        }
        let xcrypt = [REP, 0x0f, 0xa7, 0xd0];
        let patched = [INT3, 0x0f, 0xa7, 0xd0];
        let known = classify(Signal::IllegalInstruction, &xcrypt, width);
        assert!(matches!(known, Some(Trap::PadLock(_))));
        assert_eq!(classify(Signal::Breakpoint, &patched, width), known);
        assert_eq!(classify(Signal::Breakpoint, &xcrypt, width), None);
        // A second thread was on its way when the first one patched.
        assert_eq!(classify(Signal::IllegalInstruction, &patched, width), known);
    }
}

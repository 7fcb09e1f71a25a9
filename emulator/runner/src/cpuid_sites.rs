//! Finds the CPUID instructions in code, for machines whose kernel cannot make CPUID fault.
//!
//! The two bytes of CPUID also occur inside other instructions and in tables that lie among code
//! (libcrypto keeps such), and those must stay as they are. x86 code has a property that tells them
//! apart: whoever begins to decode it at a wrong byte soon falls into step with the true
//! instructions. So a candidate counts as CPUID when many of the bytes before it are beginnings
//! from which decoding arrives exactly there, and when what follows is code that looks at a
//! register which CPUID sets.

use iced_x86::{Decoder, DecoderError, DecoderOptions, Instruction, OpKind, Register};
use padlock_emulator::{LONGEST, Width};

use crate::CPUID;

/// How many bytes before a candidate are tried as beginnings.
const BEGINNINGS: usize = 64;

/// One in so many of them must arrive. In 690 CPUIDs of the programs and libraries of a Debian
/// machine 22 to 61 of 64 did; in 200 other places 0 to 16.
const ARRIVING: usize = 3;

/// How many instructions behind a candidate must be valid, one of them using what CPUID answers.
const FOLLOWING: usize = 8;

/// Calls `found` with the offset of every CPUID in `code`, in ascending order.
pub fn find_cpuid(code: &[u8], width: Width, mut found: impl FnMut(usize)) {
    let [first, second] = CPUID;
    for at in memchr::memchr_iter(second, code) {
        let Some(at) = at.checked_sub(1) else { continue };
        if code.get(at) == Some(&first) && is_instruction(code, at, width) {
            found(at);
        }
    }
}

/// Whether the candidate at this offset is an instruction.
fn is_instruction(code: &[u8], at: usize, width: Width) -> bool {
    let start = at.saturating_sub(BEGINNINGS);
    let end = code.len().min(at + CPUID.len() + FOLLOWING * LONGEST);
    let window = code.get(start..end).unwrap_or_default();
    let bits = match width {
        Width::Bits32 => 32,
        Width::Bits64 => 64,
    };
    let mut decoder = Decoder::new(bits, window, DecoderOptions::NONE);
    let candidate = at - start;
    is_arrived_at(&mut decoder, candidate) && is_looked_at(&mut decoder, candidate + CPUID.len())
}

/// Whether decoding arrives at `candidate` from enough of the bytes before it.
fn is_arrived_at(decoder: &mut Decoder<'_>, candidate: usize) -> bool {
    // From the last beginning to the first: each knows already where its next instruction leads to.
    let mut arrives = [false; BEGINNINGS + 1];
    let mut count = 0;
    if let Some(place) = arrives.get_mut(candidate) {
        *place = true;
    }
    for beginning in (0..candidate).rev() {
        let next = decode(decoder, beginning).map(|instruction| beginning + instruction.len());
        let arrived = next.and_then(|next| arrives.get(next)) == Some(&true);
        if let Some(place) = arrives.get_mut(beginning) {
            *place = arrived;
        }
        count += usize::from(arrived);
    }
    count * ARRIVING >= candidate
}

/// Whether what follows is code that uses EAX, EBX, ECX or EDX.
fn is_looked_at(decoder: &mut Decoder<'_>, mut at: usize) -> bool {
    let mut used = false;
    for _ in 0..FOLLOWING {
        match decode(decoder, at) {
            Some(instruction) => {
                used |= names_an_answer(&instruction);
                at += instruction.len();
            }
            None => return used && decoder.last_error() == DecoderError::NoMoreBytes,
        }
    }
    used
}

fn decode(decoder: &mut Decoder<'_>, at: usize) -> Option<Instruction> {
    decoder.set_position(at).ok()?;
    let mut instruction = Instruction::default();
    decoder.decode_out(&mut instruction);
    (!instruction.is_invalid()).then_some(instruction)
}

/// Whether an operand is a register that CPUID sets, or a part of one.
fn names_an_answer(instruction: &Instruction) -> bool {
    use Register::{AH, AL, AX, BH, BL, BX, CH, CL, CX, DH, DL, DX};
    use Register::{EAX, EBX, ECX, EDX, RAX, RBX, RCX, RDX};
    (0..instruction.op_count()).any(|operand| {
        instruction.op_kind(operand) == OpKind::Register
            && matches!(
                instruction.op_register(operand),
                AL | AH
                    | AX
                    | EAX
                    | RAX
                    | BL
                    | BH
                    | BX
                    | EBX
                    | RBX
                    | CL
                    | CH
                    | CX
                    | ECX
                    | RCX
                    | DL
                    | DH
                    | DX
                    | EDX
                    | RDX
            )
    })
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    fn sites(code: &[u8], width: Width) -> Vec<usize> {
        let mut sites = Vec::new();
        find_cpuid(code, width, |at| sites.push(at));
        sites
    }

    /// push rbx; xor eax, eax; cpuid; mov eax, ebx; pop rbx; ret
    const FUNCTION: [u8; 9] = [0x53, 0x31, 0xc0, 0x0f, 0xa2, 0x89, 0xd8, 0x5b, 0xc3];

    #[test]
    fn the_instruction_is_found_at_any_place() {
        for width in [Width::Bits32, Width::Bits64] {
            for before in [0, 1, 7, 63, 64, 65, 200] {
                for behind in [0, 1, 100] {
                    let mut code = std::vec![0x90; before];
                    code.extend(FUNCTION);
                    code.extend(std::vec![0x90; behind]);
                    assert_eq!(sites(&code, width), [before + 3], "{before} {behind}");
                }
            }
        }
    }

    #[test]
    fn the_bytes_inside_another_instruction_are_left_alone() {
        // mov eax, [rip + 0xa20f]: the bytes are a displacement.
        let mut code = std::vec![0x90; 64];
        code.extend([0x8b, 0x05, 0x0f, 0xa2, 0x00, 0x00, 0x89, 0xd8]);
        code.extend([0x90; 64]);
        assert_eq!(sites(&code, Width::Bits64), []);
    }

    #[test]
    fn pieces_are_no_instruction() {
        assert_eq!(sites(&[], Width::Bits64), []);
        assert_eq!(sites(&[0xa2], Width::Bits64), []);
        assert_eq!(sites(&[0x0f], Width::Bits64), []);
        // Nothing looks at the answer.
        assert_eq!(sites(&CPUID, Width::Bits64), []);
    }

    #[test]
    fn noise_hardly_ever_looks_like_it() {
        // A generator by Marsaglia (xorshift32), so that the test is the same everywhere.
        let mut state = 0x9e37_79b9_u32;
        let mut noise = std::vec![0_u8; 1 << 22];
        for byte in &mut noise {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            *byte = (state >> 24) as u8;
        }
        let candidates = noise.windows(2).filter(|pair| *pair == CPUID).count();
        let found = sites(&noise, Width::Bits64).len();
        assert!(candidates > 40 && found * 10 < candidates, "{found} of {candidates}");
    }
}

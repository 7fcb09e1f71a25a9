//! Instructions from bytes.

use crate::Width;

/// What PadLock can be asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the instructions' own names")]
pub enum Operation {
    Xstore,
    XcryptEcb,
    XcryptCbc,
    XcryptCtr,
    XcryptCfb,
    XcryptOfb,
    Montmul,
    Xsha1,
    Xsha256,
    Xsha384,
    Xsha512,
    Sm3,
    Sm4,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 13] = [
        Self::Xstore,
        Self::XcryptEcb,
        Self::XcryptCbc,
        Self::XcryptCtr,
        Self::XcryptCfb,
        Self::XcryptOfb,
        Self::Montmul,
        Self::Xsha1,
        Self::Xsha256,
        Self::Xsha384,
        Self::Xsha512,
        Self::Sm3,
        Self::Sm4,
    ];

    /// The name that disassemblers print, without their hyphens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xstore => "xstore",
            Self::XcryptEcb => "xcryptecb",
            Self::XcryptCbc => "xcryptcbc",
            Self::XcryptCtr => "xcryptctr",
            Self::XcryptCfb => "xcryptcfb",
            Self::XcryptOfb => "xcryptofb",
            Self::Montmul => "montmul",
            Self::Xsha1 => "xsha1",
            Self::Xsha256 => "xsha256",
            Self::Xsha384 => "xsha384",
            Self::Xsha512 => "xsha512",
            Self::Sm3 => "sm3",
            Self::Sm4 => "sm4",
        }
    }

    /// The operation of an opcode's last two bytes: after 0F, the second one and a ModRM that names no
    /// operand but selects.
    const fn of_opcode(second: u8, selector: u8) -> Option<Self> {
        Some(match (second, selector) {
            (0xa7, 0xc0) => Self::Xstore,
            (0xa7, 0xc8) => Self::XcryptEcb,
            (0xa7, 0xd0) => Self::XcryptCbc,
            (0xa7, 0xd8) => Self::XcryptCtr,
            (0xa7, 0xe0) => Self::XcryptCfb,
            (0xa7, 0xe8) => Self::XcryptOfb,
            (0xa7, 0xf0) => Self::Sm4,
            (0xa6, 0xc0) => Self::Montmul,
            (0xa6, 0xc8) => Self::Xsha1,
            (0xa6, 0xd0) => Self::Xsha256,
            (0xa6, 0xd8) => Self::Xsha384,
            (0xa6, 0xe0) => Self::Xsha512,
            (0xa6, 0xe8) => Self::Sm3,
            _ => return None,
        })
    }
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// Whether it carries REP.
    pub repeated: bool,
    /// Whether it carries the address-size prefix 67h.
    pub address_size: bool,
    /// Its bytes, all prefixes counted.
    pub length: usize,
}

/// No instruction of x86 is longer.
pub const LONGEST: usize = 15;

/// The PadLock instruction at the start of `bytes`, if there is one.
///
/// What gives `None` is #UD on hardware, or no PadLock instruction at all: REPNE and the operand-size
/// prefix are documented to be #UD (binutils commit 5690a49ac791, from VIA's guide), LOCK is #UD for
/// whatever is not a read-modify-write, and all but xstore need REP (U1). FS and GS, whose bases a
/// runner does not know, are refused too (U2).
pub fn decode(bytes: &[u8], width: Width) -> Option<Instruction> {
    let mut repeated = false;
    let mut address_size = false;
    let mut start = 0;
    loop {
        match *bytes.get(start)? {
            0xf3 => repeated = true,
            0x67 => address_size = true,
            // CS, SS, DS and ES, which 64-bit code ignores and whose bases are 0 in 32-bit programs.
            0x2e | 0x36 | 0x3e | 0x26 => (),
            // REX selects no register here. One in front of another prefix is ignored by every x86.
            0x40..=0x4f if width == Width::Bits64 => (),
            _ => break,
        }
        start += 1;
    }
    let length = start + 3;
    let &[0x0f, second, selector] = bytes.get(start..length)? else { return None };
    let operation = Operation::of_opcode(second, selector)?;
    // Montmul's structure holds 32-bit pointers, and it is #UD wherever addresses have another size
    // (measured in 64-bit code on a KX-6580, zydis issue 279; iced-x86 has it so for 32-bit code as well).
    let has_32_bit_addresses = address_size == (width == Width::Bits64);
    let lacks_address_size = operation == Operation::Montmul && !has_32_bit_addresses;
    let lacks_repetition = operation != Operation::Xstore && !repeated;
    if length > LONGEST || lacks_repetition || lacks_address_size {
        return None;
    }
    Some(Instruction { operation, repeated, address_size, length })
}

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

/// The PadLock instruction at the start of `bytes`, if there is one.
pub fn decode(bytes: &[u8], width: Width) -> Option<Instruction> {
    let _ = (bytes, width);
    None
}

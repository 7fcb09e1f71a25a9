//! The modes in which each block waits for the one before.

/// Which chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Chain {
    /// SP 800-38A §6.2, encryption.
    Cbc,
    /// SP 800-38A §6.3 with s = 128, encryption.
    Cfb,
    /// SP 800-38A §6.4.
    Ofb,
}

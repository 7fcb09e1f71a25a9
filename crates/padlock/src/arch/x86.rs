//! The instructions, in 64-bit code.

mod area;
mod cipher;
pub mod confirm;
mod control;
mod expansion;
mod found;
pub mod hash;
mod instruction;
mod key;
mod modes;
pub mod modular;
mod plan;
pub mod random;
mod unit;

pub use cipher::Cipher;
pub use control::{ControlWord, KeySize};
pub use key::{Key, Sm4Key, WrongKeyLength};

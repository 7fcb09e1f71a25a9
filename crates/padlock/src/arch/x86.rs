//! The instructions, in 64-bit and in 32-bit code.

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
#[cfg(target_arch = "x86")]
mod narrow;
mod plan;
pub mod random;
mod unit;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(target_arch = "x86")]
use narrow as width;
#[cfg(target_arch = "x86_64")]
use wide as width;

pub use cipher::Cipher;
pub use control::KeySize;
pub use key::{Key, Sm4Key, WrongKeyLength};

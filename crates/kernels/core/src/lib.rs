//! What every family of kernels shares: the words of a table, the modes that follow from ECB, the
//! S-box of AES in plain logic.

pub mod bitslice;
pub mod engine;
pub mod proof;
pub mod shuffles;

mod absent;
mod chain;
mod macros;
mod wiped;

pub use absent::Absent;
pub use chain::Chain;
pub use wiped::Wiped;

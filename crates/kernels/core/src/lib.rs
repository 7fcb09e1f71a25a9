//! What every family of kernels shares: the words of a table, the modes that follow from ECB, the
//! S-box of AES and carry-less products in plain integers.

pub mod arch;
pub mod bitslice;
pub mod clmul;
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

//! /dev/crypto, the device of cryptodev-linux: another way to the same drivers, where Linux has closed AF_ALG
//! to them.
//!
//! The module never became a part of Linux. It answers a generic name with whatever driver serves it: none
//! can be asked for by its own name, but a session tells which it has.

mod abi;
mod device;
mod presence;
mod session;

pub use presence::{Driver, PATH, driver};
pub(crate) use presence::{presence, presence_of, sighted};
pub(crate) use session::Session;

use crate::Transform;

/// Whether /dev/crypto has a number for the algorithm.
pub fn knows(transform: &Transform) -> bool {
    abi::number(transform).is_some()
}

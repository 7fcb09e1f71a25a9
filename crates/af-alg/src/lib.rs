//! Linux's own crypto, which some hardware can only be reached through: AF_ALG sockets, the device /dev/crypto,
//! the list of drivers in /proc/crypto, and NETLINK_CRYPTO.
//!
//! Upstream calls AF_ALG deprecated (Documentation/crypto/userspace-if.rst, since Linux 7.2), and has never taken
//! /dev/crypto, so nothing here runs unasked. An operation is a pure function over (key, IV, data), as with every route: what it
//! could not do has not happened, and the caller goes on elsewhere from the same IV.

mod aead;
pub mod batch;
mod cipher;
pub mod devcrypto;
pub mod drivers;
mod error;
mod hash;
mod held;
mod interface;
mod iv;
pub mod netlink;
mod permission;
mod presence;
mod prove;
mod reach;
mod socket;
mod staging;
mod transform;
mod wire;

pub use aead::Aead;
pub use cipher::Cipher;
pub use error::{Absent, Error};
pub use hash::Hash;
pub use interface::Interface;
pub use permission::{Permission, permitted, trust_own_sandbox};
pub use presence::{presence, presence_of};
pub use prove::{prove, self_test};
pub use transform::{Kind, Transform};

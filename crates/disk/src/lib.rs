//! Encrypted disks as a workload: how fast each cipher writes and reads sectors, in this process or by the
//! kernel's dm-crypt, compared with no encryption.
//!
//! A [`Candidate`] is a cipher as cryptsetup spells it, with a key size. A [`store`] is where its sectors lie:
//! memory, a file, or a device of the kernel's. The [`workload`] writes, reads, writes and reads it, as the
//! comparison of 2007 did whose table this is ("Linux kernel crypto cipher speed test"), and then proves that
//! what was written is what is read.
#![forbid(unsafe_code)]

mod candidate;
pub mod load;
pub mod mapper;
mod memory;
mod noise;
pub mod run;
pub mod sectors;
mod specification;
pub mod store;
pub mod workload;

pub use candidate::{Candidate, Variant};
pub use specification::{Cipher, Iv, Mode, Specification, Unknown};

/// Bytes of what dm-crypt and the device mapper count in, whatever the size of a sector.
const UNIT: u64 = 512;

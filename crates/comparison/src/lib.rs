//! Ciphers of the past, **for comparison only**: they show what a disk would cost with them, and must never
//! protect anything.
//!
//! Their blocks of 64 bits are too small for a disk, or their authors' contest is long over and nobody looks at
//! them any more, or they came of a mistake; and table look-ups leave traces in the cache. They implement the
//! traits of the crate [`cipher`], as those that other people keep do, and give the bytes of Linux's
//! implementations of the same names:
//!
//! ```
//! use cipher::{BlockCipherEncrypt, KeyInit};
//! use wirespeed_comparison::Tea;
//!
//! let mut block = [0; 8].into();
//! Tea::new(&[0; 16].into()).encrypt_block(&mut block);
//! assert_eq!(block[..4], [0x0a, 0x3a, 0xea, 0x41]);
//! ```
#![forbid(unsafe_code)]

mod anubis;
mod involution;
mod keyed;
mod khazad;
mod tea;
mod tnepres;
mod twofish;
#[cfg(test)]
mod vectors;

pub use keyed::{Keyed, Scheme};

/// Anubis, as tweaked for NESSIE: blocks of 128 bits, keys of 128 to 320 in steps of 32.
pub type Anubis = Keyed<anubis::Anubis>;
/// Khazad, as tweaked for NESSIE: blocks of 64 bits, keys of 128.
pub type Khazad = Keyed<khazad::Khazad>;
/// TEA: blocks of 64 bits, keys of 128.
pub type Tea = Keyed<tea::Tea>;
/// Serpent with all bytes the other way round: blocks of 128 bits, keys of 128 to 256.
pub type Tnepres = Keyed<tnepres::Tnepres>;
/// Twofish, its S-boxes in tables: blocks of 128 bits, keys of 128 to 256.
pub type Twofish = Keyed<twofish::Twofish>;
/// XTEA with its parentheses in the wrong places: blocks of 64 bits, keys of 128.
pub type Xeta = Keyed<tea::Xeta>;

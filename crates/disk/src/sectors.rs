//! Ciphers for sectors in this process: our own kernels, the host's OpenSSL, and the crates that other people keep.

mod adiantum;
mod aead;
mod aegis;
mod blocks;
mod contest;
mod crates;
mod iv;
mod libcrypto;
mod modes;
mod native;
mod nh;
mod order;
mod pool;

use std::fmt;

use order::Order;

use crate::{Candidate, Specification, Variant};

/// A key, ready for sectors.
///
/// Sectors are all of one size, and several of them may come in one call. `number` is that of the first, counted
/// in units of 512 bytes whatever a sector's size, as dm-crypt counts for its IVs. Tags lie one after the other,
/// [`tag_bytes`](crate::Specification::tag_bytes) for each sector.
pub trait SectorCipher: Send + Sync {
    /// Encrypts `plain` into `sectors`.
    fn encrypt(&self, number: u64, plain: &[u8], sectors: &mut [u8], tags: &mut [u8]);
    /// Decrypts `sectors` into `plain`.
    fn decrypt(
        &self,
        number: u64,
        sectors: &[u8],
        plain: &mut [u8],
        tags: &[u8],
    ) -> Result<(), Forged>;
}

/// A sector and its tag do not belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forged;

/// Why there is no such cipher here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent(pub String);

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A cipher and who computes it.
pub struct Built {
    /// The cipher; none for no encryption.
    pub cipher: Option<Box<dyn SectorCipher>>,
    /// The route, or the crate that serves.
    pub route: &'static str,
}

/// The fastest implementation that is here, chosen by a short contest where there are several.
///
/// # Errors
/// If the candidate cannot run in this process.
///
/// # Panics
/// If the key has another length than the candidate's.
pub fn build(candidate: Candidate, key: &[u8], sector_bytes: usize) -> Result<Built, Absent> {
    assert_eq!(key.len(), candidate.key_bytes(), "{candidate}: bytes of the key");
    let Specification::Encrypted(cipher, mode, iv) = candidate.specification else {
        return Ok(Built { cipher: None, route: "none" });
    };
    let order = Order { cipher, mode, iv, key, sector_bytes };
    let all = every(order, candidate.variant);
    let (route, cipher) = contest::fastest(all, candidate.specification, sector_bytes)
        .ok_or_else(|| Absent(format!("nothing in this process computes {candidate}")))?;
    Ok(Built { cipher: Some(cipher), route })
}

/// An implementation by the word for it.
type Named = (&'static str, Box<dyn SectorCipher>);

/// Every implementation that is here.
fn every(order: Order<'_>, variant: Variant) -> Vec<Named> {
    let mut all = native::every(order, variant);
    all.extend(crates::build(order, variant));
    if variant == Variant::Best {
        all.extend(libcrypto::build(order));
    }
    all
}

#[cfg(test)]
mod tests;

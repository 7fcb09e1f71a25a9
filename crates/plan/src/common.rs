//! The calls that programs make most.

use wirespeed_cipher::{Algorithm, Direction};

use crate::row::Row;
use crate::table::Plan;

/// Cells of TLS and SSH, of VPNs and of disks: where a few must speak for a plan, these do.
pub const COMMON: &[(&str, Direction, usize)] = &[
    ("AES-128-GCM", Direction::Encrypt, 1420),
    ("AES-128-GCM", Direction::Decrypt, 16384),
    ("AES-256-GCM", Direction::Encrypt, 16384),
    ("AES-256-GCM", Direction::Encrypt, 64),
    ("AES-256-CBC", Direction::Decrypt, 1420),
    ("AES-128-CTR", Direction::Encrypt, 16384),
    ("AES-256-XTS", Direction::Encrypt, 4096),
    ("ChaCha20-Poly1305", Direction::Encrypt, 1420),
    ("CAMELLIA-256-CBC", Direction::Decrypt, 16384),
    ("ARIA-128-CTR", Direction::Encrypt, 1420),
    ("SM4-CTR", Direction::Encrypt, 1420),
];

impl Plan {
    /// Its rows of the common cells.
    pub fn common_rows(&self) -> impl Iterator<Item = &Row> {
        COMMON.iter().filter_map(|(name, direction, size)| {
            let algorithm: Algorithm = name.parse().ok()?;
            self.row(algorithm, *direction, *size)
        })
    }
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Route;

    use super::*;
    use crate::Fingerprint;

    #[test]
    fn every_common_cell_can_stand_in_a_plan() {
        let mut plan = Plan::new(Fingerprint::here("3.0.0"));
        for (name, direction, size) in COMMON {
            let algorithm: Algorithm = name.parse().expect("an algorithm");
            assert!(algorithm.directions().contains(direction), "{name} {direction}");
            let (direction, size, route) = (*direction, *size, Route::Portable);
            assert!(plan.put(Row { algorithm, direction, size, route, reason: None }).is_none());
        }
        assert_eq!(plan.common_rows().count(), COMMON.len());
    }
}

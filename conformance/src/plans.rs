//! Plans that several tests need.

use wirespeed_cipher::{Algorithm, Route, SIZE_CLASSES};
use wirespeed_plan::{Fingerprint, Plan, Row};

/// One that hands short calls on to libcrypto, as plans are without instructions for AES; for this machine with the
/// `openssl` of that version.
pub fn handing_on(openssl: &str) -> Plan {
    let mut plan = Plan::new(Fingerprint::here(openssl));
    for algorithm in Algorithm::ALL {
        for &direction in algorithm.directions() {
            for size in SIZE_CLASSES {
                let route = if size < 256 { Route::Libcrypto } else { Route::Portable };
                plan.put(Row { algorithm: *algorithm, direction, size, route, reason: None });
            }
        }
    }
    plan
}

//! `OPENSSL_armcap`: the features that somebody hides from OpenSSL, and so from us.
//!
//! OpenSSL takes the number for what the CPU has (crypto/armcap.c); here it only takes away.

use super::number;
use crate::feature::{Feature, Features};

/// OpenSSL's bits (crypto/arm_arch.h).
const BITS: &[(Feature, u32)] = &[
    (Feature::Asimd, 0),
    (Feature::Aes, 2),
    (Feature::Sha1, 3),
    (Feature::Sha2, 4),
    (Feature::Pmull, 5),
    (Feature::Sha512, 6),
    (Feature::Sm3, 9),
    (Feature::Sm4, 10),
    (Feature::Sha3, 11),
];

/// The features that are left of these. Without NEON there is none.
pub(crate) fn left(features: Features, value: &[u8]) -> Features {
    let bits = number(value);
    let has = |bit: u32| bits & 1 != 0 && bits >> bit & 1 != 0;
    let hidden = BITS.iter().filter(|(_, bit)| !has(*bit));
    hidden.fold(features, |left, (feature, _)| left.without(*feature))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_of_all(value: &str) -> String {
        let all = BITS.iter().fold(Features::NONE, |set, (feature, _)| set.with(*feature, true));
        left(all, value.as_bytes()).to_string()
    }

    #[test]
    fn features_are_taken_away() {
        assert_eq!(left_of_all("0"), "");
        assert_eq!(left_of_all("1"), "asimd");
        assert_eq!(left_of_all("0x25"), "aes asimd pmull");
        assert_eq!(left_of_all("4"), "", "AES is on vectors");
        assert_eq!(left_of_all("0xfff"), left_of_all("4294967295"));
    }

    #[test]
    fn nothing_is_added() {
        assert_eq!(left(Features::NONE, b"0xffffffff"), Features::NONE);
    }
}

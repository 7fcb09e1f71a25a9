//! `OPENSSL_riscvcap`: the features that somebody leaves to OpenSSL, and so to us.
//!
//! OpenSSL takes the list for what the CPU has (crypto/riscvcap.c); here it only takes away.

use crate::feature::Features;

/// The features that are left of these: each that is named, in capitals or not, behind an underscore.
pub(crate) fn left(features: Features, value: &[u8]) -> Features {
    let list = value.to_ascii_lowercase();
    let has = |name: &str| {
        let name = [b"_", name.as_bytes()].concat();
        list.windows(name.len()).any(|part| part == name)
    };
    let hidden = features.iter().filter(|feature| !has(feature.name()));
    hidden.fold(features, Features::without)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Feature;

    #[test]
    fn what_is_not_named_is_taken_away_and_nothing_is_added() {
        let here = [Feature::V, Feature::Zbb, Feature::Zbc, Feature::Zvkned, Feature::Zvknhb];
        let here = here.into_iter().fold(Features::NONE, |set, feature| set.with(feature, true));
        for (value, right) in [
            ("rv64gc", ""),
            ("", ""),
            ("rv64gcv_zbb", "zbb"),
            ("RV64GC_ZBA_ZBB_V_ZKND", "v zbb"),
            ("rv64gc_zbb_zbc_v_zvkned_zvknhb", "v zbb zbc zvkned zvknhb"),
        ] {
            assert_eq!(left(here, value.as_bytes()).to_string(), right, "{value}");
        }
    }
}

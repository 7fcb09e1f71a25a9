//! What Linux says of an ARM CPU (Documentation/arch/arm64/elf_hwcaps.rst), asked by the standard library.

pub(super) mod vectors;

use std::arch::is_aarch64_feature_detected;

use crate::feature::{Feature, Features};

/// What this CPU and operating system offer. The standard library's names stand for what the architecture has
/// together (Arm ARM §A2.3, "FEAT_SHA256 implies FEAT_SHA1" and the like).
pub(super) fn features() -> Features {
    [
        (Feature::Asimd, is_aarch64_feature_detected!("neon")),
        (Feature::Aes, is_aarch64_feature_detected!("aes")),
        (Feature::Pmull, is_aarch64_feature_detected!("pmull")),
        (Feature::Sha1, is_aarch64_feature_detected!("sha2")),
        (Feature::Sha2, is_aarch64_feature_detected!("sha2")),
        (Feature::Sha512, is_aarch64_feature_detected!("sha3")),
        (Feature::Sha3, is_aarch64_feature_detected!("sha3")),
        (Feature::Sm3, is_aarch64_feature_detected!("sm4")),
        (Feature::Sm4, is_aarch64_feature_detected!("sm4")),
    ]
    .into_iter()
    .fold(Features::NONE, |set, (feature, present)| set.with(feature, present))
}

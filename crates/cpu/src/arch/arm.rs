//! What Linux says of a CPU to 32-bit ARM code, in two words of bits (arch/arm/include/uapi/asm/hwcap.h). The standard
//! library keeps them for nightly.

use crate::feature::{Feature, Features};

/// NEON's bit in AT_HWCAP.
const NEON: u32 = 12;

/// The bits in AT_HWCAP2, of the instructions that ARMv8 has in 32-bit code, too.
const BITS: &[(Feature, u32)] =
    &[(Feature::Aes, 0), (Feature::Pmull, 1), (Feature::Sha1, 2), (Feature::Sha2, 3)];

/// What this CPU and operating system offer.
#[cfg(target_arch = "arm")]
pub(super) fn features() -> Features {
    // SAFETY: it reads what Linux left beside the environment, and gives zero where that is nothing.
    let [hwcap, hwcap2] =
        [libc::AT_HWCAP, libc::AT_HWCAP2].map(|kind| unsafe { libc::getauxval(kind) });
    of(hwcap.into(), hwcap2.into())
}

/// What the words say. The others need NEON's registers, and OpenSSL does not ask for them without it (crypto/armcap.c).
fn of(hwcap: u64, hwcap2: u64) -> Features {
    let has = |word: u64, bit: u32| word >> bit & 1 == 1;
    let vectors = Features::NONE.with(Feature::Asimd, has(hwcap, NEON));
    if vectors == Features::NONE {
        return vectors;
    }
    BITS.iter().fold(vectors, |set, (feature, bit)| set.with(*feature, has(hwcap2, *bit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Such as those of an ARM926, a Cortex-A7, a Raspberry Pi 4 and a 5.
    #[test]
    fn the_words_of_linux_are_features() {
        for (hwcap, hwcap2, right) in [
            (0x8197, 0, ""),
            (0x27_b0d6, 0, "asimd"),
            (0x3f_b0d6, 0x10, "asimd"),
            (0x3f_b0d6, 0x1f, "aes asimd pmull sha1 sha2"),
            (0x3f_b0d6 & !(1 << 12), 0x1f, ""),
        ] {
            assert_eq!(of(hwcap, hwcap2).to_string(), right, "{hwcap:x} {hwcap2:x}");
        }
    }
}

//! What OpenSSL's variable takes away on each architecture: AES, then all that plain code does without.

use super::Denial;

#[cfg(target_arch = "x86_64")]
pub(super) const DENIALS: &[Denial] = &[
    Denial {
        without: "aesni",
        title: "no aesni",
        // AES-NI and PCLMULQDQ; VAES and VPCLMULQDQ. SSSE3 permutes vectors instead.
        mask: "~0x0200000200000000:~0x0000060000000000",
    },
    Denial {
        without: "aesni, ssse3, avx, sha-ni",
        title: "plain code",
        // AVX, XOP and SSSE3 as well; whatever leaf 7 tells: AVX2, BMI, SHA, AVX-512.
        mask: "~0x12000a0200000000:0",
    },
];

#[cfg(target_arch = "aarch64")]
pub(super) const DENIALS: &[Denial] = &[
    // Plain vectors, as a Raspberry Pi 4 has them: crypto/arm_arch.h.
    Denial { without: "aes, pmull, sha", title: "no aes, sha", mask: "1" },
    Denial { without: "aes, pmull, sha, asimd", title: "plain code", mask: "0" },
];

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) const DENIALS: &[Denial] = &[];

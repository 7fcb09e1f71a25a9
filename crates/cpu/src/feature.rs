//! The set of CPU features that a route can ask for.

use std::fmt;
use std::sync::OnceLock;

use crate::arch::mask;

macro_rules! features {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// One CPU feature, named as in `/proc/cpuinfo`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Feature { $($(#[$doc])* $variant,)* }

        impl Feature {
            /// Every feature known here.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name, as the Linux kernel spells it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

features! {
    /// Integers and logic on 128-bit vectors.
    Sse2 = "sse2",
    /// Supplemental SSE3: byte shuffles.
    Ssse3 = "ssse3",
    /// SSE 4.1.
    Sse41 = "sse4_1",
    /// AES round instructions.
    Aes = "aes",
    /// Carry-less multiplication.
    Pclmulqdq = "pclmulqdq",
    /// 256-bit VEX encoding; the operating system saves YMM state.
    Avx = "avx",
    /// 256-bit integer instructions.
    Avx2 = "avx2",
    /// Bit manipulation 1.
    Bmi1 = "bmi1",
    /// Bit manipulation 2.
    Bmi2 = "bmi2",
    /// AES rounds on 256- and 512-bit vectors.
    Vaes = "vaes",
    /// Carry-less multiplication on 256- and 512-bit vectors.
    Vpclmulqdq = "vpclmulqdq",
    /// AVX-512 foundation; the operating system saves opmask and ZMM state.
    Avx512f = "avx512f",
    /// AVX-512 byte and word instructions.
    Avx512bw = "avx512bw",
    /// AVX-512 on 128- and 256-bit vectors.
    Avx512vl = "avx512vl",
    /// AVX-512 doubleword and quadword instructions.
    Avx512dq = "avx512dq",
    /// AVX-512 integer fused multiply-add.
    Avx512ifma = "avx512ifma",
    /// Sums of products of short floating-point numbers. Nothing here uses them: what has them, and IFMA but not
    /// `avx_vnni`, takes two turns for 512 bits (Zen 4).
    Avx512Bf16 = "avx512_bf16",
    /// Sums of products of small integers, in VEX encoding. Nothing here uses them: what has them has more units for
    /// integers than the four of what came before (Golden Cove and Zen 5; not so Gracemont).
    AvxVnni = "avx_vnni",
    /// Pairs of equal words in two vectors. Nothing here uses them: what has them needs two clocks for an addition of
    /// vectors (Zen 5), or three and not five for GFNI's maps (Tiger Lake).
    Avx512Vp2intersect = "avx512_vp2intersect",
    /// Galois-field affine transformation.
    Gfni = "gfni",
    /// SHA-1 and SHA-256 rounds.
    ShaNi = "sha_ni",
    /// PadLock's random number generator.
    Rng = "rng",
    /// PadLock's second random number generator.
    Rng2 = "rng2",
    /// PadLock's Advanced Cryptography Engine: AES.
    Ace = "ace",
    /// Its second version: counter mode, unaligned data, MACs.
    Ace2 = "ace2",
    /// PadLock's Hash Engine: SHA-1 and SHA-256.
    Phe = "phe",
    /// Its second version: SHA-384 and SHA-512.
    Phe2 = "phe2",
    /// PadLock's Montgomery Multiplier.
    Pmm = "pmm",
    /// Zhaoxin's Chinese cipher standards: SM3 and SM4.
    Ccs = "ccs",
    /// ARM: integers and logic on 128-bit vectors (NEON).
    Asimd = "asimd",
    /// ARM: carry-less multiplication.
    Pmull = "pmull",
    /// ARM: SHA-1 rounds.
    Sha1 = "sha1",
    /// ARM: SHA-256 rounds.
    Sha2 = "sha2",
    /// ARM: SHA-512 rounds.
    Sha512 = "sha512",
    /// ARM: the steps of SHA-3, of which one is a sum of three.
    Sha3 = "sha3",
    /// ARM: SM3 rounds.
    Sm3 = "sm3",
    /// ARM: SM4 rounds. Nothing here uses x86's: libcrypto does, from 3.6 on.
    Sm4 = "sm4",
    /// RISC-V: vectors. No route uses it yet, nor what follows; OpenSSL does.
    V = "v",
    /// RISC-V: rotations and bytes in the other order.
    Zbb = "zbb",
    /// RISC-V: carry-less multiplication.
    Zbc = "zbc",
    /// RISC-V: rotations and packing, for ciphers.
    Zbkb = "zbkb",
    /// RISC-V: carry-less multiplication in constant time.
    Zbkc = "zbkc",
    /// RISC-V: look-ups in a register.
    Zbkx = "zbkx",
    /// RISC-V: AES decryption, one column at a time.
    Zknd = "zknd",
    /// RISC-V: AES encryption, one column at a time.
    Zkne = "zkne",
    /// RISC-V: SHA-2's functions.
    Zknh = "zknh",
    /// RISC-V: SM4.
    Zksed = "zksed",
    /// RISC-V: SM3.
    Zksh = "zksh",
    /// RISC-V: carry-less multiplication of vectors.
    Zvbc = "zvbc",
    /// RISC-V: rotations of vectors.
    Zvkb = "zvkb",
    /// RISC-V: GHASH.
    Zvkg = "zvkg",
    /// RISC-V: AES rounds on vectors.
    Zvkned = "zvkned",
    /// RISC-V: SHA-256 rounds on vectors.
    Zvknha = "zvknha",
    /// RISC-V: SHA-256 and SHA-512 rounds on vectors.
    Zvknhb = "zvknhb",
    /// RISC-V: SM4 rounds on vectors.
    Zvksed = "zvksed",
    /// RISC-V: SM3 rounds on vectors.
    Zvksh = "zvksh",
}

/// A set of features: what was detected, less what was taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(pub(crate) u64);

impl Features {
    /// No feature at all: the plainest machine.
    pub const NONE: Self = Self(0);

    /// What this CPU and operating system offer, asked once per process, less what
    /// [`MASK`](crate::MASK) hides from OpenSSL.
    ///
    /// In debug builds the environment variable `WIRESPEED_DENY` (names separated by commas) takes
    /// features away; release builds never look at it.
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Features> = OnceLock::new();
        *DETECTED.get_or_init(|| crate::arch::features().left_by_openssl().denied_by_environment())
    }

    /// The features of this CPU that [`MASK`](crate::MASK) hides.
    pub fn hidden_by_openssl() -> Self {
        let found = crate::arch::features();
        Self(found.0 & !found.left_by_openssl().0)
    }

    fn left_by_openssl(self) -> Self {
        let variable = std::env::var_os(crate::MASK);
        variable.map_or(self, |value| mask::left(self, value.as_encoded_bytes()))
    }

    #[cfg(debug_assertions)]
    fn denied_by_environment(self) -> Self {
        let names = std::env::var("WIRESPEED_DENY").unwrap_or_default();
        names.split(',').filter(|name| !name.is_empty()).fold(self, |features, name| {
            let known = Feature::ALL.iter().find(|feature| feature.name() == name);
            features.without(*known.unwrap_or_else(|| panic!("WIRESPEED_DENY: no feature {name}")))
        })
    }

    #[cfg(not(debug_assertions))]
    const fn denied_by_environment(self) -> Self {
        self
    }

    /// Whether `feature` is in the set.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u64) != 0
    }

    /// The set less `feature`.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self(self.0 & !(1 << feature as u64))
    }

    /// Whether there are instructions for both directions of AES, of whatever kind.
    pub const fn has_aes(self) -> bool {
        self.has(Feature::Aes)
            || self.has(Feature::Zvkned)
            || self.has(Feature::Zkne) && self.has(Feature::Zknd)
    }

    /// The features in the set.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |feature| self.has(*feature))
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, feature) in self.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { " " }, feature.name())?;
        }
        Ok(())
    }
}

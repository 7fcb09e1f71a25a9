//! Routes: the ways to run an algorithm here.

use std::fmt;
use std::str::FromStr;

use crate::UnknownName;

/// One way to run an algorithm: our own, from the fastest on paper to the slowest, then others'.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// VAES and VPCLMULQDQ on 512-bit vectors.
    Vaes512,
    /// VAES and VPCLMULQDQ on 256-bit vectors.
    Vaes256,
    /// GFNI with AVX-512: byte-sliced block ciphers.
    Gfni512,
    /// GFNI with AVX2.
    Gfni256,
    /// AES-NI and PCLMULQDQ on 128-bit vectors.
    AesNi,
    /// The SHA extensions: SHA-1 and SHA-256.
    ShaNi,
    /// AVX-512 without instructions for a cipher.
    Avx512,
    /// AVX2 without instructions for a cipher.
    Avx2,
    /// SSSE3: byte shuffles on 128-bit vectors.
    Ssse3,
    /// SSE2: logic on 128-bit vectors.
    Sse2,
    /// ARM's AES and PMULL: one block in a vector.
    AesCe,
    /// ARM's SHA-1, SHA-2 and SHA-3.
    ShaCe,
    /// ARM's SM3 and SM4.
    Sm4Ce,
    /// ARM's vectors without instructions for a cipher.
    Neon,
    /// VIA's and Zhaoxin's PadLock.
    PadLock,
    /// Constant-time Rust for any machine.
    Portable,
    /// The host's own OpenSSL, through its default provider.
    Libcrypto,
    /// Linux's crypto API, through AF_ALG sockets.
    Kernel,
    /// Linux's crypto API, through the device /dev/crypto.
    DevCrypto,
}

impl Route {
    /// Every route.
    pub const ALL: [Self; 19] = [
        Self::Vaes512,
        Self::Vaes256,
        Self::Gfni512,
        Self::Gfni256,
        Self::AesNi,
        Self::ShaNi,
        Self::Avx512,
        Self::Avx2,
        Self::Ssse3,
        Self::Sse2,
        Self::AesCe,
        Self::ShaCe,
        Self::Sm4Ce,
        Self::Neon,
        Self::PadLock,
        Self::Portable,
        Self::Libcrypto,
        Self::Kernel,
        Self::DevCrypto,
    ];

    /// Those to Linux's crypto, which serve only where somebody asks for them.
    pub const OFFLOADS: [Self; 2] = [Self::Kernel, Self::DevCrypto];

    /// Whether it is one of those.
    pub const fn is_offload(self) -> bool {
        matches!(self, Self::Kernel | Self::DevCrypto)
    }

    /// Whether it is code of ours in the process, and neither the host's OpenSSL nor Linux.
    pub const fn is_own(self) -> bool {
        !self.is_offload() && !matches!(self, Self::Libcrypto)
    }

    /// The routes to try without a plan, for any algorithm the best first.
    ///
    /// `portable` is not among them: on a CPU without AES instructions libcrypto's own SSSE3 code is
    /// faster.
    pub const PRIORITY: [Self; 15] = [
        Self::Vaes512,
        Self::Gfni512,
        Self::Gfni256,
        Self::Vaes256,
        Self::AesNi,
        Self::ShaNi,
        Self::PadLock,
        Self::Avx512,
        Self::Avx2,
        Self::Ssse3,
        Self::Sse2,
        Self::Sm4Ce,
        Self::AesCe,
        Self::ShaCe,
        Self::Neon,
    ];

    /// This route as one bit of a set.
    pub const fn bit(self) -> u64 {
        1 << self as u32
    }

    /// The routes of a set of bits, in the order of [`Self::ALL`].
    pub fn of_bits(bits: u64) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |route| bits & route.bit() != 0)
    }

    /// The one word for this route in types, command line, plan file and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vaes512 => "vaes512",
            Self::Vaes256 => "vaes256",
            Self::Gfni512 => "gfni512",
            Self::Gfni256 => "gfni256",
            Self::AesNi => "aesni",
            Self::ShaNi => "sha-ni",
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Ssse3 => "ssse3",
            Self::Sse2 => "sse2",
            Self::AesCe => "aes-ce",
            Self::ShaCe => "sha-ce",
            Self::Sm4Ce => "sm4-ce",
            Self::Neon => "neon",
            Self::PadLock => "padlock",
            Self::Portable => "portable",
            Self::Libcrypto => "libcrypto",
            Self::Kernel => "kernel",
            Self::DevCrypto => "devcrypto",
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Route {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|route| route.name().eq_ignore_ascii_case(given)).ok_or_else(
            || UnknownName {
                kind: "route",
                given: given.to_owned(),
                known: Self::ALL.map(Self::name).to_vec(),
            },
        )
    }
}

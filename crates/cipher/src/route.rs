//! Routes: the ways to run an algorithm here.

use std::ffi::CStr;
use std::fmt;
use std::str::FromStr;

use crate::UnknownName;

macro_rules! routes {
    // The first token is a dollar sign, for the macro that this one makes.
    ($d:tt $($(#[$doc:meta])* $route:ident $name:literal,)*) => {
        /// One way to run an algorithm: our own, from the fastest on paper to the slowest, then others'.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Route {
            $($(#[$doc])* $route,)*
        }

        impl Route {
            /// Every route.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$route),*];

            /// The one word for this route in types, command line, plan file and documents, for C.
            pub const fn c_name(self) -> &'static CStr {
                match self {
                    $(Self::$route => const { terminated(concat!($name, "\0")) },)*
                }
            }

            /// The same for Rust.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$route => $name,)*
                }
            }
        }

        /// Hands all routes, in the order of [`Route::ALL`], to a macro.
        #[macro_export]
        macro_rules! each_route {
            ($d callback:ident) => { $d callback!{ $($route)* } };
        }
    };
}

/// A string that ends in a zero, and has no other.
const fn terminated(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a zero in a name"),
    }
}

routes! { $
    /// VAES and VPCLMULQDQ on 512-bit vectors.
    Vaes512 "vaes512",
    /// VAES and VPCLMULQDQ on 256-bit vectors.
    Vaes256 "vaes256",
    /// GFNI with AVX-512: byte-sliced block ciphers.
    Gfni512 "gfni512",
    /// GFNI with AVX2.
    Gfni256 "gfni256",
    /// AES-NI and PCLMULQDQ on 128-bit vectors.
    AesNi "aesni",
    /// The SHA extensions: SHA-1 and SHA-256.
    ShaNi "sha-ni",
    /// AVX-512 without instructions for a cipher.
    Avx512 "avx512",
    /// AVX2 without instructions for a cipher.
    Avx2 "avx2",
    /// SSSE3: byte shuffles on 128-bit vectors.
    Ssse3 "ssse3",
    /// SSE2: logic on 128-bit vectors.
    Sse2 "sse2",
    /// ARM's AES and PMULL: one block in a vector.
    AesCe "aes-ce",
    /// ARM's SHA-1, SHA-2 and SHA-3.
    ShaCe "sha-ce",
    /// ARM's SM3 and SM4.
    Sm4Ce "sm4-ce",
    /// ARM's vectors without instructions for a cipher.
    Neon "neon",
    /// VIA's and Zhaoxin's PadLock.
    PadLock "padlock",
    /// Constant-time Rust for any machine.
    Portable "portable",
    /// The host's own OpenSSL, through its default provider.
    Libcrypto "libcrypto",
    /// Linux's crypto API, through AF_ALG sockets.
    Kernel "kernel",
    /// Linux's crypto API, through the device /dev/crypto.
    DevCrypto "devcrypto",
}

impl Route {
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

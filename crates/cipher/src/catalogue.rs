//! The catalogue: a row for each algorithm, from which every list of them is derived.
//!
//! A row has, in this order:
//! - a mode and a cipher: sizes and what can be done follow from [`Mode`] and [`BlockCipher`];
//! - all of OpenSSL's names and object identifiers, its own name first
//!   (providers/implementations/include/prov/names.h, unchanged from 3.0 to 4.0);
//! - Linux's name, if AF_ALG has it as OpenSSL does and published examples prove it;
//! - `since` which OpenSSL the default provider has it, if not since 3.0.

use std::ffi::CStr;

use crate::delegated::same;
use crate::{Algorithm, BlockCipher, Mode};

/// What the catalogue says of an algorithm.
pub(crate) struct Row {
    /// OpenSSL's names, separated by colons, as libcrypto takes them.
    pub(crate) names: &'static CStr,
    /// The first of them.
    pub(crate) name: &'static str,
    /// Linux's name.
    linux: Option<&'static str>,
    /// Since which OpenSSL.
    since: (u16, u16),
}

/// OpenSSL's own name among all that it has for an algorithm.
pub(crate) const fn first_name(names: &'static CStr) -> &'static str {
    let bytes = names.to_bytes();
    let mut length = 0;
    while length < bytes.len() && bytes[length] != b':' {
        length += 1;
    }
    let Ok(name) = str::from_utf8(bytes.split_at(length).0) else { panic!("a name of ASCII") };
    name
}

/// A row of NUL-terminated names.
const fn row(
    terminated: &'static str,
    linux: Option<&'static str>,
    since: Option<(u16, u16)>,
) -> Row {
    let Ok(names) = CStr::from_bytes_with_nul(terminated.as_bytes()) else {
        panic!("it ends in NUL")
    };
    let name = first_name(names);
    let since = if let Some(since) = since { since } else { (3, 0) };
    Row { names, name, linux, since }
}

/// What may be left out.
const fn first<T: Copy, const N: usize>(given: [T; N]) -> Option<T> {
    if N == 0 { None } else { Some(given[0]) }
}

macro_rules! algorithms {
    // The first token is a dollar sign, for the macro that this one makes.
    ($d:tt $($mode:ident $cipher:ident $names:literal $($linux:literal)? $(since $major:literal $minor:literal)?),*;
     ChaCha20: $($use:ident $use_names:literal $use_linux:literal,)*) => {
        impl Algorithm {
            /// Every algorithm, cipher by cipher.
            pub const ALL: &'static [Self] = &[
                $(Self { cipher: Some(BlockCipher::$cipher), mode: Mode::$mode },)*
                $(Self { cipher: None, mode: Mode::$use },)*
            ];
        }

        /// In the order of [`Algorithm::ALL`].
        pub(crate) static ROWS: [Row; Algorithm::ALL.len()] = [
            $(row(concat!($names, "\0"), first([$($linux)?]), first([$(($major, $minor))?])),)*
            $(row(concat!($use_names, "\0"), Some($use_linux), None),)*
        ];

        /// Hands the names of all algorithms, in the order of [`Algorithm::ALL`], to a macro.
        #[macro_export]
        macro_rules! each_algorithm {
            ($d callback:ident) => { $d callback!{ $($names)* $($use_names)* } };
        }
    };
}

algorithms! { $
    Ecb Aes128 "AES-128-ECB:2.16.840.1.101.3.4.1.1" "ecb(aes)",
    Ecb Aes192 "AES-192-ECB:2.16.840.1.101.3.4.1.21" "ecb(aes)",
    Ecb Aes256 "AES-256-ECB:2.16.840.1.101.3.4.1.41" "ecb(aes)",
    Cbc Aes128 "AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2" "cbc(aes)",
    Cbc Aes192 "AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22" "cbc(aes)",
    Cbc Aes256 "AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42" "cbc(aes)",
    // Linux before 6.8 has CFB and OFB ("crypto: cfb,ofb - Remove cfb and ofb").
    Cfb Aes128 "AES-128-CFB:2.16.840.1.101.3.4.1.4" "cfb(aes)",
    Cfb Aes192 "AES-192-CFB:2.16.840.1.101.3.4.1.24" "cfb(aes)",
    Cfb Aes256 "AES-256-CFB:2.16.840.1.101.3.4.1.44" "cfb(aes)",
    // Linux has one order of the last blocks, which is not OpenSSL's.
    Cts Aes128 "AES-128-CBC-CTS",
    Cts Aes192 "AES-192-CBC-CTS",
    Cts Aes256 "AES-256-CBC-CTS",
    Cfb8 Aes128 "AES-128-CFB8",
    Cfb8 Aes192 "AES-192-CFB8",
    Cfb8 Aes256 "AES-256-CFB8",
    Ofb Aes128 "AES-128-OFB:2.16.840.1.101.3.4.1.3" "ofb(aes)",
    Ofb Aes192 "AES-192-OFB:2.16.840.1.101.3.4.1.23" "ofb(aes)",
    Ofb Aes256 "AES-256-OFB:2.16.840.1.101.3.4.1.43" "ofb(aes)",
    Ctr Aes128 "AES-128-CTR" "ctr(aes)",
    Ctr Aes192 "AES-192-CTR" "ctr(aes)",
    Ctr Aes256 "AES-256-CTR" "ctr(aes)",
    Xts Aes128 "AES-128-XTS:1.3.111.2.1619.0.1.1" "xts(aes)",
    Xts Aes256 "AES-256-XTS:1.3.111.2.1619.0.1.2" "xts(aes)",
    Gcm Aes128 "AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6" "gcm(aes)",
    Gcm Aes192 "AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26" "gcm(aes)",
    Gcm Aes256 "AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46" "gcm(aes)",
    Ocb Aes128 "AES-128-OCB",
    Ocb Aes192 "AES-192-OCB",
    Ocb Aes256 "AES-256-OCB",
    // They came with 3.2, for messages of no bytes with 3.5.
    GcmSiv Aes128 "AES-128-GCM-SIV" since 3 5,
    GcmSiv Aes192 "AES-192-GCM-SIV" since 3 5,
    GcmSiv Aes256 "AES-256-GCM-SIV" since 3 5,
    Ecb Sm4 "SM4-ECB:1.2.156.10197.1.104.1" "ecb(sm4)",
    Cbc Sm4 "SM4-CBC:SM4:1.2.156.10197.1.104.2" "cbc(sm4)",
    Cfb Sm4 "SM4-CFB:SM4-CFB128:1.2.156.10197.1.104.4" "cfb(sm4)",
    Ofb Sm4 "SM4-OFB:SM4-OFB128:1.2.156.10197.1.104.3" "ofb(sm4)",
    Ctr Sm4 "SM4-CTR:1.2.156.10197.1.104.7" "ctr(sm4)",
    // Linux has GCM, too, which OpenSSL 3.0 could not hand it, and XTS by IEEE 1619, not by GB/T 17964 as OpenSSL.
    Gcm Sm4 "SM4-GCM:1.2.156.10197.1.104.8" since 3 1,
    Ccm Sm4 "SM4-CCM:1.2.156.10197.1.104.9" since 3 1,
    Xts Sm4 "SM4-XTS:1.2.156.10197.1.104.10" since 3 2,
    Ecb Camellia128 "CAMELLIA-128-ECB:0.3.4401.5.3.1.9.1" "ecb(camellia)",
    Ecb Camellia192 "CAMELLIA-192-ECB:0.3.4401.5.3.1.9.21" "ecb(camellia)",
    Ecb Camellia256 "CAMELLIA-256-ECB:0.3.4401.5.3.1.9.41" "ecb(camellia)",
    Cbc Camellia128 "CAMELLIA-128-CBC:CAMELLIA128:1.2.392.200011.61.1.1.1.2" "cbc(camellia)",
    Cbc Camellia192 "CAMELLIA-192-CBC:CAMELLIA192:1.2.392.200011.61.1.1.1.3" "cbc(camellia)",
    Cbc Camellia256 "CAMELLIA-256-CBC:CAMELLIA256:1.2.392.200011.61.1.1.1.4" "cbc(camellia)",
    Cfb Camellia128 "CAMELLIA-128-CFB:0.3.4401.5.3.1.9.4" "cfb(camellia)",
    Cfb Camellia192 "CAMELLIA-192-CFB:0.3.4401.5.3.1.9.24" "cfb(camellia)",
    Cfb Camellia256 "CAMELLIA-256-CFB:0.3.4401.5.3.1.9.44" "cfb(camellia)",
    Cts Camellia128 "CAMELLIA-128-CBC-CTS",
    Cts Camellia192 "CAMELLIA-192-CBC-CTS",
    Cts Camellia256 "CAMELLIA-256-CBC-CTS",
    Ofb Camellia128 "CAMELLIA-128-OFB:0.3.4401.5.3.1.9.3" "ofb(camellia)",
    Ofb Camellia192 "CAMELLIA-192-OFB:0.3.4401.5.3.1.9.23" "ofb(camellia)",
    Ofb Camellia256 "CAMELLIA-256-OFB:0.3.4401.5.3.1.9.43" "ofb(camellia)",
    Ctr Camellia128 "CAMELLIA-128-CTR:0.3.4401.5.3.1.9.9" "ctr(camellia)",
    Ctr Camellia192 "CAMELLIA-192-CTR:0.3.4401.5.3.1.9.29" "ctr(camellia)",
    Ctr Camellia256 "CAMELLIA-256-CTR:0.3.4401.5.3.1.9.49" "ctr(camellia)",
    Ecb Aria128 "ARIA-128-ECB:1.2.410.200046.1.1.1" "ecb(aria)",
    Ecb Aria192 "ARIA-192-ECB:1.2.410.200046.1.1.6" "ecb(aria)",
    Ecb Aria256 "ARIA-256-ECB:1.2.410.200046.1.1.11" "ecb(aria)",
    Cbc Aria128 "ARIA-128-CBC:ARIA128:1.2.410.200046.1.1.2" "cbc(aria)",
    Cbc Aria192 "ARIA-192-CBC:ARIA192:1.2.410.200046.1.1.7" "cbc(aria)",
    Cbc Aria256 "ARIA-256-CBC:ARIA256:1.2.410.200046.1.1.12" "cbc(aria)",
    Cfb Aria128 "ARIA-128-CFB:1.2.410.200046.1.1.3" "cfb(aria)",
    Cfb Aria192 "ARIA-192-CFB:1.2.410.200046.1.1.8" "cfb(aria)",
    Cfb Aria256 "ARIA-256-CFB:1.2.410.200046.1.1.13" "cfb(aria)",
    Ofb Aria128 "ARIA-128-OFB:1.2.410.200046.1.1.4" "ofb(aria)",
    Ofb Aria192 "ARIA-192-OFB:1.2.410.200046.1.1.9" "ofb(aria)",
    Ofb Aria256 "ARIA-256-OFB:1.2.410.200046.1.1.14" "ofb(aria)",
    Ctr Aria128 "ARIA-128-CTR:1.2.410.200046.1.1.5" "ctr(aria)",
    Ctr Aria192 "ARIA-192-CTR:1.2.410.200046.1.1.10" "ctr(aria)",
    Ctr Aria256 "ARIA-256-CTR:1.2.410.200046.1.1.15" "ctr(aria)",
    // Linux has GCM, too; there is no published example with 192 bits.
    Gcm Aria128 "ARIA-128-GCM:1.2.410.200046.1.1.34",
    Gcm Aria192 "ARIA-192-GCM:1.2.410.200046.1.1.35",
    Gcm Aria256 "ARIA-256-GCM:1.2.410.200046.1.1.36",
    Ccm Aria128 "ARIA-128-CCM:1.2.410.200046.1.1.37",
    Ccm Aria192 "ARIA-192-CCM:1.2.410.200046.1.1.38",
    Ccm Aria256 "ARIA-256-CCM:1.2.410.200046.1.1.39";
    ChaCha20: Stream "ChaCha20" "chacha20", Poly1305 "ChaCha20-Poly1305" "rfc7539(chacha20,poly1305)",
}

impl Algorithm {
    /// OpenSSL's name.
    pub const fn name(self) -> &'static str {
        ROWS[self.index()].name
    }

    /// All of OpenSSL's names, its own first, separated by colons.
    pub const fn names(self) -> &'static CStr {
        ROWS[self.index()].names
    }

    /// The name that Linux's crypto has for it, such as `cbc(aes)`.
    pub const fn linux_name(self) -> Option<&'static str> {
        ROWS[self.index()].linux
    }

    /// Since which OpenSSL, major and minor, the default provider has it.
    pub const fn since(self) -> (u16, u16) {
        ROWS[self.index()].since
    }

    /// The place in [`Self::ALL`] of the one with these names.
    ///
    /// # Panics
    /// If there is none.
    pub const fn place_of(names: &str) -> usize {
        let mut place = 0;
        while !same(names.as_bytes(), ROWS[place].names.to_bytes()) {
            place += 1;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_each_algorithm_s_own() {
        let all = ROWS.iter().flat_map(|row| row.names.to_bytes().split(|byte| *byte == b':'));
        let (mut seen, mut count) = (HashSet::new(), 0);
        for name in all {
            assert!(seen.insert(name), "{}", String::from_utf8_lossy(name));
            count += 1;
        }
        assert!(count > 150, "{count} names");
        for (place, algorithm) in Algorithm::ALL.iter().enumerate() {
            assert_eq!(algorithm.index(), place);
            let prefix = algorithm.block_cipher().map_or("ChaCha20", BlockCipher::name);
            assert!(algorithm.name().starts_with(prefix), "{algorithm}");
            let names = algorithm.names().to_str().expect("ASCII");
            assert_eq!(Algorithm::place_of(names), place);
            // Whoever types any of them means this one.
            for name in names.split(':').filter(|name| !name.contains('.')) {
                assert_eq!(name.parse(), Ok(*algorithm), "{name}");
            }
        }
    }
}

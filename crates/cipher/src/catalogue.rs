//! The catalogue: a row for each algorithm, from which every list of them is derived.
//!
//! A row is a mode, a cipher, and all of OpenSSL's names and object identifiers, its own name first
//! (providers/implementations/include/prov/names.h, unchanged from 3.0 to 4.0). Sizes and what a mode can do
//! follow from [`Mode`] and [`BlockCipher`].

use std::ffi::CStr;

use crate::foreign::same;
use crate::{Algorithm, BlockCipher, Mode};

/// What the catalogue says of an algorithm.
pub(crate) struct Row {
    /// OpenSSL's names, separated by colons, as libcrypto takes them.
    pub(crate) names: &'static CStr,
    /// The first of them.
    pub(crate) name: &'static str,
}

/// A row of NUL-terminated names.
const fn row(terminated: &'static str) -> Row {
    let bytes = terminated.as_bytes();
    let mut length = 0;
    while bytes[length] != b':' && bytes[length] != 0 {
        length += 1;
    }
    let Ok(name) = str::from_utf8(bytes.split_at(length).0) else { panic!("a name of ASCII") };
    let Ok(names) = CStr::from_bytes_with_nul(bytes) else { panic!("it ends in NUL") };
    Row { names, name }
}

macro_rules! algorithms {
    // The first token is a dollar sign, for the macro that this one makes.
    ($d:tt $($mode:ident $cipher:ident $names:literal),*; ChaCha20: $($use:ident $use_names:literal,)*) => {
        impl Algorithm {
            /// Every algorithm, cipher by cipher.
            pub const ALL: &'static [Self] = &[
                $(Self { cipher: Some(BlockCipher::$cipher), mode: Mode::$mode },)*
                $(Self { cipher: None, mode: Mode::$use },)*
            ];
        }

        /// In the order of [`Algorithm::ALL`].
        pub(crate) static ROWS: [Row; Algorithm::ALL.len()] = [
            $(row(concat!($names, "\0")),)*
            $(row(concat!($use_names, "\0")),)*
        ];

        /// Hands the names of all algorithms, in the order of [`Algorithm::ALL`], to a macro.
        #[macro_export]
        macro_rules! each_algorithm {
            ($d callback:ident) => { $d callback!{ $($names)* $($use_names)* } };
        }
    };
}

algorithms! { $
    Ecb Aes128 "AES-128-ECB:2.16.840.1.101.3.4.1.1",
    Ecb Aes192 "AES-192-ECB:2.16.840.1.101.3.4.1.21",
    Ecb Aes256 "AES-256-ECB:2.16.840.1.101.3.4.1.41",
    Cbc Aes128 "AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2",
    Cbc Aes192 "AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22",
    Cbc Aes256 "AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42",
    Cfb Aes128 "AES-128-CFB:2.16.840.1.101.3.4.1.4",
    Cfb Aes192 "AES-192-CFB:2.16.840.1.101.3.4.1.24",
    Cfb Aes256 "AES-256-CFB:2.16.840.1.101.3.4.1.44",
    Cts Aes128 "AES-128-CBC-CTS",
    Cts Aes192 "AES-192-CBC-CTS",
    Cts Aes256 "AES-256-CBC-CTS",
    Cfb8 Aes128 "AES-128-CFB8",
    Cfb8 Aes192 "AES-192-CFB8",
    Cfb8 Aes256 "AES-256-CFB8",
    Ofb Aes128 "AES-128-OFB:2.16.840.1.101.3.4.1.3",
    Ofb Aes192 "AES-192-OFB:2.16.840.1.101.3.4.1.23",
    Ofb Aes256 "AES-256-OFB:2.16.840.1.101.3.4.1.43",
    Ctr Aes128 "AES-128-CTR",
    Ctr Aes192 "AES-192-CTR",
    Ctr Aes256 "AES-256-CTR",
    Xts Aes128 "AES-128-XTS:1.3.111.2.1619.0.1.1",
    Xts Aes256 "AES-256-XTS:1.3.111.2.1619.0.1.2",
    Gcm Aes128 "AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6",
    Gcm Aes192 "AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26",
    Gcm Aes256 "AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46",
    Ocb Aes128 "AES-128-OCB",
    Ocb Aes192 "AES-192-OCB",
    Ocb Aes256 "AES-256-OCB",
    GcmSiv Aes128 "AES-128-GCM-SIV",
    GcmSiv Aes192 "AES-192-GCM-SIV",
    GcmSiv Aes256 "AES-256-GCM-SIV",
    Ecb Sm4 "SM4-ECB:1.2.156.10197.1.104.1",
    Cbc Sm4 "SM4-CBC:SM4:1.2.156.10197.1.104.2",
    Cfb Sm4 "SM4-CFB:SM4-CFB128:1.2.156.10197.1.104.4",
    Ofb Sm4 "SM4-OFB:SM4-OFB128:1.2.156.10197.1.104.3",
    Ctr Sm4 "SM4-CTR:1.2.156.10197.1.104.7",
    Gcm Sm4 "SM4-GCM:1.2.156.10197.1.104.8",
    Ccm Sm4 "SM4-CCM:1.2.156.10197.1.104.9",
    Xts Sm4 "SM4-XTS:1.2.156.10197.1.104.10",
    Ecb Camellia128 "CAMELLIA-128-ECB:0.3.4401.5.3.1.9.1",
    Ecb Camellia192 "CAMELLIA-192-ECB:0.3.4401.5.3.1.9.21",
    Ecb Camellia256 "CAMELLIA-256-ECB:0.3.4401.5.3.1.9.41",
    Cbc Camellia128 "CAMELLIA-128-CBC:CAMELLIA128:1.2.392.200011.61.1.1.1.2",
    Cbc Camellia192 "CAMELLIA-192-CBC:CAMELLIA192:1.2.392.200011.61.1.1.1.3",
    Cbc Camellia256 "CAMELLIA-256-CBC:CAMELLIA256:1.2.392.200011.61.1.1.1.4",
    Cfb Camellia128 "CAMELLIA-128-CFB:0.3.4401.5.3.1.9.4",
    Cfb Camellia192 "CAMELLIA-192-CFB:0.3.4401.5.3.1.9.24",
    Cfb Camellia256 "CAMELLIA-256-CFB:0.3.4401.5.3.1.9.44",
    Cts Camellia128 "CAMELLIA-128-CBC-CTS",
    Cts Camellia192 "CAMELLIA-192-CBC-CTS",
    Cts Camellia256 "CAMELLIA-256-CBC-CTS",
    Ofb Camellia128 "CAMELLIA-128-OFB:0.3.4401.5.3.1.9.3",
    Ofb Camellia192 "CAMELLIA-192-OFB:0.3.4401.5.3.1.9.23",
    Ofb Camellia256 "CAMELLIA-256-OFB:0.3.4401.5.3.1.9.43",
    Ctr Camellia128 "CAMELLIA-128-CTR:0.3.4401.5.3.1.9.9",
    Ctr Camellia192 "CAMELLIA-192-CTR:0.3.4401.5.3.1.9.29",
    Ctr Camellia256 "CAMELLIA-256-CTR:0.3.4401.5.3.1.9.49",
    Ecb Aria128 "ARIA-128-ECB:1.2.410.200046.1.1.1",
    Ecb Aria192 "ARIA-192-ECB:1.2.410.200046.1.1.6",
    Ecb Aria256 "ARIA-256-ECB:1.2.410.200046.1.1.11",
    Cbc Aria128 "ARIA-128-CBC:ARIA128:1.2.410.200046.1.1.2",
    Cbc Aria192 "ARIA-192-CBC:ARIA192:1.2.410.200046.1.1.7",
    Cbc Aria256 "ARIA-256-CBC:ARIA256:1.2.410.200046.1.1.12",
    Cfb Aria128 "ARIA-128-CFB:1.2.410.200046.1.1.3",
    Cfb Aria192 "ARIA-192-CFB:1.2.410.200046.1.1.8",
    Cfb Aria256 "ARIA-256-CFB:1.2.410.200046.1.1.13",
    Ofb Aria128 "ARIA-128-OFB:1.2.410.200046.1.1.4",
    Ofb Aria192 "ARIA-192-OFB:1.2.410.200046.1.1.9",
    Ofb Aria256 "ARIA-256-OFB:1.2.410.200046.1.1.14",
    Ctr Aria128 "ARIA-128-CTR:1.2.410.200046.1.1.5",
    Ctr Aria192 "ARIA-192-CTR:1.2.410.200046.1.1.10",
    Ctr Aria256 "ARIA-256-CTR:1.2.410.200046.1.1.15",
    Gcm Aria128 "ARIA-128-GCM:1.2.410.200046.1.1.34",
    Gcm Aria192 "ARIA-192-GCM:1.2.410.200046.1.1.35",
    Gcm Aria256 "ARIA-256-GCM:1.2.410.200046.1.1.36",
    Ccm Aria128 "ARIA-128-CCM:1.2.410.200046.1.1.37",
    Ccm Aria192 "ARIA-192-CCM:1.2.410.200046.1.1.38",
    Ccm Aria256 "ARIA-256-CCM:1.2.410.200046.1.1.39";
    ChaCha20: Stream "ChaCha20", Poly1305 "ChaCha20-Poly1305",
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

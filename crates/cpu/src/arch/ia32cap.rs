//! `OPENSSL_ia32cap`: the features that somebody hides from OpenSSL, and so from us.
//!
//! Read as crypto/cpuid.c reads it, by plain `getenv` and in setuid programs too: features are only
//! taken away. What we use stands in the first four words; later versions of OpenSSL have more.

use super::number;
use crate::feature::{Feature, Features};

/// EDX and ECX of leaf 1, then EBX and ECX of leaf 7 (OPENSSL_ia32cap(3)).
const EDX: usize = 0;
const ECX: usize = 1;
const EBX_7: usize = 2;
const ECX_7: usize = 3;

/// Where OpenSSL looks for a feature: word and bit.
const BITS: &[(Feature, usize, u32)] = &[
    (Feature::Sse2, EDX, 26),
    (Feature::Pclmulqdq, ECX, 1),
    (Feature::Ssse3, ECX, 9),
    (Feature::Sse41, ECX, 19),
    (Feature::Aes, ECX, 25),
    (Feature::Avx, ECX, 28),
    (Feature::Bmi1, EBX_7, 3),
    (Feature::Avx2, EBX_7, 5),
    (Feature::Bmi2, EBX_7, 8),
    (Feature::Avx512f, EBX_7, 16),
    (Feature::Avx512dq, EBX_7, 17),
    (Feature::Avx512ifma, EBX_7, 21),
    (Feature::ShaNi, EBX_7, 29),
    (Feature::Avx512bw, EBX_7, 30),
    (Feature::Avx512vl, EBX_7, 31),
    (Feature::Gfni, ECX_7, 8),
    (Feature::Vaes, ECX_7, 9),
    (Feature::Vpclmulqdq, ECX_7, 10),
];

/// What goes with another feature, in an order in which one pass suffices.
const NEEDS: &[(Feature, Feature)] = &[
    (Feature::Avx2, Feature::Avx),
    (Feature::Avx512f, Feature::Avx2),
    (Feature::Avx512dq, Feature::Avx512f),
    (Feature::Avx512ifma, Feature::Avx512f),
    (Feature::Avx512bw, Feature::Avx512f),
    (Feature::Avx512vl, Feature::Avx512f),
    (Feature::Vaes, Feature::Avx),
    (Feature::Vaes, Feature::Aes),
    (Feature::Vpclmulqdq, Feature::Avx),
    (Feature::Vpclmulqdq, Feature::Pclmulqdq),
];

/// The features that are left of these.
pub(crate) fn left(features: Features, value: &[u8]) -> Features {
    let words = words(value);
    let seen = BITS.iter().filter(|(_, word, bit)| words[*word] >> bit & 1 == 0);
    let left = seen.fold(features, |left, (feature, ..)| left.without(*feature));
    NEEDS.iter().fold(left, |left, (feature, needed)| match left.has(*needed) {
        true => left,
        false => left.without(*feature),
    })
}

/// The words, with every bit set that is left as the CPU has it.
fn words(value: &[u8]) -> [u32; 4] {
    /// XMM registers: without them OpenSSL leaves out what works on nothing else.
    const FXSR: u64 = 1 << 24;
    const ON_XMM: u64 = (1 << 1 | 1 << 11 | 1 << 25 | 1 << 28) << 32;
    let mut first = match value.first() {
        Some(b'~') => !number(&value[1..]),
        Some(b':') => !0,
        _ => number(value),
    };
    if value.first() == Some(&b'~') && first & FXSR == 0 {
        first &= !ON_XMM;
    }
    let colon = value.iter().position(|byte| *byte == b':');
    let rest = colon.map_or(&[][..], |colon| &value[colon + 1..]);
    // Without a second number there is none of these features.
    let second = match rest.first() {
        None => 0,
        Some(b':') => !0,
        Some(b'~') => !number(&rest[1..]),
        Some(_) => number(rest),
    };
    let mut words = [0; 4];
    [words[EDX], words[ECX]] = halves(first);
    [words[EBX_7], words[ECX_7]] = halves(second);
    words
}

const fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every() -> Features {
        Feature::ALL.iter().fold(Features::NONE, |set, feature| set.with(*feature, true))
    }

    fn hidden(value: &str) -> Vec<&'static str> {
        let left = left(every(), value.as_bytes());
        let gone = Feature::ALL.iter().filter(|feature| !left.has(**feature));
        gone.map(|feature| feature.name()).collect()
    }

    #[test]
    fn numbers_are_those_of_c() {
        for (text, value) in [
            ("0x200000200000000", 0x0200_0002_0000_0000),
            ("0Xff:1", 255),
            ("017", 15),
            ("19z", 19),
            ("08", 0),
            ("", 0),
            ("x", 0),
        ] {
            assert_eq!(number(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn features_go_as_openssl_s_manual_says() {
        assert_eq!(hidden(":~0x0"), [""; 0]);
        assert_eq!(hidden("~0x0:~0x0"), [""; 0]);
        // AES-NI and PCLMULQDQ, and what needs them.
        let both = ["aes", "pclmulqdq", "vaes", "vpclmulqdq"];
        assert_eq!(hidden("~0x200000200000000:~0x0"), both);
        // AVX, as the manual spells it, and with it all wider vectors.
        let avx = hidden("~0x1000000000000000:~0x0");
        assert!(avx.contains(&"avx") && avx.contains(&"avx2") && avx.contains(&"avx512f"));
        assert!(avx.contains(&"vaes") && !avx.contains(&"aes") && !avx.contains(&"sha_ni"));
        assert_eq!(hidden(":~0x20000000"), ["sha_ni"]);
        assert_eq!(hidden(":~0x20000000000"), ["vaes"]);
        assert_eq!(hidden(":~0x10000000000"), ["gfni"]);
        assert_eq!(hidden("::~0x1"), [""; 0], "words that are left out stay");
    }

    #[test]
    fn without_a_second_number_there_is_nothing_of_leaf_7() {
        let gone = hidden("~0x0");
        for name in ["avx2", "vaes", "avx512f", "sha_ni", "gfni", "bmi2"] {
            assert!(gone.contains(&name), "{name}: {gone:?}");
        }
        assert!(!gone.contains(&"aes") && !gone.contains(&"avx"));
        // Without XMM registers nothing that works on them.
        let gone = hidden("~0x1000000:~0x0");
        assert!(gone.contains(&"aes") && gone.contains(&"pclmulqdq") && gone.contains(&"avx"));
        // A number without ~ is all there is.
        assert_eq!(hidden("0:0").len(), BITS.len());
    }
}

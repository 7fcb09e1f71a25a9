//! Where libcrypto's code looks up in tables by secrets. Which parts of a table are in the cache tells whoever shares
//! it of keys and data (Bernstein, "Cache-timing attacks on AES", 2005).
//!
//! It is read off OpenSSL's sources, 3.0 to 4.0, of its builds with assembler, which all distributions have.

use wirespeed_cipher::{Algorithm, BlockCipher, Direction, Mode};
use wirespeed_cpu::{Feature, Features};

use crate::arch;

/// The code of a libcrypto as it runs on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LibcryptoCode {
    /// Major and minor number.
    version: (u16, u16),
    features: Features,
}

/// What it looks up in tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookUp {
    /// Of which part of a call.
    pub what: &'static str,
    /// Where its source shows that.
    pub source: &'static str,
}

/// From which version, and with which features, other code serves.
pub(crate) type Otherwise = ((u16, u16), &'static [Feature]);

/// All versions that there are.
pub(crate) const ALWAYS: (u16, u16) = (3, 0);

/// One fact of the tables here and below `arch/`.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) since: (u16, u16),
    pub(crate) ciphers: &'static [BlockCipher],
    /// None for all.
    pub(crate) modes: &'static [Mode],
    /// None for both.
    pub(crate) direction: Option<Direction>,
    /// Only on CPUs with all of these.
    pub(crate) with: &'static [Feature],
    /// One of these is enough.
    pub(crate) unless: &'static [Otherwise],
    pub(crate) look_up: LookUp,
}

impl Entry {
    /// Every mode of AES, always: the rows say what is otherwise.
    pub(crate) const OF_AES: Self = Self {
        since: ALWAYS,
        ciphers: &BlockCipher::AES,
        modes: &[],
        direction: None,
        with: &[],
        unless: &[],
        look_up: LookUp { what: ALL, source: "" },
    };

    /// GCM's hash without carry-less products, where nothing else of GCM has tables.
    pub(crate) const OF_GCMS_HASH: Self = Self {
        modes: &[Mode::Gcm, Mode::GcmSiv],
        look_up: LookUp { what: "the hash", source: "gcm_ghash_4bit in crypto/modes/gcm128.c" },
        ..Self::OF_AES
    };
}

/// All of a call.
pub(crate) const ALL: &str = "keys and all blocks";

const CAMELLIA: &[BlockCipher] =
    &[BlockCipher::Camellia128, BlockCipher::Camellia192, BlockCipher::Camellia256];
const ARIA: &[BlockCipher] = &[BlockCipher::Aria128, BlockCipher::Aria192, BlockCipher::Aria256];

/// What is so on every machine but SPARC's, which has instructions for Camellia.
const ANYWHERE: &[Entry] = &[
    Entry {
        ciphers: CAMELLIA,
        look_up: LookUp {
            what: ALL,
            source: "Camellia_SBOX in crypto/camellia/camellia.c and crypto/camellia/asm/",
        },
        ..Entry::OF_AES
    },
    Entry {
        ciphers: ARIA,
        look_up: LookUp { what: ALL, source: "S1, S2, X1 and X2 in crypto/aria/aria.c" },
        ..Entry::OF_AES
    },
];

impl LibcryptoCode {
    /// That of this version, "3.0.18" or "OpenSSL 3.0.18 30 Sep 2025", on a CPU with these features.
    pub fn of(version: &str, features: Features) -> Self {
        let is_digit = |letter: char| letter.is_ascii_digit();
        let from = &version[version.find(is_digit).unwrap_or(0)..];
        let mut numbers = from.split(|letter| !is_digit(letter)).map(|it| it.parse().unwrap_or(0));
        Self { version: (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)), features }
    }

    /// Whether it is known of AES and SM4, on this architecture.
    pub const fn is_known() -> bool {
        !arch::LOOK_UPS.is_empty()
    }

    /// Whether, and what of an algorithm that it has, its code looks up in tables.
    pub fn looks_up(self, algorithm: Algorithm, direction: Direction) -> Option<&'static LookUp> {
        self.looks_up_as(arch::LOOK_UPS, algorithm, direction)
    }

    /// The same by an architecture's table.
    fn looks_up_as(
        self,
        table: &'static [&'static [Entry]],
        algorithm: Algorithm,
        direction: Direction,
    ) -> Option<&'static LookUp> {
        let cipher = algorithm.block_cipher().filter(|_| self.version >= algorithm.since())?;
        let is_so = |entry: &&Entry| {
            self.version >= entry.since
                && entry.ciphers.contains(&cipher)
                && (entry.modes.is_empty() || entry.modes.contains(&algorithm.mode()))
                && entry.direction.is_none_or(|only| only == direction)
                && entry.with.iter().all(|it| self.features.has(*it))
                && !entry.unless.iter().any(|(since, needs)| {
                    self.version >= *since && needs.iter().all(|it| self.features.has(*it))
                })
        };
        let found = table.iter().copied().flatten().chain(ANYWHERE).find(is_so);
        found.map(|entry| &entry.look_up)
    }

    /// The same of either direction.
    pub fn looks_up_anywhere(self, algorithm: Algorithm) -> bool {
        algorithm.directions().iter().any(|to| self.looks_up(algorithm, *to).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Direction::{Decrypt, Encrypt};

    fn what(libcrypto: LibcryptoCode, name: &str, direction: Direction) -> Option<&'static str> {
        libcrypto.looks_up(name.parse().expect("known"), direction).map(|it| it.what)
    }

    fn here() -> LibcryptoCode {
        LibcryptoCode::of("3.5.1", Features::detect())
    }

    fn without(features: &[Feature]) -> LibcryptoCode {
        let left = features.iter().fold(Features::detect(), |left, it| left.without(*it));
        LibcryptoCode { features: left, ..here() }
    }

    #[test]
    fn versions_are_read_as_libcrypto_and_plans_write_them() {
        for text in ["3.6.1", "OpenSSL 3.6.1 27 Jan 2026", "3.6"] {
            assert_eq!(LibcryptoCode::of(text, Features::NONE).version, (3, 6), "{text}");
        }
        assert_eq!(LibcryptoCode::of("", Features::NONE).version, (0, 0));
    }

    #[test]
    fn camellia_and_aria_look_up_everywhere_and_chacha20_nowhere() {
        let libcrypto = LibcryptoCode::of("4.0.3", Features::NONE);
        for name in ["CAMELLIA-256-CBC", "ARIA-128-GCM", "ARIA-192-CCM"] {
            assert_eq!(what(libcrypto, name, Encrypt), Some("keys and all blocks"), "{name}");
        }
        assert_eq!(what(libcrypto, "ChaCha20-Poly1305", Encrypt), None);
        // What a version does not have it does not look up.
        let old = LibcryptoCode::of("3.0.18", Features::NONE);
        assert_eq!(what(old, "AES-128-GCM-SIV", Encrypt), None);
    }

    /// As conformance's `secrets` finds by poisoned keys.
    #[test]
    fn of_aes_it_depends_on_the_cpu() {
        let has = |feature| Features::detect().has(feature);
        if !has(Feature::Aes) || !has(Feature::Ssse3) || !has(Feature::Pclmulqdq) {
            return println!("skipped: this CPU has not all that is to be taken away");
        }
        let aes: Vec<_> = (Algorithm::ALL.iter().copied())
            .filter(|it| it.block_cipher().is_some_and(|it| BlockCipher::AES.contains(&it)))
            .flat_map(|it| it.directions().iter().map(move |to| (it, *to)))
            .collect();
        let looked_up = |libcrypto: LibcryptoCode| {
            let looks_up =
                |(it, to): &&(Algorithm, Direction)| libcrypto.looks_up(*it, *to).is_some();
            let mut modes: Vec<_> =
                aes.iter().filter(looks_up).map(|(it, to)| (it.mode(), *to)).collect();
            modes.dedup();
            modes.sort_by_key(|(mode, to)| (*mode as usize, *to as usize));
            modes.dedup();
            modes
        };
        assert_eq!(looked_up(here()), []);
        let hash = [Mode::Gcm, Mode::GcmSiv].map(|mode| [(mode, Encrypt), (mode, Decrypt)]);
        assert_eq!(looked_up(without(&[Feature::Pclmulqdq])), hash.concat());
        // 32-bit code has no such.
        let with_bsaes: &[_] = match usize::BITS {
            32 => &[],
            _ => &[
                (Mode::Cbc, Decrypt),
                (Mode::Cts, Decrypt),
                (Mode::Ctr, Encrypt),
                (Mode::Xts, Encrypt),
                (Mode::Xts, Decrypt),
                (Mode::Gcm, Encrypt),
                (Mode::Gcm, Decrypt),
            ],
        };
        assert_eq!(looked_up(without(&[Feature::Aes])), with_bsaes);
        let nothing_left = without(&[Feature::Aes, Feature::Ssse3]);
        assert!(aes.iter().all(|(it, to)| nothing_left.looks_up(*it, *to).is_some()));
        assert_eq!(what(nothing_left, "AES-128-ECB", Encrypt), Some("keys and all blocks"));
        assert_eq!(what(without(&[Feature::Aes]), "AES-128-ECB", Encrypt), None);
    }

    /// ARM's AES has x86's name, and x86 has no PMULL.
    #[test]
    fn on_64_bit_arm_without_aes_bsaes_came_after_vpaes() {
        let detected = Features::detect();
        let of = |version, features, name: &str| {
            let code = LibcryptoCode { version, features };
            let algorithm = name.parse().expect("known");
            code.looks_up_as(arch::aarch64::LOOK_UPS, algorithm, Decrypt).map(|it| it.what)
        };
        for (name, before, after) in [
            ("AES-128-CBC", None, Some("keys, and calls below 128 bytes")),
            ("AES-256-XTS", None, Some("keys, tweaks and stolen blocks")),
            ("AES-192-GCM", Some("the hash"), Some("keys, the hash, and calls below 128 bytes")),
            ("AES-128-ECB", None, None),
            ("AES-128-OCB", None, None),
        ] {
            let found = [(3, 0), (3, 1)].map(|version| of(version, Features::NONE, name));
            assert_eq!(found, [before, after], "{name}");
            if detected.has(Feature::Aes) && detected.has(Feature::Pmull) {
                assert_eq!(of((3, 5), detected, name), None, "{name}");
            }
        }
    }

    /// ARM's AES has x86's name. Of its vectors and RISC-V's extensions a test here can only take away.
    #[test]
    fn on_arm_and_risc_v_aes_looks_up_without_instructions() {
        let of = |table: &'static [&'static [Entry]], features, name: &str, direction| {
            let code = LibcryptoCode { features, ..here() };
            let algorithm = name.parse().expect("known");
            code.looks_up_as(table, algorithm, direction).map(|it| it.what)
        };
        for table in [arch::arm::LOOK_UPS, arch::riscv::LOOK_UPS] {
            for name in ["AES-192-CBC", "AES-128-CTR", "AES-256-GCM", "AES-128-ECB", "SM4-CTR"] {
                let all = Some("keys and all blocks");
                assert_eq!(of(table, Features::NONE, name, Encrypt), all, "{name}");
            }
        }
        let detected = Features::detect();
        if !detected.has(Feature::Aes) || arch::arm::IS_ARMEL {
            return println!("skipped: no AES, or none that libcrypto uses");
        }
        let alone = |kept| {
            let others = Feature::ALL.iter().filter(|it| **it != kept);
            others.fold(detected, |left, it| left.without(*it))
        };
        let with_aes = alone(Feature::Aes);
        assert_eq!(of(arch::arm::LOOK_UPS, with_aes, "AES-128-CBC", Decrypt), None);
        assert_eq!(of(arch::arm::LOOK_UPS, with_aes, "AES-128-GCM", Encrypt), Some("the hash"));
        // Only ARM has these.
        if detected.has(Feature::Asimd) {
            let of = |name| of(arch::arm::LOOK_UPS, alone(Feature::Asimd), name, Encrypt);
            assert_eq!(of("AES-128-CTR"), Some("keys, and calls below 128 bytes"));
            assert_eq!(of("AES-128-CBC"), Some("keys and all blocks"));
        }
    }

    /// ARM's rounds have the name of x86's, and a CPU of one architecture has no feature of the others.
    #[test]
    fn sm4_looks_up_unless_this_libcrypto_knows_the_cpu_s_rounds() {
        let features = Features::detect();
        let has = |all: &[Feature]| all.iter().all(|it| features.has(*it));
        let of = |table: &'static [&'static [Entry]]| {
            let algorithm = "SM4-CBC".parse().expect("known");
            [(3, 0), (3, 1), (3, 4), (3, 6)].map(|version| {
                let code = LibcryptoCode { version, features };
                code.looks_up_as(table, algorithm, Encrypt).is_some()
            })
        };
        let x86 = usize::BITS == 64 && has(&[Feature::Sm4, Feature::Avx2]);
        assert_eq!(of(arch::x86::LOOK_UPS), [true, true, true, !x86]);
        let arm = has(&[Feature::Sm4]);
        assert_eq!(of(arch::aarch64::LOOK_UPS), [true, !arm, !arm, !arm]);
        assert_eq!(of(arch::arm::LOOK_UPS), [true; 4]);
        let risc_v = has(&[Feature::V, Feature::Zvkb, Feature::Zvksed]);
        assert_eq!(of(arch::riscv::LOOK_UPS), [true, true, !risc_v, !risc_v]);
    }

    #[test]
    fn every_fact_has_its_source() {
        for Entry { look_up: LookUp { what, source }, .. } in
            arch::LOOK_UPS.iter().copied().flatten().chain(ANYWHERE)
        {
            assert!(
                !what.is_empty() && (source.contains(".c") || source.contains(".pl")),
                "{source}"
            );
        }
    }
}

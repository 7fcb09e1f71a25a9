//! What CPUID says of each model.

use padlock_emulator::{Cpu, Model, Options};

const MODELS: [Model; 4] = [Model::C3, Model::C7, Model::Nano, Model::Zhaoxin];

/// A CPU that has everything.
const REAL: [u32; 4] = [u32::MAX; 4];

fn cpu(model: Model, hide_aesni: bool) -> Cpu {
    Cpu::new(Options { hide_aesni, ..Options::new(model) })
}

#[test]
fn vendors_are_those_that_programs_look_for() {
    for model in MODELS {
        let [eax, ebx, ecx, edx] = cpu(model, false).cpuid(0, 0, REAL);
        let vendor: Vec<u8> = [ebx, edx, ecx].into_iter().flat_map(u32::to_le_bytes).collect();
        let expected: &[u8] =
            if model == Model::Zhaoxin { b"  Shanghai  " } else { b"CentaurHauls" };
        assert_eq!(vendor, expected);
        assert_eq!(eax, REAL[0], "the highest leaf is the real one");
    }
}

#[test]
fn families_models_and_steppings_are_known() {
    for (model, expected) in [
        (Model::C3, (6, 9, 8)),
        (Model::C7, (6, 13, 0)),
        (Model::Nano, (6, 15, 3)),
        (Model::Zhaoxin, (7, 0x3b, 0)),
    ] {
        let eax = cpu(model, false).cpuid(1, 0, REAL)[0];
        // As Linux reads it (arch/x86/lib/cpu.c).
        let family = eax >> 8 & 0xf;
        let number = eax >> 4 & 0xf | eax >> 12 & 0xf0;
        assert_eq!((family, number, eax & 0xf), expected);
    }
    // How OpenSSL's 32-bit e_padlock-x86.pl finds a Nano.
    assert_eq!((cpu(Model::Nano, false).cpuid(1, 0, REAL)[0] | 15) & 0xfff, 0x6ff);
}

#[test]
fn the_brand_is_the_models_own() {
    for (model, expected) in [
        (Model::C3, "VIA C3 (emulated)"),
        (Model::C7, "VIA C7 (emulated)"),
        (Model::Nano, "VIA Nano (emulated)"),
        (Model::Zhaoxin, "Zhaoxin KX-6000 (emulated)"),
    ] {
        // AMD's has "AuthenticAMD" here.
        assert_eq!(cpu(model, false).cpuid(0x8000_0000, 0, REAL), [REAL[0], 0, 0, 0]);
        let leaves = [0x8000_0002, 0x8000_0003, 0x8000_0004];
        let words = leaves.map(|leaf| cpu(model, false).cpuid(leaf, 0, REAL)).concat();
        let brand: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(String::from_utf8(brand).expect("text").trim_end_matches('\0'), expected);
    }
}

#[test]
fn units_are_present_and_enabled() {
    for (model, edx) in [
        (Model::C3, 0x00cc),
        (Model::C7, 0x3fcc),
        (Model::Nano, 0x3fcc),
        (Model::Zhaoxin, 0x0600_3ffc),
    ] {
        let cpu = cpu(model, true);
        assert_eq!(cpu.cpuid(0xc000_0000, 0, REAL), [0xc000_0001, 0, 0, 0]);
        assert_eq!(cpu.cpuid(0xc000_0001, 7, REAL), [0, 0, 0, edx]);
        assert_eq!(cpu.cpuid(0xc000_0002, 0, REAL), [0; 4]);
    }
}

/// glibc looks for the caches of these vendors until it finds a second level (dl-cacheinfo.h).
#[test]
fn caches_have_two_levels_and_an_end() {
    for model in MODELS {
        let levels = [0, 1, 2].map(|subleaf| cpu(model, false).cpuid(4, subleaf, REAL)[0] >> 5 & 7);
        assert_eq!(levels, [1, 1, 2]);
        assert_eq!(cpu(model, false).cpuid(4, 3, REAL), [0; 4]);
        assert_eq!(cpu(model, false).cpuid(4, u32::MAX, REAL), [0; 4]);
    }
}

#[test]
fn hiding_takes_away_what_programs_prefer_to_padlock() {
    let hidden = |leaf, subleaf, register: usize| {
        let plain = cpu(Model::Nano, false).cpuid(leaf, subleaf, REAL)[register];
        let masked = cpu(Model::Nano, true).cpuid(leaf, subleaf, REAL)[register];
        assert_eq!(masked & !plain, 0, "nothing is added");
        plain & !masked
    };
    // Leaf 1 ECX without AES 25, PCLMULQDQ 1, SSSE3 9, AVX 28; SSE 4.2 20, OSXSAVE 27, RDRAND 30 stay.
    let first = hidden(1, 0, 2);
    assert_eq!(first & (1 << 25 | 1 << 1 | 1 << 9 | 1 << 28), 1 << 25 | 1 << 1 | 1 << 9 | 1 << 28);
    assert_eq!(first & (1 << 20 | 1 << 27 | 1 << 30), 0);
    assert_eq!(hidden(1, 0, 3), 0);
    // AVX2 5, AVX-512F 16, SHA 29; BMI1 3 stays.
    assert_eq!(hidden(7, 0, 1) & (1 << 5 | 1 << 16 | 1 << 29 | 1 << 3), 1 << 5 | 1 << 16 | 1 << 29);
    // VAES 9, VPCLMULQDQ 10.
    assert_eq!(hidden(7, 0, 2) & (1 << 9 | 1 << 10), 1 << 9 | 1 << 10);
    // SHA512 0, SM3 1, SM4 2.
    assert_eq!(hidden(7, 1, 0) & 0b111, 0b111);
    // Leaf 1 has no subleaves, leaf 7 has.
    assert_eq!(hidden(1, 5, 2), first);
    assert_eq!(hidden(7, 2, 1), 0);
    assert_eq!(hidden(0xd, 0, 0), 0);
}

//! Encodings and CPUID: U1, U2, U23, U26.

use std::io;

use wirespeed_cpu::x86::{Cpuid, ThisCpu};
use wirespeed_cpu::{Feature, Features};

use super::scene::{Registers, Scene, Seen};

/// U1.
pub(super) fn forms(features: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let scene = Scene::new()?;
    let instructions: [(Feature, &str, &[u8]); 5] = [
        (Feature::Ace, "xcryptecb", &[0x0f, 0xa7, 0xc8]),
        (Feature::Phe, "xsha1", &[0x0f, 0xa6, 0xc8]),
        (Feature::Pmm, "montmul", &[0x67, 0x0f, 0xa6, 0xc0]),
        (Feature::Ccs, "sm3", &[0x0f, 0xa6, 0xe8]),
        (Feature::Ccs, "sm4", &[0x0f, 0xa7, 0xf0]),
    ];
    let prefixes: [(&str, &[u8]); 4] = [
        ("without REP", &[]),
        ("REPNE", &[0xf2]),
        ("LOCK REP", &[0xf0, 0xf3]),
        ("66h REP", &[0x66, 0xf3]),
    ];
    for (_, name, bytes) in instructions.into_iter().filter(|it| features.has(it.0)) {
        for (prefix, first) in prefixes {
            // RCX = 0: there is nothing to do.
            let code = [first, bytes].concat();
            let (ended, _) = scene.run(&code, Registers::default(), 0)?;
            seen.expect(ended.is_undefined(), format!("{name} {prefix}: {ended}"), "#UD");
        }
    }
    Ok(seen)
}

/// U2.
pub(super) fn segments(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let scene = Scene::new()?;
    for (name, prefix) in [("FS", 0x64), ("GS", 0x65)] {
        let code = [prefix, 0xf3, 0x0f, 0xa7, 0xc8];
        let (ended, _) = scene.run(&code, Registers::default(), 0)?;
        seen.expect(ended.is_undefined(), format!("xcryptecb {name}: {ended}"), "#UD");
    }
    Ok(seen)
}

/// U23.
pub(super) fn leaves(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    for leaf in [0, 1, 4].into_iter().chain(0xc000_0000..=0xc000_0006) {
        let words = ThisCpu.leaf(leaf, 0).map(|word| format!("{word:08x}")).join(" ");
        seen.note(format!("{leaf:08x}: {words}"));
    }
    Ok(seen)
}

/// U26.
pub(super) fn other_units(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let units = ThisCpu.leaf(0xc000_0001, 0)[3];
    for (name, bit) in [("SM2", 0), ("RNG2", 22), ("xmodexp, montmul2", 27)] {
        seen.note(format!("{name}: bits {:02b}", units >> bit & 3));
    }
    Ok(seen)
}

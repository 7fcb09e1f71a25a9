//! ARM's cores by the numbers of MIDR_EL1: who made them, and which they are.
//!
//! /proc/cpuinfo has the numbers and no names. The names are those of the makers, as in Linux
//! (arch/arm64/include/asm/cputype.h) and lscpu.

use std::collections::HashMap;

use crate::cpuinfo::CpuInfo;

/// A maker: the number, the name, and the cores.
type Maker = (u32, &'static str, &'static [(u32, &'static str)]);

const MAKERS: &[Maker] = &[
    (0x41, "ARM", ARM),
    (0x42, "Broadcom", &[(0x100, "Brahma-B53"), (0x516, "ThunderX2")]),
    (
        0x43,
        "Cavium",
        &[
            (0x0a0, "ThunderX"),
            (0x0a1, "ThunderX-88XX"),
            (0x0a2, "ThunderX-81XX"),
            (0x0a3, "ThunderX-83XX"),
            (0x0af, "ThunderX2-99xx"),
            (0x0b1, "OcteonTX2-98XX"),
            (0x0b2, "OcteonTX2-96XX"),
            (0x0b3, "OcteonTX2-95XX"),
        ],
    ),
    (0x46, "Fujitsu", &[(0x001, "A64FX")]),
    (0x48, "HiSilicon", &[(0xd01, "Kunpeng-920"), (0xd40, "Cortex-A76")]),
    (0x4e, "NVIDIA", &[(0x000, "Denver"), (0x003, "Denver 2"), (0x004, "Carmel")]),
    (0x50, "APM", &[(0x000, "X-Gene")]),
    (
        0x51,
        "Qualcomm",
        &[
            (0x001, "Oryon"),
            (0x201, "Kryo"),
            (0x205, "Kryo"),
            (0x211, "Kryo"),
            (0x800, "Kryo-2XX-Gold"),
            (0x801, "Kryo-2XX-Silver"),
            (0x802, "Kryo-3XX-Gold"),
            (0x803, "Kryo-3XX-Silver"),
            (0x804, "Kryo-4XX-Gold"),
            (0x805, "Kryo-4XX-Silver"),
            (0xc00, "Falkor"),
            (0xc01, "Saphira"),
        ],
    ),
    (
        0x53,
        "Samsung",
        &[(0x001, "Exynos-M1"), (0x002, "Exynos-M3"), (0x003, "Exynos-M4"), (0x004, "Exynos-M5")],
    ),
    // Kirkwood's, Dove's and Armada XP's.
    (0x56, "Marvell", &[(0x131, "Feroceon-88FR131"), (0x581, "PJ4/PJ4b"), (0x584, "PJ4B-MP")]),
    (0x61, "Apple", APPLE),
    (0x6d, "Microsoft", &[(0xd49, "Azure Cobalt 100")]),
    (
        0x70,
        "Phytium",
        &[
            (0x303, "FTC310"),
            (0x660, "FTC660"),
            (0x661, "FTC661"),
            (0x662, "FTC662"),
            (0x663, "FTC663"),
            (0x664, "FTC664"),
            (0x862, "FTC862"),
        ],
    ),
    (0xc0, "Ampere", &[(0xac3, "Ampere-1"), (0xac4, "Ampere-1a"), (0xac5, "Ampere-1b")]),
];

/// Those that others build into their chips, too: Amazon's Graviton, Ampere's Altra, Rockchip, Broadcom.
const ARM: &[(u32, &str)] = &[
    (0x926, "ARM926"),
    (0xb76, "ARM1176"),
    (0xc05, "Cortex-A5"),
    (0xc07, "Cortex-A7"),
    (0xc08, "Cortex-A8"),
    (0xc09, "Cortex-A9"),
    (0xc0d, "Cortex-A17"),
    (0xc0e, "Cortex-A17"),
    (0xc0f, "Cortex-A15"),
    (0xd01, "Cortex-A32"),
    (0xd02, "Cortex-A34"),
    (0xd03, "Cortex-A53"),
    (0xd04, "Cortex-A35"),
    (0xd05, "Cortex-A55"),
    (0xd06, "Cortex-A65"),
    (0xd07, "Cortex-A57"),
    (0xd08, "Cortex-A72"),
    (0xd09, "Cortex-A73"),
    (0xd0a, "Cortex-A75"),
    (0xd0b, "Cortex-A76"),
    (0xd0c, "Neoverse-N1"),
    (0xd0d, "Cortex-A77"),
    (0xd0e, "Cortex-A76AE"),
    (0xd40, "Neoverse-V1"),
    (0xd41, "Cortex-A78"),
    (0xd42, "Cortex-A78AE"),
    (0xd43, "Cortex-A65AE"),
    (0xd44, "Cortex-X1"),
    (0xd46, "Cortex-A510"),
    (0xd47, "Cortex-A710"),
    (0xd48, "Cortex-X2"),
    (0xd49, "Neoverse-N2"),
    (0xd4a, "Neoverse-E1"),
    (0xd4b, "Cortex-A78C"),
    (0xd4c, "Cortex-X1C"),
    (0xd4d, "Cortex-A715"),
    (0xd4e, "Cortex-X3"),
    (0xd4f, "Neoverse-V2"),
    (0xd80, "Cortex-A520"),
    (0xd81, "Cortex-A720"),
    (0xd82, "Cortex-X4"),
    (0xd83, "Neoverse-V3AE"),
    (0xd84, "Neoverse-V3"),
    (0xd85, "Cortex-X925"),
    (0xd87, "Cortex-A725"),
    (0xd88, "Cortex-A520AE"),
    (0xd89, "Cortex-A720AE"),
    (0xd8e, "Neoverse-N3"),
];

const APPLE: &[(u32, &str)] = &[
    (0x020, "Icestorm-A14"),
    (0x021, "Firestorm-A14"),
    (0x022, "Icestorm-M1"),
    (0x023, "Firestorm-M1"),
    (0x024, "Icestorm-M1-Pro"),
    (0x025, "Firestorm-M1-Pro"),
    (0x028, "Icestorm-M1-Max"),
    (0x029, "Firestorm-M1-Max"),
    (0x030, "Blizzard-A15"),
    (0x031, "Avalanche-A15"),
    (0x032, "Blizzard-M2"),
    (0x033, "Avalanche-M2"),
    (0x034, "Blizzard-M2-Pro"),
    (0x035, "Avalanche-M2-Pro"),
    (0x038, "Blizzard-M2-Max"),
    (0x039, "Avalanche-M2-Max"),
];

/// The maker of the first core: the name, or the number where nobody here knows it.
pub(crate) fn vendor(cpuinfo: &CpuInfo) -> Option<String> {
    let number = cpuinfo.first("CPU implementer")?;
    Some(maker(number).map_or_else(|| number.to_owned(), |(_, name, _)| (*name).to_owned()))
}

/// What the core is called that a block is of.
pub(crate) fn core(block: &HashMap<String, String>) -> Option<String> {
    Some(name(block.get("CPU implementer")?, block.get("CPU part")?))
}

/// "Cortex-A72", or the numbers: "ARM part 0xfff".
fn name(number: &str, part: &str) -> String {
    let known = maker(number);
    let name = known.and_then(|(.., parts)| named(parts.iter().map(|it| (it.0, it)), part));
    match (name, known) {
        (Some((_, name)), _) => (*name).to_owned(),
        (None, Some((_, maker, _))) => format!("{maker} part {part}"),
        (None, None) => format!("implementer {number} part {part}"),
    }
}

fn maker(number: &str) -> Option<&'static Maker> {
    named(MAKERS.iter().map(|it| (it.0, it)), number)
}

/// What has this number, which /proc/cpuinfo writes as "0xd08".
fn named<T>(mut numbered: impl Iterator<Item = (u32, T)>, number: &str) -> Option<T> {
    let number = u32::from_str_radix(number.strip_prefix("0x")?, 16).ok()?;
    numbered.find(|(known, _)| *known == number).map(|(_, it)| it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_have_names() {
        for (maker, part, right) in [
            ("0x41", "0xd04", "Cortex-A35"),
            ("0x41", "0xd84", "Neoverse-V3"),
            ("0x61", "0x022", "Icestorm-M1"),
            ("0xc0", "0xac3", "Ampere-1"),
            ("0x41", "0xfff", "ARM part 0xfff"),
            ("0xff", "0x001", "implementer 0xff part 0x001"),
            ("nonsense", "", "implementer nonsense part "),
        ] {
            assert_eq!(name(maker, part), right);
        }
    }

    #[test]
    fn no_number_stands_twice() {
        for (_, maker, parts) in MAKERS {
            for (number, name) in *parts {
                let same = parts.iter().filter(|(other, _)| other == number).count();
                assert_eq!(same, 1, "{maker} {name}");
            }
        }
    }
}

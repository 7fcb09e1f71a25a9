//! RISC-V's cores, and the extensions that /proc/cpuinfo lists (arch/riscv/kernel/cpu.c).

use std::collections::HashMap;

use wirespeed_cpu::Feature;

use crate::Cpu;
use crate::cpuinfo::CpuInfo;
use crate::source::Source;

/// By mvendorid, the maker's number at JEDEC: those in arch/riscv/include/asm/vendorid_list.h, and SpacemiT.
const MAKERS: &[(&str, &str)] = &[
    ("0x29", "Microchip"),
    ("0x127", "MIPS"),
    ("0x31e", "Andes"),
    ("0x489", "SiFive"),
    ("0x5b7", "T-Head"),
    ("0x710", "SpacemiT"),
];

/// The maker of the first core: the name, or the number where nobody here knows it. Zero stands for nobody.
pub(crate) fn vendor(cpuinfo: &CpuInfo) -> Option<String> {
    let number = cpuinfo.first("mvendorid").filter(|number| *number != "0x0")?;
    let known = MAKERS.iter().find(|(known, _)| *known == number);
    Some(known.map_or(number, |(_, name)| name).to_owned())
}

/// What the core is called that a block is of, as device trees have it: "sifive,u74-mc".
pub(crate) fn core(block: &HashMap<String, String>) -> Option<String> {
    block.get("uarch").cloned()
}

/// The extensions that are features here, by the line `isa`: single letters behind the width, then names. It has what all
/// cores have; what is one core's alone stands in `hart isa`.
pub(crate) fn features(cpuinfo: &CpuInfo) -> Option<Vec<String>> {
    // MIPS has such a line, too.
    let isa = cpuinfo.first("isa")?.strip_prefix("rv")?;
    let (base, names) = isa.split_once('_').unwrap_or((isa, ""));
    // Old kernels set no mark between letters and the first name.
    let letters = base.split(['z', 's', 'x']).next().unwrap_or_default();
    let has = |name: &str| match name {
        "v" => letters.contains(name),
        _ => names.split('_').any(|it| it == name),
    };
    let known = Feature::ALL.iter().map(|feature| feature.name());
    Some(known.filter(|name| has(name)).map(str::to_owned).collect())
}

/// What there is to say of the extensions for ciphers and hash functions.
pub(crate) fn extensions(source: &dyn Source, cpu: &Cpu) -> Option<String> {
    if source.architecture() != "riscv64" {
        return None;
    }
    if !cpu.features.is_empty() {
        let names = cpu.features.join(" ");
        return Some(format!("This CPU has {names}. No route of ours uses them yet."));
    }
    let is_known = source.tells_features() || CpuInfo::read(source).first("isa").is_some();
    let unknown = "Which extensions this CPU has is unknown: Linux tells since 6.4.";
    (!is_known).then(|| unknown.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;

    /// A machine of files, whose CPU says this.
    struct Board(String);

    impl Source for Board {
        fn file(&self, path: &str) -> Option<String> {
            (path == "proc/cpuinfo").then(|| self.0.clone())
        }
        fn architecture(&self) -> &str {
            "riscv64"
        }
        fn cores(&self) -> usize {
            1
        }
        fn features(&self) -> wirespeed_cpu::Features {
            wirespeed_cpu::Features::NONE
        }
    }

    fn board(isa: &str, mvendorid: &str) -> Board {
        Board(format!(
            "processor\t: 0\nhart\t\t: 1\nisa\t\t: {isa}\nmmu\t\t: sv39\nuarch\t\t: thead,c910\n\
             mvendorid\t: {mvendorid}\nmarchid\t\t: 0x0\nmimpid\t\t: 0x0\n\n"
        ))
    }

    #[test]
    fn extensions_are_known_by_the_line_of_the_instruction_set() {
        for (isa, right) in [
            ("rv64imafdc", ""),
            ("rv64imafdcsu", ""),
            ("rv64imafdc_zicntr_zicsr_zifencei_zihpm_zba_zbb", "zbb"),
            ("rv64imafdcv_zicbom_zba_zbb_zbc_zbs_zkt", "v zbb zbc"),
            ("rv64imafdcvh_zbkb_zvkned_zvknha_zvknhb_svinval", "v zbkb zvkned zvknha zvknhb"),
            ("rv64imafdczve64d", ""),
            ("mips1 mips2 mips32r2", ""),
        ] {
            let board = board(isa, "0x5b7");
            let cpu = Machine::describe(&board, None).cpu;
            assert_eq!(cpu.features.join(" "), right, "{isa}");
            let said = extensions(&board, &cpu);
            assert_eq!(said.is_some(), !right.is_empty(), "{isa}");
            assert!(said.unwrap_or_default().contains(right), "{isa}");
        }
    }

    #[test]
    fn without_that_line_nothing_is_known() {
        let board = Board("processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t: aes\n\n".to_owned());
        let cpu = Machine::describe(&board, None).cpu;
        assert!(cpu.features.is_empty());
        assert!(extensions(&board, &cpu).is_some_and(|it| it.contains("unknown")));
    }

    #[test]
    fn makers_have_names() {
        for (number, name) in [("0x489", Some("SiFive")), ("0x0", None), ("0xfff", Some("0xfff"))] {
            let cpu = Machine::describe(&board("rv64gc", number), None).cpu;
            assert_eq!(cpu.vendor.as_deref(), name, "{number}");
            assert_eq!(cpu.brand.as_deref(), Some("thead,c910"));
            assert_eq!(cpu.stepping, Some(format!("{number}/0x0/0x0")));
        }
    }
}

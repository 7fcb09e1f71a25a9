//! /proc/cpuinfo: a block of lines for each logical CPU, in words that each architecture chooses.

use std::collections::HashMap;

use crate::source::Source;

/// The blocks of this architecture's CPUs, of x86's the first; and what stands beside them.
pub(crate) struct CpuInfo {
    cpus: Vec<HashMap<String, String>>,
    board: HashMap<String, String>,
}

impl CpuInfo {
    /// Reads them. What QEMU's user mode hands through from a machine of another architecture is no description of the CPU
    /// that this program sees.
    pub(crate) fn read(source: &dyn Source) -> Self {
        let text = source.file("proc/cpuinfo").unwrap_or_default();
        let blocks = text.split("\n\n").map(facts).filter(|block| !block.is_empty());
        let is_arm = |block: &HashMap<String, String>| block.contains_key("CPU implementer");
        let is_x86 = |block: &HashMap<String, String>| block.contains_key("vendor_id");
        let of_cpus = |block: &HashMap<String, String>| match source.architecture() {
            "aarch64" | "arm" => is_arm(block),
            "x86_64" | "x86" => is_x86(block),
            _ => !is_arm(block) && !is_x86(block),
        };
        let (mut cpus, others): (Vec<_>, Vec<_>) = blocks.partition(of_cpus);
        if cpus.iter().any(is_x86) {
            // The others repeat the first.
            cpus.truncate(1);
        }
        Self { cpus, board: others.into_iter().flatten().collect() }
    }

    /// Each CPU's.
    pub(crate) fn blocks(&self) -> &[HashMap<String, String>] {
        &self.cpus
    }

    /// A fact of the first CPU.
    pub(crate) fn first(&self, key: &str) -> Option<&str> {
        self.cpus.first()?.get(key).map(String::as_str)
    }

    /// A fact of the board: MIPS tells it before the first CPU's, ARM behind the last one's.
    pub(crate) fn board(&self, key: &str) -> Option<&str> {
        self.board.get(key).map(String::as_str).or_else(|| self.first(key))
    }

    /// Whether the first CPU has a flag; nothing where there are none to ask.
    pub(crate) fn has_flag(&self, flag: &str) -> Option<bool> {
        Some(self.first("flags")?.split(' ').any(|it| it == flag))
    }
}

fn facts(block: &str) -> HashMap<String, String> {
    let pairs = block.lines().filter_map(|line| line.split_once(':'));
    let pairs = pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
    pairs.filter(|(_, value)| !value.is_empty()).collect()
}

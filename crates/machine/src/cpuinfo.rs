//! /proc/cpuinfo: a block of lines for each logical CPU, in words that each architecture chooses.

use std::collections::HashMap;

use crate::source::Source;

/// The blocks of this architecture's CPUs, of x86's the first.
pub(crate) struct CpuInfo(Vec<HashMap<String, String>>);

impl CpuInfo {
    /// Reads them. What QEMU's user mode hands through from a machine of another architecture is no description of the CPU
    /// that this program sees.
    pub(crate) fn read(source: &dyn Source) -> Self {
        let text = source.file("proc/cpuinfo").unwrap_or_default();
        let blocks = text.split("\n\n").map(facts).filter(|block| !block.is_empty());
        let is_arm = |block: &HashMap<String, String>| block.contains_key("CPU implementer");
        let is_x86 = |block: &HashMap<String, String>| block.contains_key("vendor_id");
        Self(match source.architecture() {
            "aarch64" | "arm" => blocks.filter(is_arm).collect(),
            // The others repeat the first.
            "x86_64" | "x86" => blocks.filter(is_x86).take(1).collect(),
            _ => blocks.filter(|block| !is_arm(block) && !is_x86(block)).collect(),
        })
    }

    /// Each CPU's.
    pub(crate) fn blocks(&self) -> &[HashMap<String, String>] {
        &self.0
    }

    /// A fact of the first CPU.
    pub(crate) fn first(&self, key: &str) -> Option<&str> {
        self.0.first()?.get(key).map(String::as_str)
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

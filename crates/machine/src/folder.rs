//! A machine by its files alone: /proc and what else somebody brought along from it, in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use wirespeed_cpu::Features;

use crate::source::Source;

/// Another machine's files.
pub struct Folder {
    root: PathBuf,
    architecture: &'static str,
    cores: usize,
    features: Features,
}

impl Folder {
    /// Those below a folder; none without /proc/cpuinfo.
    pub fn open(root: &Path) -> Option<Self> {
        let text = fs::read_to_string(root.join("proc/cpuinfo")).ok()?;
        let words: Vec<&str> = text.split_whitespace().collect();
        // A feature that this machine lacks, too, cannot be claimed of another.
        let features = Features::detect();
        let lacking = features.iter().filter(|it| !words.contains(&it.name()));
        Some(Self {
            root: root.to_owned(),
            architecture: architecture(&text, &words),
            cores: text.lines().filter(|line| line.starts_with("processor")).count().max(1),
            features: lacking.fold(features, Features::without),
        })
    }
}

/// By Rust's name, from words that only one kind of kernel writes.
fn architecture(text: &str, words: &[&str]) -> &'static str {
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    match () {
        () if has("CPU architecture: 8") => "aarch64",
        () if has("CPU implementer") => "arm",
        () if has("system type") => "mips",
        () if has("isa") && words.iter().any(|it| it.starts_with("rv64")) => "riscv64",
        // Long mode.
        () if has("vendor_id") && words.contains(&"lm") => "x86_64",
        () if has("vendor_id") => "x86",
        () => "unknown",
    }
}

impl Source for Folder {
    fn root(&self) -> &Path {
        &self.root
    }

    fn architecture(&self) -> &str {
        self.architecture
    }

    fn cores(&self) -> usize {
        self.cores
    }

    fn features(&self) -> Features {
        self.features
    }
}

//! The machines that packages are for.

use anyhow::{Context, Result};

/// A kind of machine, by its names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Rust's.
    pub(crate) rust: &'static str,
    /// Debian's.
    pub(crate) debian: &'static str,
    /// GNU's: of library folders and of tools.
    pub(crate) gnu: &'static str,
}

/// Those that Debian has tools for; the first is the one that is tested.
const TARGETS: &[Target] = &[
    Target { rust: "x86_64-unknown-linux-gnu", debian: "amd64", gnu: "x86_64-linux-gnu" },
    Target { rust: "aarch64-unknown-linux-gnu", debian: "arm64", gnu: "aarch64-linux-gnu" },
];

impl Target {
    /// The one of that name, or the one like this machine.
    pub(crate) fn find(name: Option<&str>) -> Result<&'static Self> {
        let wanted = |it: &&Self| match name {
            Some(name) => it.rust == name,
            None => it.rust.starts_with(std::env::consts::ARCH),
        };
        TARGETS.iter().find(wanted).with_context(|| {
            let known: Vec<_> = TARGETS.iter().map(|it| it.rust).collect();
            format!(
                "no packages for {}: choose from {}",
                name.unwrap_or("this machine"),
                known.join(" ")
            )
        })
    }
}

//! The machines that packages are for.

use anyhow::{Context, Result};

/// A kind of machine, by its names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Rust's.
    pub(crate) rust: &'static str,
    /// Debian's, and that of its libraries' folder.
    pub(crate) debian: Option<(&'static str, &'static str)>,
    /// RPM's.
    pub(crate) rpm: Option<&'static str>,
    /// The tool that strips its files.
    pub(crate) strip: &'static str,
    /// What to link with, where that is not the system's compiler.
    pub(crate) linker: Option<&'static str>,
}

/// Those that can be built on Debian.
const TARGETS: &[Target] = &[
    Target {
        rust: "x86_64-unknown-linux-gnu",
        debian: Some(("amd64", "x86_64-linux-gnu")),
        rpm: Some("x86_64"),
        strip: "x86_64-linux-gnu-strip",
        linker: None,
    },
    Target {
        rust: "aarch64-unknown-linux-gnu",
        debian: Some(("arm64", "aarch64-linux-gnu")),
        rpm: Some("aarch64"),
        strip: "aarch64-linux-gnu-strip",
        linker: Some("aarch64-linux-gnu-gcc"),
    },
    // Alpine has packages of its own kind; for it there is the tarball.
    Target {
        rust: "x86_64-unknown-linux-musl",
        debian: None,
        rpm: None,
        strip: "x86_64-linux-gnu-strip",
        linker: Some("musl-gcc"),
    },
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

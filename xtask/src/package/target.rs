//! The machines that packages are for.

use std::path::Path;

use anyhow::{Context, Result};

use crate::cross::{self, Architecture};
use crate::package::contents::{CRATES, EMULATOR, PACKAGES, Package};
use crate::packages::Need;
use crate::run::Run;

/// A kind of machine, by its names.
#[derive(Debug)]
pub(crate) struct Target {
    /// Rust's.
    pub(crate) rust: &'static str,
    /// Debian's, and that of its libraries' folder.
    pub(crate) debian: Option<(&'static str, &'static str)>,
    /// RPM's.
    pub(crate) rpm: Option<&'static str>,
    /// The tool that strips its files.
    pub(crate) strip: &'static str,
    /// What to link with, where that is not the system's compiler; `{}` stands for the version of this machine's GCC.
    pub(crate) linker: Option<&'static str>,
    /// What building for it takes, besides what packages take everywhere.
    pub(crate) needs: &'static [Need],
    /// Debian's package that is only installed where the CPU has what is taken for granted.
    pub(crate) baseline: Option<&'static str>,
    /// Whether padlock-run runs there: it is for x86-64, and its library stands in front of glibc's functions.
    has_emulator: bool,
}

/// Those that can be built on Debian.
const TARGETS: &[Target] = &[
    Target {
        rust: "x86_64-unknown-linux-gnu",
        debian: Some(("amd64", "x86_64-linux-gnu")),
        rpm: Some("x86_64"),
        strip: "x86_64-linux-gnu-strip",
        linker: None,
        needs: &[],
        baseline: None,
        has_emulator: true,
    },
    crossed(&cross::ARM64, "aarch64-linux-gnu", Some("aarch64"), "aarch64-linux-gnu-strip"),
    // No distribution with RPM has them any more.
    crossed(&cross::ARMV7, "arm-linux-gnueabihf", None, "arm-linux-gnueabihf-strip"),
    crossed(&cross::ARMV5, "arm-linux-gnueabi", None, "arm-linux-gnueabi-strip"),
    crossed(&cross::RISCV64, "riscv64-linux-gnu", Some("riscv64"), "riscv64-linux-gnu-strip"),
    // Debian's i386 is for CPUs without SSE2, too.
    crossed(&cross::I586, "i386-linux-gnu", None, "x86_64-linux-gnu-strip"),
    Target {
        baseline: Some("sse2-support"),
        ..crossed(&cross::I686, "i386-linux-gnu", None, "x86_64-linux-gnu-strip")
    },
    // Alpine has packages of its own kind; for it there is the tarball.
    Target {
        rust: "x86_64-unknown-linux-musl",
        debian: None,
        rpm: None,
        strip: "x86_64-linux-gnu-strip",
        linker: Some("musl-gcc"),
        needs: &[],
        baseline: None,
        has_emulator: false,
    },
];

/// One of another architecture, with Debian's name for its libraries' folder.
const fn crossed(
    architecture: &Architecture,
    folder: &'static str,
    rpm: Option<&'static str>,
    strip: &'static str,
) -> Target {
    let Architecture { rust, debian, linker, needs, .. } = *architecture;
    let debian = Some((debian, folder));
    Target { rust, debian, rpm, strip, linker, needs, baseline: None, has_emulator: false }
}

impl Target {
    /// The packages that there are for it.
    pub(crate) fn packages(&self) -> Vec<&'static Package> {
        PACKAGES.iter().filter(|package| self.has_emulator || !package.is_emulator).collect()
    }

    /// The crates whose programs and libraries these hold.
    pub(crate) fn crates(&self) -> Vec<&'static str> {
        let emulator = EMULATOR.iter().filter(|_| self.has_emulator);
        CRATES.iter().chain(emulator).copied().collect()
    }

    /// Whether its C library is musl.
    pub(crate) fn is_musl(&self) -> bool {
        self.rust.ends_with("musl")
    }

    /// The one of that name, or the one like this machine.
    pub(crate) fn find(name: Option<&str>) -> Result<&'static Self> {
        let found = match name {
            Some(name) => TARGETS.iter().find(|it| it.rust == name),
            None => {
                let dpkg = Run::new("dpkg", Path::new("."));
                let here = dpkg.arguments(["--print-architecture"]).output()?;
                TARGETS.iter().find(|it| it.debian.is_some_and(|(debian, _)| debian == here))
            }
        };
        found.with_context(|| {
            let known: Vec<_> = TARGETS.iter().map(|it| it.rust).collect();
            format!(
                "no packages for {}: choose from {}",
                name.unwrap_or("this machine"),
                known.join(" ")
            )
        })
    }
}

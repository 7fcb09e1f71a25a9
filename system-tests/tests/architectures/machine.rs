//! Machines that QEMU makes: a Debian for arm64 and a CPU.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use wirespeed_cipher::Route;
use wirespeed_system_tests::module::Watched;
use wirespeed_system_tests::process::command;

/// A CPU, and what is to be there.
pub(crate) struct Tier {
    /// For tests' names.
    name: &'static str,
    /// QEMU's name.
    cpu: &'static str,
    /// `OPENSSL_armcap`.
    mask: Option<&'static str>,
    /// What is to serve AES.
    pub(crate) aes: Route,
    /// Whether it does so without a plan: vectors without AES do not win calls of every length.
    pub(crate) by_itself: bool,
}

pub(crate) const TIERS: &[Tier] = &[
    // All that QEMU knows: SHA-512, SHA-3, SM3 and SM4 as well.
    Tier { name: "max", cpu: "max", mask: None, aes: Route::AesCe, by_itself: true },
    Tier { name: "cortex-a72", cpu: "cortex-a72", mask: None, aes: Route::AesCe, by_itself: true },
    // A Raspberry Pi 4: no model of QEMU's lacks AES.
    Tier { name: "no-aes", cpu: "cortex-a72", mask: Some("1"), aes: Route::Neon, by_itself: false },
];

/// A machine.
pub(crate) struct Machine {
    /// Its system.
    pub(crate) root: PathBuf,
    pub(crate) tier: &'static Tier,
}

impl Machine {
    pub(crate) fn new(root: &Path, tier: &'static Tier) -> Self {
        Self { root: root.to_owned(), tier }
    }

    /// A program of its own, by its path here.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut started = command("qemu-aarch64-static");
        started.args(["-cpu", self.tier.cpu, "-L"]).arg(&self.root).arg(program);
        if let Some(mask) = self.tier.mask {
            started.env("OPENSSL_armcap", mask);
        }
        started
    }

    /// Our module, with the route that is to serve.
    pub(crate) fn watched(&self) -> Result<Watched, String> {
        match self.tier.by_itself {
            true => Watched::new(),
            false => Watched::with(&format!("routes = {}", self.tier.aes)),
        }
    }

    /// The system's `openssl`.
    pub(crate) fn openssl<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut started = self.command(self.root.join("usr/bin/openssl"));
        started.args(arguments);
        started
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = self.root.file_name().unwrap_or_default().to_string_lossy();
        write!(f, "{system}::{}", self.tier.name)
    }
}

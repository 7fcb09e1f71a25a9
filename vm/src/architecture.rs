//! What a guest's architecture decides: the kernel's package, QEMU's program, and the machine that it makes.

use std::env::consts;

/// An architecture that guests may have.
#[derive(Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Its name, as Rust, QEMU and `uname -m` have it.
    pub name: &'static str,
    /// Debian's name, with which the names of its kernels end; also Linux's, to build modules.
    pub debian: &'static str,
    /// What the names of its compiler and linker begin with.
    pub tools: &'static str,
    /// QEMU's program.
    pub(crate) qemu: &'static str,
    /// The board, where there is more than one.
    pub(crate) board: &'static [&'static str],
    /// The kernel's name of the first serial line.
    pub(crate) console: &'static str,
    /// The CPU that has everything that QEMU can translate.
    pub(crate) full_cpu: &'static str,
}

impl Architecture {
    /// All of them.
    pub const ALL: [&'static Self; 2] = [&X86_64, &AARCH64];

    /// The one of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|it| it.name == name)
    }

    /// This machine's.
    pub(crate) fn here() -> Result<&'static Self, String> {
        Self::named(consts::ARCH).ok_or_else(|| format!("no guests on {}", consts::ARCH))
    }

    /// Whether this machine's own programs run there.
    pub fn is_native(&self) -> bool {
        self.name == consts::ARCH
    }
}

/// 64-bit x86.
pub static X86_64: Architecture = Architecture {
    name: "x86_64",
    debian: "amd64",
    tools: "x86_64-linux-gnu-",
    qemu: "qemu-system-x86_64",
    board: &[],
    console: "ttyS0",
    full_cpu: "max",
};

/// 64-bit ARM.
pub static AARCH64: Architecture = Architecture {
    name: "aarch64",
    debian: "arm64",
    tools: "aarch64-linux-gnu-",
    qemu: "qemu-system-aarch64",
    board: &["-machine", "virt,gic-version=3"],
    console: "ttyAMA0",
    // The architecture's own way to sign pointers takes most of the time.
    full_cpu: "max,pauth-impdef=on",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_name() {
        for architecture in Architecture::ALL {
            assert_eq!(Architecture::named(architecture.name), Some(architecture));
            assert!(architecture.qemu.ends_with(architecture.name));
        }
        assert_eq!(Architecture::named("arm64"), None);
    }
}

//! Programs for machines of another architecture: built with the compilers that Debian has for them, and run here beside a
//! Debian of theirs. ARM's and RISC-V's are run by QEMU, which translates one program at a time and hands its system calls
//! to this kernel; those of 32-bit x86 an x86-64 runs by itself.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::packages::{self, Need};
use crate::roots::{self, Root, Variant};
use crate::run::Run;
use crate::test::of_packages;
use crate::toolchain;
use crate::workspace::Workspace;

/// An architecture by its names, and what its programs take.
pub(crate) struct Architecture {
    /// Rust's name of the target.
    pub(crate) rust: &'static str,
    /// Debian's.
    pub(crate) debian: &'static str,
    /// What links, where that is not the system's compiler; `{}` stands for the version of this machine's GCC.
    pub(crate) linker: Option<&'static str>,
    /// What building for it takes.
    pub(crate) needs: &'static [Need],
    start: Start,
}

/// How programs start.
enum Start {
    /// By this program of QEMU's, on a CPU that each machine names.
    Qemu(&'static str),
    /// By that of a later Debian's QEMU.
    LaterQemu(&'static str),
    /// On this CPU.
    Natively,
}

/// 64-bit ARM.
pub(crate) const ARM64: Architecture = Architecture {
    rust: "aarch64-unknown-linux-gnu",
    debian: "arm64",
    linker: Some("aarch64-linux-gnu-gcc-{}"),
    needs: packages::ARM64,
    start: Start::Qemu("qemu-aarch64-static"),
};

/// 32-bit ARM with a unit for floating point: ARMv7, since the Cortex-A5.
pub(crate) const ARMV7: Architecture = Architecture {
    rust: "armv7-unknown-linux-gnueabihf",
    debian: "armhf",
    linker: Some("arm-linux-gnueabihf-gcc-{}"),
    needs: packages::ARMV7,
    start: Start::Qemu("qemu-arm-static"),
};

/// 32-bit ARM before ARMv6, without a unit for floating point: Marvell's Kirkwood.
pub(crate) const ARMV5: Architecture = Architecture {
    rust: "armv5te-unknown-linux-gnueabi",
    debian: "armel",
    linker: Some("arm-linux-gnueabi-gcc-{}"),
    needs: packages::ARMV5,
    start: Start::Qemu("qemu-arm-static"),
};

/// 64-bit RISC-V. Debian 12's QEMU has neither vectors for ciphers nor the call that tells what there is.
pub(crate) const RISCV64: Architecture = Architecture {
    rust: "riscv64gc-unknown-linux-gnu",
    debian: "riscv64",
    linker: Some("riscv64-linux-gnu-gcc-{}"),
    needs: packages::RISCV64,
    start: Start::LaterQemu("qemu-riscv64"),
};

/// 32-bit x86.
pub(crate) const I686: Architecture = Architecture {
    rust: "i686-unknown-linux-gnu",
    debian: "i386",
    linker: None,
    needs: packages::I686,
    start: Start::Natively,
};

/// 32-bit x86 without SSE2: a C3, a Geode, a Pentium III.
pub(crate) const I586: Architecture = Architecture { rust: "i586-unknown-linux-gnu", ..I686 };

/// Cargo's environment variable for a target.
pub(crate) fn variable(target: &str, what: &str) -> String {
    format!("CARGO_TARGET_{}_{what}", target.to_uppercase().replace('-', "_"))
}

/// A run of cargo, for a target and with its linker.
pub(crate) fn build(workspace: &Workspace, cargo: Run, target: &str, linker: Option<&str>) -> Run {
    let run = toolchain::of_target(workspace, cargo, target)
        .environment("CARGO_TARGET_DIR", workspace.target_of(target));
    match linker {
        Some(linker) => run.environment(&variable(target, "LINKER"), packages::versioned(linker)),
        None => run,
    }
}

/// What users of another architecture than x86-64 get.
pub(crate) const SHIPPED: [&str; 3] = ["wirespeed-cli", "wirespeed-module", "wirespeed-library"];

/// The one whose programs run in such a guest, where they do not run here.
pub(crate) fn of_guest(guest: &wirespeed_vm::Architecture) -> Option<&'static Architecture> {
    [&ARM64].into_iter().find(|it| it.debian == guest.debian && !guest.is_native())
}

impl Architecture {
    /// Installs what building for it takes.
    pub(crate) fn provide(&self, workspace: &Workspace) -> Result<()> {
        packages::provide(self.needs)?;
        toolchain::standard_library(workspace, self.rust)
    }

    /// Builds what users get; whether it can be built.
    pub(crate) fn ship(&self, workspace: &Workspace) -> Result<bool> {
        self.build(workspace, ["build", "--release"]).arguments(of_packages(&SHIPPED)).passes()
    }

    /// A cargo command for it.
    pub(crate) fn build<const N: usize>(&self, workspace: &Workspace, words: [&str; N]) -> Run {
        build(workspace, workspace.cargo(words), self.rust, self.linker)
    }

    /// Where that leaves the program and the module.
    pub(crate) fn modules(&self, workspace: &Workspace) -> PathBuf {
        workspace.target_of(self.rust).join(self.rust).join("release")
    }

    /// Whether its programs can run here at all; QEMU's can everywhere, with a later one where that is asked for.
    pub(crate) fn runs_here(&self, workspace: &Workspace) -> Result<()> {
        const LOADER: &str = "/lib/ld-linux.so.2";
        match self.start {
            Start::Natively if !Path::new(LOADER).exists() => {
                bail!("no {LOADER}, in whose place a system's own could be put")
            }
            Start::LaterQemu(program) => {
                // Of the programs for some thirty architectures one is kept.
                let others = format!(
                    "--extract-hook=find \"$1/usr/bin\" -name 'qemu-*' ! -name {program} -delete"
                );
                let root = Root { name: LATER_QEMU, suite: "trixie", packages: "qemu-user" };
                root.unpacked(workspace, Variant::Extract, &[others]).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// The program of QEMU's that runs its programs.
    pub(crate) fn emulator(&self, workspace: &Workspace) -> Option<PathBuf> {
        match self.start {
            Start::Qemu(program) => Some(program.into()),
            Start::LaterQemu(program) => {
                Some(roots::folder(workspace).join(LATER_QEMU).join("usr/bin").join(program))
            }
            Start::Natively => None,
        }
    }

    /// A system of Debian's for it, unpacked once and never configured.
    pub(crate) fn root(
        &self,
        workspace: &Workspace,
        suite: &str,
        system: &System,
    ) -> Result<PathBuf> {
        let name = format!("{}-{suite}{}", self.debian, system.name);
        let options = [
            format!("--architectures={}", self.debian),
            // The loader's path begins with /lib, where Debian 13 unpacks nothing.
            format!("--setup-hook={MERGED}"),
            format!("--extract-hook=cd \"$1\"; {}", system.preparation),
        ];
        let root = Root { name: &name, suite, packages: system.programs };
        root.unpacked(workspace, Variant::Extract, &options)
    }
}

/// Puts the old places' names in the way of what is unpacked.
const MERGED: &str = "for place in bin lib sbin; do mkdir -p \"$1/usr/$place\"; \
                      ln -s \"usr/$place\" \"$1/$place\"; done";

/// The folder of a later Debian's QEMU.
const LATER_QEMU: &str = "qemu-trixie";

/// What is in a system.
pub(crate) struct System {
    /// What it is called besides.
    name: &'static str,
    /// Packages.
    programs: &'static str,
    /// Shell, in it, for what the packages would have configured.
    preparation: &'static str,
}

/// For programs that run one by one.
pub(crate) const PROGRAMS: System =
    System { name: "", programs: "openssl,libgcc-s1,nginx", preparation: "true" };

/// With sshd, which executes itself again: a program that QEMU translates cannot.
pub(crate) const WITH_SSHD: System =
    System { programs: "openssl,libgcc-s1,nginx,openssh-server", ..PROGRAMS };

/// For a guest, which has no other programs.
pub(crate) const GUEST: System = System {
    name: "-guest",
    programs: "base-files,base-passwd,dash,coreutils,grep,sed,findutils,util-linux,mount,hostname,kmod,\
               procps,diffutils,iproute2,strace,libgcc-s1,openssl,openssh-server,openssh-client,nginx,openvpn,curl,\
               python3-minimal,dmsetup,cryptsetup-bin",
    // Users and groups, and what sshd wants.
    preparation: "for file in passwd group; do cp usr/share/base-passwd/$file.master etc/$file; done; \
                  echo 'sshd:*:100:65534::/run/sshd:/usr/sbin/nologin' >>etc/passwd; \
                  echo 'root:*:19000:0:99999:7:::' >etc/shadow; \
                  cp usr/share/openssh/sshd_config etc/ssh",
};

/// A machine: a system of Debian's and a CPU.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'r> {
    architecture: &'static Architecture,
    root: &'r Path,
    /// QEMU's name of the CPU, where QEMU makes it.
    cpu: &'static str,
    /// `padlock-run`'s name of the CPU with PadLock that it makes of this one.
    padlock: Option<&'static str>,
}

impl<'r> Machine<'r> {
    /// With this system, and the CPU that QEMU calls so.
    pub(crate) const fn new(
        architecture: &'static Architecture,
        root: &'r Path,
        cpu: &'static str,
    ) -> Self {
        Self { architecture, root, cpu, padlock: None }
    }

    /// This machine with a system for 32-bit x86.
    pub(crate) const fn i686(root: &'r Path) -> Self {
        Self::new(&I686, root, "")
    }

    /// The same as a CPU with PadLock, and without instructions for AES: `padlock-run` is built.
    pub(crate) const fn with_padlock(self, cpu: &'static str) -> Self {
        Self { padlock: Some(cpu), ..self }
    }

    /// What starts its programs, in words without blanks.
    fn runner(&self, workspace: &Workspace) -> String {
        let root = self.root.display();
        match self.architecture.emulator(workspace) {
            Some(program) => format!("{} -cpu {} -L {root}", program.display(), self.cpu),
            None => {
                let script = workspace.root().join("system-tests/natively.sh");
                format!("sh {} {root}", script.display())
            }
        }
    }

    /// A cargo command whose programs run there.
    pub(crate) fn cargo<const N: usize>(&self, workspace: &Workspace, words: [&str; N]) -> Run {
        let runner = self.runner(workspace);
        let emulated = self.padlock.map(|cpu| {
            let emulator = workspace.target().join("release/padlock-run");
            format!("{runner} {} --hide-aesni --strict --cpu {cpu}", emulator.display())
        });
        self.architecture
            .build(workspace, words)
            .environment(
                &variable(self.architecture.rust, "RUNNER"),
                emulated.as_ref().unwrap_or(&runner),
            )
            // What these programs start in turn, they start so, too; a tracer follows by itself.
            .environment("WIRESPEED_RUNNER", runner)
            .environment("WIRESPEED_OPENSSL", self.root.join("usr/bin/openssl"))
    }

    /// Vectors, contracts and comparisons beside this system's OpenSSL; a part of each schedule.
    pub(crate) fn conformance(&self, workspace: &Workspace) -> Run {
        self.cargo(workspace, ["test", "--release"])
            .arguments(["--package", "wirespeed-conformance", "--test", "conformance"])
            .environment("WIRESPEED_SCHEDULE", "reduced")
            .environment("WIRESPEED_MODULES", self.architecture.modules(workspace))
            .arguments(["--"])
    }
}

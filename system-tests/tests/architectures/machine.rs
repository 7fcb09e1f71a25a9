//! Machines of other architectures: a Debian for them, and a CPU that QEMU makes or this one; or this very machine, as a
//! guest of its own kernel.

use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use wirespeed_cipher::Route;
use wirespeed_system_tests::module::Watched;
use wirespeed_system_tests::process::command;

/// What is the same for all machines of an architecture.
pub(crate) struct Architecture {
    /// Debian's name.
    name: &'static str,
    /// How its programs start.
    start: Start,
    /// Its CPUs.
    pub(crate) tiers: &'static [Tier],
    /// Whether `padlock-run` runs its programs.
    pub(crate) has_padlock: bool,
    /// Whether it has extensions that the survey names, and `openssl version -c`, too.
    pub(crate) has_extensions: bool,
    /// A board of its kind, by its files, and words of what each command says of it.
    pub(crate) board: (&'static str, &'static [(&'static [&'static str], &'static str)]),
    /// Words of others that no program of ours says there, in small letters.
    pub(crate) foreign: &'static [&'static [&'static str]],
}

/// How programs start.
enum Start {
    /// By the program of QEMU's that `WIRESPEED_QEMU` names.
    Qemu,
    /// By this machine, and a script that puts the system's C library in their way.
    Natively,
    /// As any program does: these tests run on that machine.
    Itself,
}

/// A CPU, and what is to be there.
pub(crate) struct Tier {
    /// For tests' names.
    name: &'static str,
    /// QEMU's name, where QEMU makes it.
    cpu: &'static str,
    /// The variable that hides features from OpenSSL, and what it is set to.
    pub(crate) mask: Option<(&'static str, &'static str)>,
    /// What is to serve AES.
    pub(crate) aes: Route,
    /// Whether it does so without a plan: vectors without AES do not win calls of every length.
    pub(crate) by_itself: bool,
}

impl Tier {
    /// A CPU for which there is nothing but portable code.
    const fn portable(cpu: &'static str) -> Self {
        Self { name: cpu, cpu, mask: None, aes: Route::Portable, by_itself: false }
    }
}

/// What x86 has, and nobody else.
const OF_X86: &[&str] = &[
    "vaes", "gfni", "aesni", "aes-ni", "sha-ni", "avx", "sse2", "ssse3", "padlock", "ia32cap",
    "x86", "cpuid",
];

/// What 64-bit ARM has.
const OF_ARM64: &[&str] = &["aes-ce", "sha-ce", "sm4-ce", "neon"];

/// What all ARMs have.
const OF_ARM: &[&str] = &["armcap", "hwcap"];

/// A Raspberry Pi 4, which has no instructions for AES.
const PI_4: (&str, &[(&[&str], &str)]) = (
    "raspberry-pi-4",
    &[
        (&[], "Raspberry Pi 4 Model B Rev 1.4 · Cortex-A72, 4 cores"),
        (&["doctor"], "our routes take several blocks at a time: sudo "),
        (&["kernel"], "cbc-aes-neonbs"),
    ],
);

/// 32-bit ARM has no vectors of ours.
const ARMHF: Architecture = Architecture {
    name: "armhf",
    start: Start::Qemu,
    tiers: &[Tier::portable("cortex-a7")],
    has_padlock: false,
    has_extensions: false,
    board: ("turris-omnia", &[(&[], "Turris Omnia · Cortex-A9, 2 cores")]),
    foreign: &[OF_X86, OF_ARM64],
};

const ALL: [Architecture; 6] = [
    Architecture {
        name: "arm64",
        start: Start::Qemu,
        tiers: &[
            // All that QEMU knows: SHA-512, SHA-3, SM3 and SM4 as well.
            Tier { name: "max", cpu: "max", mask: None, aes: Route::AesCe, by_itself: true },
            Tier {
                name: "cortex-a72",
                cpu: "cortex-a72",
                mask: None,
                aes: Route::AesCe,
                by_itself: true,
            },
            // A Raspberry Pi 4: no model of QEMU's lacks AES.
            Tier {
                name: "no-aes",
                cpu: "cortex-a72",
                mask: Some(("OPENSSL_armcap", "1")),
                aes: Route::Neon,
                by_itself: false,
            },
        ],
        has_padlock: false,
        has_extensions: false,
        board: PI_4,
        foreign: &[OF_X86],
    },
    Architecture {
        name: "arm64-guest",
        start: Start::Itself,
        tiers: &[
            // Whatever it is booted with.
            Tier { name: "aes", cpu: "", mask: None, aes: Route::AesCe, by_itself: true },
            Tier {
                name: "no-aes",
                cpu: "",
                mask: Some(("OPENSSL_armcap", "1")),
                aes: Route::Neon,
                by_itself: false,
            },
        ],
        has_padlock: false,
        has_extensions: false,
        board: PI_4,
        foreign: &[OF_X86],
    },
    ARMHF,
    Architecture {
        name: "armel",
        tiers: &[Tier::portable("arm926")],
        board: (
            "sheevaplug",
            &[(&["doctor"], "this CPU has no instructions for AES"), (&["kernel"], "Marvell CESA")],
        ),
        ..ARMHF
    },
    Architecture {
        name: "riscv64",
        tiers: &[
            Tier::portable("max"),
            // As boards with JH7110 have: Zbb, and nothing for ciphers.
            Tier::portable("rv64"),
            Tier {
                name: "hidden",
                mask: Some(("OPENSSL_riscvcap", "rv64gc")),
                ..Tier::portable("max")
            },
        ],
        has_extensions: true,
        board: (
            "visionfive-2",
            &[
                (&[], "StarFive VisionFive 2 v1.3B · sifive,u74-mc, 4 cores"),
                (&["doctor"], "this CPU has no instructions for AES"),
                (&["kernel"], "StarFive JH7110"),
            ],
        ),
        foreign: &[OF_X86, OF_ARM64, OF_ARM],
        ..ARMHF
    },
    Architecture {
        name: "i386",
        start: Start::Natively,
        // Whatever this CPU has: AES, PCLMULQDQ and SSSE3 are hidden.
        tiers: &[Tier {
            name: "sse2",
            cpu: "",
            mask: Some(("OPENSSL_ia32cap", "~0x0200020200000000:~0x0")),
            aes: Route::Sse2,
            by_itself: false,
        }],
        has_padlock: true,
        has_extensions: false,
        board: ("alix", &[(&[], "Geode(TM) Integrated Processor by AMD PCS, 1 core")]),
        foreign: &[OF_ARM64, OF_ARM],
    },
];

/// The architecture that is asked for.
pub(crate) fn asked() -> Result<&'static Architecture, String> {
    let name = env::var("WIRESPEED_ARCHITECTURE").unwrap_or_default();
    let found = ALL.iter().find(|it| it.name == name);
    found.ok_or_else(|| format!("WIRESPEED_ARCHITECTURE names none: '{name}'"))
}

/// A machine.
pub(crate) struct Machine {
    /// Its system.
    pub(crate) root: PathBuf,
    pub(crate) architecture: &'static Architecture,
    pub(crate) tier: &'static Tier,
}

impl Architecture {
    /// Whether these tests run on such a machine, with its own kernel.
    pub(crate) fn is_booted(&self) -> bool {
        matches!(self.start, Start::Itself)
    }
}

impl Machine {
    pub(crate) fn new(
        root: &Path,
        architecture: &'static Architecture,
        tier: &'static Tier,
    ) -> Self {
        Self { root: root.to_owned(), architecture, tier }
    }

    /// A program of its own, by its path here.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/natively.sh");
        let mut started = match self.architecture.start {
            Start::Qemu => {
                let mut started = command(env::var_os("WIRESPEED_QEMU").unwrap_or_default());
                started.args(["-cpu", self.tier.cpu, "-L"]).arg(&self.root).arg(program);
                started
            }
            Start::Natively => {
                let mut started = command("sh");
                started.arg(SCRIPT).arg(&self.root).arg(program);
                started
            }
            Start::Itself => command(program),
        };
        started.envs(self.tier.mask);
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

impl Machine {
    /// The system's `openssl` with the system's own configuration, which names files by their paths inside.
    pub(crate) fn configured<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let file = "/etc/ssl/openssl.cnf";
        match self.architecture.start {
            // It looks into the system first for whatever a program opens.
            Start::Qemu => {
                let mut started = self.openssl(arguments);
                started.env("OPENSSL_CONF", self.root.join(&file[1..]));
                started
            }
            Start::Natively => {
                let mut started = command("unshare");
                started.arg("--map-root-user").arg("--root").arg(&self.root);
                started.arg("/usr/bin/openssl").args(arguments).env("OPENSSL_CONF", file);
                started
            }
            Start::Itself => {
                let mut started = self.openssl(arguments);
                started.env("OPENSSL_CONF", file);
                started
            }
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A machine's own system has no name.
        let system = self.root.file_name().unwrap_or(self.architecture.name.as_ref());
        let system = system.to_string_lossy();
        write!(f, "{system}::{}", self.tier.name)
    }
}

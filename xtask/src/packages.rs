//! The programs that the tests call, and the Debian packages that hold them.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::run::Run;

/// A program, how to see that it is there and whole, and its Debian package. `{}` stands for the version of this machine's
/// GCC: packages without it conflict with one another.
#[derive(Debug)]
pub(crate) struct Need {
    command: &'static [&'static str],
    package: &'static str,
}

const PERL: Need = Need {
    // OpenSSL's Configure wants modules that Debian's perl-base does not hold.
    command: &["perl", "-MIPC::Cmd", "-MFindBin", "-e1"],
    package: "perl",
};
const MAKE: Need = Need { command: &["make", "--version"], package: "make" };
const GCC: Need = Need { command: &["gcc", "--version"], package: "gcc" };
/// For libFuzzer.
const GXX: Need = Need { command: &["g++", "--version"], package: "g++" };
const C_LIBRARY: Need =
    Need { command: &["test", "-e", "/usr/include/stdio.h"], package: "libc6-dev" };
/// Linux's headers for this machine, which serve 32-bit programs, too: gcc-multilib would have a link to them.
const KERNEL_HEADERS: &str = "/usr/include/x86_64-linux-gnu";
/// For 32-bit programs.
const GCC_32: Need = Need {
    command: &[
        "gcc",
        "-m32",
        "-idirafter",
        KERNEL_HEADERS,
        "-include",
        "stdio.h",
        "-include",
        "linux/errno.h",
        "-shared",
        "-xc",
        "/dev/null",
        "-o",
        "/dev/null",
    ],
    package: "gcc-{}-multilib",
};
const OPENSSL: Need = Need { command: &["openssl", "version"], package: "openssl" };
const VALGRIND: Need = Need { command: &["valgrind", "--version"], package: "valgrind" };
const NM: Need = Need { command: &["nm", "--version"], package: "binutils" };
const NGINX: Need = Need { command: &["/usr/sbin/nginx", "-v"], package: "nginx" };
const SSHD: Need = Need { command: &["test", "-x", "/usr/sbin/sshd"], package: "openssh-server" };
const SSH: Need = Need { command: &["ssh", "-V"], package: "openssh-client" };
const HAPROXY: Need = Need { command: &["/usr/sbin/haproxy", "-v"], package: "haproxy" };
const STUNNEL: Need = Need { command: &["test", "-x", "/usr/bin/stunnel4"], package: "stunnel4" };
const APACHE: Need = Need { command: &["test", "-x", "/usr/sbin/apache2"], package: "apache2" };
const REDIS: Need =
    Need { command: &["test", "-x", "/usr/bin/redis-server"], package: "redis-server" };
const DOVECOT: Need =
    Need { command: &["test", "-x", "/usr/lib/dovecot/imap"], package: "dovecot-imapd" };
const RSYNC: Need = Need { command: &["rsync", "--version"], package: "rsync" };
const POSTGRESQL: Need = Need {
    command: &["sh", "-c", "test -x /usr/lib/postgresql/*/bin/postgres"],
    package: "postgresql",
};
const MARIADB: Need =
    Need { command: &["test", "-x", "/usr/sbin/mariadbd"], package: "mariadb-server" };
const BORG: Need = Need { command: &["test", "-x", "/usr/bin/borg"], package: "borgbackup" };
const TOR: Need = Need { command: &["test", "-x", "/usr/bin/tor"], package: "tor" };
const PYTHON_CRYPTOGRAPHY: Need = Need {
    command: &["/usr/bin/python3", "-c", "import cryptography"],
    package: "python3-cryptography",
};
const OPENVPN: Need = Need { command: &["test", "-x", "/usr/sbin/openvpn"], package: "openvpn" };
/// IPsec in user space, with OpenSSL's ciphers; what speaks to it; and traffic.
const CHARON: Need =
    Need { command: &["test", "-x", "/usr/lib/ipsec/charon"], package: "strongswan-charon" };
const CHARON_SSL: Need = Need {
    command: &["test", "-e", "/usr/lib/ipsec/plugins/libstrongswan-openssl.so"],
    package: "libstrongswan-standard-plugins",
};
const LIBIPSEC: Need = Need {
    command: &["test", "-e", "/usr/lib/ipsec/plugins/libstrongswan-kernel-libipsec.so"],
    package: "libcharon-extra-plugins",
};
const SWANCTL: Need =
    Need { command: &["test", "-x", "/usr/sbin/swanctl"], package: "strongswan-swanctl" };
const IPERF: Need = Need { command: &["iperf3", "--version"], package: "iperf3" };
/// GnuTLS's client, server and benchmark.
const GNUTLS: Need = Need { command: &["gnutls-cli", "--version"], package: "gnutls-bin" };
/// libgcrypt's best known user, and the daemon that it starts. They sign repositories, too.
const GPG: Need = Need { command: &["gpg", "--version"], package: "gpg" };
const GPG_AGENT: Need = Need { command: &["gpg-agent", "--version"], package: "gpg-agent" };
/// A server in Go.
const CADDY: Need = Need { command: &["/usr/bin/caddy", "version"], package: "caddy" };
/// A server in Java.
const JAVA: Need =
    Need { command: &["test", "-x", "/usr/bin/rmiregistry"], package: "default-jre-headless" };
const CURL: Need = Need { command: &["/usr/bin/curl", "--version"], package: "curl" };
const PYTHON: Need = Need { command: &["/usr/bin/python3", "--version"], package: "python3" };
const QEMU: Need =
    Need { command: &["qemu-system-x86_64", "--version"], package: "qemu-system-x86" };
const BUSYBOX: Need =
    // The small one of Debian's installer lacks cpio.
    Need { command: &["/bin/busybox", "cpio", "--help"], package: "busybox-static" };
const KMOD: Need = Need { command: &["test", "-x", "/sbin/modprobe"], package: "kmod" };
/// Debian's kernels, headers and modules come compressed with the one or the other.
const XZ: Need = Need { command: &["xz", "--version"], package: "xz-utils" };
const ZSTD: Need = Need { command: &["zstd", "--version"], package: "zstd" };
/// For the kernel's own build programs.
const LIBELF: Need =
    Need { command: &["sh", "-c", "ldconfig -p | grep -q libelf.so.1"], package: "libelf1" };
/// The compiler of Debian 12's kernels.
const GCC_12: Need = Need { command: &["gcc-12", "--version"], package: "gcc-12" };
const CRYPTSETUP: Need =
    Need { command: &["test", "-x", "/sbin/cryptsetup"], package: "cryptsetup-bin" };
/// Devices of the device mapper's.
const DMSETUP: Need = Need { command: &["test", "-x", "/sbin/dmsetup"], package: "dmsetup" };
/// A file system and a partition table, for devices that must not be touched.
const MKFS: Need = Need { command: &["test", "-x", "/sbin/mkfs.ext4"], package: "e2fsprogs" };
const SFDISK: Need = Need { command: &["test", "-x", "/sbin/sfdisk"], package: "fdisk" };
/// A terminal to be asked at.
const SCRIPT: Need = Need { command: &["script", "--version"], package: "bsdutils" };
/// Counts the system calls of a whole program.
const STRACE: Need = Need { command: &["strace", "-V"], package: "strace" };
const IP: Need = Need { command: &["ip", "-Version"], package: "iproute2" };
const MUSL: Need = Need { command: &["test", "-x", "/usr/bin/musl-gcc"], package: "musl-tools" };
const DPKG: Need = Need { command: &["dpkg-deb", "--version"], package: "dpkg" };
const RPM: Need = Need { command: &["rpmbuild", "--version"], package: "rpm" };
/// Finds what is wrong with packages.
const LINTIAN: Need = Need { command: &["lintian", "--version"], package: "lintian" };
/// Unpacks a system into a folder.
const MMDEBSTRAP: Need = Need { command: &["mmdebstrap", "--version"], package: "mmdebstrap" };
/// Judges units, and starts systemd in a folder.
const SYSTEMD: Need =
    Need { command: &["systemd-nspawn", "--version"], package: "systemd-container" };
/// Acts on fleets.
const ANSIBLE: Need = Need { command: &["ansible", "--version"], package: "ansible-core" };
const ANSIBLE_LINT: Need =
    Need { command: &["ansible-lint", "--version"], package: "ansible-lint" };
/// Virtual environments, for what comes from PyPI.
const VENV: Need =
    Need { command: &["/usr/bin/python3", "-c", "import ensurepip"], package: "python3-venv" };
/// Make repositories of packages.
const APT_UTILS: Need = Need { command: &["apt-ftparchive", "--version"], package: "apt-utils" };
const CREATEREPO: Need = Need { command: &["createrepo_c", "--version"], package: "createrepo-c" };
/// Watch fleets.
const PROMETHEUS: Need = Need { command: &["promtool", "--version"], package: "prometheus" };
const ALERTMANAGER: Need =
    Need { command: &["amtool", "--version"], package: "prometheus-alertmanager" };
const NODE_EXPORTER: Need = Need {
    command: &["prometheus-node-exporter", "--version"],
    package: "prometheus-node-exporter",
};
/// Draws reports, as their readers see them.
const CHROMIUM: Need = Need { command: &["chromium", "--version"], package: "chromium" };
const GCC_ARM64: Need = Need {
    command: &["aarch64-linux-gnu-gcc-{}", "--version"],
    package: "gcc-{}-aarch64-linux-gnu",
};
const C_LIBRARY_ARM64: Need = Need {
    command: &["test", "-e", "/usr/aarch64-linux-gnu/lib/libc.so.6"],
    package: "libc6-dev-arm64-cross",
};
const GCC_ARMHF: Need = Need {
    command: &["arm-linux-gnueabihf-gcc-{}", "--version"],
    package: "gcc-{}-arm-linux-gnueabihf",
};
const C_LIBRARY_ARMHF: Need = Need {
    command: &["test", "-e", "/usr/arm-linux-gnueabihf/lib/libc.so.6"],
    package: "libc6-dev-armhf-cross",
};
const GCC_ARMEL: Need = Need {
    command: &["arm-linux-gnueabi-gcc-{}", "--version"],
    package: "gcc-{}-arm-linux-gnueabi",
};
const C_LIBRARY_ARMEL: Need = Need {
    command: &["test", "-e", "/usr/arm-linux-gnueabi/lib/libc.so.6"],
    package: "libc6-dev-armel-cross",
};
const GCC_RISCV64: Need = Need {
    command: &["riscv64-linux-gnu-gcc-{}", "--version"],
    package: "gcc-{}-riscv64-linux-gnu",
};
const C_LIBRARY_RISCV64: Need = Need {
    command: &["test", "-e", "/usr/riscv64-linux-gnu/lib/libc.so.6"],
    package: "libc6-dev-riscv64-cross",
};
/// Runs ARM's programs here.
const QEMU_ARM: Need =
    Need { command: &["qemu-aarch64-static", "--version"], package: "qemu-user-static" };

/// Boots machines of ARM's.
const QEMU_SYSTEM_ARM: Need =
    Need { command: &["qemu-system-aarch64", "--version"], package: "qemu-system-arm" };

/// LLVM's models of cores. The versions before know neither Neoverse nor the encryption of Cortex-A53.
const LLVM_MCA: Need = Need { command: &["llvm-mca-19", "--version"], package: "llvm-19" };

/// A program of that LLVM.
pub(crate) fn llvm(program: &str) -> String {
    format!("{program}-19")
}

/// What building OpenSSL takes.
pub(crate) const BUILD: &[Need] = &[PERL, MAKE, GCC, C_LIBRARY];
/// What a guest and its modules take.
pub(crate) const GUEST: &[Need] =
    &[QEMU, BUSYBOX, KMOD, XZ, ZSTD, MAKE, GCC, GCC_12, C_LIBRARY, LIBELF];
/// What Alpine's tarball takes, and what its test is made of.
pub(crate) const ALPINE: &[Need] = &[PERL, MAKE, GCC, C_LIBRARY, MUSL, BUSYBOX];
/// What one for 64-bit ARM takes besides.
pub(crate) const GUEST_ARM64: &[Need] = &[QEMU_SYSTEM_ARM, MMDEBSTRAP, GCC_ARM64];
/// What making packages takes.
pub(crate) const PACKAGING: &[Need] = &[NM, XZ, DPKG, RPM];
/// What building for 64-bit ARM takes.
pub(crate) const ARM64: &[Need] = &[GCC_ARM64, C_LIBRARY_ARM64];
/// What building for 32-bit ARM takes.
pub(crate) const ARMV7: &[Need] = &[GCC_ARMHF, C_LIBRARY_ARMHF];
/// What building for 32-bit ARM before ARMv6 takes.
pub(crate) const ARMV5: &[Need] = &[GCC_ARMEL, C_LIBRARY_ARMEL];
/// What building for 64-bit RISC-V takes.
pub(crate) const RISCV64: &[Need] = &[GCC_RISCV64, C_LIBRARY_RISCV64];
/// What building for 32-bit x86 takes.
pub(crate) const I686: &[Need] = &[GCC_32];
/// What running that here takes.
pub(crate) const EMULATION: &[Need] = &[QEMU_ARM, MMDEBSTRAP];
/// What counts the cycles of cores that are not here.
pub(crate) const MODELS: &[Need] = &[LLVM_MCA];
/// What the tests take.
pub(crate) const TESTS: &[Need] = &[
    PERL,
    MAKE,
    GCC,
    GXX,
    C_LIBRARY,
    GCC_32,
    OPENSSL,
    VALGRIND,
    NM,
    NGINX,
    SSHD,
    SSH,
    HAPROXY,
    STUNNEL,
    APACHE,
    REDIS,
    DOVECOT,
    OPENVPN,
    CHARON,
    CHARON_SSL,
    LIBIPSEC,
    SWANCTL,
    IPERF,
    GNUTLS,
    GPG,
    GPG_AGENT,
    CADDY,
    CURL,
    PYTHON,
    IP,
    QEMU,
    BUSYBOX,
    KMOD,
    XZ,
    ZSTD,
    GCC_12,
    LIBELF,
    CRYPTSETUP,
    DMSETUP,
    MKFS,
    SFDISK,
    SCRIPT,
    STRACE,
    CHROMIUM,
    DPKG,
    RPM,
    LINTIAN,
    MMDEBSTRAP,
    SYSTEMD,
    ANSIBLE,
    ANSIBLE_LINT,
    VENV,
    PROMETHEUS,
    ALERTMANAGER,
    NODE_EXPORTER,
    APT_UTILS,
    CREATEREPO,
    GCC_ARM64,
    C_LIBRARY_ARM64,
    GCC_ARMHF,
    C_LIBRARY_ARMHF,
    GCC_RISCV64,
    C_LIBRARY_RISCV64,
    QEMU_ARM,
];

/// What benchmarks of whole programs take besides. Postfix is for others to install: it displaces any other mail server.
pub(crate) const PROGRAMS: &[Need] = &[RSYNC, POSTGRESQL, MARIADB, BORG, TOR, PYTHON_CRYPTOGRAPHY];

/// What thorough tests take besides.
pub(crate) const THOROUGH: &[Need] = &[JAVA];

/// With the version of this machine's GCC.
pub(crate) fn versioned(name: &str) -> String {
    if !name.contains("{}") {
        return name.to_owned();
    }
    let own = Run::new("gcc", Path::new("/")).arguments(["-dumpversion"]).output();
    // Debian 12's.
    name.replace("{}", own.as_deref().unwrap_or("12"))
}

impl Need {
    fn is_met(&self) -> bool {
        let [program, arguments @ ..] = self.command else { return true };
        let output = Command::new(versioned(program)).args(arguments).output();
        output.is_ok_and(|output| output.status.success())
    }
}

/// Installs what is missing when run as root; otherwise names the command that does.
pub(crate) fn provide(needs: &[Need]) -> Result<()> {
    let missing: Vec<_> =
        needs.iter().filter(|need| !need.is_met()).map(|need| versioned(need.package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    let here = Path::new("/");
    if Run::new("id", here).arguments(["-u"]).output()? != "0" {
        bail!(
            "missing programs; install them: sudo apt-get install --no-install-recommends {list}"
        );
    }
    println!("installing {list}");
    let _quiet = NoServices::begin();
    let apt = |arguments: &[&str]| {
        Run::new("apt-get", here)
            .environment("DEBIAN_FRONTEND", "noninteractive")
            .arguments(arguments)
            .passes()
    };
    // An old package list is the usual reason for a failing install; a failing update is reported
    // by the install that follows it.
    apt(&["update", "--quiet"])?;
    let mut install = vec!["install", "--yes", "--quiet", "--no-install-recommends"];
    install.extend(missing.iter().map(String::as_str));
    if !apt(&install)? {
        bail!("apt-get install {list} failed");
    }
    match needs.iter().find(|need| !need.is_met()) {
        Some(need) => bail!("{} is installed, yet {:?} fails", need.package, need.command),
        None => Ok(()),
    }
}

/// While it lasts, packages start none of their services: invoke-rc.d(8) asks this file.
struct NoServices;

impl NoServices {
    const FILE: &str = "/usr/sbin/policy-rc.d";

    /// None where somebody else's answer stands there, or none can.
    fn begin() -> Option<Self> {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o755).open(Self::FILE).ok()?;
        let begun = Self;
        // "Action not allowed".
        file.write_all(b"#!/bin/sh\nexit 101\n").is_ok().then_some(begun)
    }
}

impl Drop for NoServices {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(Self::FILE) {
            eprintln!("remove {}: it keeps services from being started ({error})", Self::FILE);
        }
    }
}

//! The packages: what is in each, and what it says of itself. One table for all formats.

/// A package, by Debian's name.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    /// Debian's section of it.
    pub(crate) section: &'static str,
    /// What it is, in a line.
    pub(crate) about: &'static str,
    /// More of it, in paragraphs.
    pub(crate) text: &'static [&'static str],
    /// What it needs besides the libraries that it links.
    pub(crate) needs: &'static [Need],
    pub(crate) files: &'static [File],
    /// The shared library that others may link: name and number of its binary interface.
    pub(crate) interface: Option<(&'static str, &'static str)>,
    /// Whether it is the emulator, which not every target can have.
    pub(crate) is_emulator: bool,
    /// Whether other architectures' may be installed beside it.
    pub(crate) is_shared_by_architectures: bool,
}

/// What a package needs.
pub(crate) enum Need {
    /// OpenSSL's library, which is opened at run time.
    Libcrypto,
    /// Another package of this table, of the same version.
    Ours(&'static str),
    /// A distribution's package.
    Others(&'static str),
}

/// A file or some, and where they go.
pub(crate) struct File {
    pub(crate) from: From,
    /// Below /usr, or where a tarball is unpacked. Words in braces are the format's: the folder of the
    /// architecture's libraries and that of completions for zsh.
    pub(crate) to: &'static str,
}

/// Where files come from.
pub(crate) enum From {
    /// A program that cargo built.
    Program(&'static str),
    /// A shared library that cargo built.
    Library(&'static str),
    /// A static library that cargo built.
    Archive(&'static str),
    /// A file of the repository.
    Repository(&'static str),
    /// All files in a folder of the repository with that ending.
    Folder(&'static str, &'static str),
    /// All manual pages of a program.
    Pages(&'static str),
    /// A file that was written with the manual pages.
    Manual(&'static str),
    /// The library's file for pkg-config, with the places of packages.
    PkgConfig(&'static str),
    /// What others wrote of what is built from these crates, and their licences.
    Notices(&'static [&'static str]),
    /// A symbolic link to there.
    Link(&'static str),
}

const fn file(from: From, to: &'static str) -> File {
    File { from, to }
}

/// The crates whose programs and libraries are shipped, but for the emulator's.
pub(crate) const CRATES: [&str; 3] = ["wirespeed-cli", "wirespeed-module", "wirespeed-library"];
/// The emulator's.
pub(crate) const EMULATOR: [&str; 2] = ["padlock-runner", "padlock-preload"];

/// By Debian's names.
pub(crate) const PACKAGES: &[Package] = &[
    Package {
        name: "wirespeed",
        section: "utils",
        about: "measures this machine's cryptography and puts the fastest to work",
        text: &[
            "Finds every way that this machine has to run a cipher or a hash function: CPU \
             instructions, PadLock, Linux's own crypto, the machine's OpenSSL. Tests each for \
             correct results and measures each beside this OpenSSL.",
            "\"wirespeed install\" gives unmodified OpenSSL programs the fastest, and \
             \"wirespeed uninstall\" restores openssl.cnf byte for byte. Until then nothing is \
             changed.",
        ],
        // Its program tries what is installed.
        needs: &[Need::Libcrypto, Need::Ours("libwirespeed-provider"), Need::Others("openssl")],
        files: &[
            file(From::Program("wirespeed"), "bin/wirespeed"),
            // Off until "wirespeed install --keep".
            file(From::Folder("packaging/systemd", "timer"), "lib/systemd/system/"),
            file(From::Folder("packaging/systemd", "service"), "lib/systemd/system/"),
            file(From::Pages("wirespeed"), "share/man/man1/"),
            file(From::Manual("wirespeed.bash"), "share/bash-completion/completions/wirespeed"),
            file(From::Manual("_wirespeed"), "share/zsh/{zsh}/_wirespeed"),
            file(From::Manual("wirespeed.fish"), "share/fish/vendor_completions.d/wirespeed.fish"),
            file(From::Notices(&["wirespeed-cli"]), "share/doc/wirespeed/THIRD-PARTY"),
            file(From::Repository("README.md"), "share/doc/wirespeed/README.md"),
            file(From::Repository("CHANGELOG.md"), "share/doc/wirespeed/CHANGELOG.md"),
            file(From::Folder("docs", "md"), "share/doc/wirespeed/docs/"),
            file(From::Folder("examples", "json"), "share/doc/wirespeed/examples/"),
        ],
        interface: None,
        is_emulator: false,
        is_shared_by_architectures: false,
    },
    Package {
        name: "libwirespeed-provider",
        section: "libs",
        about: "OpenSSL provider with the fastest ciphers of this machine",
        text: &[
            "A module for OpenSSL 3.0 and later with AES, Camellia, ARIA, SM4, ChaCha20 and \
             hash functions. It follows a plan of what was measured on this machine.",
            "The module is off until it is asked for, by \"wirespeed install\" or in \
             openssl.cnf.",
        ],
        needs: &[],
        files: &[
            file(From::Library("libwirespeed.so"), "{libraries}/ossl-modules/libwirespeed.so"),
            file(
                From::Notices(&["wirespeed-module"]),
                "share/doc/libwirespeed-provider/THIRD-PARTY",
            ),
        ],
        interface: None,
        is_emulator: false,
        is_shared_by_architectures: true,
    },
    Package {
        name: "padlock-run",
        section: "devel",
        about: "runs unmodified programs on an emulated VIA or Zhaoxin PadLock",
        text: &["Gives a program, and all that it starts, the instructions of PadLock on any \
             x86-64: xstore, xcrypt, xsha and montmul, of C3, C7, Nano and Zhaoxin. For those \
             who write or maintain code for PadLock without the hardware."],
        needs: &[],
        files: &[
            // Each looks for the other in its own folder.
            file(From::Program("padlock-run"), "lib/padlock-run/padlock-run"),
            file(From::Library("libpadlock_preload.so"), "lib/padlock-run/libpadlock_preload.so"),
            file(From::Link("../lib/padlock-run/padlock-run"), "bin/padlock-run"),
            file(From::Notices(&EMULATOR), "share/doc/padlock-run/THIRD-PARTY"),
            file(From::Pages("padlock-run"), "share/man/man1/"),
            file(From::Manual("padlock-run.bash"), "share/bash-completion/completions/padlock-run"),
            file(From::Manual("_padlock-run"), "share/zsh/{zsh}/_padlock-run"),
            file(
                From::Manual("padlock-run.fish"),
                "share/fish/vendor_completions.d/padlock-run.fish",
            ),
        ],
        interface: None,
        is_emulator: true,
        is_shared_by_architectures: false,
    },
    Package {
        name: "libwirespeed-batch1",
        section: "libs",
        about: "many independent messages hashed, encrypted or sealed at once",
        text: &[
            "A library for programs that have many messages at hand, such as a VPN daemon with \
             a burst of packets: each lane of the CPU's vectors works on one of them.",
        ],
        needs: &[],
        files: &[
            file(
                From::Library("libwirespeed_batch.so"),
                "{libraries}/libwirespeed_batch.so.{version}",
            ),
            file(
                From::Link("libwirespeed_batch.so.{version}"),
                "{libraries}/libwirespeed_batch.so.1",
            ),
            file(
                From::Notices(&["wirespeed-library"]),
                "share/doc/libwirespeed-batch1/THIRD-PARTY",
            ),
        ],
        interface: Some(("libwirespeed_batch", "1")),
        is_emulator: false,
        is_shared_by_architectures: true,
    },
    Package {
        name: "libwirespeed-batch-dev",
        section: "libdevel",
        about: "many independent messages at once: files for programs in C",
        text: &[
            "A library for programs that have many messages at hand, such as a VPN daemon with \
             a burst of packets: each lane of the CPU's vectors works on one of them.",
            "This package has wirespeed.h, which is its document, the static library, a file \
             for pkg-config and an example.",
        ],
        needs: &[Need::Ours("libwirespeed-batch1")],
        files: &[
            file(
                From::Repository("crates/kernels/batch/library/include/wirespeed.h"),
                "include/wirespeed.h",
            ),
            file(From::Archive("libwirespeed_batch.a"), "{libraries}/libwirespeed_batch.a"),
            file(From::Link("libwirespeed_batch.so.1"), "{libraries}/libwirespeed_batch.so"),
            file(
                From::PkgConfig("crates/kernels/batch/library/wirespeed.pc"),
                "{libraries}/pkgconfig/wirespeed.pc",
            ),
            file(
                From::Notices(&["wirespeed-library"]),
                "share/doc/libwirespeed-batch-dev/THIRD-PARTY",
            ),
            file(
                From::Repository("crates/kernels/batch/library/example/example.c"),
                "share/doc/libwirespeed-batch-dev/examples/example.c",
            ),
            file(
                From::Repository("docs/library.md"),
                "share/doc/libwirespeed-batch-dev/library.md",
            ),
        ],
        interface: None,
        is_emulator: false,
        is_shared_by_architectures: true,
    },
];

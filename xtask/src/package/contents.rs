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
    /// Packages that it needs, besides those of the libraries that it links.
    pub(crate) needs: &'static [&'static str],
    /// Packages that most will want with it.
    pub(crate) recommends: &'static [&'static str],
    pub(crate) files: &'static [File],
    /// The shared library that others may link: name and number of its binary interface.
    pub(crate) interface: Option<(&'static str, &'static str)>,
    /// Whether other architectures' may be installed beside it.
    pub(crate) is_shared_by_architectures: bool,
}

/// A file or some, and where they go.
pub(crate) struct File {
    pub(crate) from: From,
    /// Below the root. `{libraries}` is the folder of the architecture's libraries, `{version}` the release's.
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
    /// A symbolic link to there.
    Link(&'static str),
}

const fn file(from: From, to: &'static str) -> File {
    File { from, to }
}

/// In Debian's places, and by Debian's names.
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
        needs: &["libssl3 | libssl3t64 | libssl4", "libwirespeed-provider (= {version})"],
        recommends: &["openssl"],
        files: &[
            file(From::Program("wirespeed"), "usr/bin/wirespeed"),
            file(From::Pages("wirespeed"), "usr/share/man/man1/"),
            file(From::Manual("wirespeed.bash"), "usr/share/bash-completion/completions/wirespeed"),
            file(From::Manual("_wirespeed"), "usr/share/zsh/vendor-completions/_wirespeed"),
            file(
                From::Manual("wirespeed.fish"),
                "usr/share/fish/vendor_completions.d/wirespeed.fish",
            ),
            file(From::Repository("README.md"), "usr/share/doc/wirespeed/README.md"),
            file(From::Repository("CHANGELOG.md"), "usr/share/doc/wirespeed/CHANGELOG.md"),
            file(From::Folder("docs", "md"), "usr/share/doc/wirespeed/docs/"),
            file(From::Folder("examples", "json"), "usr/share/doc/wirespeed/examples/"),
        ],
        interface: None,
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
        recommends: &[],
        files: &[file(
            From::Library("libwirespeed.so"),
            "{libraries}/ossl-modules/libwirespeed.so",
        )],
        interface: None,
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
        recommends: &[],
        files: &[
            // Each looks for the other in its own folder.
            file(From::Program("padlock-run"), "usr/lib/padlock-run/padlock-run"),
            file(
                From::Library("libpadlock_preload.so"),
                "usr/lib/padlock-run/libpadlock_preload.so",
            ),
            file(From::Link("../lib/padlock-run/padlock-run"), "usr/bin/padlock-run"),
            file(From::Pages("padlock-run"), "usr/share/man/man1/"),
            file(
                From::Manual("padlock-run.bash"),
                "usr/share/bash-completion/completions/padlock-run",
            ),
            file(From::Manual("_padlock-run"), "usr/share/zsh/vendor-completions/_padlock-run"),
            file(
                From::Manual("padlock-run.fish"),
                "usr/share/fish/vendor_completions.d/padlock-run.fish",
            ),
        ],
        interface: None,
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
        recommends: &[],
        files: &[
            file(
                From::Library("libwirespeed_batch.so"),
                "{libraries}/libwirespeed_batch.so.{version}",
            ),
            file(
                From::Link("libwirespeed_batch.so.{version}"),
                "{libraries}/libwirespeed_batch.so.1",
            ),
        ],
        interface: Some(("libwirespeed_batch", "1")),
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
        needs: &["libwirespeed-batch1 (= {version})"],
        recommends: &[],
        files: &[
            file(
                From::Repository("crates/kernels/batch/library/include/wirespeed.h"),
                "usr/include/wirespeed.h",
            ),
            file(From::Archive("libwirespeed_batch.a"), "{libraries}/libwirespeed_batch.a"),
            file(From::Link("libwirespeed_batch.so.1"), "{libraries}/libwirespeed_batch.so"),
            file(
                From::PkgConfig("crates/kernels/batch/library/wirespeed.pc"),
                "{libraries}/pkgconfig/wirespeed.pc",
            ),
            file(
                From::Repository("crates/kernels/batch/library/example/example.c"),
                "usr/share/doc/libwirespeed-batch-dev/examples/example.c",
            ),
            file(
                From::Repository("docs/library.md"),
                "usr/share/doc/libwirespeed-batch-dev/library.md",
            ),
        ],
        interface: None,
        is_shared_by_architectures: true,
    },
];

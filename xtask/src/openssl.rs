//! The versions of OpenSSL that the tests run against besides the host's own, built from source.

pub(crate) mod debian;
pub(crate) mod suite;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::run::Run;
use crate::workspace::{Workspace, metadata};

/// A line of OpenSSL releases.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Version {
    /// The last with engines
    #[value(name = "3.6")]
    V3_6,
    /// The first without
    #[value(name = "4.0")]
    V4_0,
}

impl Version {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::V3_6 => "3.6",
            Self::V4_0 => "4.0",
        }
    }

    const fn libcrypto(self) -> &'static str {
        match self {
            Self::V3_6 => "libcrypto.so.3",
            Self::V4_0 => "libcrypto.so.4",
        }
    }

    const fn libssl(self) -> &'static str {
        match self {
            Self::V3_6 => "libssl.so.3",
            Self::V4_0 => "libssl.so.4",
        }
    }
}

/// Where a built OpenSSL is.
pub(crate) struct Built {
    version: Version,
    prefix: PathBuf,
}

impl Built {
    pub(crate) fn prefix(&self) -> &Path {
        &self.prefix
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.prefix.join("bin/openssl")
    }

    pub(crate) fn libraries(&self) -> PathBuf {
        self.prefix.join("lib")
    }

    pub(crate) fn libcrypto(&self) -> PathBuf {
        self.libraries().join(self.version.libcrypto())
    }
}

/// What is built: ciphers, hash functions and TLS as distributions build them, without what only costs time here, most of
/// all signatures and formats that nobody asks for.
const OPTIONS: [&str; 16] = [
    "shared",
    "no-tests",
    "no-docs",
    "no-legacy",
    "no-fips",
    "no-engine",
    "no-module",
    "no-quic",
    "no-cmp",
    "no-cms",
    "no-ct",
    "no-ts",
    "no-srp",
    "no-slh-dsa",
    "no-ml-dsa",
    "-O1",
];

/// The crates leave out `util/mkdef.pl`, which writes the linker scripts of the shared libraries. Ours
/// export everything and leave the symbols without versions, which is all that tests ask for.
const LINKER_SCRIPTS: &[u8] = b"
%/util/mkdef.pl: ;
libcrypto.ld libssl.ld:
\techo '{ global: *; };' > $@
";

/// What makes it Alpine's: its folders and its C library. That one has no contexts to switch to, and Linux's headers lie
/// beside the other one's.
const ALPINE: [&str; 6] = [
    "--prefix=/usr",
    "--openssldir=/etc/ssl",
    "CC=musl-gcc",
    "no-async",
    "-idirafter/usr/include",
    "-idirafter/usr/include/x86_64-linux-gnu",
];

/// Builds `version` into the target directory, unless it is there already.
pub(crate) fn provide(workspace: &Workspace, version: Version) -> Result<Built> {
    let prefix = workspace.target().join("openssl").join(version.name());
    let option = |name: &str, path: &Path| format!("--{name}={}", path.display());
    let own = [option("prefix", &prefix), option("openssldir", &prefix.join("ssl"))];
    let built = build(workspace, version, &prefix, &own)?;
    let reported = Run::new(built.program(), &prefix)
        .environment("LD_LIBRARY_PATH", built.libraries())
        .arguments(["version"])
        .output()?;
    if !reported.starts_with(&format!("OpenSSL {}.", version.name())) {
        bail!("built OpenSSL {}, yet it says: {reported}", version.name());
    }
    Ok(built)
}

/// The same as Alpine has it, with musl.
pub(crate) fn alpines(workspace: &Workspace) -> Result<Built> {
    let prefix = workspace.target().join("openssl/alpine");
    build(workspace, Version::V3_6, &prefix, &ALPINE.map(str::to_owned))
}

fn build(
    workspace: &Workspace,
    version: Version,
    prefix: &Path,
    options: &[String],
) -> Result<Built> {
    let source = source(workspace, version)?;
    let built = Built { version, prefix: prefix.to_owned() };
    let recipe = format!("{} {} {}\n", source.display(), OPTIONS.join(" "), options.join(" "));
    let stamp = prefix.join("recipe");
    if fs::read_to_string(&stamp).is_ok_and(|old| old == recipe) {
        return Ok(built);
    }
    let build = prefix.join("build");
    if prefix.exists() {
        fs::remove_dir_all(prefix).with_context(|| prefix.display().to_string())?;
    }
    fs::create_dir_all(&build).with_context(|| build.display().to_string())?;
    let jobs = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    println!("building OpenSSL {} (some minutes) in {}", version.name(), build.display());
    Run::new("perl", &build)
        .arguments([source.join("Configure")])
        .arguments(["--libdir=lib"])
        .arguments(OPTIONS)
        .arguments(options)
        .succeeds_quietly(&prefix.join("configure.log"))?;
    // Of two rules for one file, make takes the later one.
    OpenOptions::new().append(true).open(build.join("Makefile"))?.write_all(LINKER_SCRIPTS)?;
    // Everything would be all objects once more, for static libraries.
    let wanted = ["libcrypto.so", "libssl.so", "apps/openssl"];
    for targets in [&["build_generated"][..], &wanted] {
        Run::new("make", &build)
            .arguments([format!("-j{jobs}")])
            .arguments(targets)
            .succeeds_quietly(&prefix.join("build.log"))?;
    }
    for folder in ["bin", "lib"] {
        fs::create_dir(prefix.join(folder))?;
    }
    fs::copy(build.join("apps/openssl"), built.program())?;
    for library in [version.libcrypto(), version.libssl()] {
        fs::copy(build.join(library), built.libraries().join(library))?;
    }
    fs::remove_dir_all(&build)?;
    fs::write(&stamp, recipe)?;
    Ok(built)
}

/// The source tree, in cargo's own store of downloaded packages.
pub(crate) fn source(workspace: &Workspace, version: Version) -> Result<PathBuf> {
    let manifest = workspace.root().join("xtask/openssl-sources/Cargo.toml");
    let metadata = metadata(&manifest, &["--locked"])?;
    // The package version ends in OpenSSL's own, as in 300.6.1+3.6.3.
    let mark = format!("+{}.", version.name());
    let packages = metadata["packages"].as_array().context("cargo metadata: no packages")?;
    packages
        .iter()
        .filter(|package| package["name"] == "openssl-src")
        .filter(|package| package["version"].as_str().is_some_and(|v| v.contains(&mark)))
        .find_map(|package| package["manifest_path"].as_str())
        .and_then(|path| Path::new(path).parent())
        .map(|package| package.join("openssl"))
        .with_context(|| format!("no package holds OpenSSL {}", version.name()))
}

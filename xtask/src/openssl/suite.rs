//! OpenSSL built with its tests, for its own suite and for tests against releases that were mended.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::debian::{self, Archive};
use crate::run::Run;
use crate::workspace::Workspace;

/// A line of releases.
#[derive(Clone, Copy)]
pub(crate) enum Line {
    V3_0,
    V3_5,
    V4_0,
}

impl Line {
    const fn name(self) -> &'static str {
        match self {
            Self::V3_0 => "3.0",
            Self::V3_5 => "3.5",
            Self::V4_0 => "4.0",
        }
    }

    /// The version whose results are known, of Debian's source package. Without it the newest of the line is taken.
    const fn known(self) -> &'static str {
        match self {
            Self::V3_0 => "3.0.22-1~deb12u2",
            Self::V3_5 => "3.5.7-1~deb13u2",
            Self::V4_0 => "4.0.2-1",
        }
    }

    const fn libcrypto(self) -> &'static str {
        match self {
            Self::V3_0 | Self::V3_5 => "libcrypto.so.3",
            Self::V4_0 => "libcrypto.so.4",
        }
    }
}

/// A source tree that was built with its tests.
pub(crate) struct Tree {
    line: Line,
    folder: PathBuf,
}

impl Tree {
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn libcrypto(&self) -> PathBuf {
        self.folder.join(self.line.libcrypto())
    }

    /// A copy of the libcrypto that calls itself `label`: what distributions make that mend a release and leave its number.
    pub(crate) fn relabelled(&self, label: &str) -> Result<PathBuf> {
        let version = version(&self.folder)?;
        let mut bytes = fs::read(self.libcrypto())?;
        if version.len() != label.len() {
            bail!("{label} is not as long as {version}");
        }
        let places: Vec<_> = bytes
            .windows(version.len())
            .enumerate()
            .filter(|(_, it)| *it == version.as_bytes())
            .map(|(at, _)| at)
            .collect();
        if places.is_empty() {
            bail!("{}: no {version} in it", self.libcrypto().display());
        }
        for at in places {
            bytes[at..at + label.len()].copy_from_slice(label.as_bytes());
        }
        let folder = self.folder.with_extension("relabelled");
        fs::create_dir_all(&folder)?;
        let path = folder.join(self.line.libcrypto());
        fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        Ok(path)
    }
}

/// What OpenSSL's own suite takes, at little cost: the tests check results, not speed.
const OPTIONS: [&str; 3] = ["linux-x86_64", "shared", "-O1"];

/// Fetches and builds a release with its tests into the target directory, unless it is there already.
pub(crate) fn provide(workspace: &Workspace, line: Line) -> Result<Tree> {
    let at = workspace.target().join("openssl").join(format!("suite-{}", line.name()));
    let folder = at.join("tree");
    let stamp = at.join("recipe");
    let recipe = format!("{} {}\n", line.known(), OPTIONS.join(" "));
    if fs::read_to_string(&stamp).is_ok_and(|old| old == recipe) {
        return Ok(Tree { line, folder });
    }
    if at.exists() {
        fs::remove_dir_all(&at).with_context(|| at.display().to_string())?;
    }
    let tarball = fetch(&at.join("debian"), line)?;
    debian::unpack(&tarball, &folder, &[])?;
    println!(
        "building OpenSSL {} with its tests (some minutes) in {}",
        version(&folder)?,
        folder.display()
    );
    Run::new("perl", &folder)
        .arguments(["Configure"])
        .arguments(OPTIONS)
        .succeeds_quietly(&at.join("configure.log"))?;
    let jobs = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for target in ["build_generated", "build_sw"] {
        Run::new("make", &folder)
            .arguments([format!("-j{jobs}"), target.to_owned()])
            .succeeds_quietly(&at.join("build.log"))?;
    }
    fs::write(&stamp, recipe)?;
    Ok(Tree { line, folder })
}

fn fetch(folder: &Path, line: Line) -> Result<PathBuf> {
    let archive = Archive::open(folder.to_owned())?;
    let versions = archive.versions()?;
    let of_line = |version: &&str| version.starts_with(&format!("{}.", line.name()));
    let others = versions.iter().map(String::as_str).filter(of_line);
    archive.first([line.known()].into_iter().chain(others.filter(|it| *it != line.known())))
}

/// A tree's release, as its file VERSION.dat says.
fn version(tree: &Path) -> Result<String> {
    let path = tree.join("VERSION.dat");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let field =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let fields = ["MAJOR", "MINOR", "PATCH"].map(field);
    let fields: Option<Vec<_>> = fields.into_iter().collect();
    fields.map(|it| it.join(".")).with_context(|| format!("{} has no version", path.display()))
}

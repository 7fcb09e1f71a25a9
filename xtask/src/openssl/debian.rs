//! OpenSSL's releases as Debian's source packages have them: with their tests and their changes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::Run;

/// Where the source packages are. Suites that are not released have no date until which their lists are good.
const SUITES: &str = "\
deb-src [signed-by=KEYS] http://deb.debian.org/debian bookworm main
deb-src [signed-by=KEYS] http://deb.debian.org/debian-security bookworm-security main
deb-src [signed-by=KEYS] http://deb.debian.org/debian trixie main
deb-src [signed-by=KEYS] http://deb.debian.org/debian-security trixie-security main
deb-src [check-valid-until=no signed-by=KEYS] http://deb.debian.org/debian sid main
deb-src [check-valid-until=no signed-by=KEYS] http://deb.debian.org/debian experimental main
";

const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Debian's source packages of OpenSSL, with package lists of their own: the machine's stay as they are.
pub(crate) struct Archive {
    folder: PathBuf,
    options: Vec<String>,
}

impl Archive {
    /// Reads the lists anew into a folder, which is emptied.
    pub(crate) fn open(folder: PathBuf) -> Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        for name in ["lists/partial", "cache/archives/partial"] {
            let path = folder.join(name);
            fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        }
        let list = folder.join("sources.list");
        let suites = SUITES.replace("KEYS", KEYS);
        fs::write(&list, suites).with_context(|| list.display().to_string())?;
        let options = [
            ("Dir::Etc::sourcelist", list.display().to_string()),
            ("Dir::Etc::sourceparts", "-".to_owned()),
            ("Dir::State::lists", folder.join("lists").display().to_string()),
            ("Dir::Cache", folder.join("cache").display().to_string()),
            ("Acquire::Languages", "none".to_owned()),
            // As root apt works as another user, who may not write here.
            ("APT::Sandbox::User", "root".to_owned()),
        ];
        let options =
            options.iter().flat_map(|(key, value)| ["-o".to_owned(), format!("{key}={value}")]);
        let archive = Self { options: options.collect(), folder };
        archive.apt("apt-get").arguments(["update"]).succeeds_quietly(&archive.log())?;
        Ok(archive)
    }

    /// The versions that the lists tell of, the newest first.
    pub(crate) fn versions(&self) -> Result<Vec<String>> {
        let known =
            self.apt("apt-cache").arguments(["showsrc", "--only-source", "openssl"]).output()?;
        Ok(versions(&known).into_iter().map(str::to_owned).collect())
    }

    /// The upstream release of the first of these versions that the mirror holds: one that is behind lists more.
    pub(crate) fn first<'a>(&self, versions: impl IntoIterator<Item = &'a str>) -> Result<PathBuf> {
        let mut missing = Vec::new();
        for version in versions {
            let package = format!("openssl={version}");
            let fetch = ["source", "--download-only", "--tar-only", &package];
            if self.apt("apt-get").arguments(fetch).succeeds_quietly(&self.log()).is_ok() {
                if !missing.is_empty() {
                    println!("not to be had here: {}", missing.join(", "));
                }
                return self.tarball(version);
            }
            missing.push(version);
        }
        anyhow::bail!(
            "no source package can be had ({}): {}",
            missing.join(", "),
            self.log().display()
        )
    }

    fn tarball(&self, version: &str) -> Result<PathBuf> {
        // The package's version is OpenSSL's own, and Debian's behind a hyphen.
        let release = version.split('-').next().unwrap_or(version);
        let path = self.folder.join(format!("openssl_{release}.orig.tar.gz"));
        path.exists()
            .then_some(())
            .with_context(|| format!("{} was not fetched", path.display()))?;
        Ok(path)
    }

    /// What apt said last.
    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    fn apt(&self, program: &str) -> Run {
        Run::new(program, &self.folder).arguments(&self.options)
    }
}

/// Unpacks a release, or some of its files, without its outermost folder.
pub(crate) fn unpack(tarball: &Path, to: &Path, files: &[&str]) -> Result<()> {
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    Run::new("tar", to)
        .arguments(["-xzf".as_ref(), tarball.as_os_str()])
        .arguments(["--strip-components=1", "--wildcards"])
        .arguments(files.iter().map(|name| format!("*/{name}")))
        .succeeds_quietly(&to.with_extension("tar.log"))
}

/// The versions in `apt-cache`'s words, the newest first.
fn versions(told: &str) -> Vec<&str> {
    let mut versions: Vec<_> =
        told.lines().filter_map(|line| line.strip_prefix("Version: ")).collect();
    let numbers = |version: &&str| -> Vec<u32> {
        version.split(|it: char| !it.is_ascii_digit()).flat_map(str::parse).collect()
    };
    versions.sort_by_key(|version| std::cmp::Reverse(numbers(version)));
    versions.dedup();
    versions
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_newest_version_comes_first() {
        let told = "Version: 3.6.5-1\n\nVersion: 4.0.2-1\nBinary: x\nVersion: 4.0.10-1\n";
        assert_eq!(super::versions(told), ["4.0.10-1", "4.0.2-1", "3.6.5-1"]);
    }
}

//! Debian packages, fetched and unpacked, but not installed.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Architecture;
use crate::program::output;

/// Where packages come from.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    architecture: &'static Architecture,
    /// The directory of lists of our own, of what is installed nowhere; without one, this machine's apt knows.
    lists: Option<PathBuf>,
    /// Whether they are those of the file in it, and not of where this machine's apt takes its packages.
    elsewhere: bool,
}

/// The Debian 13 that newer kernels are made for, signed with the keys that every Debian has.
const NEWER: &str = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
                     http://deb.debian.org/debian trixie-backports main\n";

impl Source {
    /// Wherever this machine's apt takes them. For another architecture there are lists of their own below a directory,
    /// and the machine goes on knowing none but its own.
    pub(crate) fn own(architecture: &'static Architecture, cache: &Path) -> Result<Self, String> {
        match architecture.is_native() {
            true => Ok(Self { architecture, lists: None, elsewhere: false }),
            false => Self::listed(architecture, cache, "own", false),
        }
    }

    /// Newer packages than those, from the Debian after Debian 12, with their lists below a directory.
    pub(crate) fn newer(architecture: &'static Architecture, cache: &Path) -> Result<Self, String> {
        Self::listed(architecture, cache, "newer", true)
    }

    fn listed(
        architecture: &'static Architecture,
        cache: &Path,
        name: &str,
        elsewhere: bool,
    ) -> Result<Self, String> {
        let folder = cache.join(format!("{name}.{}", architecture.debian));
        if !folder.exists() {
            let aside = folder.with_extension("new");
            for place in ["lists/partial", "cache/archives/partial"] {
                fs::create_dir_all(aside.join(place)).map_err(|error| in_folder(&aside, error))?;
            }
            if elsewhere {
                fs::write(aside.join("sources.list"), NEWER)
                    .map_err(|error| in_folder(&aside, error))?;
            }
            Self { architecture, lists: Some(aside.clone()), elsewhere }.update()?;
            fs::rename(&aside, &folder).map_err(|error| in_folder(&folder, error))?;
        }
        Ok(Self { architecture, lists: Some(folder), elsewhere })
    }

    /// One of apt's programs, reading the right lists.
    fn apt(&self, program: &str) -> Command {
        let mut apt = Command::new(program);
        if let Some(folder) = &self.lists {
            // apt.conf(5). What is installed here is nothing to these lists.
            let place = |option: &str, file: &str| format!("{option}={}/{file}", folder.display());
            if self.elsewhere {
                apt.args(["-o", &place("Dir::Etc::SourceList", "sources.list")]);
                apt.args(["-o", "Dir::Etc::SourceParts=/dev/null"]);
            }
            for option in ["APT::Architecture", "APT::Architectures"] {
                apt.args(["-o", &format!("{option}={}", self.architecture.debian)]);
            }
            apt.args(["-o", &place("Dir::State::Lists", "lists")]);
            apt.args(["-o", &place("Dir::Cache", "cache")]);
            apt.args(["-o", "Dir::State::Status=/dev/null"]);
        }
        apt
    }

    /// Fetches packages and unpacks them into a directory.
    pub(crate) fn unpack(&self, packages: &[String], folder: &Path) -> Result<(), String> {
        let fetched = tempfile::tempdir_in(folder).map_err(|error| in_folder(folder, error))?;
        self.with_fresh_lists(|| {
            let mut apt = self.apt("apt-get");
            output(apt.args(["download", "--quiet"]).args(packages).current_dir(fetched.path()))
        })?;
        for entry in fs::read_dir(fetched.path()).map_err(|error| in_folder(folder, error))? {
            let file = entry.map_err(|error| in_folder(folder, error))?.path();
            if file.extension() == Some(OsStr::new("deb")) {
                output(Command::new("dpkg").arg("--extract").arg(file).arg(folder))?;
            }
        }
        Ok(())
    }

    /// What a package depends on directly, alternatives included.
    pub(crate) fn dependencies(&self, package: &str) -> Result<Vec<String>, String> {
        let depends = || output(self.apt("apt-cache").args(["depends", package]));
        let text = self.with_fresh_lists(depends)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let names =
            text.lines().filter_map(|line| Some(line.split_once("Depends: ")?.1.to_owned()));
        Ok(names.collect())
    }

    /// All packages whose names begin so.
    pub(crate) fn beginning(&self, prefix: &str) -> Result<Vec<String>, String> {
        let text = output(self.apt("apt-cache").args(["pkgnames", prefix]))?;
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
    }

    /// Once more with new lists if it fails: what an old list names may be gone.
    fn with_fresh_lists<T>(&self, work: impl Fn() -> Result<T, String>) -> Result<T, String> {
        work().or_else(|first| self.update().and_then(|()| work()).map_err(|_| first))
    }

    /// Refreshes the lists: root may refresh the machine's.
    fn update(&self) -> Result<(), String> {
        output(self.apt("apt-get").args(["update", "--quiet"])).map(|_| ())
    }
}

pub(crate) fn in_folder(folder: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: {error}", folder.display())
}

/// Compares names by the numbers in them, so that 6.1.0-9 comes before 6.1.0-56.
pub(crate) fn by_numbers(one: &str, other: &str) -> Ordering {
    let numbers = |name: &str| -> Vec<u64> {
        name.split(|letter: char| !letter.is_ascii_digit())
            .filter_map(|it| it.parse().ok())
            .collect()
    };
    numbers(one).cmp(&numbers(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ordered_by_their_numbers() {
        let mut names =
            ["6.12.9+deb12-amd64", "6.1.0-56-amd64", "6.12.117+deb12-amd64", "6.1.0-9-amd64"];
        names.sort_by(|one, other| by_numbers(one, other));
        let right =
            ["6.1.0-9-amd64", "6.1.0-56-amd64", "6.12.9+deb12-amd64", "6.12.117+deb12-amd64"];
        assert_eq!(names, right);
    }
}

//! Debian packages, fetched and unpacked, but not installed.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::output;

/// Fetches packages and unpacks them into a directory.
pub(crate) fn unpack(packages: &[String], folder: &Path) -> Result<(), String> {
    let fetched = tempfile::tempdir_in(folder).map_err(|error| in_folder(folder, error))?;
    let fetch = || {
        let mut apt = Command::new("apt-get");
        output(apt.args(["download", "--quiet"]).args(packages).current_dir(fetched.path()))
    };
    // What an old list names may be gone.
    fetch().or_else(|first| update().and_then(|()| fetch()).map_err(|_| first))?;
    for entry in fs::read_dir(fetched.path()).map_err(|error| in_folder(folder, error))? {
        let file = entry.map_err(|error| in_folder(folder, error))?.path();
        if file.extension() == Some(OsStr::new("deb")) {
            output(Command::new("dpkg").arg("--extract").arg(file).arg(folder))?;
        }
    }
    Ok(())
}

/// What a package depends on directly, alternatives included.
pub(crate) fn dependencies(package: &str) -> Result<Vec<String>, String> {
    let depends = || output(Command::new("apt-cache").args(["depends", package]));
    let text = depends().or_else(|first| update().and_then(|()| depends()).map_err(|_| first))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let names = text.lines().filter_map(|line| Some(line.split_once("Depends: ")?.1.to_owned()));
    Ok(names.collect())
}

/// All packages whose names begin so.
pub(crate) fn beginning(prefix: &str) -> Result<Vec<String>, String> {
    let text = output(Command::new("apt-cache").args(["pkgnames", prefix]))?;
    Ok(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
}

/// Refreshes apt's lists, which root may.
fn update() -> Result<(), String> {
    output(Command::new("apt-get").args(["update", "--quiet"])).map(|_| ())
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

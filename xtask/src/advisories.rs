//! Security entries of OpenSSL's `NEWS.md` and `CHANGES.md` that our table does not mention yet.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use wirespeed_advisories::{FAULTS, OTHERS, mentions};

use crate::openssl::debian::{self, Archive};
use crate::openssl::{self, Version};
use crate::workspace::Workspace;

/// Where the entries are read.
#[derive(Args)]
pub(crate) struct Source {
    /// A folder with OpenSSL's NEWS.md and CHANGES.md, instead of Debian's newest source package
    #[arg(long, value_name = "DIR")]
    source: Option<PathBuf>,
}

/// The files that tell what a release mended.
const FILES: [&str; 2] = ["NEWS.md", "CHANGES.md"];

/// Prints what the table does not mention; whether it mentions all.
pub(crate) fn check(workspace: &Workspace, wanted: &Source) -> Result<bool> {
    let folder = match &wanted.source {
        Some(folder) => folder.clone(),
        None => newest(workspace)?,
    };
    let mut entries = Vec::new();
    for name in FILES {
        let file = folder.join(name);
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        entries.extend(read(&text));
    }
    if entries.is_empty() {
        bail!(
            "{}: no release since 3.0 has a security entry: is this OpenSSL's?",
            folder.display()
        );
    }
    let missing = unmentioned(&entries);
    for (id, entry) in &missing {
        println!("{id}, fixed in {}: {}", entry.release, entry.text);
    }
    println!(
        "advisories: {} of {} in the table's {} rows and {} others, {} missing",
        distinct(&entries) - missing.len(),
        distinct(&entries),
        FAULTS.len(),
        OTHERS.len(),
        missing.len()
    );
    if !missing.is_empty() {
        println!(
            "Each belongs into crates/advisories/src: a row of table.rs, or others.rs with a reason."
        );
    }
    Ok(missing.is_empty())
}

/// A security entry of one release.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    id: String,
    release: String,
    text: String,
}

/// The entries of all releases since 3.0, as their headings divide them.
fn read(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut release = None;
    let mut item = String::new();
    let mut close = |release: &Option<String>, item: &mut String| {
        if let Some(release) = release {
            entries.extend(of_item(release, item));
        }
        item.clear();
    };
    for line in text.lines() {
        if line.starts_with("###") {
            close(&release, &mut item);
            release = line.split('[').next().and_then(last_version).filter(|it| is_modern(it));
        } else if line.trim_start().starts_with("* ") {
            close(&release, &mut item);
            item.push_str(line.trim_start().trim_start_matches("* "));
        } else if line.starts_with("OpenSSL ") || line.starts_with("[CVE-") {
            // A new line of releases, or the list of links at the end.
            close(&release, &mut item);
        } else {
            item.push(' ');
            item.push_str(line.trim());
        }
    }
    close(&release, &mut item);
    entries
}

/// One entry for each identifier that an item names.
fn of_item(release: &str, item: &str) -> Vec<Entry> {
    let words = item.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_id = |word: &&str| {
        let number = word.strip_prefix("CVE-").and_then(|rest| rest.split_once('-'));
        number.is_some_and(|(year, number)| is_number(year) && is_number(number))
    };
    let text = item.split(['.', '(']).next().unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let entry =
        |id: &str| Entry { id: id.to_owned(), release: release.to_owned(), text: text.clone() };
    words.filter(is_id).map(entry).collect()
}

/// The release that a heading is about, which it names last.
fn last_version(heading: &str) -> Option<String> {
    let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    heading.split_whitespace().rfind(is_version).map(str::to_owned)
}

/// Whether providers were there already.
fn is_modern(release: &str) -> bool {
    let major = release.split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major >= 3)
}

/// What the table does not mention, once each.
fn unmentioned(entries: &[Entry]) -> BTreeMap<&str, &Entry> {
    let missing = entries.iter().filter(|entry| !mentions(&entry.id));
    // Of several the first is of the newest release.
    missing.rev().map(|entry| (entry.id.as_str(), entry)).collect()
}

fn distinct(entries: &[Entry]) -> usize {
    entries.iter().map(|entry| entry.id.as_str()).collect::<std::collections::BTreeSet<_>>().len()
}

/// The newest OpenSSL that can be had: the crate's sources if they tell their changes, else Debian's.
fn newest(workspace: &Workspace) -> Result<PathBuf> {
    let package = openssl::source(workspace, Version::V4_0)?;
    if has_files(&package) {
        return Ok(package);
    }
    println!("{} leaves {} out: Debian's source package is taken", package.display(), FILES[0]);
    debian(&workspace.target().join("advisories"))
}

fn has_files(folder: &Path) -> bool {
    FILES.iter().all(|name| folder.join(name).exists())
}

/// Fetches the newest source package; the folder that has its changes.
fn debian(folder: &Path) -> Result<PathBuf> {
    let archive = Archive::open(folder.to_owned())?;
    let versions = archive.versions()?;
    let tarball = archive.first(versions.iter().map(String::as_str))?;
    println!("read: {}", tarball.display());
    let source = folder.join("source");
    debian::unpack(&tarball, &source, &FILES)?;
    Ok(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEWS: &str = "\
OpenSSL 4.0
-----------

### Major changes between OpenSSL 4.0.1 and OpenSSL 4.0.2 [25 Aug 2026]

  * Fixed possibility of AEAD forgeries with empty ciphertext when using
    `EVP_Cipher()`.
    ([CVE-2026-75803])

  * Fixed something new. More of it.
    ([CVE-2099-1] and [CVE-2099-2])

OpenSSL 1.1.1
-------------

### Major changes between OpenSSL 1.1.1a and OpenSSL 1.1.1b [1 Jan 2019]

  * Something old ([CVE-2018-0734])

[CVE-2026-75803]: https://openssl-library.org/
";

    #[test]
    fn entries_are_read_with_their_release() {
        let read = read(NEWS);
        let ids: Vec<_> = read.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["CVE-2026-75803", "CVE-2099-1", "CVE-2099-2"]);
        assert!(read.iter().all(|entry| entry.release == "4.0.2"));
        assert_eq!(
            read[0].text,
            "Fixed possibility of AEAD forgeries with empty ciphertext when using `EVP_Cipher"
        );
    }

    #[test]
    fn headings_of_changes_md_are_understood_too() {
        let read = read(
            "### Changes between 3.0.21 and 3.0.22 [25 Aug 2026]\n\n * A fault (CVE-2099-7).\n",
        );
        assert_eq!((read[0].id.as_str(), read[0].release.as_str()), ("CVE-2099-7", "3.0.22"));
        assert!(super::read(" * A fault (CVE-2099-7) without a release.\n").is_empty());
    }

    #[test]
    fn what_the_table_lacks_is_told_once() {
        let entries = [read(NEWS), read(NEWS)].concat();
        let missing: Vec<_> = unmentioned(&entries).into_keys().collect();
        assert_eq!(missing, ["CVE-2099-1", "CVE-2099-2"]);
        assert_eq!(distinct(&entries), 3);
    }
}

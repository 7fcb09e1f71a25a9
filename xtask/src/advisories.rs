//! Security entries of OpenSSL's `NEWS.md` and `CHANGES.md` that our table does not mention yet.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use wirespeed_advisories::{FAULTS, OTHERS, mentions};

use crate::openssl::{self, Version};
use crate::run::Run;
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

/// Where Debian's newest source packages are.
const SUITES: &str = "\
deb-src [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main
deb-src [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian experimental main
";

/// Fetches and unpacks the newest source package, with lists of its own: the machine's stay as they are.
fn debian(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    for name in ["lists/partial", "cache/archives/partial", "source"] {
        let path = folder.join(name);
        fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
    }
    let list = folder.join("sources.list");
    fs::write(&list, SUITES).with_context(|| list.display().to_string())?;
    let source = folder.join("source");
    let options = [
        ("Dir::Etc::sourcelist", list.display().to_string()),
        ("Dir::Etc::sourceparts", "-".to_owned()),
        ("Dir::State::lists", folder.join("lists").display().to_string()),
        ("Dir::Cache", folder.join("cache").display().to_string()),
        ("Acquire::Languages", "none".to_owned()),
        // As root apt works as another user, who may not write here.
        ("APT::Sandbox::User", "root".to_owned()),
    ];
    let options: Vec<String> = options
        .iter()
        .flat_map(|(key, value)| ["-o".to_owned(), format!("{key}={value}")])
        .collect();
    let log = folder.join("log");
    let apt = |program: &str| Run::new(program, &source).arguments(&options);
    apt("apt-get").arguments(["update"]).succeeds_quietly(&log)?;
    let known = apt("apt-cache").arguments(["showsrc", "--only-source", "openssl"]).output()?;
    let mut missing = Vec::new();
    for version in versions(&known) {
        let package = format!("openssl={version}");
        let fetch = ["source", "--download-only", "--tar-only", &package];
        // A mirror that is behind lists what it does not hold.
        if apt("apt-get").arguments(fetch).succeeds_quietly(&log).is_ok() {
            if !missing.is_empty() {
                println!("not to be had here: {}", missing.join(", "));
            }
            return unpack(&source, &log);
        }
        missing.push(version);
    }
    bail!("no source package of OpenSSL can be had: see {}", log.display())
}

/// The changes out of a source package's tarball.
fn unpack(source: &Path, log: &Path) -> Result<PathBuf> {
    let tarball = only_file(source, ".orig.tar.gz")?;
    println!("read: {}", tarball.display());
    Run::new("tar", source)
        .arguments(["-xzf".as_ref(), tarball.as_os_str()])
        .arguments(["--strip-components=1", "--wildcards", "*/NEWS.md", "*/CHANGES.md"])
        .succeeds_quietly(log)?;
    Ok(source.to_owned())
}

/// The versions that apt tells of, the newest first.
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

fn only_file(folder: &Path, ending: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut matching = paths.filter(|path| path.to_string_lossy().ends_with(ending));
    matching.next().with_context(|| format!("no file {ending} in {}", folder.display()))
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
    fn the_newest_version_is_tried_first() {
        let told = "Version: 3.6.5-1\n\nVersion: 4.0.2-1\nBinary: x\nVersion: 4.0.10-1\n";
        assert_eq!(versions(told), ["4.0.10-1", "4.0.2-1", "3.6.5-1"]);
    }

    #[test]
    fn what_the_table_lacks_is_told_once() {
        let entries = [read(NEWS), read(NEWS)].concat();
        let missing: Vec<_> = unmentioned(&entries).into_keys().collect();
        assert_eq!(missing, ["CVE-2099-1", "CVE-2099-2"]);
        assert_eq!(distinct(&entries), 3);
    }
}

//! The test vectors: where each file comes from, and that it is still what it was.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::workspace::Workspace;

/// One row of the table in `conformance/vectors/SOURCES.md`.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    file: String,
    origin: String,
    tests: usize,
    sha256: String,
}

/// Prints every file's origin and number of tests; whether all are as recorded.
pub(crate) fn check(workspace: &Workspace) -> Result<bool> {
    let directory = workspace.root().join("conformance/vectors");
    let table = directory.join("SOURCES.md");
    let text = fs::read_to_string(&table).with_context(|| table.display().to_string())?;
    let entries = entries(&text)?;
    let mut faults = unlisted(&directory, &entries)?;
    for entry in &entries {
        let fault = fault(&directory, entry);
        let verdict = fault.as_deref().unwrap_or("ok");
        println!("{:28} {:5} tests  {verdict:2}  {}", entry.file, entry.tests, entry.origin);
        faults.extend(fault.map(|fault| format!("{}: {fault}", entry.file)));
    }
    let tests: usize = entries.iter().map(|entry| entry.tests).sum();
    println!("vectors: {} files, {tests} tests, {} faults", entries.len(), faults.len());
    for fault in &faults {
        println!("vectors: {fault}");
    }
    Ok(faults.is_empty())
}

/// The rows: `| file | tests | origin | sha256 |`.
fn entries(table: &str) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [file, tests, origin, sha256] = cells[..] else { bail!("SOURCES.md: {line}") };
        entries.push(Entry {
            file: file.trim_matches('`').to_owned(),
            origin: origin.to_owned(),
            tests: tests.parse().with_context(|| format!("SOURCES.md: {line}"))?,
            sha256: sha256.trim_matches('`').to_owned(),
        });
    }
    if entries.is_empty() {
        bail!("SOURCES.md lists no file");
    }
    Ok(entries)
}

fn fault(directory: &Path, entry: &Entry) -> Option<String> {
    let Ok(bytes) = fs::read(directory.join(&entry.file)) else {
        return Some("cannot be read".to_owned());
    };
    let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if sum != entry.sha256 {
        return Some(format!("its SHA-256 is {sum}"));
    }
    let text = String::from_utf8_lossy(&bytes);
    // Ciphers' files number their tests; those of hash functions tell the lengths of their messages.
    let begins = if entry.file.starts_with(HASHES) { "len = " } else { "count" };
    let tests = text.lines().filter(|line| line.to_ascii_lowercase().starts_with(begins)).count();
    (tests != entry.tests).then(|| format!("holds {tests} tests"))
}

/// The folder of hash functions' vectors.
const HASHES: &str = "hashes/";

/// Files that lie there without a row.
fn unlisted(directory: &Path, entries: &[Entry]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for folder in ["", HASHES] {
        for file in fs::read_dir(directory.join(folder))? {
            let name = format!("{folder}{}", file?.file_name().to_string_lossy());
            let known = ["SOURCES.md", HASHES.trim_end_matches('/')].contains(&name.as_str());
            if !known && !entries.iter().any(|entry| entry.file == name) {
                faults.push(format!("{name}: no row in SOURCES.md"));
            }
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_everything_else_is_prose() {
        let table = "# Sources\n\n| file | tests |\n| --- | --- |\n\
                     | `a.rsp` | 12 | NIST | `00ff` |\n";
        let entry = Entry {
            file: "a.rsp".to_owned(),
            origin: "NIST".to_owned(),
            tests: 12,
            sha256: "00ff".to_owned(),
        };
        assert_eq!(entries(table).unwrap(), [entry]);
        assert!(entries("| `a.rsp` | many | NIST | `00ff` |").is_err());
    }
}

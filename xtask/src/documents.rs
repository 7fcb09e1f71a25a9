//! The documents: links that lead somewhere, pages that are found, texts that stay short.

mod json;
mod names;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::Run;
use crate::workspace::Workspace;

/// The folder of pages, which is an mdBook's.
const BOOK: &str = "docs";
/// What lists them.
const CONTENTS: &str = "docs/SUMMARY.md";

/// Words that a text may have at most.
const LENGTHS: &[(&str, usize)] = &[("README.md", 1200), ("ARCHITECTURE.md", 1500)];

/// What makes a page.
type Page = fn() -> String;

/// Pages that are made from the code, and how.
const GENERATED: &[(&str, Page)] = &[("docs/json.md", json::page), ("docs/names.md", names::page)];

/// Writes the pages that are made from the code.
pub(crate) fn write(workspace: &Workspace) -> Result<()> {
    for (name, page) in GENERATED {
        let path = workspace.root().join(name);
        fs::write(&path, page()).with_context(|| path.display().to_string())?;
        println!("{name}");
    }
    Ok(())
}

/// Prints what is wrong; whether nothing is.
pub(crate) fn check(workspace: &Workspace) -> Result<bool> {
    let root = workspace.root();
    let pages = pages(root)?;
    let mut faults = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(page)?;
        let name = page.strip_prefix(root).unwrap_or(page).display();
        faults.extend(dead_links(page, &text).iter().map(|link| format!("{name}: {link}")));
    }
    let contents = fs::read_to_string(root.join(CONTENTS)).context(CONTENTS)?;
    let listed: BTreeSet<&str> = links(&contents).collect();
    for page in pages.iter().filter(|page| page.parent() == Some(&root.join(BOOK))) {
        let name = page.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name != "SUMMARY.md" && !listed.contains(name) {
            faults.push(format!("{CONTENTS} does not list {name}"));
        }
    }
    for (name, page) in GENERATED {
        if fs::read_to_string(root.join(name)).unwrap_or_default() != page() {
            faults.push(format!("{name} is not what the code says: cargo xtask documents"));
        }
    }
    for &(name, most) in LENGTHS {
        let words = fs::read_to_string(root.join(name))?.split_whitespace().count();
        if words > most {
            faults.push(format!("{name} has {words} words, at most {most} are wanted"));
        }
    }
    for fault in &faults {
        println!("documents: {fault}");
    }
    println!("documents: {} pages, {} faults", pages.len(), faults.len());
    Ok(faults.is_empty())
}

/// The documentation of all crates, without a warning.
pub(crate) fn of_crates(workspace: &Workspace) -> Run {
    workspace
        .cargo(["doc", "--no-deps", "--workspace", "--document-private-items"])
        .environment("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links")
}

/// The pages of the root folder and of the book.
fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    for folder in [root.to_owned(), root.join(BOOK)] {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// Where the links of a page lead.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The links that lead nowhere.
fn dead_links(page: &Path, text: &str) -> Vec<String> {
    let elsewhere = |link: &&str| link.contains("://") || link.starts_with("mailto:");
    let is_dead = |link: &&str| {
        let (file, heading) = link.split_once('#').unwrap_or((*link, ""));
        let target = match (file, page.parent()) {
            ("", _) | (_, None) => page.to_owned(),
            (file, Some(folder)) => folder.join(file),
        };
        let has_heading = |text: &str| text.lines().filter_map(slug).any(|it| it == heading);
        match heading {
            "" => !target.exists(),
            _ => !fs::read_to_string(&target).is_ok_and(|text| has_heading(&text)),
        }
    };
    let links = links(text).filter(|link| !elsewhere(link));
    links.filter(is_dead).map(|link| format!("{link} leads nowhere")).collect()
}

/// A heading as links spell it.
fn slug(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let letter = |letter: char| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        letter => letter.is_alphanumeric().then(|| letter.to_ascii_lowercase()),
    };
    Some(heading.chars().filter_map(letter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_named() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../CONTRIBUTING.md");
        let text = "[a](README.md) [b](no-such.md#x) [c](https://x.invalid/) [d](#house-style)\n\
                    # House style\n";
        assert_eq!(dead_links(&page, text), ["no-such.md#x leads nowhere"]);
        assert_eq!(slug("## Who's there? A_b-c").as_deref(), Some("whos-there-a_b-c"));
        assert_eq!(slug("no heading"), None);
    }
}

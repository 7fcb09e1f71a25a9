//! What others wrote of a program, and the texts that their licences ask to be shipped with it: THIRD-PARTY.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::package::tree::names;
use crate::run::Run;
use crate::test::of_packages;
use crate::workspace::Workspace;

/// How the names of such files begin, in capitals.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Crates that ship no text: their copyright, or their authors, from their sources. Their licence is MIT or may be, the text
/// of which is ours, too.
const WITHOUT: [(&str, &str); 3] = [
    ("iced-x86", "Copyright (C) 2018-present iced project and contributors"),
    ("perf-event2", "By Sean Lynch and Jim Blandy"),
    ("perf-event-open-sys2", "By Sean Lynch and Jim Blandy"),
];

/// What rustc's own documents say of the standard library.
const LIBRARY: &str = "share/doc/rust/COPYRIGHT-library.html";

/// A crate, or a part of the standard library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    name: String,
    licence: String,
    texts: Vec<String>,
}

/// The file for programs and libraries that are built from these crates of ours.
pub(crate) fn write(workspace: &Workspace, target: &str, crates: &[&str]) -> Result<String> {
    let mut linked = linked(workspace, target, crates)?;
    linked.sort();
    linked.dedup();
    let sysroot = Run::new("rustc", workspace.root()).arguments(["--print", "sysroot"]).output()?;
    let file = Path::new(&sysroot).join(LIBRARY);
    let library = fs::read_to_string(&file)
        .with_context(|| format!("{}: rustc as rustup installs it has it", file.display()))?;
    Ok(document(&linked, &library_parts(&library)?))
}

/// The crates of others that are linked: no macros, and nothing that only builds.
fn linked(workspace: &Workspace, target: &str, crates: &[&str]) -> Result<Vec<Part>> {
    let tree = workspace.cargo(["tree", "--edges", "normal,no-proc-macro", "--prefix", "none"]);
    let tree = tree.arguments(["--no-dedupe", "--format", "{p}", "--target", target]);
    let lines = tree.arguments(of_packages(crates)).output()?;
    let packages = workspace.metadata()["packages"].as_array().context("cargo metadata")?;
    // Ours have their path in brackets.
    let others = lines.lines().filter(|line| !line.is_empty() && !line.contains('('));
    let part = |line: &str| {
        let (name, version) = line.split_once(" v").context("a name and a version")?;
        let is_it =
            |it: &&Value| it["name"] == name && it["version"] == version && !it["source"].is_null();
        part(workspace, packages.iter().find(is_it).context("not in cargo metadata")?)
    };
    others.map(|line| part(line).with_context(|| line.to_owned())).collect()
}

fn part(workspace: &Workspace, package: &Value) -> Result<Part> {
    let text = |key: &str| package[key].as_str().with_context(|| format!("no {key}"));
    let name = text("name")?;
    let folder = Path::new(text("manifest_path")?).parent().context("a folder")?;
    let mut texts = Vec::new();
    for file in names(folder)? {
        let capitals = file.to_uppercase();
        if NAMES.iter().any(|beginning| capitals.starts_with(beginning)) {
            texts.push(fs::read_to_string(folder.join(file))?);
        }
    }
    if texts.is_empty() {
        let known = WITHOUT.iter().find(|(known, _)| *known == name);
        let (_, copyright) = known.context("it ships no licence: look into its sources")?;
        let ours = fs::read_to_string(workspace.root().join("LICENSE-MIT"))?;
        let at = ours.find("Permission is hereby granted").context("the text of MIT")?;
        texts.push(format!("{copyright}\n\n{}", &ours[at..]));
    }
    let (name, licence) = (format!("{name} {}", text("version")?), text("license")?.to_owned());
    Ok(Part { name, licence, texts })
}

/// The standard library itself, and the crates in it.
fn library_parts(html: &str) -> Result<Vec<Part>> {
    let between = |text: &str, before: &str, after: &str| {
        let (_, rest) = text.split_once(before)?;
        Some(rest.split_once(after)?.0.to_owned())
    };
    let mut parts = Vec::new();
    for (number, part) in html.split("<h3>").enumerate() {
        let name = part.split('<').next().unwrap_or_default().trim_start_matches("📦 ");
        let name = if number == 0 { "the library itself" } else { name }.to_owned();
        let licence = between(part, "<b>License:</b> ", "</p>").unwrap_or_default();
        let texts = part.split("<pre>").skip(1).filter_map(|text| text.split("</pre>").next());
        parts.push(Part { name, licence, texts: texts.map(unescaped).collect() });
    }
    if parts.len() == 1 {
        bail!("{LIBRARY} has another form than before");
    }
    Ok(parts)
}

fn unescaped(html: &str) -> String {
    let signs = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")];
    signs.iter().fold(html.to_owned(), |text, (name, sign)| text.replace(name, sign))
}

/// The lists, then each text once.
fn document(linked: &[Part], library: &[Part]) -> String {
    let list = |parts: &[Part]| -> String {
        parts.iter().map(|it| format!("  {}: {}\n", it.name, it.licence)).collect()
    };
    let mut document = format!(
        "What is built into it besides Wirespeed, with the licences and their texts.\n\n\
         Crates:\n{}\nRust's standard library, and what its parts come from:\n{}",
        list(linked),
        list(library)
    );
    // By its words: lines are broken and indented in many ways.
    let mut texts = BTreeMap::<String, (Vec<&str>, &str)>::new();
    for part in linked.iter().chain(library) {
        for text in &part.texts {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (names, _) = texts.entry(words).or_insert_with(|| (Vec::new(), text));
            names.push(&part.name);
        }
    }
    let mut texts: Vec<_> = texts.into_values().collect();
    texts.sort();
    for (names, text) in texts {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let text = lines.join("\n");
        document += &format!(
            "\n{}\n{}:\n\n{}\n",
            "-".repeat(78),
            names.join(", "),
            text.trim_matches('\n')
        );
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_stands_once_with_the_names_of_all_whose_it_is() {
        let part = |name: &str, text: &str| Part {
            name: name.to_owned(),
            licence: "MIT".to_owned(),
            texts: vec![text.to_owned()],
        };
        let html = "<p><b>License:</b> MIT</p><h3>📦 c-1.0</h3><b>License:</b> ISC</p>\
                    <pre>\n  By &#60;c&#62; </pre>";
        let library = library_parts(html).expect("two parts");
        assert_eq!(library[1].name, "c-1.0");
        let text = document(
            &[part("a 1", "Do as\n you like."), part("b 2", "  Do as you\nlike.")],
            &library,
        );
        assert!(text.contains("  a 1: MIT\n  b 2: MIT\n"), "{text}");
        assert!(text.contains("  c-1.0: ISC\n"), "{text}");
        assert!(text.contains("-\na 1, b 2:\n\nDo as\n you like.\n"), "{text}");
        assert!(text.ends_with("-\nc-1.0:\n\n  By <c>\n"), "{text}");
        assert!(library_parts("<p>").is_err());
    }

    #[test]
    fn all_that_is_linked_has_its_texts_and_no_more() {
        let workspace = Workspace::load().expect("this workspace");
        let target = "x86_64-unknown-linux-gnu";
        let module = linked(&workspace, target, &["wirespeed-module"]).expect("texts");
        let names = |name: &str| module.iter().any(|it| it.name.split(' ').next() == Some(name));
        assert!(names("libc") && names("zeroize"), "{module:?}");
        assert!(!names("clap") && !names("serde_json") && !names("syn"), "{module:?}");
        let all = linked(&workspace, target, &crate::package::contents::CRATES).expect("texts");
        assert!(all.iter().all(|it| !it.texts.is_empty() && !it.licence.is_empty()));
    }
}

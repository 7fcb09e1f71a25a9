//! The architecture as a check: facts <- routes <- judgement <- faces, arrows point down only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace::Workspace;

/// A layer; a crate may know its own layer and those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    /// What this machine has.
    Facts,
    /// Ways to run a cipher.
    Routes,
    /// Measuring and choosing.
    Judgement,
    /// What people and programs see.
    Faces,
    /// Tests, benchmarks and chores, which nothing else knows.
    Outside,
}

use Layer::{Faces, Facts, Judgement, Outside, Routes};

/// Whether a crate may contain `unsafe`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    Safe,
    Unsafe,
}

/// Every crate, its layer, and whether `unsafe` may live there.
const CRATES: &[(&str, Layer, Code)] = &[
    ("wirespeed-cpu", Facts, Code::Unsafe),
    ("wirespeed-machine", Facts, Code::Safe),
    ("wirespeed-advisories", Facts, Code::Safe),
    ("wirespeed-fork", Facts, Code::Unsafe),
    ("wirespeed-cipher", Routes, Code::Unsafe),
    ("wirespeed-padlock", Routes, Code::Unsafe),
    ("wirespeed-af-alg", Routes, Code::Unsafe),
    ("wirespeed-kernels-core", Routes, Code::Unsafe),
    ("wirespeed-aes", Routes, Code::Unsafe),
    ("wirespeed-sliced", Routes, Code::Unsafe),
    ("wirespeed-chacha", Routes, Code::Unsafe),
    ("wirespeed-hash", Routes, Code::Unsafe),
    ("wirespeed-kernels", Routes, Code::Unsafe),
    ("wirespeed-batch", Routes, Code::Unsafe),
    ("wirespeed-libcrypto", Routes, Code::Unsafe),
    ("wirespeed-comparison", Routes, Code::Safe),
    ("wirespeed-measure", Judgement, Code::Unsafe),
    ("wirespeed-plan", Judgement, Code::Safe),
    ("wirespeed-stats", Judgement, Code::Unsafe),
    ("wirespeed-profile", Judgement, Code::Safe),
    ("wirespeed-results", Judgement, Code::Safe),
    ("wirespeed-openssl-conf", Faces, Code::Safe),
    ("wirespeed-provider", Faces, Code::Unsafe),
    ("wirespeed-module", Faces, Code::Unsafe),
    ("wirespeed-library", Faces, Code::Unsafe),
    ("wirespeed-bench", Faces, Code::Unsafe),
    ("wirespeed-installation", Faces, Code::Safe),
    ("wirespeed-doctor", Faces, Code::Safe),
    ("wirespeed-disk", Faces, Code::Safe),
    ("wirespeed-tunnel", Faces, Code::Safe),
    ("wirespeed-vpn", Faces, Code::Safe),
    ("wirespeed-report", Faces, Code::Safe),
    ("wirespeed-cli", Faces, Code::Safe),
    ("wirespeed-benches", Outside, Code::Safe),
    ("wirespeed-peer", Outside, Code::Unsafe),
    ("wirespeed-conformance", Outside, Code::Unsafe),
    ("wirespeed-system-tests", Outside, Code::Unsafe),
    ("padlock-emulator", Outside, Code::Safe),
    ("padlock-runner", Outside, Code::Unsafe),
    ("padlock-preload", Outside, Code::Unsafe),
    ("wirespeed-manual", Outside, Code::Safe),
    ("wirespeed-vm", Outside, Code::Safe),
    ("xtask", Outside, Code::Safe),
];

/// What the module may bring into other people's processes, besides our own crates. The last is for CPUs without 64-bit
/// atomics.
const MODULE_BUDGET: &[&str] = &["libc", "zeroize", "portable-atomic"];

/// Above this, look for a seam.
const LONG_FILE: usize = 500;

/// Prints what is wrong; whether nothing is.
pub(crate) fn check(workspace: &Workspace) -> Result<bool> {
    let packages = members(workspace.metadata())?;
    let mut faults = Vec::new();
    for package in &packages {
        match CRATES.iter().find(|(name, ..)| *name == package.name) {
            None => faults.push(format!("{} has no layer in xtask/src/structure.rs", package.name)),
            Some((_, layer, code)) => {
                faults.extend(upward_arrows(package, *layer));
                if *code == Code::Safe {
                    faults.extend(unguarded_roots(package)?);
                }
            }
        }
        if package.description.is_empty() {
            faults.push(format!("{} has no description in its Cargo.toml", package.name));
        }
    }
    faults.extend(over_budget(&packages));
    for package in &packages {
        for file in rust_files(&package.directory)? {
            let text = fs::read_to_string(&file)?;
            let path = file.strip_prefix(workspace.root()).unwrap_or(&file);
            let lines = text.lines().count();
            if lines > LONG_FILE {
                println!("note: {} has {lines} lines: is there a seam?", path.display());
            }
            faults.extend(misplaced(path, &text));
        }
    }
    for fault in &faults {
        println!("structure: {fault}");
    }
    println!("structure: {} crates, {} faults", packages.len(), faults.len());
    Ok(faults.is_empty())
}

/// A crate of the workspace.
#[derive(Debug)]
struct Package {
    name: String,
    description: String,
    directory: PathBuf,
    /// Names of normal dependencies.
    needs: Vec<String>,
    /// Names of dependencies of any kind.
    knows: Vec<String>,
    /// The root files of its targets.
    roots: Vec<PathBuf>,
}

fn members(metadata: &Value) -> Result<Vec<Package>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ids: BTreeSet<_> = list(&metadata["workspace_members"]).iter().map(text).collect();
    let parse = |package: &Value| {
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        let dependencies = list(&package["dependencies"]);
        let normal = dependencies.iter().filter(|dependency| dependency["kind"].is_null());
        Ok(Package {
            name: text(&package["name"]),
            description: text(&package["description"]),
            directory: manifest.parent().context("a manifest lies in a directory")?.to_owned(),
            needs: normal.map(|dependency| text(&dependency["name"])).collect(),
            knows: dependencies.iter().map(|dependency| text(&dependency["name"])).collect(),
            roots: list(&package["targets"])
                .iter()
                .map(|target| PathBuf::from(text(&target["src_path"])))
                .collect(),
        })
    };
    let packages = list(&metadata["packages"]);
    packages.iter().filter(|package| ids.contains(&text(&package["id"]))).map(parse).collect()
}

/// Dependencies on a later layer.
fn upward_arrows(package: &Package, layer: Layer) -> Vec<String> {
    let layer_of = |name: &str| CRATES.iter().find(|known| known.0 == name).map(|known| known.1);
    let above = |name: &&String| layer_of(name).is_some_and(|other| other > layer);
    let arrow = |name: &String| {
        let other = layer_of(name).expect("it was just found");
        format!("the arrow {} ({layer:?}) -> {name} ({other:?}) points up", package.name)
    };
    package.knows.iter().filter(above).map(arrow).collect()
}

/// Target roots that do not forbid `unsafe`.
fn unguarded_roots(package: &Package) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for root in &package.roots {
        let text = fs::read_to_string(root).with_context(|| root.display().to_string())?;
        if !text.lines().any(|line| line.trim() == "#![forbid(unsafe_code)]") {
            faults.push(format!("{} does not say #![forbid(unsafe_code)]", root.display()));
        }
    }
    Ok(faults)
}

/// Foreign crates that the module would carry into its host.
fn over_budget(packages: &[Package]) -> Vec<String> {
    let by_name: BTreeMap<_, _> = packages.iter().map(|p| (p.name.as_str(), p)).collect();
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec!["wirespeed-module"];
    while let Some(name) = open.pop() {
        let Some(package) = by_name.get(name) else { continue };
        for need in package.needs.iter().filter(|need| seen.insert(need.as_str())) {
            if by_name.contains_key(need.as_str()) {
                open.push(need);
            } else if !MODULE_BUDGET.contains(&need.as_str()) {
                faults.push(format!("{name} brings {need} into the module: not in its budget"));
            }
        }
    }
    faults
}

/// What stands in a file where it does not belong.
fn misplaced(path: &Path, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let of_one_machine = path.ends_with("arch.rs") || path.iter().any(|part| part == "arch");
    for (number, line) in text.lines().enumerate() {
        let at = || format!("{}:{}", path.display(), number + 1);
        if !of_one_machine && line.contains(concat!("target", "_arch")) {
            faults.push(format!("{} is of one machine: below arch/ with it", at()));
        }
        let touches_memory =
            ["load", "store", "gather", "scatter"].iter().any(|word| line.contains(word));
        if touches_memory && line.contains("call!(_mm") {
            faults.push(format!("{} hides that it touches memory: call it in its own block", at()));
        }
    }
    faults
}

/// The Rust files of one package, without those of a package inside it.
fn rust_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.join("Cargo.toml").exists() && !path.ends_with("target") {
                files.extend(rust_files(&path)?);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, needs: &[&str]) -> Package {
        let needs: Vec<_> = needs.iter().map(|need| (*need).to_owned()).collect();
        Package {
            name: name.to_owned(),
            description: "for a test".to_owned(),
            directory: PathBuf::new(),
            knows: needs.clone(),
            needs,
            roots: Vec::new(),
        }
    }

    #[test]
    fn an_arrow_that_points_up_is_named() {
        let native = package("wirespeed-kernels", &["wirespeed-cpu", "wirespeed-cipher", "libc"]);
        assert!(upward_arrows(&native, Routes).is_empty());
        let upward = package("wirespeed-cpu", &["wirespeed-kernels"]);
        assert_eq!(
            upward_arrows(&upward, Facts),
            ["the arrow wirespeed-cpu (Facts) -> wirespeed-kernels (Routes) points up"]
        );
    }

    #[test]
    fn what_does_not_belong_into_a_file_is_named() {
        let cfg = concat!("#[cfg(target", "_arch = \"x86_64\")]\nmod x86_64;\n");
        let faults = |path: &str, text| misplaced(Path::new(path), text).len();
        assert_eq!(faults("crates/cpu/src/lib.rs", cfg), 1);
        assert_eq!(faults("crates/cpu/src/arch.rs", cfg), 0);
        assert_eq!(faults("crates/cpu/src/arch/x86.rs", cfg), 0);
        let load = concat!("let v = call", "!(_mm_loadu_si128(from));\n");
        assert_eq!(faults("crates/aes/src/arch/xmm.rs", load), 1);
    }

    #[test]
    fn the_module_may_not_bring_more_than_its_budget() {
        let packages = [
            package("wirespeed-module", &["wirespeed-provider", "libc"]),
            package("wirespeed-provider", &["zeroize", "serde"]),
            package("wirespeed-cli", &["clap"]),
        ];
        assert_eq!(
            over_budget(&packages),
            ["wirespeed-provider brings serde into the module: not in its budget"]
        );
    }
}

//! Packages for Fedora, RHEL and the like: a spec whose files are there already. `rpmbuild` packs them, and finds out
//! itself which libraries they need.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::package::build::Built;
use crate::package::contents::{Need, Package};
use crate::package::release::{EPOCH, Release};
use crate::package::tree::{Layout, Tree};
use crate::run::Run;
use crate::workspace::Workspace;

/// Debian's maintainer scripts serve here, too: what rpm calls them, when, and what Debian tells them.
const SCRIPTS: [(&str, &str, &str, &str); 3] = [
    ("%post", "postinst", "-gt 1", "configure older"),
    ("%preun", "prerm", "= 0", "remove"),
    ("%postun", "postrm", "= 0", "purge"),
];

/// Packs one; its file.
pub(crate) fn pack(
    workspace: &Workspace,
    release: &Release,
    built: &Built,
    package: &Package,
    output: &Path,
) -> Result<PathBuf> {
    let Some(architecture) = built.target.rpm else { bail!("RPM has no {}", built.target.rust) };
    let layout = Layout {
        prefix: "usr".to_owned(),
        absolute: "/usr",
        libraries: "lib64".to_owned(),
        zsh: "site-functions",
        version: release.version.clone(),
    };
    let work = workspace.target().join("packages.work/rpm");
    let name = name(package.name);
    let tree = Tree::lay(workspace, built, &[package], work.join("tree").join(&name), layout)?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let to = tree.place("share/licenses").join(&name).join(licence);
        tree.write(&to, &fs::read(workspace.root().join(licence))?)?;
    }
    let spec = work.join(format!("{name}.spec"));
    fs::write(&spec, specification(workspace, release, package, &tree)?)?;
    let defined = |name: &str, value: String| ["--define".to_owned(), format!("{name} {value}")];
    let run = Run::new("rpmbuild", workspace.root())
        .environment(EPOCH, &release.epoch)
        .arguments(["-bb", "--quiet", "--target", &format!("{architecture}-linux")])
        .arguments(defined("_topdir", work.display().to_string()))
        .arguments(defined("_rpmdir", output.display().to_string()))
        .arguments(defined(
            "_rpmfilename",
            "%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm".to_owned(),
        ));
    let settings = FIXED.iter().flat_map(|(name, value)| defined(name, (*value).to_owned()));
    if !run.arguments(settings).arguments([&spec]).passes()? {
        bail!("rpmbuild failed on {name}");
    }
    Ok(output.join(format!("{name}-{}-1.{architecture}.rpm", release.version)))
}

/// What would change from one machine or run to the next, or is done already.
const FIXED: [(&str, &str); 8] = [
    ("_buildhost", "reproducible"),
    ("use_source_date_epoch_as_buildtime", "1"),
    ("clamp_mtime_to_source_date_epoch", "1"),
    ("_build_id_links", "none"),
    ("debug_package", "%{nil}"),
    ("__os_install_post", "%{nil}"),
    ("_binary_payload", "w6.xzdio"),
    // Libraries that nothing links.
    ("__provides_exclude_from", "/(ossl-modules|padlock-run)/"),
];

/// Fedora's name for it.
fn name(debian: &str) -> String {
    debian.strip_suffix("-dev").map_or(debian.to_owned(), |name| format!("{name}-devel"))
}

fn specification(
    workspace: &Workspace,
    release: &Release,
    package: &Package,
    tree: &Tree<'_>,
) -> Result<String> {
    let (version, homepage) = (&release.version, &release.homepage);
    let mut spec = format!(
        "Name: {}\nVersion: {version}\nRelease: 1\nSummary: {}\nLicense: Apache-2.0 OR MIT\nURL: {homepage}\n",
        name(package.name),
        package.about
    );
    for need in package.needs {
        spec += &match need {
            Need::Libcrypto => {
                "Requires: (libcrypto.so.3()(64bit) or libcrypto.so.4()(64bit))\n".to_owned()
            }
            Need::Ours(other) => format!("Requires: {} = {version}\n", name(other)),
            Need::Others(other) => format!("Requires: {other}\n"),
        };
    }
    spec += &format!("\n%description\n{}\n", package.text.join("\n\n"));
    spec += &format!("\n%install\ncp -a {}/. %{{buildroot}}\n", tree.root().display());
    for (section, script, count, told) in SCRIPTS {
        let from =
            workspace.root().join("packaging/deb").join(format!("{}.{script}", package.name));
        if let Ok(text) = fs::read_to_string(from) {
            let text = tree.said(text.strip_prefix("#!/bin/sh\n").context("a script for sh")?);
            // rpm tells how many of the package there will be.
            spec += &format!("\n{section}\n[ \"$1\" {count} ] || exit 0\nset -- {told}\n{text}");
        }
    }
    let triggers =
        workspace.root().join("packaging/rpm").join(format!("{}.triggers", package.name));
    if let Ok(text) = fs::read_to_string(triggers) {
        spec += &format!("\n{text}");
    }
    spec += "\n%files\n%defattr(-,root,root)\n";
    let files = tree.files()?;
    for folder in folders(&files, &[package.name, &name(package.name)]) {
        spec += &format!("%dir /{}\n", folder.display());
    }
    for file in files {
        spec += &format!("/{}\n", file.display());
    }
    Ok(spec)
}

/// The folders that go with the package: those of its names, and what is in them.
fn folders<'f>(files: &'f [PathBuf], names: &[&str]) -> BTreeSet<&'f Path> {
    let folders = files.iter().flat_map(|file| file.ancestors().skip(1));
    let is_ours = |part: &OsStr| names.iter().any(|name| part == *name);
    folders.filter(|folder| folder.iter().any(is_ours)).collect()
}

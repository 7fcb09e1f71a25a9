//! Packages for Debian: a folder of files, and a folder DEBIAN that says what they are. `dpkg-deb` packs both.
//!
//! Not by cargo-deb: that has a table for each package in a crate's manifest, which formats besides would repeat.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::package::build::Built;
use crate::package::contents::{From, Need, Package};
use crate::package::elf::Needs;
use crate::package::release::{EPOCH, MAINTAINER, Release};
use crate::package::tree::{Layout, Tree};
use crate::run::Run;
use crate::workspace::Workspace;

/// Where maintainer scripts and triggers lie, each as PACKAGE.SCRIPT.
const SCRIPTS: &str = "packaging/deb";

/// Packs one; its file.
pub(crate) fn pack(
    workspace: &Workspace,
    release: &Release,
    built: &Built,
    package: &Package,
    output: &Path,
) -> Result<PathBuf> {
    let Some((architecture, libraries)) = built.target.debian else {
        bail!("Debian has no {}", built.target.rust);
    };
    let version = &release.version;
    let layout = Layout {
        prefix: "usr".to_owned(),
        absolute: "/usr",
        libraries: format!("lib/{libraries}"),
        zsh: "vendor-completions",
        version: version.clone(),
    };
    let root = workspace.target().join("packages.work/deb").join(package.name);
    let tree = Tree::lay(workspace, built, &[package], root, layout)?;
    document(workspace, release, package, &tree)?;
    describe(workspace, release, built, package, &tree)?;
    let file = output.join(format!("{}_{version}_{architecture}.deb", package.name));
    let packed = Run::new("dpkg-deb", workspace.root())
        .environment(EPOCH, &release.epoch)
        // Several threads cut their input in pieces by how many they are.
        .arguments(["--root-owner-group", "-Zxz", "--threads-max=1", "--build"])
        .arguments([tree.root(), &file])
        .passes()?;
    if !packed {
        bail!("dpkg-deb failed on {}", package.name);
    }
    Ok(file)
}

/// The copyright and Debian's changelog, which every package has.
fn document(
    workspace: &Workspace,
    release: &Release,
    package: &Package,
    tree: &Tree<'_>,
) -> Result<()> {
    let folder = tree.place("share/doc").join(package.name);
    let copyright = fs::read(workspace.root().join(SCRIPTS).join("copyright"))?;
    tree.write(&folder.join("copyright"), &copyright)?;
    let (version, date) = (&release.version, release.date(workspace)?);
    let entry = format!(
        "wirespeed ({version}) unstable; urgency=medium\n\n  * Release {version}: what is new stands in \
         CHANGELOG.md.\n\n -- {MAINTAINER}  {date}\n"
    );
    let changelog = folder.join("changelog");
    tree.write(&changelog, entry.as_bytes())?;
    tree.compress(&changelog)
}

/// What dpkg reads: the fields, the sums, what is to be done when.
fn describe(
    workspace: &Workspace,
    release: &Release,
    built: &Built,
    package: &Package,
    tree: &Tree<'_>,
) -> Result<()> {
    let files = Run::new("sh", tree.root())
        .arguments(["-c", "find usr -type f | LC_ALL=C sort | xargs md5sum"])
        .output()?;
    let folder = tree.root().join("DEBIAN");
    tree.write(&folder.join("md5sums"), (files + "\n").as_bytes())?;
    let scripts = workspace.root().join(SCRIPTS);
    if let Some((library, number)) = package.interface {
        let shlibs = format!("{library} {number} {} (>= {})\n", package.name, release.version);
        tree.write(&folder.join("shlibs"), shlibs.as_bytes())?;
        tree.write(&folder.join("triggers"), b"activate-noawait ldconfig\n")?;
    }
    if let Ok(text) = fs::read_to_string(scripts.join(format!("{}.triggers", package.name))) {
        tree.write(&folder.join("triggers"), tree.said(&text).as_bytes())?;
    }
    for script in ["postinst", "prerm", "postrm"] {
        let from = scripts.join(format!("{}.{script}", package.name));
        if from.exists() {
            let to = folder.join(script);
            tree.write(&to, tree.said(&fs::read_to_string(from)?).as_bytes())?;
            fs::set_permissions(to, Permissions::from_mode(0o755))?;
        }
    }
    let control = control(release, built, package, tree)?;
    tree.write(&folder.join("control"), control.as_bytes())
}

fn control(release: &Release, built: &Built, package: &Package, tree: &Tree<'_>) -> Result<String> {
    let version = &release.version;
    let need = |need: &Need| match need {
        // By the names that it has had.
        Need::Libcrypto => "libssl3 | libssl3t64 | libssl4".to_owned(),
        Need::Ours(name) => format!("{name} (= {version})"),
        Need::Others(name) => (*name).to_owned(),
    };
    let mut needs: Vec<String> = package.needs.iter().map(need).collect();
    for file in package.files {
        if let From::Program(name) | From::Library(name) = file.from {
            needs.extend(Needs::read(&built.file(name)?)?.debian()?);
        }
    }
    needs.extend(built.target.baseline.map(str::to_owned));
    needs.sort();
    needs.dedup();
    let size = installed_size(&tree.root().join("usr"))?.to_string();
    let same = if package.is_shared_by_architectures { "same" } else { "" };
    let source = if package.name == "wirespeed" { "" } else { "wirespeed" };
    let fields = [
        ("Package", package.name),
        ("Source", source),
        ("Version", version),
        ("Architecture", built.target.debian.map_or("", |it| it.0)),
        ("Maintainer", MAINTAINER),
        ("Installed-Size", &size),
        ("Depends", &needs.join(", ")),
        ("Section", package.section),
        ("Priority", "optional"),
        ("Multi-Arch", same),
        ("Homepage", &release.homepage),
        ("Description", package.about),
    ];
    let fields = fields.iter().filter(|(_, value)| !value.is_empty());
    let mut control: String = fields.map(|(name, value)| format!("{name}: {value}\n")).collect();
    let paragraphs: Vec<_> = package.text.iter().map(|text| wrapped(text)).collect();
    control.push_str(&paragraphs.join(" .\n"));
    Ok(control)
}

/// A paragraph in lines of at most 80 characters, each indented.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        if lines.last().is_some_and(|line| line.len() + word.len() >= 78) {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            *line += &format!(" {word}");
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// In KiB: what files hold, each rounded up, and one for everything else, as Debian policy says.
fn installed_size(path: &Path) -> Result<u64> {
    let it = fs::symlink_metadata(path)?;
    if it.is_dir() {
        let inside = fs::read_dir(path)?;
        return inside
            .map(|entry| installed_size(&entry?.path()))
            .sum::<Result<u64>>()
            .map(|sum| sum + 1);
    }
    Ok(if it.is_file() { it.len().div_ceil(1024) } else { 1 })
}

//! The stage of the packages: made twice, looked at by lintian, and installed in roots of their own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::openssl;
use crate::package::{self, Format, Wanted};
use crate::packages;
use crate::roots::{Root, Variant};
use crate::run::Run;
use crate::tally::Tally;
use crate::test::Effort;
use crate::workspace::Workspace;

/// What each root has besides apt: the programs that the module is to serve, what brings the loopback up, what judges and
/// switches on units, what kills at a given call, and what Ansible takes for apt.
const PROGRAMS: &str = "openssl,python3-minimal,libpython3-stdlib,nginx-light,openssh-client,\
    openssh-server,curl,iproute2,mount,systemd,strace,python3-apt";

/// Debian's releases, by their names in archives.
fn suites(effort: Effort) -> &'static [&'static str] {
    match effort {
        Effort::Usual => &["bookworm"],
        Effort::Thorough => &["bookworm", "trixie", "testing"],
    }
}

/// All of it.
pub(crate) fn packages(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    let formats: &[Format] = match effort {
        Effort::Usual => &[Format::Deb],
        Effort::Thorough => &[Format::Deb, Format::Rpm, Format::Tar],
    };
    let folder = workspace.target().join("packages.tested");
    let make = |folder: &Path| {
        if folder.exists() {
            // Those of another version would be installed, too.
            fs::remove_dir_all(folder)?;
        }
        package::make(workspace, &Wanted::into(folder, formats))
    };
    let made = make(&folder)?;
    let again = make(&workspace.target().join("packages.again"))?;
    let mut tally = Tally::default();
    for (one, other) in made.iter().zip(&again) {
        let same = fs::read(one)? == fs::read(other)?;
        tally += Tally::of(same, &format!("equal bytes of {} when made twice", one.display()));
    }
    let lintian = Run::new("lintian", workspace.root());
    let lintian = lintian.arguments(["--allow-root", "--fail-on", "error,warning"]);
    tally += Tally::of(lintian.arguments(of(&made, "deb")).passes()?, "lintian");
    if effort == Effort::Thorough {
        let script = |text| Run::new("sh", workspace.root()).arguments(["-euc", text, "sh"]);
        let same = script(SAME).arguments([&folder]).passes()?;
        tally += Tally::of(same, "the same files in every format");
        let tarball = script(TARBALL).arguments([&scratch(workspace)]).arguments(of(&made, "xz"));
        tally += Tally::of(tarball.passes()?, "the tarball");
    }
    if Run::new("id", workspace.root()).arguments(["-u"]).output()? != "0" {
        tally += Tally::skip("roots for packages take root to make");
        return Ok(tally);
    }
    for suite in suites(effort) {
        tally += match root(workspace, suite) {
            Ok(root) => installed(workspace, &folder, &root)?,
            Err(error) => Tally::skip(format!("no root of Debian's {suite}: {error:#}")),
        };
    }
    if effort == Effort::Thorough {
        tally += fedoras(workspace, &made, &root(workspace, suites(effort)[0])?)?;
        tally += alpines(workspace)?;
    }
    Ok(tally)
}

/// Packages for RPM in a system that is laid out as Fedora's.
fn fedoras(workspace: &Workspace, made: &[PathBuf], system: &Path) -> Result<Tally> {
    let run = apart(workspace, RPM).arguments([&scratch(workspace), system]);
    let run = run.arguments([FEDORA]);
    let passed = run.arguments(of(made, "rpm")).passes()?;
    Ok(Tally::of(passed, "packages for RPM in a system laid out as Fedora's"))
}

/// The tarball for musl in a system that is laid out as Alpine's.
fn alpines(workspace: &Workspace) -> Result<Tally> {
    packages::provide(packages::ALPINE)?;
    let folder = workspace.target().join("packages.musl");
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let wanted = Wanted::into(&folder, &[Format::Tar]).for_target(&target);
    let made = match package::make(workspace, &wanted) {
        Ok(made) => made,
        Err(error) => return Ok(Tally::skip(format!("no tarball for musl: {error:#}"))),
    };
    let openssl = openssl::alpines(workspace)?;
    let document = workspace.root().join("docs/install.md");
    let run = apart(workspace, ALPINE).arguments([scratch(workspace)]).arguments(of(&made, "xz"));
    let passed = run.arguments([openssl.prefix(), &document]).passes()?;
    Ok(Tally::of(passed, "the tarball for musl in a system laid out as Alpine's"))
}

/// A script in namespaces that end with it, arguments to come.
fn apart(workspace: &Workspace, script: &str) -> Run {
    let namespaces = ["--mount", "--net", "--pid", "--fork", "--kill-child"];
    let run = Run::new("unshare", workspace.root()).arguments(namespaces);
    run.arguments(["sh", "-euc", script, "sh"])
}

/// Where things are unpacked.
fn scratch(workspace: &Workspace) -> PathBuf {
    workspace.target().join("packages.work/unpacked")
}

/// What makes Debian's files a system laid out as Fedora's.
pub(crate) const FEDORA: &str = include_str!("installed/fedora.sh");
/// rpm itself installs them, upgrades and removes them, in a system laid out as Fedora's.
const RPM: &str = include_str!("installed/rpm.sh");
/// The lines for Alpine's image, in a system laid out as Alpine's.
const ALPINE: &str = include_str!("installed/alpine.sh");
/// The formats hold the same files.
const SAME: &str = include_str!("installed/same.sh");

/// The program finds the module where it is unpacked, and so does the emulator its library.
const TARBALL: &str = r#"
    rm -rf "$1"
    mkdir -p "$1"
    tar --extract --file "$2" --directory "$1" --strip-components 1
    cd "$1"
    echo 'HOME = .' > openssl.cnf
    bin/wirespeed install --dry-run --config openssl.cnf --modules modules | grep 'lib/ossl-modules/libwirespeed.so$'
    bin/padlock-run true
    grep -x 'prefix=${pcfiledir}/../..' lib/pkgconfig/wirespeed.pc
"#;

/// The files with that ending.
fn of<'f>(made: &'f [PathBuf], ending: &str) -> Vec<&'f PathBuf> {
    made.iter().filter(|file| file.extension().is_some_and(|it| it == ending)).collect()
}

fn installed(workspace: &Workspace, packages: &Path, root: &Path) -> Result<Tally> {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests", "--test", "packages"])
        .environment("WIRESPEED_PACKAGES", packages)
        .environment("WIRESPEED_ROOT", root)
        .tests()
}

/// A system with these programs.
pub(crate) fn root(workspace: &Workspace, suite: &str) -> Result<PathBuf> {
    Root { name: suite, suite, packages: PROGRAMS }.unpacked(workspace, Variant::Apt, &[])
}

//! The stage of the packages: made twice, looked at by lintian, and installed in roots of their own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::package::{self, Format, Wanted};
use crate::run::Run;
use crate::tally::Tally;
use crate::test::Effort;
use crate::workspace::Workspace;

/// What each root has besides apt: the programs that the module is to serve, what brings the loopback up, what judges and
/// switches on units, and what kills at a given call.
const PROGRAMS: &str = "openssl,python3-minimal,libpython3-stdlib,nginx-light,openssh-server,curl,iproute2,systemd,strace";

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
        let scratch = workspace.target().join("packages.work/unpacked");
        for (kind, script) in [("rpm", RPM), ("xz", TARBALL)] {
            let run = Run::new("sh", workspace.root()).arguments(["-euc", script, "sh"]);
            let run = run.arguments([scratch.as_os_str()]).arguments(of(&made, kind));
            tally += Tally::of(run.passes()?, &format!("what is in {kind}"));
        }
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
    Ok(tally)
}

/// rpm itself unpacks, verifies and removes them, in an empty root: its scripts have no shell there.
const RPM: &str = r#"
    root=$1; shift
    rm -rf "$root"
    mkdir -p "$root"
    rpm() { command rpm --root "$root" --dbpath /rpm "$@"; }
    rpm --install --nodeps --noscripts "$@"
    rpm --verify --all --nodeps
    rpm --query --all | xargs rpm --root "$root" --dbpath /rpm --erase --nodeps --noscripts
    test -z "$(find "$root" -name '*wirespeed*' -o -name '*padlock*')"
"#;

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

/// An unpacked system, made once for these programs.
fn root(workspace: &Workspace, suite: &str) -> Result<PathBuf> {
    let roots = workspace.target().join("roots");
    let (root, has) = (roots.join(suite), roots.join(format!("{suite}.programs")));
    if root.exists() {
        if fs::read_to_string(&has).is_ok_and(|it| it == PROGRAMS) {
            return Ok(root);
        }
        fs::remove_dir_all(&root)?;
    }
    fs::create_dir_all(&roots)?;
    let unfinished = roots.join(format!("{suite}.unfinished"));
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    let log = roots.join(format!("{suite}.log"));
    Run::new("mmdebstrap", workspace.root())
        .arguments(["--variant=apt", "--include", PROGRAMS, suite])
        .arguments([&unfinished])
        .succeeds_quietly(&log)?;
    fs::write(has, PROGRAMS)?;
    fs::rename(unfinished, &root)?;
    Ok(root)
}

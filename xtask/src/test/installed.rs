//! The stage of the packages: made twice, looked at by lintian, and installed in roots of their own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::package::{self, Wanted};
use crate::run::Run;
use crate::tally::Tally;
use crate::test::Effort;
use crate::workspace::Workspace;

/// What each root has besides apt: the programs that the module is to serve, and what brings the loopback up.
const PROGRAMS: &str =
    "openssl,python3-minimal,libpython3-stdlib,nginx-light,openssh-server,curl,iproute2";

/// Debian's releases, by their names in archives.
fn suites(effort: Effort) -> &'static [&'static str] {
    match effort {
        Effort::Usual => &["bookworm"],
        Effort::Thorough => &["bookworm", "trixie", "testing"],
    }
}

/// All of it.
pub(crate) fn packages(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    let folder = workspace.target().join("packages");
    if folder.exists() {
        // Those of another version would be installed, too.
        fs::remove_dir_all(&folder)?;
    }
    let made = package::make(workspace, &Wanted::into(&folder))?;
    let again =
        package::make(workspace, &Wanted::into(&workspace.target().join("packages.again")))?;
    let mut tally = Tally::default();
    for (one, other) in made.iter().zip(&again) {
        let same = fs::read(one)? == fs::read(other)?;
        tally += Tally::of(same, &format!("equal bytes of {} when made twice", one.display()));
    }
    let lintian = Run::new("lintian", workspace.root());
    let lintian = lintian.arguments(["--allow-root", "--fail-on", "error,warning"]);
    tally += Tally::of(lintian.arguments(&made).passes()?, "lintian");
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

fn installed(workspace: &Workspace, packages: &Path, root: &Path) -> Result<Tally> {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests", "--test", "packages"])
        .environment("WIRESPEED_PACKAGES", packages)
        .environment("WIRESPEED_ROOT", root)
        .tests()
}

/// An unpacked system, made once.
fn root(workspace: &Workspace, suite: &str) -> Result<PathBuf> {
    let roots = workspace.target().join("roots");
    let root = roots.join(suite);
    if root.exists() {
        return Ok(root);
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
    fs::rename(unfinished, &root)?;
    Ok(root)
}

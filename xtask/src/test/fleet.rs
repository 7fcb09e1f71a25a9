//! The stage of fleets: the collection and the rules as their own tools judge them, then hosts that they are for.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::installed;
use crate::package::{self, Format, Wanted};
use crate::run::Run;
use crate::tally::Tally;
use crate::test::Effort;
use crate::workspace::Workspace;

/// All of it.
pub(crate) fn fleet(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    let monitoring = workspace.root().join("fleet/monitoring");
    let promtool = |arguments: &[&str]| Run::new("promtool", &monitoring).arguments(arguments);
    let mut tally = Tally::default();
    for arguments in
        [["check", "rules", "wirespeed.rules.yml"], ["test", "rules", "wirespeed.rules.test.yml"]]
    {
        tally +=
            Tally::of(promtool(&arguments).passes()?, &format!("promtool {}", arguments.join(" ")));
    }
    tally += collection(workspace, effort)?;
    if effort == Effort::Usual {
        // Hosts take six minutes of two processors.
        return Ok(tally);
    }
    if Run::new("id", workspace.root()).arguments(["-u"]).output()? != "0" {
        tally += Tally::skip("hosts in namespaces take root to make");
        return Ok(tally);
    }
    let packages = workspace.target().join("packages.fleet");
    if packages.exists() {
        // Those of another version would be copied, too.
        fs::remove_dir_all(&packages)?;
    }
    package::make(workspace, &Wanted::into(&packages, &[Format::Deb]))?;
    tally += match fetch(workspace) {
        Ok(fetched) => hosts(workspace, &packages, &fetched)?,
        Err(error) => Tally::skip(format!("no hosts: {error:#}")),
    };
    Ok(tally)
}

/// The collection built, installed and looked at.
fn collection(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    let work = workspace.target().join("fleet.collection");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    fs::create_dir_all(&work)?;
    let judge = |script: &str, name: &str| {
        let run = Run::new("sh", &work).arguments(["-euc", script, "sh"]);
        Ok::<_, anyhow::Error>(Tally::of(run.arguments([workspace.root()]).passes()?, name))
    };
    let mut tally = judge(LINT, "ansible-lint of the collection")?;
    if effort == Effort::Thorough {
        tally += judge(SANITY, "ansible-test sanity of the collection")?;
    }
    Ok(tally)
}

const LINT: &str = include_str!("fleet/lint.sh");
/// It takes what it needs from PyPI.
const SANITY: &str = include_str!("fleet/sanity.sh");

/// What hosts are made of, from Debian's archive.
struct Fetched {
    roots: PathBuf,
    openssl: PathBuf,
}

fn fetch(workspace: &Workspace) -> Result<Fetched> {
    let mut roots = PathBuf::new();
    for suite in ["bookworm", "trixie"] {
        let root = installed::root(workspace, suite)?;
        roots = root.parent().unwrap_or(&root).to_owned();
    }
    let openssl = two_versions(workspace, &roots.join("bookworm"))?;
    Ok(Fetched { roots, openssl })
}

/// OpenSSL's packages as a release began and as it is now: what an upgrade is made of.
fn two_versions(workspace: &Workspace, root: &Path) -> Result<PathBuf> {
    let folder = workspace.target().join("fleet.openssl");
    if !folder.exists() {
        let unfinished = workspace.target().join("fleet.openssl.unfinished");
        let script = Run::new("unshare", workspace.root()).arguments([
            "--mount",
            "sh",
            "-euc",
            include_str!("fleet/openssl.sh"),
            "sh",
        ]);
        if !script.arguments([root, &unfinished]).passes()? {
            bail!("Debian's archive does not have two versions of OpenSSL for Debian 12");
        }
        fs::rename(unfinished, &folder)?;
    }
    Ok(folder)
}

fn hosts(workspace: &Workspace, packages: &Path, fetched: &Fetched) -> Result<Tally> {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests", "--test", "fleet"])
        .environment("HOSTS", "a1 a2 a3 a4 a5 a6 b1 b2 c1 c2 c3 c4")
        .environment("WIRESPEED_ROOTS", &fetched.roots)
        .environment("WIRESPEED_PACKAGES", packages)
        .environment("WIRESPEED_OPENSSL", &fetched.openssl)
        .tests()
}

//! The stage of fleets: the collection and the rules as their own tools judge them, then hosts that they are for.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::installed;
use crate::openssl;
use crate::package::{self, Format, Wanted};
use crate::packages as needs;
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
    if Run::new("id", workspace.root()).arguments(["-u"]).output()? != "0" {
        tally += Tally::skip("hosts in namespaces take root to make");
        return Ok(tally);
    }
    if !fs::read_to_string("/proc/cpuinfo")?.contains(" avx2") {
        tally +=
            Tally::skip("hosts are of two kinds where AVX2 is denied to some, and here is none");
        return Ok(tally);
    }
    let packages = packages(workspace, effort)?;
    tally += match fetch(workspace, effort) {
        Ok(fetched) => hosts(workspace, effort, &packages, &fetched)?,
        Err(error) => Tally::skip(format!("no hosts: {error:#}")),
    };
    Ok(tally)
}

/// What is installed on hosts.
fn packages(workspace: &Workspace, effort: Effort) -> Result<PathBuf> {
    let folder = workspace.target().join("packages.fleet");
    if folder.exists() {
        // Those of another version would be copied, too.
        fs::remove_dir_all(&folder)?;
    }
    let formats: &[Format] = match effort {
        Effort::Usual => &[Format::Deb],
        Effort::Thorough => &[Format::Deb, Format::Rpm],
    };
    package::make(workspace, &Wanted::into(&folder, formats))?;
    if effort == Effort::Thorough {
        let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
        package::make(workspace, &Wanted::into(&folder, &[Format::Tar]).for_target(&target))?;
    }
    Ok(folder)
}

/// The collection built, installed and looked at, and the dashboard.
fn collection(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    let work = workspace.target().join("fleet.collection");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    fs::create_dir_all(&work)?;
    let judge = |script: &str, name: &str| {
        let run = Run::new("sh", &work).arguments(["-euc", script, "sh"]);
        let run = run.arguments([workspace.root()]).arguments([TYPES]);
        Ok::<_, anyhow::Error>(Tally::of(run.passes()?, name))
    };
    let mut tally = judge(LINT, "ansible-lint of the collection")?;
    tally += Tally::of(
        Run::new("unshare", &work)
            .arguments(["--map-root-user", "--mount", "sh", "-euc", MODULES])
            .passes()?,
        "the modules of the collection",
    );
    tally += judge(DASHBOARD, "the dashboard, by the types of Grafana's SDK")?;
    if effort == Effort::Thorough {
        tally += judge(SANITY, "ansible-test sanity of the collection")?;
    }
    Ok(tally)
}

const LINT: &str = include_str!("fleet/lint.sh");
const MODULES: &str = include_str!("fleet/modules.sh");
const DASHBOARD: &str = include_str!("fleet/dashboard.sh");
const TYPES: &str = include_str!("fleet/dashboard.py");
/// It takes what it needs from PyPI.
const SANITY: &str = include_str!("fleet/sanity.sh");

/// What hosts are made of, from Debian's archive.
struct Fetched {
    roots: PathBuf,
    openssl: PathBuf,
}

fn fetch(workspace: &Workspace, effort: Effort) -> Result<Fetched> {
    let debian = installed::root(workspace, "bookworm")?;
    installed::root(workspace, "trixie")?;
    let roots = debian.parent().unwrap_or(&debian).to_owned();
    let openssl = two_versions(workspace, &debian)?;
    if effort == Effort::Thorough {
        let work = |script| {
            Run::new("unshare", workspace.root()).arguments(["--mount", "sh", "-euc", script, "sh"])
        };
        let fedora = work(FEDORA).arguments([&debian, &roots.join("fedora")]);
        // What others' systems are made of is not to be had here: Debian's files are laid out as theirs.
        if !fedora.arguments([installed::FEDORA]).passes()? {
            bail!("no system laid out as Fedora's");
        }
        needs::provide(needs::ALPINE)?;
        let musl = openssl::alpines(workspace)?;
        let alpine = work(ALPINE).arguments([&debian, &roots.join("alpine")]);
        if !alpine.arguments([musl.prefix()]).passes()? {
            bail!("no system laid out as Alpine's");
        }
    }
    Ok(Fetched { roots, openssl })
}

const FEDORA: &str = include_str!("fleet/fedora.sh");
const ALPINE: &str = include_str!("fleet/alpine.sh");

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

fn hosts(
    workspace: &Workspace,
    effort: Effort,
    packages: &Path,
    fetched: &Fetched,
) -> Result<Tally> {
    let hosts = match effort {
        Effort::Usual => "a1 a2 a3 d1",
        Effort::Thorough => "a1 a2 a3 a4 a5 b1 b2 c1 c2 c3 f1 l1",
    };
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-system-tests", "--test", "fleet"])
        .environment("HOSTS", hosts)
        .environment("WIRESPEED_ROOTS", &fetched.roots)
        .environment("WIRESPEED_PACKAGES", packages)
        .environment("WIRESPEED_OPENSSL", &fetched.openssl)
        .tests()
}

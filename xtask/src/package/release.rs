//! Which version it is, and when it was made: of the last commit, so that packages of one commit are equal.

use std::env;

use anyhow::{Context, Result};

use crate::run::Run;
use crate::workspace::Workspace;

/// The variable by which tools are told a time other than now: reproducible-builds.org.
pub(crate) const EPOCH: &str = "SOURCE_DATE_EPOCH";

/// Who answers for the packages.
pub(crate) const MAINTAINER: &str = "The Wirespeed authors <wirespeed@users.noreply.github.com>";

/// What all packages of one release share.
pub(crate) struct Release {
    /// As in Cargo.toml.
    pub(crate) version: String,
    pub(crate) homepage: String,
    /// Seconds since 1970.
    pub(crate) epoch: String,
}

impl Release {
    /// Of the work tree; the time may be given instead, where there is no git.
    pub(crate) fn read(workspace: &Workspace) -> Result<Self> {
        let epoch = match env::var(EPOCH) {
            Ok(epoch) => epoch,
            Err(_) => Run::new("git", workspace.root())
                .arguments(["log", "-1", "--format=%ct"])
                .output()
                .with_context(|| format!("the time of the last commit; or set {EPOCH}"))?,
        };
        epoch.parse::<u64>().with_context(|| format!("{EPOCH}={epoch}"))?;
        let of = |key: &str| {
            let packages = workspace.metadata()["packages"].as_array()?;
            let program = packages.iter().find(|package| package["name"] == "wirespeed-cli")?;
            program[key].as_str().map(str::to_owned)
        };
        let version = of("version").context("cargo metadata: wirespeed-cli has no version")?;
        let homepage = of("repository").context("cargo metadata: no repository")?;
        Ok(Self { version, homepage, epoch })
    }

    /// The time in the form of mails and of Debian's changelogs.
    pub(crate) fn date(&self, workspace: &Workspace) -> Result<String> {
        Run::new("date", workspace.root())
            .environment("LC_ALL", "C")
            .arguments(["--utc", "--rfc-email", "--date", &format!("@{}", self.epoch)])
            .output()
    }
}

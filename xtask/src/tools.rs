//! Programs of crates.io that the chores call, each in one version, installed where they are missed.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::run::Run;
use crate::workspace::Workspace;

/// A program and its version.
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

/// Checks licences and sources of crates.
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
/// Lists what a program is made of.
pub(crate) const CYCLONEDX: Tool = Tool { name: "cargo-cyclonedx", version: "0.5.9" };

impl Tool {
    /// Where it is; built below the target folder if neither that nor the search path has this version.
    pub(crate) fn provide(&self, workspace: &Workspace) -> Result<PathBuf> {
        let root = workspace.target().join("tools");
        let own = root.join("bin").join(self.name);
        for program in [own.clone(), PathBuf::from(self.name)] {
            if self.is(workspace, &program) {
                return Ok(program);
            }
        }
        let wanted = format!("{}@{}", self.name, self.version);
        println!("installing {wanted}");
        let install = workspace.cargo(["install", "--quiet", "--locked", "--root"]);
        if !install.arguments([root]).arguments([&wanted]).passes()? {
            bail!("{wanted} cannot be installed");
        }
        Ok(own)
    }

    fn is(&self, workspace: &Workspace, program: &PathBuf) -> bool {
        // As a part of cargo it is told its own name.
        let verb = self.name.trim_start_matches("cargo-");
        let run = Run::new(program, workspace.root()).arguments([verb, "--version"]);
        run.output().is_ok_and(|said| said.split_whitespace().any(|word| word == self.version))
    }
}

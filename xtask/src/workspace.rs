//! What cargo says about this workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::run::Run;

/// The workspace that this program was built from.
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    metadata: Value,
}

impl Workspace {
    pub(crate) fn load() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let metadata = metadata(&manifest, &[])?;
        let path = |key: &str| {
            let text = metadata[key].as_str().with_context(|| format!("cargo metadata: no {key}"));
            text.map(PathBuf::from)
        };
        Ok(Self { root: path("workspace_root")?, target: path("target_directory")?, metadata })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where build results go.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The same for another target, apart: cargo would let it wait for what is built for this machine.
    pub(crate) fn target_of(&self, triple: &str) -> PathBuf {
        self.target.join("cross").join(triple)
    }

    /// The output of `cargo metadata`.
    pub(crate) const fn metadata(&self) -> &Value {
        &self.metadata
    }

    /// A cargo command in the root.
    pub(crate) fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Run {
        Run::new("cargo", &self.root).arguments(arguments)
    }
}

/// `cargo metadata` for a manifest.
pub(crate) fn metadata(manifest: &Path, arguments: &[&str]) -> Result<Value> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(manifest)
        .args(arguments)
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata: not JSON")
}

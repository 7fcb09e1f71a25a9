//! The plan of this machine, made as its owner makes it: by `wirespeed tune` of this build.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use wirespeed_bench::Arena;
use wirespeed_libcrypto::Library;

/// An openssl.cnf with a plan that was measured here.
pub(crate) struct Tuned {
    folder: TempDir,
}

impl Tuned {
    /// With the plan that is `given`, or one that is made now, for which `library` must be found first.
    pub(crate) fn new(library: Library, given: Option<&Path>, quick: bool) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
        let plan = match given {
            Some(plan) => {
                plan.canonicalize().map_err(|why| format!("{}: {why}", plan.display()))?
            }
            None => {
                let plan = folder.path().join("plan");
                tune(library, &plan, quick)?;
                plan
            }
        };
        let name = Arena::PROVIDER;
        let text = format!(
            "openssl_conf = o\n[o]\nproviders = p\n[p]\n{name} = w\n[w]\nactivate = 1\nplan = {}\n",
            plan.display()
        );
        let tuned = Self { folder };
        fs::write(tuned.configuration(), text).map_err(|why| why.to_string())?;
        Ok(tuned)
    }

    /// The openssl.cnf.
    pub(crate) fn configuration(&self) -> PathBuf {
        self.folder.path().join("openssl.cnf")
    }
}

fn tune(library: Library, plan: &Path, quick: bool) -> Result<(), String> {
    let program = env::current_exe().map_err(|why| why.to_string())?.with_file_name("wirespeed");
    println!(
        "wirespeed tune{}, for what is offered only with a plan",
        if quick { " --quick" } else { "" }
    );
    let mut tune = Command::new(&program);
    tune.arg("tune").arg("--output").arg(plan).args(quick.then_some("--quick"));
    if let Some(folder) = library.path().parent() {
        tune.env("LD_LIBRARY_PATH", folder);
    }
    let output = tune.output().map_err(|why| format!("{}: {why}", program.display()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr))),
    }
}

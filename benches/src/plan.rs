//! The plan of this machine, made as its owner makes it: by `wirespeed tune` of this build.

use std::cell::OnceCell;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use wirespeed_bench::Harness;
use wirespeed_libcrypto::Library;

/// The plan beside it.
const PLAN: &str = "plan";

/// An openssl.cnf with a plan that is measured here when first asked for.
pub(crate) struct Tuned {
    folder: TempDir,
    plan: PathBuf,
    library: Library,
    quick: bool,
    made: OnceCell<bool>,
}

impl Tuned {
    /// With the plan that is `given`, or one for `library` that is yet to be made.
    pub(crate) fn new(
        library: Library,
        given: Option<PathBuf>,
        quick: bool,
    ) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
        let (plan, made) = match given {
            None => (folder.path().join(PLAN), OnceCell::new()),
            Some(plan) => {
                let found = plan.canonicalize();
                (found.map_err(|why| format!("{}: {why}", plan.display()))?, OnceCell::from(true))
            }
        };
        let name = Harness::PROVIDER;
        let text = format!(
            "openssl_conf = o\n[o]\nproviders = p\n[p]\n{name} = w\n[w]\nactivate = 1\nplan = {}\n",
            plan.display()
        );
        let tuned = Self { folder, plan, library, quick, made };
        fs::write(tuned.configuration(), text).map_err(|why| why.to_string())?;
        Ok(tuned)
    }

    /// Whether there is a plan; if nobody has asked yet, one is made.
    pub(crate) fn is_there(&self) -> bool {
        *self.made.get_or_init(|| {
            let made = tune(self.library, &self.plan, self.quick);
            if let Err(why) = &made {
                println!("no plan: {why}");
            }
            made.is_ok()
        })
    }

    /// The plan.
    pub(crate) fn plan(&self) -> &Path {
        &self.plan
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

//! The module as programs get it: from an openssl.cnf, with a plan or on one route.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wirespeed_bench::{Case, Runner};
use wirespeed_cipher::{Algorithm, Route, SIZE_CLASSES, Use};
use wirespeed_libcrypto::{Context, Library};
use wirespeed_measure::Contestant;
use wirespeed_plan::{Fingerprint, Plan, Reason, Row, Time};

/// The name of our provider.
pub(crate) const NAME: &str = "wirespeed";

/// The module of this build, and a folder for what it is told.
pub(crate) struct Module {
    file: PathBuf,
    folder: TempDir,
    library: Library,
}

impl Module {
    /// The module beside this program.
    pub(crate) fn of_this_build(library: Library) -> Result<Self, String> {
        let program = env::current_exe().map_err(|why| why.to_string())?;
        let file = program.with_file_name("libwirespeed.so");
        Self::of(&file, library).map_err(|why| format!("{why}: cargo build --release"))
    }

    /// A module by its file.
    pub(crate) fn of(file: &Path, library: Library) -> Result<Self, String> {
        let file = file.canonicalize().map_err(|why| format!("{}: {why}", file.display()))?;
        let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
        Ok(Self { file, folder, library })
    }

    /// A context that knows the module and what is to be told to it, but has not loaded it.
    pub(crate) fn context(&self, keys: &str) -> Result<Context, String> {
        let text = format!(
            "openssl_conf = o\n[o]\nproviders = p\n[p]\n{NAME} = w\n[w]\nmodule = {}\n{keys}\n",
            self.file.display()
        );
        let file = self.folder.path().join("openssl.cnf");
        fs::write(&file, text).map_err(|why| why.to_string())?;
        let context = Context::new(self.library).map_err(|why| why.to_string())?;
        context.load_config(&file).map_err(|why| why.to_string())?;
        Ok(context)
    }

    /// A case of a cipher, through EVP, by the module that was told these keys.
    pub(crate) fn runner(
        &self,
        keys: &str,
        algorithm: Algorithm,
        case: Case,
    ) -> Result<Box<dyn Contestant>, String> {
        let context = self.context(keys)?;
        context.load(NAME).map_err(|why| why.to_string())?;
        let cipher = context.fetch(algorithm.name(), None).map_err(|why| why.to_string())?;
        let runner = Runner::on(&cipher, algorithm, case).map_err(|why| why.to_string())?;
        Ok(Box::new(runner))
    }

    /// Writes a plan for this machine in which one route serves all, with figures as `tune` writes
    /// them; the key that names it.
    pub(crate) fn plan(&self, route: Route) -> Result<String, String> {
        let mut plan = Plan::new(Fingerprint::here(self.library.version()));
        let time = Time::new(123.4, 0.5);
        let reason = Reason {
            usage: Use::Message,
            time,
            second: Route::Libcrypto,
            second_time: time,
            libcrypto: time,
            constant_time: false,
        };
        for &algorithm in Algorithm::ALL {
            for &direction in algorithm.directions() {
                for size in SIZE_CLASSES {
                    plan.put(Row { algorithm, direction, size, route, reason: Some(reason) });
                }
            }
        }
        let file = self.folder.path().join("plan");
        fs::write(&file, plan.to_string()).map_err(|why| why.to_string())?;
        Ok(format!("plan = {}", file.display()))
    }
}

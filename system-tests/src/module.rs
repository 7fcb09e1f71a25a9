//! Our module as it reaches a program: a configuration of its own, and the counters that tell what ran.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use wirespeed_cipher::{Algorithm, Direction, Route};
use wirespeed_cpu::Features;
use wirespeed_stats::Snapshot;

use crate::scratch::Scratch;

/// The module under test: in the directory named by `WIRESPEED_MODULES`.
pub fn file() -> Option<PathBuf> {
    env::var_os("WIRESPEED_MODULES").map(|folder| Path::new(&folder).join("libwirespeed.so"))
}

/// Whether a program gets our module.
#[derive(Clone, Copy, Debug)]
pub enum Provided<'a> {
    /// The default provider alone, whatever this machine is configured for.
    Stock,
    /// Ours beside it.
    Ours(&'a Watched),
    /// Whatever this machine is configured for.
    Installed,
}

impl Provided<'_> {
    /// Sets a program's environment accordingly.
    pub fn to(self, command: &mut Command) -> &mut Command {
        match self {
            Self::Stock => command.env("OPENSSL_CONF", "/dev/null"),
            Self::Ours(watched) => command.env("OPENSSL_CONF", &watched.configuration),
            Self::Installed => command.env_remove("OPENSSL_CONF"),
        };
        command.env_remove("OPENSSL_MODULES")
    }
}

/// A configuration with our module in it, and the folder that it counts in.
#[derive(Debug)]
pub struct Watched {
    configuration: PathBuf,
    counters: PathBuf,
    _scratch: Scratch,
}

impl Watched {
    /// The module as users have it, or on the routes that `WIRESPEED_ROUTES` names.
    pub fn new() -> Result<Self, String> {
        match env::var("WIRESPEED_ROUTES") {
            Ok(routes) => Self::with(&format!("routes = {routes}")),
            Err(_) => Self::with(""),
        }
    }

    /// The module, made to serve an algorithm that it leaves to OpenSSL where nothing was measured and no route of its own
    /// suits every call.
    pub fn serving(algorithm: &str) -> Result<Self, String> {
        let algorithm: Algorithm = algorithm.parse().map_err(|error| format!("{error}"))?;
        let features = Features::detect();
        let has = |it: &Route| wirespeed_kernels::has(*it, algorithm, features).is_ok();
        let best = Route::PRIORITY.into_iter().find(has);
        let suits = |it: &Route| wirespeed_kernels::suits_every_call(*it, algorithm, features);
        match best.filter(|best| !suits(best)) {
            Some(route) => Self::with(&format!("routes = {route}")),
            None => Self::new(),
        }
    }

    /// With more lines in our section.
    pub fn with(lines: &str) -> Result<Self, String> {
        let module = file().ok_or("WIRESPEED_MODULES is not set")?;
        let scratch = Scratch::new()?;
        // A file for each user: what others count in one of root's is believed only when they have ended.
        let counters = scratch.folder("counters")?;
        let lines = format!("stats = {}\n{lines}", counters.display());
        let configuration = scratch.write("openssl.cnf", configuration(&module, &lines))?;
        Ok(Self { configuration, counters, _scratch: scratch })
    }

    /// The configuration file.
    pub fn configuration(&self) -> &Path {
        &self.configuration
    }

    /// What has been counted so far.
    pub fn counted(&self) -> Result<Snapshot, String> {
        Snapshot::read(&self.counters).map_err(|error| error.to_string())
    }

    /// Requires that our routes ran `algorithm` over at least so many bytes, and that none was found to
    /// be wrong.
    pub fn ran(&self, algorithm: &str, direction: Direction, bytes: u64) -> Result<(), String> {
        let counted = self.counted()?;
        let ours = |route: Route| route != Route::Libcrypto;
        let got: u64 = counted
            .rows()
            .filter(|row| row.subject.name() == algorithm && row.direction == direction)
            .filter(|row| ours(row.route))
            .map(|row| row.bytes)
            .sum();
        let quarantined = counted.quarantined();
        if !quarantined.is_empty() {
            return Err(format!("quarantined: {quarantined:?}"));
        }
        if got < bytes {
            let rows: Vec<_> = counted.rows().collect();
            let loads = counted.loads();
            return Err(format!(
                "{algorithm} {direction:?}: our routes ran {got} bytes, not {bytes}; {loads} \
                 processes loaded the module, and counted {rows:?}"
            ));
        }
        Ok(())
    }

    /// Requires that some process has loaded the module.
    pub fn loaded(&self) -> Result<(), String> {
        match self.counted()?.loads() {
            0 => Err("no process loaded the module".to_owned()),
            _ => Ok(()),
        }
    }

    /// Requires that no process has loaded the module.
    pub fn not_loaded(&self) -> Result<(), String> {
        match self.counted()?.loads() {
            0 => Ok(()),
            loads => Err(format!("{loads} processes loaded the module")),
        }
    }
}

/// An openssl.cnf that activates the default provider and our module, with more lines for the module.
pub fn configuration(module: &Path, more: &str) -> String {
    inactive(module, &format!("activate = 1\n{more}"))
}

/// One that makes our module known under its name, for programs that load it themselves.
pub fn inactive(module: &Path, more: &str) -> String {
    format!(
        "openssl_conf = init\n\
         [init]\nproviders = providers\nalg_section = algorithms\n\
         [providers]\ndefault = default_provider\nwirespeed = our_provider\n\
         [default_provider]\nactivate = 1\n\
         [our_provider]\nmodule = {}\n{more}\n\
         [algorithms]\ndefault_properties = ?provider=wirespeed,?wirespeed.preferred=yes\n",
        module.display()
    )
}

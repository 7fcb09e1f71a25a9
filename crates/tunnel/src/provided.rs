//! Whether a program gets our module: a configuration of OpenSSL's for it alone, and the counters that tell what ran.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use wirespeed_cipher::{Route, Subject};
use wirespeed_stats::Snapshot;

use crate::program::write;
use crate::request::Module;

/// What OpenSSL a program gets.
#[derive(Debug)]
pub(crate) enum Provided {
    /// Its own alone, whatever this machine is configured for.
    Default,
    /// Ours beside it.
    Wirespeed { configuration: PathBuf, counters: PathBuf },
}

impl Provided {
    /// Our module, with files of that name.
    pub(crate) fn ours(name: &str, module: &Module) -> Result<Self, String> {
        let counters = write(&format!("{name}.counters"), "")?;
        let plan = module.plan.as_ref();
        let plan = plan.map_or(String::new(), |file| format!("plan = {}\n", file.display()));
        let text = format!(
            "openssl_conf = init\n\
             [init]\nproviders = providers\nalg_section = algorithms\n\
             [providers]\ndefault = default_provider\nwirespeed = our_provider\n\
             [default_provider]\nactivate = 1\n\
             [our_provider]\nmodule = {}\nactivate = 1\nstats = {}\n{plan}\
             [algorithms]\ndefault_properties = ?provider=wirespeed,?wirespeed.preferred=yes\n",
            module.file.display(),
            counters.display(),
        );
        Ok(Self::Wirespeed { configuration: write(&format!("{name}.cnf"), &text)?, counters })
    }

    /// Sets a program's environment accordingly.
    pub(crate) fn to<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        match self {
            Self::Default => command.env("OPENSSL_CONF", "/dev/null"),
            Self::Wirespeed { configuration, .. } => command.env("OPENSSL_CONF", configuration),
        }
    }

    /// Our routes that ran a cipher; an error if they did not run over most of so many bytes, in both directions.
    pub(crate) fn ran(&self, cipher: Subject, bytes: u64) -> Result<Vec<String>, String> {
        let Self::Wirespeed { counters, .. } = self else { return Ok(Vec::new()) };
        let told = |why: &dyn std::fmt::Display| format!("the module's counters: {why}");
        let counted = Snapshot::read(counters).map_err(|error| told(&error))?;
        if counted.loads() == 0 {
            return Err("no process has loaded the module".to_owned());
        }
        let rows = || counted.rows().filter(|row| row.subject == cipher);
        let ours = || rows().filter(|row| row.route != Route::Libcrypto);
        let name = cipher.name();
        let (all, done) = (rows().map(|row| row.bytes).sum(), ours().map(|row| row.bytes).sum());
        // Sealed at one end and opened at the other.
        match (all, done) {
            (_, done) if done >= 2 * bytes => {}
            (0_u64, _) => {
                return Err(format!("the module was loaded, but never asked for {name}"));
            }
            (_, 0_u64) => return Err(format!("{name} stays OpenSSL's: the plan says so")),
            _ => return Err(format!("our routes ran {done} bytes of {name}, not {}", 2 * bytes)),
        }
        let routes: BTreeSet<&str> = ours().map(|row| row.route.name()).collect();
        Ok(routes.into_iter().map(str::to_owned).collect())
    }
}

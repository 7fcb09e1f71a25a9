//! What every check looks at: the machine's OpenSSL, the configuration that it reads, our part of it.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use wirespeed_cipher::Route;
use wirespeed_openssl_conf::{Configuration, Configured, DEFAULT, Fault, Section};

use crate::reading::Reading;
use crate::surroundings::{Openssl, Surroundings};

/// The names of our module's file: as it is installed, and as it is built.
pub(crate) const MODULE_NAMES: [&str; 2] = ["wirespeed.so", "libwirespeed.so"];

/// A machine, and what was found out about it before the first check.
pub(crate) struct Examined<'a> {
    pub(crate) here: &'a dyn Surroundings,
    pub(crate) openssl: Result<Openssl, String>,
    /// The file that OpenSSL reads; none where it reads none.
    pub(crate) file: Option<PathBuf>,
    /// What it means; none without a file.
    pub(crate) configuration: Option<Result<Configuration, Fault>>,
    /// What it gives whoever asks, found out once: several checks want to know, and each time is a process.
    pub(crate) own_reading: OnceCell<Result<Reading, String>>,
    /// The routes that fail their proof: the longest of all checks.
    failed_proofs: OnceCell<Vec<(Route, String)>>,
}

/// Our part of a configuration.
pub(crate) struct Installed<'a> {
    /// The provider as it is listed.
    pub(crate) provider: Configured<'a>,
    /// Its section.
    pub(crate) section: &'a Section,
    /// The file of the module.
    pub(crate) module: PathBuf,
}

impl<'a> Examined<'a> {
    /// Finds the configuration as OpenSSL finds it.
    pub(crate) fn new(here: &'a dyn Surroundings) -> Self {
        let openssl = here.openssl();
        let file = match here.text_variable("OPENSSL_CONF") {
            // An empty name is none (CONF_modules_load_file_ex).
            Some(name) if name.is_empty() => None,
            Some(name) => Some(PathBuf::from(name)),
            None => openssl.as_ref().ok().map(Openssl::configuration_file),
        };
        let configuration = file.as_ref().map(|file| Configuration::read(file, here));
        let (own_reading, failed_proofs) = (OnceCell::new(), OnceCell::new());
        Self { here, openssl, file, configuration, own_reading, failed_proofs }
    }

    /// The routes of this machine that fail their proof, with the reason.
    pub(crate) fn failed_proofs(&self) -> &[(Route, String)] {
        self.failed_proofs.get_or_init(|| self.here.failed_proofs())
    }

    /// The configuration, if it can be read.
    pub(crate) fn readable(&self) -> Option<&Configuration> {
        self.configuration.as_ref()?.as_ref().ok()
    }

    /// Whether mistakes in the configuration stop programs instead of being passed over.
    pub(crate) fn diagnostics(&self) -> bool {
        let entry = self.readable().and_then(|read| read.entry(DEFAULT, "config_diagnostics"));
        entry.is_some_and(|entry| entry.value != *"0")
    }

    /// Our provider, if it is listed and has a section.
    pub(crate) fn installed(&self) -> Option<Installed<'_>> {
        let provider = self.readable().and_then(ours)?;
        let section = provider.reference.section?;
        let module = self.module_file(&provider);
        Some(Installed { provider, section, module })
    }

    /// Where the module lies: a path that is not absolute begins in the modules folder.
    fn module_file(&self, provider: &Configured<'_>) -> PathBuf {
        let named = provider.entry("module").map(|entry| entry.value.to_str().into_owned());
        let name = named.unwrap_or_else(|| format!("{}.so", provider.name));
        match self.modules_folder() {
            Some(folder) => folder.join(name),
            None => name.into(),
        }
    }

    /// Where OpenSSL looks for modules.
    pub(crate) fn modules_folder(&self) -> Option<PathBuf> {
        let from_environment = self.here.text_variable("OPENSSL_MODULES").map(PathBuf::from);
        from_environment.or_else(|| Some(self.openssl.as_ref().ok()?.modules_folder.clone()))
    }
}

impl Openssl {
    /// The configuration that it reads if `OPENSSL_CONF` names no other.
    pub(crate) fn configuration_file(&self) -> PathBuf {
        self.configuration_folder.join("openssl.cnf")
    }
}

/// The provider that is ours, by its name or by its module's.
pub(crate) fn ours(configuration: &Configuration) -> Option<Configured<'_>> {
    let is_ours = |provider: &Configured<'_>| {
        let module = provider.entry("module").map(|entry| entry.value.to_str().into_owned());
        let name = format!("{}.so", provider.name);
        names_our_module(&module.unwrap_or(name))
    };
    configuration.providers().into_iter().find(is_ours)
}

/// Whether a path ends in the name of our module.
pub(crate) fn names_our_module(path: &str) -> bool {
    let name = Path::new(path).file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| MODULE_NAMES.contains(&name))
}

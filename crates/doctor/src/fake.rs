//! A machine made up for tests.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use wirespeed_advisories::Probe;
use wirespeed_cipher::Route;
use wirespeed_cpu::Features;
use wirespeed_openssl_conf::Files;
use wirespeed_plan::{Fingerprint, Plan};
use wirespeed_stats::Snapshot;

use crate::examined::Examined;
use crate::finding::Finding;
use crate::machine::Costs;
use crate::reading::{Asked, Reading, User};
use crate::surroundings::{Entry, Openssl, Surroundings, Unpacked};
use crate::trial::Loaded;
use wirespeed_installation::{Binary, this_machine};

pub(crate) const CONFIGURATION: &str = "/etc/ssl/openssl.cnf";
pub(crate) const MODULE: &str = "/usr/lib/ossl-modules/wirespeed.so";

/// Files, variables, and what loading the module gives. Folders are there because of what is in them.
pub(crate) struct Fake {
    files: BTreeMap<PathBuf, (Vec<u8>, Entry)>,
    /// Files that are others once time has gone by.
    later: BTreeMap<PathBuf, Vec<u8>>,
    has_waited: Cell<bool>,
    variables: BTreeMap<String, String>,
    pub(crate) architecture: &'static str,
    pub(crate) costs: Costs,
    /// What its programs print, whatever they are told.
    pub(crate) printed: BTreeMap<&'static str, &'static str>,
    pub(crate) features: Features,
    pub(crate) tells_features: bool,
    pub(crate) openssl: Result<Openssl, String>,
    pub(crate) binary: Result<Binary, String>,
    /// Beginnings of paths that lead elsewhere than they say, and the number of what lies there.
    pub(crate) elsewhere: BTreeMap<String, u64>,
    /// What each process's root is.
    pub(crate) unpacked: Result<Unpacked, String>,
    pub(crate) plan: Result<Plan, String>,
    pub(crate) loaded: Result<Loaded, String>,
    /// What the configuration gives users; those that are not here get everything.
    pub(crate) readings: BTreeMap<u32, Reading>,
    pub(crate) failed: Vec<(Route, String)>,
    pub(crate) user: u32,
    /// What its OpenSSL answers to probes.
    pub(crate) faults: BTreeMap<Probe, bool>,
}

impl Fake {
    /// A machine with OpenSSL 3.0 and nothing else.
    pub(crate) fn bare() -> Self {
        Self {
            files: BTreeMap::new(),
            later: BTreeMap::new(),
            has_waited: Cell::new(false),
            variables: BTreeMap::new(),
            architecture: "x86_64",
            costs: Costs::default(),
            printed: BTreeMap::new(),
            features: Features::detect(),
            tells_features: true,
            openssl: Ok(Openssl {
                path: "/usr/lib/libcrypto.so.3".into(),
                version: "OpenSSL 3.0.19 27 Jan 2026".to_owned(),
                major: 3,
                configuration_folder: "/etc/ssl".into(),
                modules_folder: "/usr/lib/ossl-modules".into(),
            }),
            binary: Ok(Binary {
                machine: this_machine(),
                interpreter: None,
                needs: vec!["libc.so.6".to_owned()],
                exports: vec!["OSSL_provider_init".to_owned()],
            }),
            elsewhere: BTreeMap::new(),
            unpacked: Ok(Unpacked { is_installed: false, obstacle: None }),
            plan: Ok(Plan::new(Fingerprint::here("3.0.19"))),
            loaded: Ok(Loaded { routes: Some("vaes512".to_owned()), ..Loaded::default() }),
            readings: BTreeMap::new(),
            failed: Vec::new(),
            user: 0,
            faults: BTreeMap::new(),
        }
    }

    /// The same with this configuration.
    pub(crate) fn configured(text: &str) -> Self {
        Self::bare().file(CONFIGURATION, text)
    }

    /// The same with Wirespeed as `install` leaves it, and more lines in its section.
    pub(crate) fn installed(more: &str) -> Self {
        let text = format!(
            "openssl_conf = init\n[init]\nproviders = list\nalg_section = algorithms\n\
             [list]\ndefault = default_section\nwirespeed = wirespeed_section\n\
             [default_section]\nactivate = 1\n\
             [wirespeed_section]\nmodule = {MODULE}\nactivate = 1\n{more}\n\
             [algorithms]\ndefault_properties = ?provider=wirespeed\n"
        );
        Self::configured(&text).file(MODULE, "a module")
    }

    pub(crate) fn file(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.file_of(path, bytes, 0, 0o644)
    }

    /// A file with an owner, who is its group too, and permissions.
    pub(crate) fn file_of(
        mut self,
        path: &str,
        bytes: impl AsRef<[u8]>,
        owner: u32,
        mode: u32,
    ) -> Self {
        let place = PathBuf::from(path);
        let entry = Entry { place, folder: false, mode, owner, group: owner, changed: 0 };
        self.files.insert(path.into(), (bytes.as_ref().to_owned(), entry));
        self
    }

    /// The same with a file that was changed so many seconds after 1970.
    pub(crate) fn changed(mut self, path: &str, seconds: i64) -> Self {
        self.files.get_mut(Path::new(path)).expect("a file").1.changed = seconds;
        self
    }

    /// The same with a symbolic link.
    pub(crate) fn link(mut self, path: &str, place: &str) -> Self {
        self = self.file(path, "");
        self.files.get_mut(Path::new(path)).expect("a file").1.place = place.into();
        self
    }

    /// The same with a file that says something else once time has gone by.
    pub(crate) fn later(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.later.insert(path.into(), bytes.as_ref().to_owned());
        self
    }

    /// What a file of it holds.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        self.read(Path::new(path)).expect("a file")
    }

    pub(crate) fn remove(&mut self, path: &str) {
        self.files.remove(Path::new(path));
    }

    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.variables.insert(variable.to_owned(), value.to_owned());
        self
    }

    /// What a check says, a line for each finding.
    pub(crate) fn says(&self, check: impl Fn(&Examined<'_>) -> Vec<Finding>) -> String {
        let findings = check(&Examined::new(self));
        findings.iter().map(Finding::words).collect::<Vec<_>>().join("\n")
    }
}

impl Files for Fake {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if self.has_waited.get()
            && let Some(bytes) = self.later.get(path)
        {
            return Ok(bytes.clone());
        }
        match self.files.get(path) {
            Some((_, entry)) if entry.mode & 0o444 == 0 => Err(io::Error::from_raw_os_error(13)),
            Some((bytes, _)) => Ok(bytes.clone()),
            None => Err(io::Error::from_raw_os_error(2)),
        }
    }

    fn list(&self, path: &Path) -> Option<Vec<OsString>> {
        let below = self.files.keys().filter_map(|file| file.strip_prefix(path).ok());
        let mut names: Vec<OsString> =
            below.filter_map(|rest| Some(rest.iter().next()?.to_owned())).collect();
        names.dedup();
        (!names.is_empty()).then_some(names)
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        let value = self.variables.get(std::str::from_utf8(name).ok()?)?;
        Some(value.clone().into_bytes())
    }
}

impl Surroundings for Fake {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        if let Some((_, entry)) = self.files.get(path) {
            return Ok(entry.clone());
        }
        self.list(path).ok_or(io::Error::from_raw_os_error(2))?;
        let place = path.to_owned();
        Ok(Entry { place, folder: true, mode: 0o755, owner: 0, group: 0, changed: 0 })
    }

    fn user(&self) -> u32 {
        self.user
    }

    fn binary(&self, _: &Path) -> Result<Binary, String> {
        self.binary.clone()
    }

    fn identity(&self, path: &Path) -> Option<(u64, u64)> {
        let found = self.elsewhere.iter().find(|(beginning, _)| path.starts_with(beginning));
        Some((0, found.map_or(0, |(_, number)| *number)))
    }

    fn link(&self, path: &Path) -> Option<PathBuf> {
        let place = self.files.get(path)?.1.place.clone();
        (place != path).then_some(place)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(Cursor::new(self.read(path)?)))
    }

    fn printed(&self, program: &str, _: &[&str]) -> Option<String> {
        self.printed.get(program).map(|text| (*text).to_owned())
    }

    fn unpacked(&self, _: &Path) -> Result<Unpacked, String> {
        self.unpacked.clone()
    }

    fn plan(&self, _: &Path) -> Result<Plan, String> {
        self.plan.clone()
    }

    fn counted(&self, place: &Path, name: Option<&OsStr>) -> io::Result<Snapshot> {
        let bytes = self.read(&name.map_or_else(|| place.to_owned(), |name| place.join(name)))?;
        Snapshot::of(&bytes)
    }

    fn features(&self) -> Features {
        self.features
    }

    fn tells_features(&self) -> bool {
        self.tells_features
    }

    fn architecture(&self) -> &str {
        self.architecture
    }

    fn wait(&self, _: Duration) {
        self.has_waited.set(true);
    }

    fn costs(&self) -> Costs {
        self.costs
    }

    fn openssl(&self) -> Result<Openssl, String> {
        self.openssl.clone()
    }

    fn load(&self, _: &Path, _: &[(String, String)]) -> Result<Loaded, String> {
        assert!(self.binary.is_ok(), "loading a damaged module may end the process");
        self.loaded.clone()
    }

    fn reading(&self, _: &Asked<'_>, user: &User) -> Result<Reading, String> {
        Ok(self.readings.get(&user.number).cloned().unwrap_or_default())
    }

    fn failed_proofs(&self) -> Vec<(Route, String)> {
        self.failed.clone()
    }

    fn has_fault(&self, probe: Probe) -> Option<bool> {
        self.faults.get(&probe).copied()
    }
}
